"""Webhooks in: signed as Standard Webhooks has it, kept once, and of no use to whoever lacks the secret."""

import base64
import hashlib
import hmac
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotSignedIn, NotVisible
from reviews.models import EventSource, ProductionEvent
from reviews.services import events, webhooks
from reviews.services.webhooks import Delivery, signed
from reviews.vocabulary import State
from tests import cases, cast
from tests.services.deeds import refused

REFERENCE = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SENT = Delivery(
    message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp="1614265330",
    signature="v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    body=b'{"test": 2432232314}',
)
"""The vector of the reference implementations of Standard Webhooks."""
AT = datetime.fromtimestamp(1614265330, UTC)


def test_the_reference_vector_holds() -> None:
    assert signed(REFERENCE, SENT, AT)


@pytest.mark.parametrize(
    "special",
    [
        {"message_id": "msg_other"},
        {"message_id": ""},
        {"timestamp": "1614265331"},
        {"timestamp": ""},
        {"timestamp": "yesterday"},
        {"timestamp": "99999999999999999999"},
        {"timestamp": "１６１４２６５３３０"},
        {"signature": ""},
        {"signature": "v1"},
        {"signature": "v1,not base64"},
        {"signature": "v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
        {"body": b'{"test": 2432232315}'},
    ],
)
def test_whatever_is_changed_the_signature_does_not_hold(special: dict[str, Any]) -> None:
    assert not signed(REFERENCE, replace(SENT, **special), AT)


def test_one_right_signature_among_several_is_enough_and_five_minutes_are_the_limit() -> None:
    several = replace(SENT, signature=f"v1,AAAA v1a,x {SENT.signature}")
    assert signed(REFERENCE, several, AT)
    assert signed(REFERENCE, SENT, AT + timedelta(minutes=5))
    for late in (timedelta(minutes=5, seconds=1), -timedelta(minutes=5, seconds=1)):
        assert not signed(REFERENCE, SENT, AT + late)


def a_source(name: str = "sam") -> tuple[EventSource, str]:
    cases.set_up()
    return webhooks.make_source(actor=cases.person(name), team="serving", name="argo")


def delivery(secret: str, body: Any = None, message_id: str = "m1", **data: Any) -> Delivery:
    """A delivery signed now with the secret."""
    usual = {"build": "sha256:" + "a" * 64, "scope": "host-1", **data}
    at = (timezone.now() - timedelta(minutes=1)).isoformat()
    said = {"type": "production.deployed", "timestamp": at, "data": usual} if body is None else body
    content = said if isinstance(said, bytes) else json.dumps(said).encode()
    stamp = str(int(timezone.now().timestamp()))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"{message_id}.{stamp}.".encode() + content, hashlib.sha256).digest()
    return Delivery(
        message_id=message_id, timestamp=stamp, signature="v1," + base64.b64encode(mac).decode(), body=content
    )


