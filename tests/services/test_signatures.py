"""A signature is one person's word, for one role, on what the page showed, proved just now."""

import hashlib
import json
from typing import Any

import pytest
import rfc8785

from reviews.errors import BadInput, Incomplete, NotPermitted, NotSignedIn, NotVisible, StalePage, WrongState
from reviews.models import Memo, Signature
from reviews.queries import gate
from reviews.queries.sign_page import sign_page
from reviews.services import events, memos, signatures, teams
from reviews.services.previews import text_of
from tests import cases, cast
from tests.services import deeds
from tests.services.deeds import refused, sign, wish

pytestmark = pytest.mark.django_db
OLGA, ROLE = "olga", "inference_platform_owner"


def withdraw(signature: Signature, name: str, reason: str = "I was wrong.") -> Any:
    return signatures.withdraw_signature(actor=cases.person(name), signature_id=signature.pk, reason=reason)


def objection(memo: Memo, name: str = OLGA, role: str = ROLE) -> Signature:
    return sign(
        memo, name, wish(role, "object", kinds=(), scope_percent="", text="Too few runs.", would_clear_if="More runs.")
    )


def test_the_statement_is_canonical_and_its_digest_matches() -> None:
    memo = cases.a_memo_in_review()
    signature = sign(memo, OLGA, wish(ROLE, text="Fine."))

    said = bytes(signature.statement)
    assert rfc8785.dumps(json.loads(said)) == said
    assert hashlib.sha256(said).hexdigest() == signature.statement_sha256
    statement = json.loads(said)
    assert (statement["signer"], statement["role"], statement["kinds"], statement["scope_percent"]) == (
        "olga", ROLE, ["bounded"], "10",
    )  # fmt: skip
    assert statement["covered"] == signature.section_digests
    assert signature.rollout_digest == memo.current_revision.section_digests["rollout"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("position", "special", "kind"),
    [
        ("approve", {"kinds": (), "scope_percent": ""}, Incomplete),
        ("approve", {"scope_percent": ""}, Incomplete),
        ("approve", {"kinds": ("ship",)}, BadInput),
        ("approve", {"scope_percent": "0"}, BadInput),
        ("approve", {"scope_percent": "101"}, BadInput),
        ("approve", {"scope_percent": "ten"}, BadInput),
        ("approve", {"kinds": ("party",)}, BadInput),
        ("approve", {"conditions": deeds.waits("Watch it.")}, BadInput),
        ("approve", {"would_clear_if": "x"}, BadInput),
        ("approve_with_conditions", {}, Incomplete),
        ("approve_with_conditions", {"conditions": deeds.waits(" ")}, Incomplete),
        ("object", {"kinds": (), "scope_percent": "", "text": "Bad."}, Incomplete),
        ("object", {"kinds": (), "scope_percent": "", "would_clear_if": "Good."}, Incomplete),
        ("object", {"text": "Bad.", "would_clear_if": "Good."}, BadInput),
        ("abstain", {}, BadInput),
        ("nod", {}, BadInput),
    ],
)
def test_a_position_says_what_it_needs_and_nothing_else(
    position: str, special: dict[str, Any], kind: type[Any]
) -> None:
    memo = cases.a_memo_in_review()

    with refused(kind):
        sign(memo, OLGA, wish(ROLE, position, **special))
    assert not Signature.objects.exists()


@pytest.mark.parametrize("position", ["abstain", "recuse"])
def test_somebody_may_stay_out_on_record(position: str) -> None:
    memo = cases.a_memo_in_review()

    assert sign(memo, OLGA, wish(ROLE, position, kinds=(), scope_percent="")).position == position


def test_conditions_are_kept_in_order() -> None:
    memo = cases.a_memo_in_review()
    signature = sign(
        memo, OLGA, wish(ROLE, "approve_with_conditions", conditions=deeds.waits("Watch it.", " ", "Ask Pat."))
    )

    assert list(signature.conditions.order_by("number").values_list("number", "text")) == [
        (1, "Watch it."),
        (2, "Ask Pat."),
    ]


def test_a_role_that_is_not_held_or_not_asked_for_is_refused() -> None:
    memo = cases.a_memo_in_review()

    with refused(NotPermitted) as caught:
        sign(memo, OLGA, wish("capacity_planning_engineer"))
    assert "Ask pat" in caught.value.needs
    with refused(BadInput, where="role"):
        sign(memo, OLGA, wish("poet_laureate"))
    for name in ("ann", "bea", "aud"):
        with refused(NotPermitted):
            sign(memo, name, wish(ROLE))
    with refused(NotVisible):
        sign(memo, "eve", wish(ROLE))


