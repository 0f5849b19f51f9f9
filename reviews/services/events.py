"""The trail: who did what when, one hash chain per aggregate, written in the transaction of the deed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.contrib.auth.models import User
from django.db import models, transaction
from django.utils import timezone

from reviews.models import ApiToken, Artifact, Event, Memo, MemoTemplate, Team
from reviews.models.event import AggregateKind
from reviews.sections import digest_of
from reviews.services import telling

Detail = str | int | bool | None | Sequence["Detail"] | Mapping[str, "Detail"]
Aggregate = Memo | Team | MemoTemplate | Artifact | User
Actor = User | ApiToken | None

KINDS: Final[Mapping[type[models.Model], AggregateKind]] = {
    Memo: AggregateKind.MEMO,
    Team: AggregateKind.TEAM,
    MemoTemplate: AggregateKind.TEMPLATE,
    Artifact: AggregateKind.ARTIFACT,
    User: AggregateKind.PERSON,
}
BEGINNING: Final = "0" * 64
CLOCK: Final = "the clock"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that does not hold in a chain. sequence: the event at which it shows."""

    sequence: int
    sentence: str


def append(aggregate: Aggregate, actor: Actor, action: str, /, **detail: Detail) -> Event:
    """The event, as the new end of the aggregate's chain; whom it concerns is told. actor: None for the clock.

    Raises:
        TransactionManagementError: outside a transaction; the deed and its event stand or fall together.
        TypeError: a detail that is no text, whole number, truth value, list or mapping; write numbers as decimal text.
    """
    _lock(aggregate)
    last = chain_of(aggregate).last()
    fields: dict[str, Detail] = {
        "aggregate_kind": KINDS[aggregate._meta.model].value,
        "aggregate_id": aggregate.pk,
        "sequence": last.sequence + 1 if last else 1,
        "actor_id": actor.pk if isinstance(actor, User) else None,
        "actor_name": name_of(actor),
        "action": str(action),
        "detail": {name: _plain(value, name) for name, value in detail.items()},
        "previous_hash": last.hash if last else BEGINNING,
    }
    at = timezone.now()
    event = Event.objects.create(**fields, at=at, hash=_hash(fields, at))
    if isinstance(aggregate, Memo | Team):
        telling.tell(aggregate, event, _account_of(actor))
    return event


def chain_of(aggregate: Aggregate) -> models.QuerySet[Event]:
    """The events of the aggregate, first to last."""
    return Event.objects.filter(aggregate_kind=KINDS[aggregate._meta.model], aggregate_id=aggregate.pk).order_by(
        "sequence"
    )


def head_of(aggregate: Aggregate) -> str:
    """The hash of the last event of the aggregate, 64 zeros when there is none."""
    last = chain_of(aggregate).last()
    return last.hash if last else BEGINNING


def verify(aggregate: Aggregate) -> list[Fault]:
    """Everything that does not hold in the aggregate's chain; empty when it is whole."""
    faults = []
    sequence, previous = 0, BEGINNING
    for event in chain_of(aggregate).iterator():
        sequence += 1
        if event.sequence != sequence:
            faults.append(Fault(event.sequence, f"event {sequence} is missing before event {event.sequence}"))
            sequence = event.sequence
        elif event.previous_hash != previous:
            faults.append(Fault(sequence, f"event {sequence} does not follow the event before it"))
        if event.hash != hash_of(event):
            faults.append(Fault(sequence, f"event {sequence} ({event.action}) is not what was written"))
        previous = event.hash
    return faults


def hash_of(event: Event) -> str:
    """The SHA-256 over the RFC 8785 JSON of all fields of the event but the hash itself."""
    names = ("aggregate_kind", "aggregate_id", "sequence", "actor_id", "actor_name", "action", "detail")
    return _hash({name: getattr(event, name) for name in (*names, "previous_hash")}, event.at)


def name_of(actor: Actor) -> str:
    """How history names the actor: full name, else user name; a token by its name and owner; or the clock."""
    if actor is None:
        return CLOCK
    if isinstance(actor, ApiToken):
        return f"token {actor.name} of {name_of(actor.owner)}"
    return actor.get_full_name() or actor.get_username()


def _account_of(actor: Actor) -> str:
    """The user name of whoever acts, also through a token; "" for the clock."""
    person = actor.owner if isinstance(actor, ApiToken) else actor
    return person.get_username() if person is not None else ""


def _lock(aggregate: Aggregate) -> None:
    """Holds the chain until the transaction ends.

    On PostgreSQL the row is locked for "no key update", which does not quarrel with the key locks that rows pointing
    at it take. On SQLite the transaction holds the only write lock already: it began with BEGIN IMMEDIATE.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("An event is appended in the transaction of its deed.")
    aggregate._meta.model._default_manager.select_for_update(no_key=True).get(pk=aggregate.pk)


def _plain(value: Detail, name: str) -> Detail:
    match value:
        case None | bool() | int():
            return value
        case str():
            return str(value)
        case Mapping():
            return {str(key): _plain(part, f"{name}.{key}") for key, part in value.items()}
        case list() | tuple():
            return [_plain(part, f"{name}[{place}]") for place, part in enumerate(value)]
    raise TypeError(f"The detail {name} of an event cannot hold a {type(value).__name__}.")


def _hash(fields: Mapping[str, Detail], at: datetime) -> str:
    return digest_of({**fields, "at": at.astimezone(UTC).isoformat(timespec="microseconds")})
