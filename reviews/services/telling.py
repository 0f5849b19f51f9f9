"""Notifications and outbox rows, written in the transaction of the event that causes them; nothing is sent here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from reviews.models import Event, Memo, Notification, Outbox, Team, TeamChannel
from reviews.policies import delivery, telling
from reviews.policies.delivery import Wanted
from reviews.policies.telling import Deed, Told
from reviews.queries.circle import circle_of
from reviews.queries.notifications import wanted_by
from reviews.queries.seeing import who_see
from reviews.told_words import Channel, MailWay, Reason


@dataclass(frozen=True, slots=True)
class Cause:
    """Why it is told. key: unique; event: None for the clock."""

    key: str
    event: Event | None
    at: datetime


def tell(aggregate: Memo | Team, event: Event, actor: str) -> None:
    """Everybody whom the event concerns is told; actor: the user name of who did it, "" for the clock."""
    deed = Deed(action=event.action, actor=actor, name=event.actor_name, detail=event.detail)
    cause = Cause(f"event:{event.pk}", event, event.at)
    if isinstance(aggregate, Team):
        told = telling.delegated(deed) if event.action in {"delegate", "end_delegation"} else ()
        write(None, [one for one in told if one.person != actor], cause)
        return
    if event.action not in telling.TOLD and "revision" not in event.detail:
        return
    circle = circle_of(aggregate, event, event.at)
    if circle is not None:
        write(aggregate, telling.told(deed, circle), cause)


def write(memo: Memo | None, told: Iterable[Told], cause: Cause) -> int:
    """How many people are told, each once for the cause, and by mail and the team's channels as they want it.

    Whoever does not see the memo is not told. The caller is in the transaction of the cause.
    """
    told = tuple(told)
    names = {one.person for one in told}
    active = User.objects.filter(username__in=names, is_active=True)
    accounts = {row.get_username(): row for row in active} if names else {}
    seen = who_see(memo, names) if memo else frozenset(accounts)
    told = tuple(one for one in told if one.person in seen and one.person in accounts)
    if not told:
        return 0
    wanted = wanted_by(active)
    rows = [_notification(memo, one, accounts[one.person], wanted[accounts[one.person].pk], cause) for one in told]
    Notification.objects.bulk_create(rows)
    if memo is not None:
        _to_channels(memo, told, cause)
    return len(rows)


def mail_is_set_up() -> bool:
    """Whether this installation sends mail."""
    return bool(settings.MAIL_FROM)


def _notification(memo: Memo | None, one: Told, person: User, wanted: Wanted, cause: Cause) -> Notification:
    return Notification(
        person=person,
        memo=memo,
        event=cause.event,
        reason=one.reason,
        sentence=one.sentence,
        place=one.place,
        key=f"{cause.key}:{person.pk}",
        at=cause.at,
        mail=_mail(person, one, wanted, cause),
    )


def _mail(person: User, one: Told, wanted: Wanted, cause: Cause) -> Outbox | None:
    """The mail that tells it: one of its own, or that of the day; None where no mail is wanted or can be sent."""
    at = delivery.mail_at(wanted, one.reason, timezone.now())
    if at is None or not person.email or not mail_is_set_up():
        return None
    if wanted.way(one.reason) is MailWay.DIGEST:
        return _digest(person, at)
    return _row(Channel.MAIL, f"{cause.key}:{person.pk}", at, person=person, address=person.email)


def _digest(person: User, at: datetime) -> Outbox:
    """The daily mail that is sent then; it is joined under its lock, and only before it is first sent."""
    key = f"digest:{person.pk}:{at:%Y%m%d%H%M}"
    to = {"channel": Channel.MAIL, "person": person, "address": person.email, "created_at": timezone.now()}
    row, new = Outbox.objects.get_or_create(key=key, defaults={**to, "next_attempt_at": at})
    if new or Outbox.objects.select_for_update().get(pk=row.pk).attempts == 0:
        return row
    return _row(Channel.MAIL, f"{key}:{timezone.now():%H%M%S%f}", at, person=person, address=person.email)


def _to_channels(memo: Memo, told: Iterable[Told], cause: Cause) -> None:
    """One message for each reason to each of the team's channels that wants it."""
    by_reason: dict[Reason, list[Told]] = {}
    for one in told:
        by_reason.setdefault(one.reason, []).append(one)
    for channel in TeamChannel.objects.filter(team=memo.team_id, ended_at__isnull=True).order_by("pk"):
        for reason, those in by_reason.items():
            if not channel.reasons or reason.value in channel.reasons:
                key = f"{cause.key}:{reason.value}:channel-{channel.pk}"
                payload = message(memo, reason, those, cause)
                _row(
                    Channel(channel.kind), key, timezone.now(), team_channel=channel, address=channel.address,
                    payload=payload,
                )  # fmt: skip


def message(memo: Memo, reason: Reason, told: Iterable[Told], cause: Cause) -> Mapping[str, Any]:
    """What a team's channel is sent, as JSON."""
    told = tuple(told)
    event = cause.event
    return {
        "type": f"memo.{reason.value}",
        "timestamp": cause.at.isoformat(),
        "data": {
            "memo": memo.number,
            "title": memo.title,
            "team": memo.team.slug,
            "reason": reason.value,
            "sentence": told[0].sentence,
            "told": [one.person for one in told],
            "address": f"{settings.SITE_ADDRESS}/memos/{memo.number}/",
            "event": {"sequence": event.sequence, "action": event.action, "hash": event.hash} if event else None,
        },
    }


def _row(channel: Channel, key: str, at: datetime, **to: Any) -> Outbox:
    return Outbox.objects.create(channel=channel, key=key, next_attempt_at=at, created_at=timezone.now(), **to)
