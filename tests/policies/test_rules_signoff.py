"""People: owners, signatures, objections, the quorum and the decider, sentence by sentence."""

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest

from reviews.policies.facts import Condition, Contribution, Decider, GateFacts, SignatureFacts
from reviews.sections import RequiredOwner
from reviews.template_content import RoleRule
from reviews.vocabulary import DecisionKind, RequirementState

from .asking import lines, said, state
from .open_gate import (
    CONTENT,
    DAY,
    KIM,
    NOW,
    OLGA,
    OPEN,
    PAT,
    ROLES,
    a_signature,
    with_comparisons,
    with_rules,
    with_section,
)

NAMED = "required_owners_are_named"
SIGNED = "required_owners_have_signed"
OBJECTS = "nobody_objects"
QUORUM = "the_quorum_is_met"
INDEPENDENT = "signers_are_independent"
DECIDER = "the_decider_is_independent"
FOLLOW_UPS = "follow_ups_are_not_overdue"
MET, UNMET, ERROR = RequirementState.MET, RequirementState.UNMET, RequirementState.ERROR
BOUNDED = DecisionKind.BOUNDED


def signed(*signatures: SignatureFacts, facts: GateFacts = OPEN) -> GateFacts:
    return replace(facts, signatures=signatures)


def by_pat(**fields: Any) -> GateFacts:
    return signed(OLGA, a_signature("pat", "sre", **fields), KIM)


def test_a_role_that_nobody_holds_names_whom_to_ask() -> None:
    facts = replace(OPEN, role_holders={**OPEN.role_holders, "sre": ()})

    [line] = lines(NAMED, facts)

    assert line.sentence == "Nobody holds the role SRE owner for the team inference."
    assert line.who == "an administrator"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"withdrawn": True}, "was withdrawn"),
        ({"position": "abstain"}, "says “abstain”"),
        ({"position": "recuse"}, "says “recuse”"),
        ({"position": "object"}, "says “object”"),
        ({"kinds": ("rollback",)}, "does not approve ship"),
        (
            {"position": "approve_with_conditions", "conditions": (Condition(text="watch p99", cleared_by=""),)},
            "waits for “watch p99”",
        ),
        (
            {"position": "approve_with_conditions"},
            "names no condition, although it approves with conditions",
        ),
        ({"covered": {"symptom": "digest of symptom"}}, "does not cover header, change, hypotheses, evidence, "),
        ({"acting_for": "quin"}, "was given for quin without a delegation in force"),
        ({"acting_for": "olga"}, "was given for a role that olga does not hold now"),
    ],
)
def test_a_signature_that_does_not_count_says_why(fields: dict[str, Any], reason: str) -> None:
    [line] = lines(SIGNED, by_pat(**fields))

    assert line.sentence.startswith(f"SRE owner has not approved ship: the signature of pat {reason}")
    assert line.who == "pat or quin"
    assert line.where == "sign"


@pytest.mark.parametrize(
    "fields",
    [
        {"position": "approve_with_conditions", "conditions": (Condition(text="watch p99", cleared_by="olga"),)},
        {"acting_for": "quin", "delegation_in_force": True},
    ],
)
def test_a_cleared_condition_and_a_delegation_in_force_count(fields: dict[str, Any]) -> None:
    assert state(SIGNED, by_pat(**fields)) == MET


def test_a_role_without_a_signature_says_so() -> None:
    assert said(SIGNED, signed(OLGA)) == ["SRE owner has not approved ship: nobody has signed."]


def test_a_signature_by_somebody_who_lost_the_role_does_not_count() -> None:
    facts = replace(OPEN, role_holders={**OPEN.role_holders, "sre": ("quin",)})

    assert said(SIGNED, facts) == [
        "SRE owner has not approved ship: the signature of pat was given for a role that pat does not hold now."
    ]


