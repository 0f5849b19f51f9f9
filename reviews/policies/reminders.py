"""What the clock reminds of, and whom: first who is asked, then who can stand in or find somebody, then who decides.

Each reminder has a key of its own, so that a clock that asks twice reminds once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from reviews.policies import wanted
from reviews.policies.facts import RuleError, SignatureFacts
from reviews.policies.lifecycle import REVIEW
from reviews.policies.numbers import moment
from reviews.policies.objections import clock_ends, raisers, stands
from reviews.policies.telling import Circle, Told
from reviews.template_content import RoleRule
from reviews.told_words import Reason
from reviews.vocabulary import StandingRole, State

ASKED_DAYS: Final = (3, 5, 7)
"""Days without a signature: its holder is reminded; delegates and administrators are told; the escalation owner is."""
ENDING_DAYS: Final = (14, 3, 0)
"""Days before the end of a waiver, of a rollout and of the time to answer an escalation."""
DEADLOCK_WARNING: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverClock:
    """An approved waiver. people: its owner and who asked for it. approved_at: when its time began."""

    id: int
    gap: str
    people: tuple[str, ...]
    approved_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """What the clock is asked about a memo.

    submitted_at: when its signatures were first asked for. revised_at: when the present revision was made.
    delegates: (holder, role) -> who may sign in that place now.
    """

    circle: Circle
    submitted_at: datetime
    revised_at: datetime
    decided_at: datetime
    delegates: Mapping[tuple[str, str], tuple[str, ...]]
    waivers: tuple[WaiverClock, ...]


@dataclass(frozen=True, slots=True)
class Reminder:
    """key: unique among all reminders of the memo, for all that are told by it."""

    key: str
    told: tuple[Told, ...]


def reminders(clock: Clock) -> tuple[Reminder, ...]:
    """Everything that has come due on the memo, whether or not it was said before."""
    found = (*_signatures(clock), *_deadlocks(clock), *_waivers(clock), *_rollout(clock), *_escalation(clock))
    return tuple(reminder for reminder in found if reminder.told)


def _reminder(key: str, people: tuple[str, ...], reason: Reason, sentence: str, place: str) -> Reminder:
    names = dict.fromkeys(name for name in people if name)
    return Reminder(key, tuple(Told(name, reason, sentence, place) for name in names))


def _signatures(clock: Clock) -> Iterator[Reminder]:
    facts = clock.circle.facts
    if facts.state not in REVIEW:
        return
    for rule, holders in wanted.asked(facts):
        since = _asked_since(clock, rule)
        for level, days in enumerate(ASKED_DAYS, start=1):
            if facts.now >= since + timedelta(days=days):
                said = f"The signature as {rule.title} has been asked for since {since:%Y-%m-%d}."
                people = _cascade(clock, rule, holders, level)
                yield _reminder(f"signature:{rule.role}:{since:%Y%m%d%H%M%S}:{level}", people, *_act(level, said))


def _act(level: int, said: str) -> tuple[Reason, str, str]:
    """Reason, sentence and place of a reminder of that level."""
    if level == 1:
        return Reason.SIGNATURE_WANTED, f"{said} Sign, or object.", "sign"
    if level == len(ASKED_DAYS):
        return Reason.ESCALATION, f"{said} Nobody has signed: decide how it goes on.", "sign"
    return Reason.SIGNATURE_WANTED, f"{said} Sign in that place, or give somebody else the role.", "sign"


def _cascade(clock: Clock, rule: RoleRule, holders: tuple[str, ...], level: int) -> tuple[str, ...]:
    if level == 1:
        return holders
    if level == len(ASKED_DAYS):
        return clock.circle.holders(StandingRole.ESCALATION_OWNER)
    stand_ins = [name for holder in holders for name in clock.delegates.get((holder, rule.role), ())]
    return (*stand_ins, *clock.circle.holders(StandingRole.ADMINISTRATOR))


def _asked_since(clock: Clock, rule: RoleRule) -> datetime:
    """Since when: of a signature that stood before, since the revision that made it stale."""
    given = [s for s in clock.circle.facts.signatures if s.role == rule.role and not s.withdrawn]
    return max(clock.submitted_at, clock.revised_at) if given else clock.submitted_at


def _deadlocks(clock: Clock) -> Iterator[Reminder]:
    facts = clock.circle.facts
    if facts.state not in REVIEW:
        return
    for objection in facts.signatures:
        if stands(objection):
            yield from _deadlock(clock, objection)


def _deadlock(clock: Clock, objection: SignatureFacts) -> Iterator[Reminder]:
    facts = clock.circle.facts
    ends = clock_ends(objection, facts.template.deadlock_days)
    key = f"deadlock:{objection.signer}:{objection.role}:{objection.spoken_at:%Y%m%d%H%M%S}"
    if facts.now >= ends:
        said = f"The objection of {objection.signer} has been silent since {objection.spoken_at:%Y-%m-%d}: end it."
        people = clock.circle.holders(StandingRole.ESCALATION_OWNER)
        yield _reminder(f"{key}:ended", people, Reason.OBJECTION, said, "sign")
    elif facts.now >= ends - DEADLOCK_WARNING:
        said = f"Unless somebody answers it, the objection of {objection.signer} may be ended from {ends:%Y-%m-%d} on."
        people = (*sorted(raisers(objection)), facts.author, *clock.circle.holders(StandingRole.BOARD))
        yield _reminder(f"{key}:ending", people, Reason.OBJECTION, said, "sign")


def _waivers(clock: Clock) -> Iterator[Reminder]:
    now, board = clock.circle.facts.now, clock.circle.holders(StandingRole.BOARD)
    for row in clock.waivers:
        level = _level(now, row.approved_at, row.expires_at)
        if level is not None:
            said = f"The waiver of {row.gap} {_ends(level, row.expires_at)}."
            yield _reminder(f"waiver:{row.id}:{level}", (*row.people, *board), Reason.WAIVER, said, "waivers")


def _rollout(clock: Clock) -> Iterator[Reminder]:
    facts = clock.circle.facts
    if facts.state != State.ROLLING_OUT:
        return
    ends = _moment(facts.content.rollout.ends_at)
    level = _level(facts.now, clock.decided_at, ends) if ends else None
    if ends and level is not None:
        said = f"The rollout {_ends(level, ends)}: ship, roll back, or let it lapse."
        people = (facts.content.rollout.owner, facts.author, *clock.circle.holders(StandingRole.BOARD))
        yield _reminder(f"rollout:{ends:%Y%m%d%H%M%S}:{level}", people, Reason.ROLLOUT, said, "decide")


def _escalation(clock: Clock) -> Iterator[Reminder]:
    facts = clock.circle.facts
    if facts.state != State.ESCALATED:
        return
    asked = facts.content.signoff.escalation
    by = _moment(asked.by)
    level = _level(facts.now, clock.decided_at, by) if by else None
    if by and level is not None:
        said = f"The time to answer “{asked.question}” {_ends(level, by)}."
        people = (*clock.circle.addressees, *clock.circle.holders(StandingRole.ESCALATION_OWNER))
        yield _reminder(f"escalation:{by:%Y%m%d%H%M%S}:{level}", people, Reason.ESCALATION, said, "#signoff")


def _level(now: datetime, began_at: datetime, ends_at: datetime) -> int | None:
    """The last of 14, 3 and 0 days before the end that has come; None before the first.

    What lasts shorter than so many days is not said to end in them as soon as it begins.
    """
    left, lasts = ends_at - now, ends_at - began_at
    reached = [days for days in ENDING_DAYS if left <= timedelta(days=days) < lasts]
    return min(reached, default=None)


def _ends(level: int, at: datetime) -> str:
    return f"runs out on {at:%Y-%m-%d %H:%M} UTC" if level else f"has run out on {at:%Y-%m-%d %H:%M} UTC"


def _moment(text: str) -> datetime | None:
    """None for what is no time: the gate says so."""
    try:
        return moment(text, "An end")
    except RuleError:
        return None
