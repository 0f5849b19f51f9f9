"""What you were told, how you want to be told, and the channels of the teams that you administer."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import PERSON, person_of
from reviews.api.base import Door, asked, given, shown
from reviews.api.once import once
from reviews.api.shapes.notifications import (
    ChannelShape,
    DeliveryShape,
    MadeChannel,
    NewChannel,
    NotificationShape,
    NotificationsWanted,
    PreferencesShape,
    Read,
    ReadShape,
)
from reviews.queries import notifications as readers
from reviews.services import channels, notifications
from reviews.services.channels import ChannelWish
from reviews.services.notifications import PreferenceWish
from reviews.told_words import Reason

SHOWN = 100


class Notifications(Door):
    """What you were told."""

    @extend_schema(
        operation_id="notifications_list", parameters=[NotificationsWanted], responses=NotificationShape(many=True)
    )
    def get(self, request: Request) -> Response:
        """The newest 100, of memos that you still see."""
        rows = readers.notifications_of(person_of(request)).select_related("event")
        if asked(NotificationsWanted, request)["unread"]:
            rows = rows.filter(read_at__isnull=True)
        return shown(NotificationShape(rows[:SHOWN], many=True))


class ReadNotifications(Door):
    """Notifications are marked as read. People only."""

    writes = PERSON

    @extend_schema(operation_id="notifications_read", request=Read, responses=ReadShape)
    @once
    def post(self, request: Request) -> Response:
        """Those, or all."""
        count = notifications.mark_read(actor=person_of(request), **given(Read, request))
        return shown(ReadShape({"read": count}))


class Preferences(Door):
    """How you want to be told by mail. People only write."""

    writes = PERSON

    @extend_schema(operation_id="notification_preferences_get", responses=PreferencesShape)
    def get(self, request: Request) -> Response:
        """The way for each reason, your zone, the hour of the daily mail and your quiet hours."""
        wanted = readers.wanted_of(person_of(request))
        quiet = {"begins": wanted.quiet[0], "ends": wanted.quiet[1]} if wanted.quiet else None
        ways = {reason.value: wanted.way(reason) for reason in Reason}
        said = {"mail": ways, "zone": wanted.zone, "digest_hour": wanted.digest_hour, "quiet": quiet}
        return shown(PreferencesShape(said))

    @extend_schema(operation_id="notification_preferences_set", request=PreferencesShape, responses=PreferencesShape)
    def put(self, request: Request) -> Response:
        """The same, as you want them from now on."""
        body = given(PreferencesShape, request)
        quiet = body.pop("quiet")
        wish = PreferenceWish(quiet=(quiet["begins"], quiet["ends"]) if quiet else None, **body)
        notifications.prefer(actor=person_of(request), wish=wish)
        return self.get(request)


class Channels(Door):
    """Channels of the teams that you administer. People only."""

    reads = PERSON
    writes = PERSON

    @extend_schema(operation_id="channels_list", responses=ChannelShape(many=True))
    def get(self, request: Request) -> Response:
        """All of them, the newest first."""
        return shown(ChannelShape(readers.channels_of(person_of(request)), many=True))

    @extend_schema(operation_id="channels_make", request=NewChannel, responses={201: MadeChannel})
    @once
    def post(self, request: Request) -> Response:
        """A channel, with the secret of its signatures, which is shown this once."""
        body = given(NewChannel, request)
        team = body.pop("team")
        row, secret = channels.make_channel(actor=person_of(request), team=team, wish=ChannelWish(**body))
        return Response({**ChannelShape(row).data, "secret": secret}, status=201)


class OneChannel(Door):
    """A channel of a team that you administer. People only."""

    reads = PERSON
    writes = PERSON

    @extend_schema(operation_id="channels_end", responses=ChannelShape)
    def delete(self, request: Request, channel: int) -> Response:
        """The channel, told nothing from now on; its row stays."""
        return shown(ChannelShape(channels.end_channel(actor=person_of(request), channel_id=channel)))


class Deliveries(Door):
    """The delivery log of a channel. People only."""

    reads = PERSON

    @extend_schema(operation_id="channels_deliveries", responses=DeliveryShape(many=True))
    def get(self, request: Request, channel: int) -> Response:
        """The newest fifty messages, with what came of each."""
        row = readers.channel_of(person_of(request), channel)
        return shown(DeliveryShape(readers.sent_to(row), many=True))
