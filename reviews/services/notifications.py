"""What a person was told is marked as read, and how they want to be told is kept. Neither is history."""

import zoneinfo
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import time

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput
from reviews.models import Notification, NotificationPreference
from reviews.policies.delivery import default_way
from reviews.queries.notifications import notification_of
from reviews.told_words import MailWay, Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceWish:
    """mail: reason -> way, those that are left out as the house has it. quiet: None for no quiet hours."""

    mail: Mapping[str, str]
    zone: str
    digest_hour: int
    quiet: tuple[time, time] | None


@transaction.atomic
def mark_read(*, actor: User, notifications: Collection[int] | None) -> int:
    """How many are read now that were not: those ids, or all. Raises NotVisible for one that is not the actor's."""
    rows = Notification.objects.filter(person=actor, read_at__isnull=True)
    if notifications is not None:
        rows = rows.filter(pk__in=[notification_of(actor, one).pk for one in notifications])
    return rows.update(read_at=timezone.now())


@transaction.atomic
def prefer(*, actor: User, wish: PreferenceWish) -> NotificationPreference:
    """How the actor wants to be told by mail. What is written as the house's own way is kept as that.

    Raises:
        BadInput: an unknown reason, way or zone, an hour that no day has, or quiet hours that begin as they end.
    """
    _check(wish)
    begins, ends = wish.quiet or (None, None)
    values = {
        "mail": {reason: way for reason, way in sorted(wish.mail.items()) if way != default_way(reason)},
        "zone": wish.zone,
        "digest_hour": wish.digest_hour,
        "quiet_from": begins,
        "quiet_until": ends,
    }
    row, _ = NotificationPreference.objects.update_or_create(person=actor, defaults=values)
    return row


def _check(wish: PreferenceWish) -> None:
    checks = (
        (set(wish.mail) <= set(Reason.values), "mail", "That is no reason to be told."),
        (set(wish.mail.values()) <= set(MailWay.values), "mail", "That is no way to be told by mail."),
        (wish.zone in zoneinfo.available_timezones(), "zone", f"“{wish.zone[:60]}” is no time zone."),
        (0 <= wish.digest_hour <= 23, "digest_hour", "An hour is from 0 to 23."),
        (
            wish.quiet is None or wish.quiet[0] != wish.quiet[1],
            "quiet",
            "Quiet hours end at another time than they begin.",
        ),
    )
    for holds, where, said in checks:
        if not holds:
            raise BadInput(
                said, needs="Choose one that the page of preferences offers.", code="bad_preference", where=where
            )
