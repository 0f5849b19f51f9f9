"""The trail of a memo: every event in order, and where its decisions stand in the chain."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from reviews.models import Decision, Event, Memo
from reviews.models.event import AggregateKind

LONGEST: Final = 200
A_DIGEST: Final = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Detail:
    """A part of what an event says."""

    name: str
    text: str
    is_digest: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One event. head_of: the number of the decision that stands on it, 0 for none."""

    sequence: int
    at: datetime
    actor: str
    action: str
    details: tuple[Detail, ...]
    hash: str
    previous_hash: str
    head_of: int


@dataclass(frozen=True, slots=True)
class Anchored:
    """A decision and the event that was the head of the chain before it; sequence 0 when no event has that hash."""

    number: int
    kind: str
    chain_head: str
    sequence: int
    dossier_sha256: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Trail:
    """Everything that the trail's page shows, but for whether the chain holds."""

    steps: tuple[Step, ...]
    decisions: tuple[Anchored, ...]


def trail_of(memo: Memo) -> Trail:
    """The events and decisions of the memo, oldest first; two queries."""
    events = list(Event.objects.filter(aggregate_kind=AggregateKind.MEMO, aggregate_id=memo.pk).order_by("sequence"))
    decisions = memo.decisions.order_by("number").defer("dossier", "gate")
    places = {event.hash: event.sequence for event in events}
    anchored = tuple(_anchored(decision, places.get(decision.chain_head, 0)) for decision in decisions)
    heads = {one.sequence: one.number for one in anchored}
    return Trail(tuple(_step(event, heads.get(event.sequence, 0)) for event in events), anchored)


def _anchored(decision: Decision, sequence: int) -> Anchored:
    return Anchored(
        number=decision.number,
        kind=decision.get_kind_display(),
        chain_head=decision.chain_head,
        sequence=sequence,
        dossier_sha256=decision.dossier_sha256,
        recorded_at=decision.recorded_at,
    )


def _step(event: Event, head_of: int) -> Step:
    said = {name.replace("_", " "): _text(value) for name, value in event.detail.items()}
    return Step(
        sequence=event.sequence,
        at=event.at,
        actor=event.actor_name,
        action=event.action.replace("_", " "),
        details=tuple(Detail(name, text, bool(A_DIGEST.fullmatch(text))) for name, text in said.items() if text),
        hash=event.hash,
        previous_hash=event.previous_hash,
        head_of=head_of,
    )


def _text(value: object) -> str:
    """A detail for reading; a long one is shortened, with its length."""
    said = _said(value)
    return said if len(said) <= LONGEST else f"{said[:LONGEST]}… ({len(said)} characters)"


def _said(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(str, value))
    return str(value)


def memos_numbered(numbers: Collection[str]) -> list[Memo]:
    """The memos of these numbers, all of them without any, in order of number: for whoever runs the installation."""
    chosen = Memo.objects.filter(number__in=numbers) if numbers else Memo.objects.all()
    return list(chosen.order_by("number"))
