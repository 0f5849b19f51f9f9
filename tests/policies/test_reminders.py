"""What the clock reminds of, whom, and under which key."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from reviews.policies.facts import GateFacts
from reviews.policies.reminders import Clock, WaiverClock, reminders
from reviews.policies.telling import Circle
from reviews.told_words import Reason
from reviews.vocabulary import State

from .open_gate import DAY, KIM, NOW, OLGA, OPEN, PAT, a_signature, with_section

HOUR = timedelta(hours=1)
STAFFED = replace(OPEN, role_holders={**OPEN.role_holders, "administrator": ("adi",)})
UNSIGNED = replace(STAFFED, signatures=(PAT, KIM))
QUIN = a_signature("quin", "sre", position="object", kinds=(), objection="unstable", would_clear_if="ten runs")


def clock(facts: GateFacts = UNSIGNED, **special: Any) -> Clock:
    usual = {"submitted_at": NOW, "revised_at": NOW - DAY, "decided_at": NOW - 30 * DAY, "delegates": {}, "waivers": ()}
    around = Circle(facts=facts, before={}, addressees=special.pop("addressees", ()))
    return Clock(circle=around, **{**usual, **special})


def said(asked: Clock) -> list[tuple[str, dict[str, Reason]]]:
    """(the last part of the key, person -> reason) of each reminder."""
    return [(r.key.rpartition(":")[2], {t.person: t.reason for t in r.told}) for r in reminders(asked)]


@pytest.mark.parametrize(("days", "levels"), [(2, []), (3, ["1"]), (5, ["1", "2"]), (7, ["1", "2", "3"])])
def test_a_signature_is_reminded_of_three_times_each_time_further_up(days: int, levels: list[str]) -> None:
    lent = {("olga", "platform"): ("tess",)}
    found = said(clock(submitted_at=NOW - days * DAY, delegates=lent))

    assert [level for level, _ in found] == levels
    everybody = [{"olga": Reason.SIGNATURE_WANTED}, dict.fromkeys(("tess", "adi"), Reason.SIGNATURE_WANTED)]
    assert [people for _, people in found] == [*everybody, {"esther": Reason.ESCALATION}][: len(levels)]


def test_a_draft_and_a_signature_that_stands_are_not_reminded_of() -> None:
    assert said(clock(STAFFED, submitted_at=NOW - 9 * DAY)) == []
    assert said(clock(replace(UNSIGNED, state="draft"), submitted_at=NOW - 9 * DAY)) == []


def test_a_stale_signature_is_asked_for_since_the_revision_that_made_it_stale() -> None:
    stale = replace(STAFFED, signatures=(replace(OLGA, covered={"symptom": "of another time"}), PAT, KIM))
    asked = clock(stale, submitted_at=NOW - 20 * DAY, revised_at=NOW - 3 * DAY)

    assert said(asked) == [("1", {"olga": Reason.SIGNATURE_WANTED})]


@pytest.mark.parametrize(
    ("silence", "people"),
    [
        (6 * DAY - HOUR, None),
        (6 * DAY, {"quin", "ann", "bea", "ben"}),
        (7 * DAY, {"esther"}),
    ],
)
def test_an_objection_that_falls_silent_is_said_before_and_when_its_clock_runs_out(
    silence: timedelta, people: set[str] | None
) -> None:
    facts = replace(STAFFED, signatures=(OLGA, PAT, KIM, replace(QUIN, spoken_at=NOW - silence)))

    assert [set(told) for _, told in said(clock(facts))] == ([people] if people else [])
    assert said(clock(replace(facts, state="shipped"))) == []


def a_waiver(left: timedelta, lasts: timedelta = 30 * DAY) -> WaiverClock:
    ends = NOW + left
    return WaiverClock(id=4, gap="“x”", people=("olga", "sam"), approved_at=ends - lasts, expires_at=ends)


@pytest.mark.parametrize(
    ("left", "lasts", "level"),
    [
        (15 * DAY, 30 * DAY, None),
        (14 * DAY, 30 * DAY, "14"),
        (4 * DAY, 30 * DAY, "14"),
        (3 * DAY, 30 * DAY, "3"),
        (HOUR, 30 * DAY, "3"),
        (0 * DAY, 30 * DAY, "0"),
        (-5 * DAY, 30 * DAY, "0"),
        (9 * DAY, 10 * DAY, None),
    ],
)
def test_a_waiver_is_said_to_end_14_and_3_days_before_and_at_its_end(
    left: timedelta, lasts: timedelta, level: str | None
) -> None:
    found = said(clock(STAFFED, waivers=(a_waiver(left, lasts),)))

    people = dict.fromkeys(("olga", "sam", "bea", "ben"), Reason.WAIVER)
    assert found == ([(level, people)] if level else [])


def rolling(ends: str) -> GateFacts:
    return with_section(replace(STAFFED, state=State.ROLLING_OUT.value), "rollout", ends_at=ends)


def iso(at: datetime) -> str:
    return at.isoformat()


def test_a_rollout_that_ends_is_said_to_its_owner_its_author_and_the_board() -> None:
    people = dict.fromkeys(("kim", "ann", "bea", "ben"), Reason.ROLLOUT)

    assert said(clock(rolling(iso(NOW + 3 * DAY)))) == [("3", people)]
    assert said(clock(rolling(iso(NOW + 20 * DAY)))) == []
    assert said(clock(rolling("some day"))) == []
    assert said(clock(STAFFED)) == []


def test_an_escalation_is_said_to_whom_it_names_and_the_escalation_owner() -> None:
    escalated = replace(STAFFED, state=State.ESCALATED.value)
    due = with_section(
        escalated, "signoff", escalation=replace(OPEN.content.signoff.escalation, by=iso(NOW), question="Ship?")
    )
    unknown = with_section(escalated, "signoff", escalation=replace(OPEN.content.signoff.escalation, by=""))

    assert said(clock(due, addressees=("vera", ""))) == [("0", dict.fromkeys(("vera", "esther"), Reason.ESCALATION))]
    assert said(clock(unknown)) == []


def test_a_reminder_that_nobody_would_get_is_none() -> None:
    nobody = replace(UNSIGNED, role_holders={**UNSIGNED.role_holders, "administrator": (), "escalation_owner": ()})

    assert [level for level, _ in said(clock(nobody, submitted_at=NOW - 9 * DAY))] == ["1"]
