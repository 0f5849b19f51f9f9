"""Objections end by their raiser, after a silence, or at a second meeting; conditions are cleared with a proof."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews.errors import BadInput, Incomplete, NotPermitted, NotVisible, WrongState
from reviews.models import Memo, Signature
from reviews.policies import gate as rules
from reviews.queries import gate
from reviews.services import conditions, events, objections, signatures
from reviews.services.signatures import ConditionWish
from reviews.vocabulary import DecisionKind
from tests import cases, cast
from tests.services import deeds
from tests.services.deeds import refused, sign, wish

pytestmark = pytest.mark.django_db
ROLE = "sre_performance_owner"
DAY = timedelta(days=1)


def objection(memo: Memo, name: str = "quin", role: str = ROLE, *, days_ago: int = 0) -> Signature:
    """Raised so many days ago: the clock is the machine's, so that the row is written with that moment."""
    real, then = timezone.now, timezone.now() - days_ago * DAY
    patch = pytest.MonkeyPatch()
    if days_ago:
        patch.setattr(timezone, "now", lambda: then)
    try:
        return cases.sign(memo, name, role, "object", text="One host only.")
    finally:
        patch.undo()
        assert timezone.now is real


def resolve(row: Signature, name: str, **special: Any) -> Any:
    usual: dict[str, Any] = {"reason": "Weighed, and bounded to one host."}
    return objections.resolve(actor=cases.person(name), signature_id=row.pk, **{**usual, **special})


def hear(row: Signature, name: str = "bea", *, days_ago: int = 2) -> Any:
    return objections.hear(
        actor=cases.person(name), signature_id=row.pk, held_at=timezone.now() - days_ago * DAY, note="Heard."
    )


def open_rules(memo: Memo) -> set[str]:
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    return {line.rule for line in rules.missing(rules.evaluate(facts, DecisionKind.BOUNDED))}


def test_its_raiser_ends_it_at_once_and_nobody_else_does() -> None:
    memo = cases.a_memo_in_review()
    row = objection(memo)

    for name in ("ann", "sam", "pat", "rob", "aud", "adi"):
        with refused(NotPermitted):
            resolve(row, name)
    with refused(WrongState, "not_deadlocked"):
        resolve(row, "esk")
    with refused(WrongState, "not_heard_yet"):
        resolve(row, "bea", held_at=timezone.now())
    with refused(BadInput, "no_reason"):
        resolve(row, "quin", reason=" ")
    assert resolve(row, "quin").role == ROLE
    with refused(WrongState, "resolved_already"):
        resolve(row, "quin")
    with refused(NotVisible):
        objections.resolve(actor=cases.person("quin"), signature_id=row.pk + 99, reason="x")


def test_after_seven_days_of_silence_the_escalation_owner_ends_it_and_an_answer_begins_them_anew() -> None:
    memo = cases.a_memo_in_review()
    row = objection(memo, days_ago=8)
    objections.answer(actor=cases.person("ann"), signature_id=row.pk, text="It is bounded to one host.")
    with refused(WrongState, "not_deadlocked"):
        resolve(row, "esk")

    second = objection(memo, "pat", "capacity_planning_engineer", days_ago=7)
    made = resolve(second, "esk")
    assert (made.role, made.held_at) == ("escalation_owner", None)


def test_an_answer_says_something_on_an_open_objection_and_comes_from_a_side() -> None:
    memo = cases.a_memo_in_review()
    row = objection(memo)
    approval = cases.sign(memo, "pat", cases.OWNERS["pat"])

    def answer(name: str, text: str = "See C1.", signature: Signature = row) -> Any:
        return objections.answer(actor=cases.person(name), signature_id=signature.pk, text=text)

    for name in ("ann", "quin", "esk", "bea"):
        assert answer(name).by == cases.person(name)
    for name in ("sam", "pat", "aud"):
        with refused(NotPermitted):
            answer(name)
    with refused(BadInput, "no_text"):
        answer("ann", " ")
    with refused(WrongState, "no_objection"):
        answer("ann", signature=approval)
    signatures.withdraw_signature(actor=cases.person("quin"), signature_id=row.pk, reason="x")
    with refused(WrongState, "withdrawn_already"):
        answer("ann")