def test_a_signature_is_stale_when_a_covered_section_changed_and_only_then() -> None:
    facts = replace(OPEN, section_digests={**OPEN.section_digests, "hypotheses": "new"})

    assert said(
        SIGNED, signed(a_signature("olga", "platform", "symptom", "comparisons", "rollout"), PAT, facts=facts)
    ) == ["SRE owner has not approved ship: the signature of pat is stale: hypotheses changed since."]


def test_the_last_word_of_a_signer_counts() -> None:
    early = a_signature("pat", "sre", position="abstain", at=NOW - 3 * DAY)
    late = a_signature("pat", "sre", position="abstain", at=NOW - DAY)

    assert state(SIGNED, signed(PAT, early, OLGA)) == MET
    assert state(SIGNED, signed(PAT, late, OLGA)) == UNMET


def test_another_holder_can_approve_after_an_abstention() -> None:
    facts = signed(OLGA, a_signature("pat", "sre", position="abstain"), a_signature("quin", "sre"))

    assert state(SIGNED, facts) == MET


def test_an_unknown_position_is_an_error() -> None:
    assert state(SIGNED, by_pat(position="maybe")) == ERROR


@pytest.mark.parametrize(
    ("scope", "asked", "reason"),
    [
        (Fraction(20), None, ""),
        (Fraction(10), None, "approves at most 10 %, not 20 %"),
        (Fraction(25, 2), Fraction(13), "approves at most 12.5 %, not 13 %"),
        (Fraction(10), Fraction(10), ""),
        (None, None, "names no greatest scope"),
    ],
)
def test_an_approval_of_a_bounded_rollout_reaches_as_far_as_it_says(
    scope: Fraction | None, asked: Fraction | None, reason: str
) -> None:
    facts = replace(by_pat(scope_percent=scope), requested_percent=asked)

    assert said(SIGNED, facts, BOUNDED) == [
        f"SRE owner has not approved bounded rollout: the signature of pat {reason}."
        if reason
        else "2 required role(s) have signed for bounded rollout."
    ]


def test_without_any_scope_the_rollout_itself_is_what_is_missing() -> None:
    facts = with_section(by_pat(scope_percent=Fraction(1)), "rollout", stages=())

    assert state(SIGNED, facts, BOUNDED) == MET


@pytest.mark.parametrize("kind", [DecisionKind.SHIP, BOUNDED])
def test_a_signature_for_an_expired_rollout_counts_no_longer(kind: DecisionKind) -> None:
    facts = replace(by_pat(rollout_digest="old"), expired_rollouts=("old",))

    assert said(SIGNED, facts, kind)[0].endswith("the signature of pat was given for a rollout that has expired.")


def test_a_signature_for_another_rollout_counts_for_no_bounded_one() -> None:
    assert said(SIGNED, by_pat(rollout_digest=""), BOUNDED)[0].endswith("was given for another rollout.")
    assert state(SIGNED, by_pat(rollout_digest="")) == MET


def required_when(condition: str) -> GateFacts:
    role = RoleRule(role="thermal", title="thermal architect", signs=(), required_when=condition)
    return replace(with_rules(OPEN, roles=(*ROLES, role)), role_holders={**OPEN.role_holders, "thermal": ("tess",)})


@pytest.mark.parametrize(
    ("condition", "asked"),
    [
        ("", True),
        ("metric:latency", True),
        ("metric:power", False),
        ("risk:thermal", True),
        ("risk:magnetic", False),
        ("section:header", True),
        ("section:rollout", True),
    ],
)
def test_a_role_is_required_when_the_memo_touches_what_it_owns(condition: str, asked: bool) -> None:
    assert (state(SIGNED, required_when(condition)) == UNMET) is asked


def test_a_role_is_not_required_for_a_section_that_is_empty() -> None:
    facts = required_when("section:comparisons")

    assert any("thermal" in line.sentence for line in lines(SIGNED, facts))
    assert not any("thermal" in line.sentence for line in lines(SIGNED, with_comparisons(facts)))


