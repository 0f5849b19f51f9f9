"""What leaves the house, in the form of its channel: a mail, a signed webhook, a Slack-compatible message."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterable
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils import timezone
from django.utils.crypto import salted_hmac

from reviews.models import Notification, Outbox, TeamChannel
from reviews.queries.seeing import who_see
from reviews.services import outward
from reviews.told_words import Channel, Reason

SALT: Final = "countersign.team-channel"
PREFIX: Final = "whsec_"


class NotTaken(Exception):
    """The other side answered, and did not take it."""


class NothingLeft(Exception):
    """There is nobody to tell any more: whoever it was for is gone, or does not see the memo now."""


def send(row: Outbox) -> None:
    """The row is sent.

    Raises:
        NotTaken, NothingLeft; BadInput for an address that may not be asked; OSError, smtplib.SMTPException and
        urllib3.exceptions.HTTPError when nothing came back.
    """
    if row.channel == Channel.MAIL:
        _mail(row)
        return
    assert row.team_channel is not None  # noqa: S101 (a constraint of the table)
    if row.team_channel.ended_at is not None:
        raise NothingLeft
    slack = row.channel == Channel.SLACK
    body = json.dumps(slack_of(row.payload) if slack else row.payload, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "Countersign", "Idempotency-Key": row.key}
    status = outward.post(row.address, body, headers if slack else {**headers, **_signed(row, body)})
    if not 200 <= status < 300:
        raise NotTaken(f"It answered with status {status}.")


def secret_of(channel: TeamChannel) -> str:
    """The signing secret of a channel, as Standard Webhooks writes it; derived, and stored nowhere."""
    key = salted_hmac(SALT, f"{channel.key}:{channel.nonce}", algorithm="sha256").digest()
    return PREFIX + base64.b64encode(key).decode()


def slack_of(payload: dict[str, dict[str, str]]) -> dict[str, str]:
    """The message as Slack and what is compatible with it read it. No word of a memo becomes a command or a mention."""
    data = payload["data"]
    words = {name: _escaped(data[name]) for name in ("memo", "title", "sentence")}
    return {"text": f"<{data['address']}|{words['memo']}> {words['title']}\n{words['sentence']}"}


def text_of(rows: Iterable[Notification]) -> str:
    """The text of a mail, a paragraph for each."""
    return (
        "\n\n".join(_paragraph(row) for row in rows) + f"\n\nHow you are told: {settings.SITE_ADDRESS}/notifications/"
    )


def _mail(row: Outbox) -> None:
    told = [one for one in row.notifications.select_related("memo__team", "person").order_by("pk") if _still(one)]
    if not told:
        raise NothingLeft
    first = told[0]
    name = first.memo.number if first.memo else "Countersign"
    subject = f"{name}: {Reason(first.reason).label}" if len(told) == 1 else f"Countersign: {len(told)} things"
    domain = settings.SITE_ADDRESS.partition("//")[2].partition(":")[0]
    EmailMessage(
        subject=subject,
        body=text_of(told),
        from_email=settings.MAIL_FROM,
        to=[row.address],
        headers={
            "Message-ID": f"<{hashlib.sha256(row.key.encode()).hexdigest()[:32]}@{domain}>",
            "Auto-Submitted": "auto-generated",
        },
    ).send()


def _still(one: Notification) -> bool:
    """Whether the person has an account, and sees the memo, still."""
    if not one.person.is_active:
        return False
    return one.memo is None or bool(who_see(one.memo, {one.person.get_username()}))


def _paragraph(one: Notification) -> str:
    if one.memo is None:
        return one.sentence
    address = f"{settings.SITE_ADDRESS}/memos/{one.memo.number}/"
    return f"{one.memo.number} {one.memo.title}\n{one.sentence}\n{address}"


def _signed(row: Outbox, body: bytes) -> dict[str, str]:
    """The headers of Standard Webhooks: the same id at every attempt, a timestamp, and HMAC-SHA256 over the three."""
    assert row.team_channel is not None  # noqa: S101 (a constraint of the table)
    sent = str(int(timezone.now().timestamp()))
    secret = base64.b64decode(secret_of(row.team_channel).removeprefix(PREFIX))
    signature = hmac.digest(secret, f"{row.key}.{sent}.".encode() + body, hashlib.sha256)
    return {
        "webhook-id": row.key,
        "webhook-timestamp": sent,
        "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
    }


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
