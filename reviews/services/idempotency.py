"""Asking twice, done once: a keyed request is answered by the first attempt, and its answer repeated to all others.

The row is taken in a transaction of its own, so that a twin sees it; the deed and its answer then stand or fall in one
transaction. A process that dies in between has done nothing, and its row is taken over once its lease has run out.
A refusal changed nothing and is not kept: the same key may be tried again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, WrongState
from reviews.models import KeyedRequest

KEPT_FOR: Final = timedelta(days=1)
LEASE: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Answer:
    """status: of HTTP; headers: those that mean something to a program; body: JSON, None for none."""

    status: int
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Claim:
    """A keyed request as one attempt holds it."""

    row_id: int
    attempt: int


def once(*, actor: User, key: str, digest: str, act: Callable[[], Answer]) -> Answer:
    """What `act` answers, or what it answered when the same person sent the same request under the same key.

    Args:
        digest: of the request: method, path and body.

    Raises:
        BadInput: the key came with another request ("key_reused").
        WrongState: the first request is still at work ("key_in_use").
    """
    taken = take(actor=actor, key=key, digest=digest)
    if isinstance(taken, Answer):
        return taken
    answered = False
    try:
        with transaction.atomic():
            answer = act()
            keep(actor=actor, claim=taken, answer=answer)
        answered = True
    finally:
        if not answered:
            release(actor=actor, claim=taken)
    return answer


@transaction.atomic
def take(*, actor: User, key: str, digest: str) -> Claim | Answer:
    """The request for one attempt, or the answer that it got before. Raises as `once`."""
    now = timezone.now()
    KeyedRequest.objects.filter(person=actor, created_at__lt=now - KEPT_FOR).delete()
    fresh = {"request_digest": digest, "attempt": 1, "taken_at": now, "created_at": now}
    row, is_new = KeyedRequest.objects.get_or_create(person=actor, key=key, defaults=fresh)
    if is_new:
        return Claim(row.pk, row.attempt)
    if row.request_digest != digest:
        raise BadInput(
            "This Idempotency-Key came with another request.",
            needs="Take a new key for a new request.",
            code="key_reused",
            where="Idempotency-Key",
        )
    if row.status is not None:
        return Answer(row.status, row.headers, row.body)
    taken = KeyedRequest.objects.filter(pk=row.pk, attempt=row.attempt, taken_at__lte=now - LEASE).update(
        attempt=row.attempt + 1, taken_at=now
    )
    if not taken:
        raise WrongState(
            "The first request with this Idempotency-Key is still at work.",
            needs="Wait a moment, then ask again.",
            code="key_in_use",
            where="Idempotency-Key",
        )
    return Claim(row.pk, row.attempt + 1)


@transaction.atomic
def keep(*, actor: User, claim: Claim, answer: Answer) -> None:
    """The answer kept, in the transaction of the deed. Raises WrongState when another attempt took the request over."""
    mine = KeyedRequest.objects.filter(pk=claim.row_id, person=actor, attempt=claim.attempt, status__isnull=True)
    if not mine.update(status=answer.status, headers=dict(answer.headers), body=answer.body):
        raise WrongState("Another attempt took this request over.", needs="Ask again.", code="key_in_use")


@transaction.atomic
def release(*, actor: User, claim: Claim) -> None:
    """The key is free again: nothing was done under it."""
    KeyedRequest.objects.filter(pk=claim.row_id, person=actor, attempt=claim.attempt, status__isnull=True).delete()