def test_a_risk_that_nobody_checked_touches_nothing() -> None:
    facts = with_section(required_when("risk:thermal"), "action", risks=())

    assert state(SIGNED, facts) == MET


@pytest.mark.parametrize("condition", ["weather:hot", "section:appendix"])
def test_a_condition_that_no_rule_knows_is_an_error(condition: str) -> None:
    assert state(SIGNED, required_when(condition)) == ERROR


def test_an_owner_that_the_text_adds_signs_for_ship_and_bounded_rollout() -> None:
    owner = RequiredOwner(role="finance", title="finance partner", from_template=False)
    facts = with_section(OPEN, "signoff", required_owners=(*CONTENT.signoff.required_owners, owner))

    for kind in (DecisionKind.SHIP, BOUNDED):
        assert "Nobody holds the role finance partner for the team inference." in said(NAMED, facts, kind)
    assert state(NAMED, facts, DecisionKind.ROLLBACK) == MET


def test_an_owner_that_the_text_repeats_is_asked_once() -> None:
    owner = RequiredOwner(role="platform", title="the platform people", from_template=False)

    assert said(SIGNED, with_section(OPEN, "signoff", required_owners=(owner,))) == [
        "2 required role(s) have signed for ship."
    ]


def objecting(**fields: Any) -> GateFacts:
    usual: dict[str, Any] = {
        "position": "object",
        "kinds": (),
        "objection": "p99 is unstable",
        "would_clear_if": "ten runs",
    }
    return signed(OLGA, PAT, KIM, a_signature("quin", "sre", **{**usual, **fields}))


def test_an_objection_stands_until_somebody_resolves_it() -> None:
    [line] = lines(OBJECTS, objecting())

    assert line.sentence == (
        "quin objects: “p99 is unstable”. It would clear if: “ten runs”. The escalation owner may end it from "
        "2026-05-09 on, if nobody answers before; the board may override it at a second meeting, when it is alone."
    )
    assert line.who == "quin, bea or ben"


def test_after_the_silence_of_the_template_the_escalation_owner_is_asked_too() -> None:
    [line] = lines(OBJECTS, objecting(spoken_at=NOW - 7 * DAY))

    assert "The escalation owner may end it now;" in line.sentence
    assert line.who == "quin, esther, bea or ben"


def test_an_objection_is_not_cleared_by_editing_or_by_approving_later() -> None:
    later = a_signature("quin", "sre", at=NOW)
    facts = replace(objecting(), section_digests={**OPEN.section_digests, "header": "new"})

    assert state(OBJECTS, replace(facts, signatures=(*facts.signatures, later))) == UNMET


def test_an_objection_without_words_is_named_all_the_same() -> None:
    [sentence] = said(OBJECTS, objecting(objection="", would_clear_if=""))

    assert sentence.startswith("quin objects: “no reason is given”. It would clear if: “nobody knows what”.")


@pytest.mark.parametrize(
    ("fields", "by"),
    [
        ({"resolved_by": "esther", "resolved_as": "escalation_owner"}, "by esther"),
        ({"resolved_by": "bea", "resolved_as": "board"}, "overridden at a second meeting by bea"),
        ({"withdrawn": True}, "by quin"),
    ],
)
def test_a_resolved_objection_shows_both_names(fields: dict[str, Any], by: str) -> None:
    assert said(OBJECTS, objecting(**fields)) == [f"Every objection is resolved: quin's {by}."]


def test_own_work_does_not_count_to_the_quorum() -> None:
    facts = replace(OPEN, contributions=(*OPEN.contributions, Contribution(name="pat", revision=3)))

    [line] = lines(QUORUM, facts)

    assert line.sentence == (
        "1 of the 2 people that are needed approve. Independent signers: 1 of 2. Not counted: pat (own work)."
    )
    assert line.who == "quin"


