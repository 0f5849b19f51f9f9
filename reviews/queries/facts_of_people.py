"""People's part of the gate's facts: who holds what, who wrote, who signed, who waived, who still owes something."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from fractions import Fraction

from reviews.policies.facts import Condition, Contribution, FollowUp, SignatureFacts, WaiverFacts
from reviews.queries.rows import Row, moment, moment_or_none, nested
from reviews.vocabulary import Position, WaiverState


def holders(assignments: Iterable[Row]) -> Mapping[str, tuple[str, ...]]:
    """Role -> the user names that hold it, in the order in which they got it."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in assignments:
        if row["name"] not in found[row["role"]]:
            found[row["role"]].append(row["name"])
    return {role: tuple(names) for role, names in found.items()}


def contributions(revisions: Iterable[Row], attachments: Iterable[Row]) -> tuple[Contribution, ...]:
    """Who wrote which revision; and who attached evidence, as of the first one."""
    wrote = [Contribution(name=row["name"], revision=row["number"]) for row in revisions]
    attached = {row["name"] for row in attachments}
    return (*wrote, *(Contribution(name=name, revision=1) for name in sorted(attached)))


def signatures(signed: Mapping[str, list[Row]], delegations: Iterable[Row]) -> tuple[SignatureFacts, ...]:
    """The signatures as they were given, with what became of them.

    Args:
        signed: the rows of signatures, of their conditions, and of answers to objections. delegations: of all times.
    """
    waiting: dict[int, list[Condition]] = defaultdict(list)
    for row in signed["condition"]:
        waiting[row["signature"]].append(
            Condition(
                text=row["text"], cleared_by=row["cleared_by"] or "", owner=row["owner"] or "", proof=row["proof"]
            )
        )
    answered = {row["signature"]: moment(row["at"]) for row in signed["answer"]}
    lent = list(delegations)
    return tuple(
        _signature(row, tuple(waiting[row["id"]]), answered.get(row["id"]), lent) for row in signed["signature"]
    )


def _delegated(row: Row, lent: Iterable[Row], at: datetime) -> bool:
    """Whether the signer was the delegate of whom they acted for, in that role, when they signed."""
    return any(
        (link["holder"], link["delegate"], link["role"]) == (row["acting_for"], row["signer"], row["role"])
        and holds(link, at)
        for link in lent
    )


def _signature(
    row: Row, conditions: tuple[Condition, ...], answered: datetime | None, lent: Iterable[Row]
) -> SignatureFacts:
    scope, at = row["scope_percent"], moment(row["at"])
    return SignatureFacts(
        signer=row["signer"],
        acting_for=row["acting_for"] or "",
        delegation_in_force=_delegated(row, lent, at),
        role=row["role"],
        position=row["position"],
        kinds=tuple(nested(row["kinds"])),
        scope_percent=None if scope is None else Fraction(str(scope)),
        covered=nested(row["covered"]),
        rollout_digest=row["rollout_digest"],
        conditions=conditions,
        objection=row["text"] if row["position"] == Position.OBJECT else "",
        would_clear_if=row["would_clear_if"],
        resolved_by=row["resolved_by"] or "",
        resolved_as=row["resolved_as"] or "",
        spoken_at=answered or at,
        heard_by=row["heard_by"] or "",
        heard_at=moment_or_none(row["heard_at"]),
        withdrawn=row["withdrawn"] is not None,
        at=at,
    )


def waivers(rows: Iterable[Row], board: Iterable[Row]) -> tuple[WaiverFacts, ...]:
    """The waivers with the board's answer, and whether who gave it was on the board then."""
    seats = list(board)
    return tuple(
        WaiverFacts(
            requirement=f"{row['requirement']}:{row['subject']}" if row["subject"] else row["requirement"],
            owner=row["owner"],
            reason=row["reason"],
            compensating_control=row["control"],
            requested_by=row["requested_by"],
            state=row["state"] or WaiverState.REQUESTED.value,
            approved_by=row["approved_by"] or "",
            approver_on_board=_seated(seats, row["approved_by"], moment_or_none(row["approved_at"])),
            approved_at=moment_or_none(row["approved_at"]),
            expires_at=moment(row["expires_at"]),
        )
        for row in rows
    )


def _seated(seats: Iterable[Row], name: str | None, at: datetime | None) -> bool:
    """Whether the person sat on the board at that time."""
    if not name or at is None:
        return False
    return any(seat["name"] == name and holds(seat, at) for seat in seats)


def holds(row: Row, at: datetime) -> bool:
    """Whether an assignment or delegation (`since`, `until`, `ended`) held at that time."""
    ends = (moment_or_none(row["until"]), moment_or_none(row["ended"]))
    return moment(row["since"]) <= at and all(end is None or end > at for end in ends)


def follow_ups(rows: Iterable[Row]) -> tuple[FollowUp, ...]:
    """What emergencies of the team left to be done."""
    return tuple(
        FollowUp(
            memo=row["memo"],
            what=row["what"],
            owner=row["owner"],
            due=moment(row["due"]),
            met=row["met"] is not None,
        )
        for row in rows
    )
