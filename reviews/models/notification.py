"""What people and teams are told: notifications, by which way they leave the house, and how somebody wants it.

None of it is evidence or history: a notification is a copy of what its event says, and is marked as read.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.constraints import filled, one_of, together
from reviews.models.event import Event
from reviews.models.memo import Memo
from reviews.models.team import Team
from reviews.told_words import Channel, ChannelKind, Reason


class TeamChannel(models.Model):
    """An address that is told what happens to the memos of a team. reasons: which alone, [] for all.

    key: names it, without its address. nonce: from it and the installation's secret key the signing secret is derived,
        so that no secret is stored. A Slack-compatible address is a secret itself: it is not shown again.
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="channels")
    kind = models.CharField(max_length=20, choices=ChannelKind.choices)
    name = models.CharField(max_length=200)
    address = models.CharField(max_length=2000)
    reasons = models.JSONField(default=list)
    key = models.CharField(max_length=40, unique=True)
    nonce = models.CharField(max_length=64)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (*filled("name", "address", "key", "nonce"), one_of("kind", ChannelKind))

    def __str__(self) -> str:
        return self.name


class Outbox(models.Model):
    """Something that leaves the house: written with its cause, sent by a worker, at least once.

    key: unique, and sent along, so that who receives it twice can tell. payload: of a digest {} until it is sent.
    next_attempt_at: when it may be sent; while a worker has it, when that worker is given up; None when it has ended.
    """

    channel = models.CharField(max_length=20, choices=Channel.choices)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    team_channel = models.ForeignKey(TeamChannel, on_delete=models.PROTECT, related_name="sent", null=True)
    address = models.CharField(max_length=2000)
    payload = models.JSONField(default=dict)
    key = models.CharField(max_length=300, unique=True)
    attempts = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    given_up_at = models.DateTimeField(null=True)
    last_error = models.TextField(blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "outbox"
        constraints = (
            *filled("address", "key"),
            one_of("channel", Channel),
            models.CheckConstraint(
                condition=Q(person__isnull=False, team_channel__isnull=True)
                | Q(person__isnull=True, team_channel__isnull=False),
                name="outbox_goes_to_a_person_or_a_channel",
            ),
            models.CheckConstraint(
                condition=Q(next_attempt_at__isnull=False, delivered_at__isnull=True, given_up_at__isnull=True)
                | Q(next_attempt_at__isnull=True, delivered_at__isnull=False, given_up_at__isnull=True)
                | Q(next_attempt_at__isnull=True, delivered_at__isnull=True, given_up_at__isnull=False),
                name="outbox_waits_or_has_ended",
            ),
        )
        indexes = (models.Index(fields=["next_attempt_at"]),)

    def __str__(self) -> str:
        return self.key


class Notification(models.Model):
    """Somebody is told something. memo: None for what concerns a whole team. event: None for a reminder by the clock.

    place: where it is done, as in a queue: the name of a page ("sign") or an anchor ("#action").
    mail: the mail that it goes out with, None for none.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="notifications")
    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="notifications", null=True)
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="+", null=True)
    reason = models.CharField(max_length=30, choices=Reason.choices)
    sentence = models.TextField()
    place = models.CharField(max_length=200)
    key = models.CharField(max_length=300, unique=True)
    at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)
    mail = models.ForeignKey(Outbox, on_delete=models.PROTECT, related_name="notifications", null=True)

    class Meta:
        constraints = (*filled("sentence", "key"), one_of("reason", Reason))
        indexes = (models.Index(fields=["person", "read_at", "-at"]),)

    def __str__(self) -> str:
        return self.key


class NotificationPreference(models.Model):
    """How a person wants to be told by mail. mail: reason -> way; a reason that is missing has its default.

    digest_hour, quiet_from, quiet_until: in the person's zone; both null for no quiet hours.
    """

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="notification_preference"
    )
    mail = models.JSONField(default=dict)
    zone = models.CharField(max_length=60, default="UTC")
    digest_hour = models.PositiveSmallIntegerField(default=8)
    quiet_from = models.TimeField(null=True)
    quiet_until = models.TimeField(null=True)

    class Meta:
        constraints = (
            *filled("zone"),
            together("quiet_from", "quiet_until"),
            models.CheckConstraint(condition=Q(digest_hour__lte=23), name="notificationpreference_hour_is_of_a_day"),
        )

    def __str__(self) -> str:
        return f"preferences of {self.person}"