def test_a_quorum_is_never_below_two_people() -> None:
    facts = replace(signed(OLGA), template=replace(OPEN.template, quorum=1))

    assert said(QUORUM, facts) == ["1 of the 2 people that are needed approve. Independent signers: 1 of 1."]


def test_when_nobody_else_could_approve_an_administrator_is_asked() -> None:
    facts = replace(
        OPEN, template=replace(OPEN.template, quorum=4), role_holders={**OPEN.role_holders, "sre": ("pat",)}
    )

    assert lines(QUORUM, facts)[0].who == "an administrator, who can name another holder"


THERMAL = required_when("")


def test_one_person_signs_for_one_required_role() -> None:
    facts = replace(THERMAL, role_holders={**THERMAL.role_holders, "thermal": ("olga", "tess")})

    [line] = lines(INDEPENDENT, signed(OLGA, PAT, a_signature("olga", "thermal"), facts=facts))

    assert line.sentence == "olga stands for 2 required roles (platform and thermal): one person signs for one."
    assert line.who == "tess"


def test_a_second_role_does_no_harm_once_another_holder_signed_for_it() -> None:
    facts = replace(THERMAL, role_holders={**THERMAL.role_holders, "thermal": ("olga", "tess")})
    both = (a_signature("olga", "thermal"), a_signature("tess", "thermal"))

    assert state(INDEPENDENT, signed(OLGA, PAT, *both, facts=facts)) == MET


def test_a_delegate_stands_for_the_person_who_delegated() -> None:
    facts = replace(OPEN, role_holders={**OPEN.role_holders, "sre": ("olga",)})
    delegated = a_signature("pat", "sre", acting_for="olga", delegation_in_force=True)

    assert said(INDEPENDENT, signed(OLGA, delegated, facts=facts)) == [
        "olga stands for 2 required roles (platform and sre): one person signs for one."
    ]
    assert lines(INDEPENDENT, signed(OLGA, delegated, facts=facts))[0].who == "an administrator"


def test_abstentions_and_objections_are_in_the_denominator_and_recusals_leave_it() -> None:
    facts = replace(THERMAL, role_holders={**THERMAL.role_holders, "sre": ("pat", "quin", "rae", "una")})
    spoken = (
        OLGA,
        PAT,
        a_signature("quin", "sre", position="abstain"),
        a_signature("rae", "sre", position="object", resolved_by="rae"),
        a_signature("una", "sre", position="recuse"),
        a_signature("tess", "thermal", kinds=("rollback",)),
    )

    [sentence] = said(QUORUM, signed(*spoken, facts=facts))
    assert sentence == (
        "2 people approve: olga and pat. Independent signers: 2 of 5. Not counted: quin (abstains), rae (objects) and "
        "tess (the approval does not count for this decision). Recused: una."
    )


def test_a_holder_and_the_delegate_of_that_holder_are_one_voice() -> None:
    delegated = a_signature("eve", "sre", acting_for="pat", delegation_in_force=True)

    [sentence] = said(QUORUM, signed(PAT, delegated))
    assert sentence == (
        "1 of the 2 people that are needed approve. Independent signers: 1 of 2. "
        "Not counted: eve (speaks for pat, who is counted already)."
    )


def test_a_delegate_of_who_wrote_the_memo_is_not_independent() -> None:
    facts = replace(OPEN, role_holders={**OPEN.role_holders, "sre": ("sam",)})
    delegated = a_signature("eve", "sre", acting_for="sam", delegation_in_force=True)

    assert "eve (acts for sam, who wrote content of this memo)" in said(QUORUM, signed(OLGA, delegated, facts=facts))[0]


def test_a_person_counts_once_however_often_they_sign() -> None:
    facts = replace(THERMAL, role_holders={**THERMAL.role_holders, "thermal": ("olga", "tess")})

    assert "Independent signers: 1 of 1." in said(QUORUM, signed(OLGA, a_signature("olga", "thermal"), facts=facts))[0]


