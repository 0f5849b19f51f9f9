"""How an objection ends: by its raiser, by the escalation owner after a silence, by the board at a second meeting.

The clock is computed: it begins when the objection is raised and anew with each answer, and nothing has to run for it
to have run out. An override ends a lone objection; it stays printed as dissent, with its reason.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from reviews.errors import BadInput, NotPermitted, Refusal, WrongState
from reviews.policies.case import Case
from reviews.policies.facts import GateFacts, SignatureFacts
from reviews.policies.lifecycle import Part, Role
from reviews.policies.numbers import listed
from reviews.vocabulary import DecisionKind, Position, StandingRole

BETWEEN_MEETINGS: Final = timedelta(days=1)


def stands(signature: SignatureFacts) -> bool:
    """Whether it is an objection that nobody has ended."""
    return signature.position == Position.OBJECT and not (signature.withdrawn or signature.resolved_by)


def raisers(objection: SignatureFacts) -> frozenset[str]:
    """Who may take it back at any time: who signed it, and in whose place."""
    return frozenset({objection.signer, objection.acting_for} - {""})


def clock_ends(objection: SignatureFacts, deadlock_days: int) -> datetime:
    """When the escalation owner may end it, unless somebody answers before."""
    return objection.spoken_at + timedelta(days=deadlock_days)


def check_hearing(facts: GateFacts, objection: SignatureFacts, actor: str, held_at: datetime) -> None:
    """Nothing, when the board's first meeting on the objection may be recorded by `actor`, of the board.

    Raises:
        WrongState: a first meeting is on record.
        NotPermitted: the actor raised the objection, or wrote content of the memo.
        BadInput: the meeting lies in the future, or before the objection.
    """
    _refuse_a_party(facts, objection, actor)
    if objection.heard_at is not None:
        raise WrongState("A first meeting on this objection is on record.", code="heard_already")
    _refuse_a_time(facts, objection.at, held_at, "The board met on it after it was raised.")


def capacity(
    facts: GateFacts, objection: SignatureFacts, actor: str, roles: Collection[Role], held_at: datetime | None
) -> str:
    """As what `actor` may end the objection now. held_at: when the board's second meeting was, None for none.

    Raises:
        WrongState: the clock has not run out, no first meeting is on record, or another objection stands.
        NotPermitted: the actor wrote content of the memo, or recorded the first meeting as well.
        BadInput: a second meeting without a date, in the future, or less than a day after the first.
    """
    if Part.RAISER in roles:
        return objection.role
    _refuse_a_party(facts, objection, actor)
    refusal: Refusal | None = None
    if StandingRole.ESCALATION_OWNER in roles:
        refusal = _too_early(facts, objection)
        if refusal is None:
            return StandingRole.ESCALATION_OWNER.value
    if StandingRole.BOARD not in roles or (refusal is not None and held_at is None):
        raise refusal or NotPermitted("An objection is ended by its raiser, the escalation owner or the board.")
    _check_override(facts, objection, actor, held_at)
    return StandingRole.BOARD.value


def _too_early(facts: GateFacts, objection: SignatureFacts) -> Refusal | None:
    ends = clock_ends(objection, facts.template.deadlock_days)
    if facts.now >= ends:
        return None
    return WrongState(
        f"The last word on this objection was said on {objection.spoken_at:%Y-%m-%d}: the escalation owner ends it "
        f"after {facts.template.deadlock_days} days of silence, from {ends:%Y-%m-%d %H:%M} UTC on.",
        needs=f"Ask {listed(sorted(raisers(objection)), last='or')}, or answer it.",
        code="not_deadlocked",
    )


def _check_override(facts: GateFacts, objection: SignatureFacts, actor: str, held_at: datetime | None) -> None:
    if objection.heard_at is None:
        raise WrongState(
            "The board overrides an objection at a second meeting, and no first one is on record.",
            needs="Record the first meeting; another member records the second, a day later or more.",
            code="not_heard_yet",
        )
    others = [s.signer for s in facts.signatures if stands(s) and s is not objection]
    if others:
        raise WrongState(
            f"{listed(sorted(set(others)))} objects as well: the board overrides a lone objection.",
            needs="Answer the others first, or change the memo.",
            code="not_alone",
        )
    if objection.heard_by == actor:
        raise NotPermitted(
            f"{actor} recorded the first meeting: the second is recorded by another member of the board.",
            needs="Ask another member.",
            code="same_member",
        )
    if held_at is None:
        raise BadInput("Say when the second meeting was.", code="no_meeting", where="held_at")
    earliest = objection.heard_at + BETWEEN_MEETINGS
    _refuse_a_time(
        facts, earliest, held_at, f"The second meeting is a day after the first or more: from {earliest:%Y-%m-%d} on."
    )


def _refuse_a_party(facts: GateFacts, objection: SignatureFacts, actor: str) -> None:
    """Who raised it, or wrote what it is against, does not sit over it."""
    if actor in raisers(objection):
        raise NotPermitted("Who raised an objection does not hear it.", needs="Ask another member.", code="a_party")
    if actor in Case(facts, DecisionKind.SHIP).contributors:
        raise NotPermitted(
            f"{actor} wrote content of this memo, and does not end an objection to it.",
            needs="Ask somebody who wrote nothing here.",
            code="a_party",
        )


def _refuse_a_time(facts: GateFacts, earliest: datetime, held_at: datetime, said: str) -> None:
    if held_at > facts.now:
        raise BadInput("A meeting that was held lies in the past.", code="future_time", where="held_at")
    if held_at < earliest:
        raise BadInput(said, code="meeting_too_soon", where="held_at")