def test_the_board_overrides_a_lone_objection_at_a_second_meeting_and_it_stays_dissent() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    row = objection(memo, days_ago=5)
    assert "nobody_objects" in open_rules(memo)
    with refused(NotPermitted):
        hear(row, "esk")
    hear(row, "bea", days_ago=3)
    with refused(WrongState, "heard_already"):
        hear(row, "ben")
    with refused(NotPermitted, "same_member"):
        resolve(row, "bea", held_at=timezone.now())
    with refused(BadInput, "meeting_too_soon"):
        resolve(row, "ben", held_at=timezone.now() - timedelta(days=2, hours=1))

    made = resolve(row, "ben", held_at=timezone.now())
    assert (made.role, made.held_at is not None) == ("board", True)
    assert "nobody_objects" not in open_rules(memo)
    assert events.verify(memo) == []


def test_two_objections_are_not_overridden() -> None:
    memo = cases.a_memo_in_review()
    row = objection(memo, days_ago=5)
    hear(row)
    other = objection(memo, "pat", "capacity_planning_engineer")

    with refused(WrongState, "not_alone"):
        resolve(row, "ben", held_at=timezone.now())
    resolve(other, "pat")
    assert resolve(row, "ben", held_at=timezone.now()).role == "board"


def test_a_member_who_wrote_content_sits_over_no_objection() -> None:
    memo = cases.a_memo_in_review()
    cast.assign(memo.team, "ann", "board")
    row = objection(memo, days_ago=5)

    with refused(NotPermitted, "a_party"):
        hear(row, "ann")


def condition(memo: Memo) -> Any:
    return cases.sign(memo, "olga", cases.OWNERS["olga"], "approve_with_conditions").conditions.get()


def clear(row: Any, name: str, proof: str = "The dashboard of week 49.") -> Any:
    return conditions.clear(actor=cases.person(name), condition_id=row.pk, proof=proof)


@pytest.mark.parametrize(("name", "role"), [("olga", "inference_platform_owner"), ("bea", "board")])
def test_a_condition_is_cleared_by_its_signer_or_the_board_with_a_proof_and_then_counts(name: str, role: str) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    row = condition(memo)
    assert (row.owner, row.proof) == (cases.person("sam"), "The queue's dashboard of one week.")
    assert "required_owners_have_signed" in open_rules(memo)
    with refused(BadInput, "no_proof"):
        clear(row, name, " ")

    assert clear(row, name).role == role
    assert open_rules(memo) == set()
    with refused(WrongState, "cleared_already"):
        clear(row, name)


def test_nobody_else_clears_a_condition_not_even_its_owner() -> None:
    memo = cases.a_memo_with_waiver()
    row = condition(memo)
    cast.assign(memo.team, "ann", "board")

    with refused(NotPermitted, "not_its_signer"):
        clear(row, "pat")
    with refused(NotPermitted, "own_work"):
        clear(row, "ann")
    for name in ("sam", "aud", "esk"):
        with refused(NotPermitted):
            clear(row, name)
    with refused(NotVisible):
        conditions.clear(actor=cases.person("olga"), condition_id=row.pk + 99, proof="x")
    signatures.withdraw_signature(actor=cases.person("olga"), signature_id=row.signature_id, reason="x")
    with refused(WrongState, "withdrawn_already"):
        clear(row, "olga")


def test_a_cleared_condition_makes_no_stale_signature_count_and_is_not_carried_over() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    clear(condition(memo), "olga")
    deeds.revise(memo, {"symptom": {**deeds.sections_of(memo)["symptom"], "workload_slice": "elsewhere"}})
    assert "required_owners_have_signed" in open_rules(memo)

    again = condition(memo)
    assert not hasattr(again, "clearance")


@pytest.mark.parametrize(
    ("one", "kind", "code"),
    [
        (ConditionWish(text="Watch it.", owner="", proof="x"), Incomplete, "incomplete"),
        (ConditionWish(text="Watch it.", owner="sam", proof=" "), Incomplete, "incomplete"),
        (ConditionWish(text="Watch it.", owner="nobody", proof="x"), BadInput, "unknown_owner"),
    ],
)
def test_a_condition_names_an_owner_who_exists_and_its_proof(one: ConditionWish, kind: Any, code: str) -> None:
    memo = cases.a_memo_in_review()
    with refused(kind, code):
        sign(memo, "olga", wish(cases.OWNERS["olga"], "approve_with_conditions", conditions=(one,)))
    assert not Signature.objects.exists()
