"""The outbox over real sockets on the loopback: signed, tried again, sent at least once, never to private addresses."""

import base64
import hashlib
import ipaddress
import json
import socket
from datetime import timedelta
from typing import Any

import pytest
import urllib3
from django.core import mail
from django.utils import timezone
from pytest_django import Settings

from reviews import tasks
from reviews.errors import BadInput, NotPermitted, NotVisible
from reviews.models import Memo, Outbox, TeamChannel
from reviews.services import channels, comments, events, outbox, outgoing, outward, webhooks
from reviews.services.channels import ChannelWish
from reviews.services.webhooks import Delivery
from tests import cases, cast
from tests.clock import move_on
from tests.services import listening
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def on_the_loopback(settings: Settings) -> None:
    settings.PRIVATE_NETWORKS = ["127.0.0.0/8", "::1/128"]
    settings.SITE_ADDRESS = "https://reviews.example"
    settings.SEND_SECONDS = 5


def make(port: int, *, by: str = "adi", team: str = "serving", **special: Any) -> tuple[TeamChannel, str]:
    cast.the_team()
    usual = {"kind": "webhook", "name": "ours", "address": f"http://127.0.0.1:{port}/in?x=1", "reasons": ()}
    return channels.make_channel(actor=cast.a_person(by), team=team, wish=ChannelWish(**{**usual, **special}))


def a_comment(memo: Memo | None = None, text: str = "Which <slice> & why?") -> Memo:
    memo = memo or cases.a_draft()
    comments.comment(actor=cases.person("aud"), memo_id=memo.pk, anchor="symptom", text=text, answers=None)
    return memo


def test_a_webhook_is_signed_as_standard_webhooks_has_it() -> None:
    with listening.webhooks() as taken:
        _, secret = make(taken.port)
        memo = a_comment()
        assert outbox.deliver() == 1

    [(headers, body)] = taken.requests
    delivery = Delivery(
        message_id=headers["webhook-id"],
        timestamp=headers["webhook-timestamp"],
        signature=headers["webhook-signature"],
        body=body,
    )
    assert webhooks.signed(secret, delivery, timezone.now())
    assert headers["idempotency-key"] == headers["webhook-id"] == Outbox.objects.get().key
    said = json.loads(body)
    assert said["type"] == "memo.comment"
    assert (said["data"]["memo"], said["data"]["told"]) == (memo.number, ["ann"])
    last = events.chain_of(memo).last()
    assert last is not None
    assert said["data"]["event"] == {"sequence": last.sequence, "action": "comment", "hash": last.hash}


def test_what_fails_is_tried_again_under_the_same_key_and_later_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening.webhooks(500, 302, 200) as taken:
        make(taken.port)
        a_comment()
        waits = []
        for hours in (0, 1, 2):
            move_on(monkeypatch, hours=hours)
            outbox.deliver()
            row = Outbox.objects.get()
            waits.append(row.next_attempt_at and round((row.next_attempt_at - timezone.now()).total_seconds()))
            assert outbox.deliver() == 0, "not before its time"

    assert waits == [60, 120, None]
    assert (row.attempts, row.last_error) == (3, "")
    assert row.delivered_at is not None
    assert len({headers["webhook-id"] for headers, _ in taken.requests}) == 1
    assert len(taken.requests) == 3, "a redirect is not followed"


def test_after_the_tenth_failure_it_is_given_up_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    make(9)
    a_comment()
    for day in range(12):
        move_on(monkeypatch, hours=24 * day)
        outbox.deliver()

    row = Outbox.objects.get()
    assert (row.attempts, row.next_attempt_at, row.delivered_at) == (10, None, None)
    assert row.given_up_at is not None
    assert "refused" in row.last_error


def test_a_worker_that_dies_leaves_its_row_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening.webhooks() as taken:
        make(taken.port)
        a_comment()

        def die(row: Outbox) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(outgoing, "send", die)
            with pytest.raises(KeyboardInterrupt):
                outbox.deliver()
        assert outbox.deliver() == 0
        move_on(monkeypatch, hours=1)
        tasks.deliver()

    assert len(taken.requests) == 1
    assert Outbox.objects.get().delivered_at is not None


def test_what_kills_its_worker_every_time_is_given_up() -> None:
    make(9)
    a_comment()
    Outbox.objects.update(attempts=10)

    assert outbox.deliver() == 0
    assert Outbox.objects.get().last_error == "Its worker was lost each time."
    assert not outbox.waits()


def test_a_worker_that_was_given_up_notes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening.webhooks() as taken:
        make(taken.port)
        a_comment()

        def late(row: Outbox) -> None:
            Outbox.objects.update(attempts=7)

        monkeypatch.setattr(outgoing, "send", late)
        outbox.deliver()

    row = Outbox.objects.get()
    assert (row.attempts, row.delivered_at) == (7, None)
    assert row.next_attempt_at is not None


def test_slack_reads_text_without_commands_and_is_not_signed() -> None:
    with listening.webhooks() as taken:
        channel, secret = make(taken.port, kind="slack")
        memo = a_comment(text="x")
        Outbox.objects.get()
        outbox.deliver()

    [(headers, body)] = taken.requests
    assert secret == ""
    assert "webhook-signature" not in headers
    assert headers["idempotency-key"].endswith(f"channel-{channel.pk}")
    text = json.loads(body)["text"]
    assert text.startswith(f"<https://reviews.example/memos/{memo.number}/|{memo.number}> {memo.title}")
    data = {"memo": "A", "title": "<!channel>", "sentence": "a & b", "address": "x"}
    assert outgoing.slack_of({"data": data}) == {"text": "<x|A> &lt;!channel&gt;\na &amp; b"}


