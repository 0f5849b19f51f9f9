"""The outbox is emptied by workers: each row is taken for a while, sent outside any transaction, and then noted.

A worker that dies leaves its row to the next one, so that everything is sent at least once; its key, sent along, tells
who receives it twice.
"""

import logging
import smtplib
from datetime import timedelta
from typing import Final

import urllib3
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput
from reviews.models import Outbox
from reviews.policies import delivery
from reviews.services import outgoing
from reviews.services.outgoing import NothingLeft, NotTaken

log = logging.getLogger(__name__)

AT_MOST: Final = 200
ERROR_LENGTH: Final = 500


def waits() -> bool:
    """Whether something is to be sent now."""
    return Outbox.objects.filter(next_attempt_at__lte=timezone.now()).exists()


def deliver() -> int:
    """How many rows were delivered, of at most 200 that were due."""
    done = 0
    _give_up_on_what_kills_workers()
    for _ in range(AT_MOST):
        row = _take()
        if row is None:
            break
        done += _sent(row)
    return done


def _give_up_on_what_kills_workers() -> None:
    """What was taken as often as it may be, and never noted, took its workers with it."""
    now = timezone.now()
    lost = Outbox.objects.filter(next_attempt_at__lte=now, attempts__gte=delivery.GREATEST_ATTEMPTS)
    lost.update(given_up_at=now, next_attempt_at=None, last_error="Its worker was lost each time.")


@transaction.atomic
def _take() -> Outbox | None:
    """The row that has been due longest, for one attempt of this worker; one that another worker takes is left."""
    now = timezone.now()
    due = Outbox.objects.select_for_update(skip_locked=True, of=("self",)).filter(next_attempt_at__lte=now)
    row = due.select_related("team_channel", "person").order_by("next_attempt_at", "pk").first()
    if row is not None:
        row.attempts += 1
        row.next_attempt_at = now + timedelta(seconds=6 * settings.SEND_SECONDS)
        row.save(update_fields=["attempts", "next_attempt_at"])
    return row


def _sent(row: Outbox) -> bool:
    """Whether it was delivered; what came of it is noted, if this worker still has the row."""
    try:
        outgoing.send(row)
    except NothingLeft:
        _note(row, given_up_at=timezone.now(), next_attempt_at=None, last_error="There is nobody to tell any more.")
        return False
    except (NotTaken, BadInput, OSError, smtplib.SMTPException, urllib3.exceptions.HTTPError) as error:
        _failed(row, f"{type(error).__name__}: {error}"[:ERROR_LENGTH])
        return False
    _note(row, delivered_at=timezone.now(), next_attempt_at=None, last_error="")
    return True


def _failed(row: Outbox, said: str) -> None:
    again = delivery.next_attempt(row.attempts, timezone.now())
    log.warning("%s was not delivered at attempt %s: %s", row.key, row.attempts, said)
    _note(row, next_attempt_at=again, given_up_at=None if again else timezone.now(), last_error=said)


def _note(row: Outbox, **what: object) -> None:
    Outbox.objects.filter(pk=row.pk, attempts=row.attempts, next_attempt_at__isnull=False).update(**what)