def test_one_person_approves_for_one_required_role() -> None:
    memo = cases.a_memo_in_review()
    cast.assign(memo.team, "olga", "capacity_planning_engineer")
    first = sign(memo, OLGA, wish(ROLE))

    with refused(NotPermitted):
        sign(memo, OLGA, wish("capacity_planning_engineer"))
    withdraw(first, OLGA)
    assert sign(memo, OLGA, wish("capacity_planning_engineer")).role == "capacity_planning_engineer"


def test_an_old_proof_is_refused() -> None:
    memo = cases.a_memo_in_review()

    with refused(NotSignedIn, "step_up_needed", "password"):
        signatures.sign(
            actor=cases.person(OLGA), memo_id=memo.pk, base=cases.base_of(memo), wish=wish(ROLE),
            authentication=deeds.old_proof(),
        )  # fmt: skip


def test_a_covered_section_that_changed_since_the_page_is_refused_and_another_is_not() -> None:
    memo = cases.a_memo_in_review()
    base = cases.base_of(memo)

    def on(seen: str) -> Signature:
        return signatures.sign(
            actor=cases.person("rob"), memo_id=memo.pk, base=seen, wish=wish("rollback_owner"),
            authentication=cases.proof(),
        ).signature  # fmt: skip

    deeds.revise(memo, {"symptom": {**deeds.sections_of(memo)["symptom"], "workload_slice": "elsewhere"}})
    assert on(base).revision.number == 3
    rollout = deeds.sections_of(memo)["rollout"]
    rollout["stages"][0]["soak_hours"] = "36"
    deeds.revise(memo, {"rollout": rollout})
    with refused(StalePage) as caught:
        on(base)
    assert "rollout changed" in caught.value.message
    with refused(StalePage, where="base"):
        on("f" * 64)


def test_signing_again_replaces_the_former_word() -> None:
    memo = cases.a_memo_in_review()
    first = sign(memo, OLGA, wish(ROLE))

    again = sign(memo, OLGA, wish(ROLE, scope_percent="5"))

    assert again.replaces == first
    assert json.loads(bytes(again.statement))["replaces"] == first.statement_sha256


def test_own_work_is_told_to_the_signer() -> None:
    memo = cases.a_memo_in_review()
    cast.assign(memo.team, "ann", ROLE)

    signed = signatures.sign(
        actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo), wish=wish(ROLE),
        authentication=cases.proof(),
    )  # fmt: skip

    assert "own work" in signed.notices[0]


def test_a_signature_is_withdrawn_by_its_signer_once_with_a_reason() -> None:
    memo = cases.a_memo_in_review()
    signature = sign(memo, OLGA, wish(ROLE))

    with refused(NotPermitted):
        withdraw(signature, "pat")
    with refused(NotVisible):
        withdraw(signature, "eve")
    with refused(BadInput, "no_reason"):
        withdraw(signature, OLGA, " ")
    assert withdraw(signature, OLGA).by_name == "Olga"
    with refused(WrongState, "withdrawn_already"):
        withdraw(signature, OLGA)
    with refused(NotVisible):
        signatures.withdraw_signature(actor=cases.person(OLGA), signature_id=signature.pk + 99, reason="x")


def test_an_edit_does_not_clear_an_objection() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    objection(memo, "pat", "capacity_planning_engineer")
    deeds.revise(memo, {"symptom": {**deeds.sections_of(memo)["symptom"], "workload_slice": "elsewhere"}})

    lines = {line.rule for outlook in gate.preview(memo.pk).outlooks for line in outlook.blockers}
    assert "nobody_objects" in lines


def test_importing_a_text_creates_no_signature() -> None:
    memo = cases.a_memo_in_review()
    text = text_of(memo).replace("chat, 1024", "Signed: Olga. chat, 1024")

    memos.revise_text(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo), text=text, said="Words.")

    assert not Signature.objects.exists()


def test_who_has_lost_the_role_still_withdraws_their_own_signature_and_no_other() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    mine, other = (memo.signatures.get(signer__username=name) for name in ("olga", "pat"))
    held = memo.team.assignments.get(person__username="olga")
    teams.end_assignment(actor=cases.person("adi"), assignment_id=held.pk, reason="Another team.")

    with refused(NotPermitted):
        signatures.withdraw_signature(actor=cases.person("olga"), signature_id=other.pk, reason="x")
    page = sign_page(cases.person("olga"), memo, role="", acting_for="", seen="")
    assert {one.signature.pk for one in page.given if one.may_withdraw} == {mine.pk}
    signatures.withdraw_signature(actor=cases.person("olga"), signature_id=mine.pk, reason="I should not have.")

    assert events.chain_of(memo).last().action == "withdraw_signature"  # type: ignore[union-attr]
