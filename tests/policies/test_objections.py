"""How an objection ends: by its raiser, by the escalation owner after a silence, by the board at two meetings."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from reviews.errors import BadInput, NotPermitted, Refusal, WrongState
from reviews.policies import objections
from reviews.policies.facts import GateFacts, SignatureFacts
from reviews.policies.lifecycle import Part
from reviews.vocabulary import StandingRole

from .open_gate import DAY, KIM, NOW, OLGA, OPEN, PAT, a_signature

BOARD, ESCALATION = StandingRole.BOARD, StandingRole.ESCALATION_OWNER
HOUR = timedelta(hours=1)


def objection(**fields: Any) -> SignatureFacts:
    usual = {"position": "object", "kinds": (), "objection": "unstable", "would_clear_if": "ten runs"}
    return a_signature("quin", "sre", **{**usual, **fields})


def facts(*signatures: SignatureFacts) -> GateFacts:
    return replace(OPEN, signatures=(OLGA, PAT, KIM, *signatures))


def ended(
    said: SignatureFacts,
    *roles: Any,
    actor: str = "ben",
    held_at: datetime | None = None,
    others: tuple[SignatureFacts, ...] = (),
) -> str:
    return objections.capacity(facts(said, *others), said, actor, roles, held_at)


def refused(code: str, kind: type[Refusal], *args: Any, **fields: Any) -> Refusal:
    with pytest.raises(kind) as caught:
        ended(*args, **fields)
    assert caught.value.code == code
    return caught.value


def heard(**fields: Any) -> SignatureFacts:
    return objection(**{"heard_by": "bea", "heard_at": NOW - DAY, **fields})


def test_the_raiser_ends_it_at_any_time_in_the_role_in_which_it_was_raised() -> None:
    assert ended(objection(), Part.RAISER, actor="quin") == "sre"
    assert objections.raisers(objection(acting_for="olga")) == {"quin", "olga"}


@pytest.mark.parametrize("since", [7 * DAY, 30 * DAY])
def test_the_escalation_owner_ends_it_after_the_silence_of_the_template(since: timedelta) -> None:
    assert ended(objection(spoken_at=NOW - since), ESCALATION, actor="esther") == "escalation_owner"


def test_a_minute_before_the_clock_has_run_out_the_escalation_owner_is_told_from_when() -> None:
    refusal = refused(
        "not_deadlocked", WrongState, objection(spoken_at=NOW - 7 * DAY + timedelta(minutes=1)), ESCALATION
    )

    assert "from 2026-05-04 12:01 UTC on" in refusal.message
    assert refusal.needs == "Ask quin, or answer it."


def test_the_clock_is_the_templates() -> None:
    said = objection(spoken_at=NOW - 7 * DAY)
    slow = replace(facts(said), template=replace(OPEN.template, deadlock_days=8))

    with pytest.raises(WrongState):
        objections.capacity(slow, said, "esther", {ESCALATION}, None)


def test_the_board_overrides_a_lone_objection_at_a_second_meeting() -> None:
    assert ended(heard(), BOARD, held_at=NOW) == "board"


def test_a_member_who_is_escalation_owner_too_may_override_before_the_clock_has_run_out() -> None:
    assert ended(heard(), BOARD, ESCALATION, held_at=NOW) == "board"
    refused("not_deadlocked", WrongState, heard(), BOARD, ESCALATION)


@pytest.mark.parametrize(
    ("code", "kind", "said", "fields"),
    [
        ("not_heard_yet", WrongState, objection(), {"held_at": NOW}),
        ("not_alone", WrongState, heard(), {"held_at": NOW, "others": (objection(at=NOW - 3 * DAY),)}),
        ("same_member", NotPermitted, heard(), {"held_at": NOW, "actor": "bea"}),
        ("no_meeting", BadInput, heard(), {}),
        ("future_time", BadInput, heard(), {"held_at": NOW + HOUR}),
        ("meeting_too_soon", BadInput, heard(heard_at=NOW - DAY + HOUR), {"held_at": NOW}),
        ("a_party", NotPermitted, heard(), {"held_at": NOW, "actor": "sam"}),
        ("a_party", NotPermitted, heard(), {"held_at": NOW, "actor": "quin"}),
    ],
)
def test_an_override_without_what_it_needs_is_refused(
    code: str, kind: type[Refusal], said: SignatureFacts, fields: dict[str, Any]
) -> None:
    refused(code, kind, said, BOARD, **fields)


def test_somebody_without_an_office_ends_nothing() -> None:
    refused("not_permitted", NotPermitted, objection(), StandingRole.AUDITOR)


def test_a_settled_objection_leaves_another_alone() -> None:
    others = (objection(withdrawn=True), objection(resolved_by="quin"))

    assert ended(heard(), BOARD, held_at=NOW, others=others) == "board"


def test_a_first_meeting_is_recorded_once_after_the_objection_and_not_by_a_party() -> None:
    said = objection()
    objections.check_hearing(facts(said), said, "bea", NOW - HOUR)

    for code, actor, held_at, one in (
        ("heard_already", "ben", NOW, heard()),
        ("a_party", "ann", NOW, said),
        ("future_time", "bea", NOW + HOUR, said),
        ("meeting_too_soon", "bea", said.at - HOUR, said),
    ):
        with pytest.raises(Refusal) as caught:
            objections.check_hearing(facts(one), one, actor, held_at)
        assert caught.value.code == code
