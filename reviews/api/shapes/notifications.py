"""Notifications, how somebody wants to be told, and the channels of teams."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import Shape
from reviews.told_words import ChannelKind, MailWay, Reason


class NotificationsWanted(Shape):
    unread = serializers.BooleanField(required=False, default=False, help_text="Only what is not read.")


class NotificationShape(serializers.Serializer[Any]):
    """memo: null for what concerns a whole team. event: its place in the memo's trail, null for a reminder."""

    id = serializers.IntegerField()
    memo = serializers.CharField(source="memo.number", default=None, allow_null=True)
    reason = serializers.ChoiceField(choices=Reason.choices)
    sentence = serializers.CharField()
    event = serializers.IntegerField(source="event.sequence", default=None, allow_null=True)
    at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True)


class Read(Shape):
    """notifications: their ids; left out or null for all."""

    notifications = serializers.ListField(
        child=serializers.IntegerField(), required=False, default=None, allow_null=True, max_length=1000
    )


class ReadShape(serializers.Serializer[Any]):
    read = serializers.IntegerField(help_text="How many are read now that were not.")


class QuietHours(Shape):
    begins = serializers.TimeField()
    ends = serializers.TimeField()


class PreferencesShape(Shape):
    """mail: reason -> way; what is left out is as the house has it. quiet: null for no quiet hours."""

    mail = serializers.DictField(child=serializers.ChoiceField(choices=MailWay.choices))
    zone = serializers.CharField(max_length=60)
    digest_hour = serializers.IntegerField(min_value=0, max_value=23)
    quiet = QuietHours(allow_null=True)


class NewChannel(Shape):
    team = serializers.CharField(max_length=80)
    kind = serializers.ChoiceField(choices=ChannelKind.choices)
    name = serializers.CharField(max_length=200)
    address = serializers.CharField(max_length=2000, help_text="https://…; it is not shown again.")
    reasons = serializers.ListField(
        child=serializers.ChoiceField(choices=Reason.choices), required=False, default=list, help_text="None for all."
    )


class ChannelShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    team = serializers.CharField(source="team.slug")
    kind = serializers.ChoiceField(choices=ChannelKind.choices)
    name = serializers.CharField()
    reasons = serializers.ListField(child=serializers.ChoiceField(choices=Reason.choices))
    made_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class MadeChannel(ChannelShape):
    """secret: signs the webhooks; shown this once, "" for one that signs nothing."""

    secret = serializers.CharField(allow_blank=True)


class DeliveryShape(serializers.Serializer[Any]):
    """A line of the delivery log. id: sent along at every attempt."""

    id = serializers.CharField(source="key")
    payload = serializers.JSONField()
    attempts = serializers.IntegerField()
    next_attempt_at = serializers.DateTimeField(allow_null=True)
    delivered_at = serializers.DateTimeField(allow_null=True)
    given_up_at = serializers.DateTimeField(allow_null=True)
    last_error = serializers.CharField(allow_blank=True)