@pytest.mark.django_db
class TestReceiving:
    def test_a_signed_delivery_is_kept_once_under_the_name_of_the_webhook(self) -> None:
        source, secret = a_source()
        sent = delivery(secret)

        row = webhooks.receive(key=source.key, delivery=sent)

        assert (row.kind, row.reported_by_name, row.team) == ("deployed", "webhook argo of Sam", source.team)
        assert webhooks.receive(key=source.key, delivery=sent) == row
        assert ProductionEvent.objects.count() == 1
        source.refresh_from_db()
        assert source.last_used_at is not None

    def test_a_rollback_opens_an_incident(self) -> None:
        source, secret = a_source()
        at = timezone.now().isoformat()
        body = {"type": "production.rolled_back", "timestamp": at, "data": {"build": "vllm", "text": "p99."}}

        row = webhooks.receive(key=source.key, delivery=delivery(secret, body))

        assert row.memo is not None
        assert row.memo.state == State.DRAFT

    def test_the_secret_stands_nowhere_in_the_database_and_goes_with_the_installations(self) -> None:
        source, secret = a_source()
        stored = {str(value) for value in EventSource.objects.values_list().get()}
        assert not any(secret.removeprefix("whsec_") in value for value in stored)
        assert webhooks.secret_of(source) == secret
        with override_settings(SECRET_KEY="another"):
            assert webhooks.secret_of(source) != secret

    def test_unknown_revoked_and_orphaned_sources_are_one_refusal(self) -> None:
        source, secret = a_source()
        _, other = webhooks.make_source(actor=cases.person("sam"), team="serving", name="spinnaker")
        for key, with_secret in (("nobody", secret), (source.key, other)):
            with refused(NotSignedIn, "bad_signature"):
                webhooks.receive(key=key, delivery=delivery(with_secret))
        sam = cases.person("sam")
        sam.is_active = False
        sam.save()
        with refused(NotSignedIn, "bad_signature"):
            webhooks.receive(key=source.key, delivery=delivery(secret))
        sam.is_active = True
        sam.save()
        webhooks.revoke_source(actor=sam, source_id=source.pk)
        with refused(NotSignedIn, "bad_signature"):
            webhooks.receive(key=source.key, delivery=delivery(secret))
        assert not ProductionEvent.objects.exists()

    @pytest.mark.parametrize(
        ("body", "code", "where"),
        [
            (b"no json", "bad_body", "body"),
            ([], "bad_body", "type"),
            ({"type": "ping", "data": {}}, "bad_body", "type"),
            ({"type": 7, "data": {}}, "bad_body", "type"),
            ({"type": "production.deployed", "timestamp": "2026-01-01T00:00:00Z"}, "bad_body", "type"),
            ({"type": "production.deployed", "timestamp": "soon", "data": {"build": "b"}}, "bad_body", "timestamp"),
            ({"type": "production.deployed", "data": {"build": "b"}}, "bad_body", "timestamp"),
            (
                {"type": "production.deployed", "timestamp": "2026-01-01T00:00:00", "data": {"build": "b"}},
                "bad_body",
                "timestamp",
            ),
            (
                {"type": "production.deployed", "timestamp": "2026-01-01T00:00:00Z", "data": {"build": 7}},
                "bad_body",
                "data.build",
            ),
            (
                {"type": "production.exploded", "timestamp": "2026-01-01T00:00:00Z", "data": {"build": "b"}},
                "",
                "kind",
            ),
            ({"type": "production.deployed", "timestamp": "2026-01-01T00:00:00Z", "data": {}}, "no_build", "build"),
        ],
    )
    def test_a_body_of_another_shape_is_refused(self, body: Any, code: str, where: str) -> None:
        source, secret = a_source()

        with refused(BadInput, code, where):
            webhooks.receive(key=source.key, delivery=delivery(secret, body))

    def test_sources_are_set_up_by_those_who_work_for_the_team(self) -> None:
        cases.set_up()
        for name, team, kind in (
            ("aud", "serving", NotPermitted),
            ("eve", "serving", NotVisible),
            ("sam", "x", NotVisible),
        ):
            with refused(kind):
                webhooks.make_source(actor=cases.person(name), team=team, name="argo")
        with refused(BadInput, "no_name"):
            webhooks.make_source(actor=cases.person("sam"), team="serving", name=" ")

    def test_making_and_revoking_leave_their_events_and_others_sources_are_not_there(self) -> None:
        source, _ = a_source()
        with refused(NotVisible):
            webhooks.revoke_source(actor=cases.person("ann"), source_id=source.pk)
        first = webhooks.revoke_source(actor=cases.person("sam"), source_id=source.pk)
        again = webhooks.revoke_source(actor=cases.person("sam"), source_id=source.pk)

        assert first.revoked_at == again.revoked_at
        actions = [event.action for event in events.chain_of(cast.a_team())]
        assert actions[-2:] == ["make_event_source", "revoke_event_source"]