def test_a_channel_is_told_its_reasons_alone_and_nothing_after_its_end() -> None:
    with listening.webhooks() as taken:
        only, _ = make(taken.port, reasons=("mention",))
        memo = a_comment()
        assert not Outbox.objects.exists()
        a_comment(memo, "@olga")
        a_comment(memo, "@pat")
        ended = channels.end_channel(actor=cases.person("adi"), channel_id=only.pk)
        assert channels.end_channel(actor=cases.person("adi"), channel_id=only.pk).ended_at == ended.ended_at
        a_comment(memo, "@quin")

        assert outbox.deliver() == 0
    assert taken.requests == []
    assert Outbox.objects.count() == 2


def test_only_administrators_make_and_end_the_channels_of_their_team() -> None:
    row, _ = make(1)

    for name, kind in (("ann", NotPermitted), ("eve", NotVisible)):
        with refused(kind):
            make(1, by=name)
    with refused(NotVisible, where="team"):
        make(1, team="nowhere")
    for name in ("ann", "eve"):
        with refused(NotVisible):
            channels.end_channel(actor=cast.a_person(name), channel_id=row.pk)
    made = events.chain_of(row.team).last()
    assert made is not None
    assert (made.action, made.detail["host"]) == ("make_channel", "127.0.0.1")
    assert "/in" not in json.dumps(made.detail)


@pytest.mark.parametrize(
    ("where", "code", "special"),
    [
        ("kind", "bad_input", {"kind": "mail"}),
        ("reasons", "bad_input", {"reasons": ("weather",)}),
        ("", "no_name", {"name": " "}),
        ("address", "bad_address", {"address": "ftp://reviews.example/"}),
        ("address", "bad_address", {"address": "https://"}),
        ("address", "bad_address", {"address": "https://ann:secret@reviews.example/"}),
        ("address", "bad_address", {"address": "http://reviews.example/"}),
        ("address", "bad_address", {"address": "https://[::1"}),
        ("address", "bad_address", {"address": "https://a..b/"}),
        ("address", "bad_address", {"address": f"https://{'a' * 70}.example/"}),
        ("address", "bad_address", {"address": "https://reviews.example/\r\nx"}),
        ("address", "private_address", {"address": "https://10.0.0.1/"}),
    ],
)
def test_a_channel_that_is_none_is_refused(where: str, code: str, special: dict[str, Any]) -> None:
    with refused(BadInput, code, where):
        make(1, **special)


@pytest.mark.parametrize(
    "address",
    [
        "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.7", "224.0.0.1", "240.0.0.1",
        "fe80::1", "fc00::1", "::", "ff02::1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "64:ff9b::a00:1", "2002:a00:1::",
    ],
)  # fmt: skip
def test_no_private_address_is_asked(address: str) -> None:
    with refused(BadInput, "private_address", "address"):
        outward.refuse_private(ipaddress.ip_address(address))
    outward.refuse_private(ipaddress.ip_address("8.8.8.8"))
    outward.refuse_private(ipaddress.ip_address("2001:4860:4860::8888"))


def test_a_name_that_resolves_to_a_private_address_is_not_asked(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(*args: object, **named: object) -> list[tuple[object, ...]]:
        return [(0, 0, 0, "", ("8.8.8.8", 443)), (0, 0, 0, "", ("127.0.0.1", 443))]

    make(1, address="https://rebound.example/")
    settings.PRIVATE_NETWORKS = []
    a_comment()
    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", resolve)
        assert outbox.deliver() == 0

    assert "127.0.0.1 is no public address" in Outbox.objects.get().last_error


def test_the_connection_goes_to_the_address_that_was_looked_at_under_its_own_name() -> None:
    place = outward.place_of("https://hooks.example:8443/in?a=b")
    pool = outward._pool(place, "192.0.2.7", urllib3.Timeout(1))

    assert (pool.host, pool.port, place.target) == ("192.0.2.7", 8443, "/in?a=b")
    assert pool.conn_kw["server_hostname"] == "hooks.example"
    assert pool.cert_reqs == "CERT_REQUIRED"  # type: ignore[attr-defined]
    assert pool.assert_hostname == "hooks.example"  # type: ignore[attr-defined]


def test_a_mail_goes_over_smtp_and_is_tried_again_when_nobody_listens(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.MAIL_FROM, settings.EMAIL_HOST, settings.EMAIL_PORT = "countersign@reviews.example", "127.0.0.1", 9
    settings.EMAIL_TIMEOUT = 5
    memo = cases.a_draft()
    olga = cases.person("olga")
    olga.email = "olga@reviews.example"
    olga.save()
    a_comment(memo, "@olga")
    assert outbox.deliver() == 0
    assert "refused" in Outbox.objects.get().last_error

    move_on(monkeypatch, hours=1)
    with listening.mail() as taken:
        settings.EMAIL_PORT = taken.port
        assert outbox.deliver() == 1

    assert mail.outbox == []
    [sent] = taken.mails
    assert "To: olga@reviews.example" in sent
    assert f"Subject: {memo.number}: somebody names you in a comment" in sent
    key = Outbox.objects.get().key
    assert hashlib.sha256(key.encode()).hexdigest()[:32] in sent


def test_a_secret_is_derived_and_kept_nowhere() -> None:
    row, secret = make(1)
    other, another = make(1)

    assert secret != another
    assert outgoing.secret_of(row) == secret
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32
    stored = json.dumps(list(TeamChannel.objects.values()), default=str)
    assert secret not in stored
    assert other.nonce != row.nonce
    assert timedelta(0) <= timezone.now() - row.made_at
