"""Who is told of a deed, for which reason: whoever can or has to do something, and never who did it."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.policies.facts import Condition, GateFacts
from reviews.policies.telling import TOLD, Circle, Deed, told
from reviews.policies.wanted import asked
from reviews.told_words import Reason
from reviews.vocabulary import Action

from .open_gate import DIGESTS, KIM, OLGA, OPEN, PAT, a_signature, with_rules, with_section

QUIN = a_signature("quin", "sre", position="object", kinds=(), objection="unstable", would_clear_if="ten runs")
BOUND = a_signature(
    "pat", "sre", position="approve_with_conditions", acting_for="quin",
    conditions=(Condition(text="watch it", cleared_by="", owner="rob", proof="a log"),),
)  # fmt: skip


def circle(facts: GateFacts = OPEN, **special: Any) -> Circle:
    return Circle(**{"facts": facts, "before": {}, "addressees": (), **special})


def reasons(action: str, around: Circle, actor: str = "ann", **detail: object) -> dict[str, str]:
    """Person -> reason."""
    deed = Deed(action=action, actor=actor, name=actor.title() or "the clock", detail=detail)
    found = told(deed, around)
    assert all(one.sentence and one.person for one in found)
    return {one.person: one.reason.value for one in found}


def test_a_submission_asks_the_holders_that_nobody_has_signed_for_and_tells_the_board() -> None:
    found = reasons("submit", circle(replace(OPEN, signatures=(PAT,))))

    assert found["olga"] == found["kim"] == Reason.SIGNATURE_WANTED
    assert found["bea"] == found["pat"] == Reason.DECISION
    assert "ann" not in found
    assert "quin" not in found, "a signature stands for that role"


def test_who_has_recused_or_does_not_own_the_rollout_is_not_asked_to_sign() -> None:
    facts = replace(OPEN, signatures=(a_signature("pat", "sre", position="recuse", kinds=()),))
    facts = replace(facts, role_holders={**facts.role_holders, "rollback_owner": ("kim", "rob")})

    assert {rule.role: holders for rule, holders in asked(facts)} == {
        "platform": ("olga",),
        "sre": ("quin",),
        "rollback_owner": ("kim",),
    }
    assert "rollback_owner" not in {rule.role for rule, _ in asked(with_section(facts, "rollout", owner=""))}


def test_a_template_that_no_rule_knows_asks_for_nothing() -> None:
    odd = with_rules(OPEN, roles=(replace(OPEN.template.decisions["ship"].roles[0], required_when="moon:full"),))

    assert [rule.role for rule, _ in asked(replace(odd, signatures=()))] == ["rollback_owner"]


@pytest.mark.parametrize(("action", "words"), [("return", "returned it"), ("withdraw", "withdrew it")])
def test_a_memo_that_moves_back_is_told_its_writers_signers_and_board(action: str, words: str) -> None:
    deed = Deed(action=action, actor="bea", name="Bea", detail={"reason": "Too early."})
    found = {one.person: one for one in told(deed, circle())}

    assert set(found) == {"ann", "sam", "olga", "pat", "kim", "ben"}
    assert words in found["ann"].sentence
    assert "Too early." in found["ann"].sentence


def test_an_edit_tells_those_whose_signed_sections_changed_by_it() -> None:
    now = {**DIGESTS, "symptom": "another"}
    signed = (OLGA, replace(PAT, covered={"rollout": DIGESTS["rollout"]}), replace(KIM, withdrawn=True), QUIN)
    facts = replace(OPEN, section_digests=now, signatures=signed)

    assert reasons("edit", circle(facts, before=DIGESTS)) == {"olga": Reason.SIGNATURE_STALE}
    assert reasons("edit", circle(facts, before=now)) == {}, "it was stale before"
    assert reasons("edit", circle(replace(facts, state="draft"), before=DIGESTS)) == {}


def test_a_signature_is_told_the_author_and_in_whose_place_it_was_given() -> None:
    said = {"role": "sre", "position": "approve", "acting_for": "quin"}

    assert reasons("sign", circle(), "pat", **said) == {"quin": Reason.SIGNED, "ann": Reason.SIGNED}
    assert reasons("sign", circle(replace(OPEN, signatures=())), "pat", **said) == {
        "quin": Reason.SIGNED,
        "ann": Reason.SIGNED,
    }


def test_an_objection_is_told_who_can_answer_or_hear_it() -> None:
    found = reasons("sign", circle(replace(OPEN, signatures=(OLGA, QUIN))), "quin", role="sre", position="object")

    assert found == dict.fromkeys(("ann", "sam", "bea", "ben", "esther"), Reason.OBJECTION)


def test_a_condition_is_told_who_sees_to_it_and_its_clearance_who_made_it() -> None:
    around = circle(replace(OPEN, signatures=(OLGA, BOUND)))

    assert reasons("sign", around, "pat", role="sre", position="approve_with_conditions")["rob"] == Reason.CONDITION
    cleared = reasons("clear_condition", around, "bea", text="watch it", proof="log 7")
    assert cleared == dict.fromkeys(("pat", "quin", "rob", "ann"), Reason.CONDITION)


@pytest.mark.parametrize("action", ["answer_objection", "hear_objection"])
def test_what_is_said_to_an_objection_is_told_its_raiser(action: str) -> None:
    around = circle(replace(OPEN, signatures=(OLGA, QUIN, replace(QUIN, signer="tess", resolved_by="bea"))))

    found = reasons(action, around, "ann", raiser="Quin", text="Ten runs are in.")
    assert found == dict.fromkeys(("quin", "bea", "ben"), Reason.OBJECTION)
    assert "tess" in reasons("resolve_objection", around, "bea", raiser="Tess", reason="Silence.")


def test_a_withdrawn_signature_and_a_delegation_are_told() -> None:
    found = reasons("withdraw_signature", circle(), "pat", role="sre", reason="Wrong file.")

    assert found == dict.fromkeys(("ann", "bea", "ben"), Reason.SIGNED)
    for action in ("delegate", "end_delegation"):
        assert reasons(action, circle(), "olga", role="platform", delegate="tess") == {"tess": Reason.DELEGATION}


def test_an_escalation_is_told_whom_it_names_first() -> None:
    found = reasons("escalate", circle(addressees=("vera",)), "bea", rationale="Too near.")

    assert found["vera"] == found["esther"] == found["ben"] == Reason.ESCALATION
    assert found["ann"] == Reason.DECISION


@pytest.mark.parametrize("action", ["ship", "roll_out", "roll_back", "emergency_rollback"])
def test_a_decision_is_told_everybody_who_wrote_signed_or_decides(action: str) -> None:
    found = reasons(action, circle(), "bea", reason="It is slower.")

    assert found == dict.fromkeys(("ann", "sam", "olga", "pat", "kim", "ben"), Reason.DECISION)


@pytest.mark.parametrize(("action", "actor"), [("expire", ""), ("advance_stage", "zoe")])
def test_a_rollout_that_moves_is_told_its_owner_its_author_and_the_board(action: str, actor: str) -> None:
    assert reasons(action, circle(), actor, stage=2) == dict.fromkeys(("ann", "kim", "bea", "ben"), Reason.ROLLOUT)


def test_production_that_rolled_back_is_told_and_a_deployment_is_not() -> None:
    assert set(reasons("production_event", circle(), "sam", kind="rolled_back", build="b")) == {
        "ann", "kim", "bea", "ben",
    }  # fmt: skip
    assert reasons("production_event", circle(), "sam", kind="deployed", build="b") == {}


@pytest.mark.parametrize("action", ["recall", "redact"])
def test_a_file_that_is_recalled_or_gone_is_told_signers_rollback_owners_board_and_writers(action: str) -> None:
    found = reasons(action, circle(), "sam", name="runs.json", reason="Wrong host.")

    assert found == dict.fromkeys(("olga", "pat", "kim", "bea", "ben", "ann"), Reason.RECALL)


def test_a_waiver_is_told_the_board_and_its_answer_who_asked() -> None:
    around = circle(waiver=("olga", "sam"))

    assert set(reasons("waive", around, "sam", requirement="x:y")) == {"bea", "ben", "olga"}
    for action in ("waiver_approved", "waiver_declined"):
        assert set(reasons(action, around, "bea", requirement="x:y")) == {"olga", "sam", "ann"}


def test_a_comment_is_told_whom_it_names_its_thread_and_the_author() -> None:
    around = circle(writer="aud", thread=("sam", "olga"), mentioned=("olga", "aud"))

    assert reasons("comment", around, "aud", comment=7) == {
        "olga": Reason.MENTION,
        "sam": Reason.COMMENT,
        "ann": Reason.COMMENT,
    }
    assert reasons("edit_comment", around, "aud", comment=7) == {"olga": Reason.MENTION}
    for action in ("resolve_comment", "reopen_comment"):
        assert set(reasons(action, around, "ann", comment=7)) == {"aud", "sam", "olga"}


def test_what_stands_in_no_row_of_the_table_is_told_nobody() -> None:
    assert reasons("attach", circle(), "sam") == {}
    assert {Action.ATTACH, Action.OBSERVE, Action.SEAL} & set(TOLD) == set()