def test_who_recused_in_one_role_counts_in_none() -> None:
    facts = replace(THERMAL, role_holders={**THERMAL.role_holders, "thermal": ("pat", "tess")})
    left = a_signature("pat", "thermal", position="recuse")

    assert "SRE owner has not approved ship: the signature of pat was given by somebody who has recused." in said(
        SIGNED, signed(OLGA, PAT, left, facts=facts)
    )


@pytest.mark.parametrize("acting_for", ["", "kim"])
def test_the_rollout_is_accepted_by_its_owner_or_in_their_place(acting_for: str) -> None:
    facts = replace(OPEN, role_holders={**OPEN.role_holders, "rollback_owner": ("kim", "rob")})
    by_rob = a_signature("rob", "rollback_owner", "rollout", acting_for=acting_for, delegation_in_force=True)

    accepted = state("the_rollout_is_bounded", signed(OLGA, PAT, by_rob, facts=facts), BOUNDED)
    assert accepted == (MET if acting_for else UNMET)


def test_a_decider_who_has_recused_does_not_decide() -> None:
    facts = replace(OPEN, role_holders={**OPEN.role_holders, "sre": ("pat", "bea")})
    facts = signed(OLGA, PAT, a_signature("bea", "sre", position="recuse"), facts=facts)

    assert said(DECIDER, facts) == ["ben can decide."]
    assert said(DECIDER, replace(facts, decider=Decider(name="bea", on_board=True))) == [
        "bea has recused and cannot decide on this memo."
    ]


@pytest.mark.parametrize(
    ("decider", "sentence", "decides"),
    [
        (None, "bea or ben can decide.", True),
        (Decider(name="bea", on_board=True), "bea wrote nothing of this memo.", True),
        (Decider(name="ann", on_board=True), "ann wrote content of this memo and cannot decide on it.", False),
        (Decider(name="sam", on_board=True), "sam wrote content of this memo and cannot decide on it.", False),
        (Decider(name="eve", on_board=False), "eve is not on the board.", False),
    ],
)
def test_who_decides_sits_on_the_board_and_wrote_nothing(decider: Decider | None, sentence: str, decides: bool) -> None:
    facts = replace(OPEN, decider=decider)

    assert said(DECIDER, facts) == [sentence]
    assert (state(DECIDER, facts) == MET) is decides


def test_a_board_that_wrote_everything_cannot_decide() -> None:
    facts = replace(OPEN, role_holders={**OPEN.role_holders, "board": ("ann", "sam")})

    [line] = lines(DECIDER, facts)

    assert line.sentence == "Nobody on the board has written nothing of this memo."
    assert line.who.startswith("an administrator")


@pytest.mark.parametrize(
    ("met", "due", "open_"),
    [(True, -1, True), (False, 1, True), (False, 0, True), (False, -1, False)],
)
def test_a_follow_up_is_overdue_after_its_date_until_it_is_met(met: bool, due: int, open_: bool) -> None:
    follow_up = replace(OPEN.follow_ups[0], met=met, due=NOW + timedelta(seconds=due))

    assert (state(FOLLOW_UPS, replace(OPEN, follow_ups=(follow_up,))) == MET) is open_


def test_an_overdue_follow_up_names_its_owner() -> None:
    facts = replace(OPEN, follow_ups=(replace(OPEN.follow_ups[0], met=False),))

    [line] = lines(FOLLOW_UPS, facts)

    assert line.sentence == "“recheck pool b” of ARM-2026-0007 was due on 2026-05-03."
    assert line.who == "kim"


def test_overdue_follow_ups_never_stand_before_a_rollback() -> None:
    facts = replace(OPEN, follow_ups=(replace(OPEN.follow_ups[0], met=False),))

    assert lines(FOLLOW_UPS, facts, DecisionKind.ROLLBACK) == []
