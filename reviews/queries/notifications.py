"""What a person was told, and how somebody or some team wants to be told."""

from collections.abc import Mapping
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from reviews.errors import NotVisible
from reviews.models import Notification, NotificationPreference, Outbox, Team, TeamChannel
from reviews.policies.delivery import Wanted
from reviews.queries import people
from reviews.vocabulary import StandingRole

LOGGED: Final = 50


def notifications_of(person: User) -> QuerySet[Notification]:
    """What the person was told, the newest first; of memos that they do not see any more, nothing."""
    seen = Q(memo__isnull=True) | Q(memo__in=people.memos_visible_to(person).order_by().values("pk"))
    return Notification.objects.filter(seen, person=person).select_related("memo").order_by("-at", "-pk")


def notification_of(person: User, notification_id: int) -> Notification:
    """One of the person's notifications. Raises NotVisible."""
    found = notifications_of(person).filter(pk=notification_id).first()
    if found is None:
        raise NotVisible("There is no such notification of yours.")
    return found


def unread(person: User) -> int:
    """How many the person has not read."""
    return notifications_of(person).filter(read_at__isnull=True).count()


def wanted_by(names: QuerySet[User]) -> Mapping[int, Wanted]:
    """Person -> how they want to be told by mail; the house's own way for who has said nothing."""
    said = {row.person_id: row for row in NotificationPreference.objects.filter(person__in=names)}
    return {pk: wanted_from(said.get(pk)) for pk in names.values_list("pk", flat=True)}


def wanted_of(person: User) -> Wanted:
    """How the person wants to be told by mail."""
    return wanted_from(NotificationPreference.objects.filter(person=person).first())


def wanted_from(row: NotificationPreference | None) -> Wanted:
    """A row as the rules read it; None for who has said nothing."""
    if row is None:
        return Wanted()
    quiet = (row.quiet_from, row.quiet_until) if row.quiet_from and row.quiet_until else None
    return Wanted(mail=row.mail, zone=row.zone, digest_hour=row.digest_hour, quiet=quiet)


def teams_administered_by(person: User) -> QuerySet[Team]:
    """The teams whose channels the person sets up."""
    return people.teams_of(person, StandingRole.ADMINISTRATOR.value)


def channels_of(person: User) -> QuerySet[TeamChannel]:
    """The channels of the teams that the person administers, the newest first."""
    teams = teams_administered_by(person).order_by().values("pk")
    return TeamChannel.objects.filter(team__in=teams).select_related("team").order_by("-pk")


def channel_of(person: User, channel_id: int) -> TeamChannel:
    """One of them. Raises NotVisible."""
    found = channels_of(person).filter(pk=channel_id).first()
    if found is None:
        raise NotVisible("There is no such channel of a team that you administer.")
    return found


def sent_to(channel: TeamChannel) -> QuerySet[Outbox]:
    """The delivery log of a channel: its newest fifty messages."""
    return Outbox.objects.filter(team_channel=channel).order_by("-pk")[:LOGGED]
