"""Webhooks in: a deployer reports what happened in production, signed as Standard Webhooks has it.

The signing secret is shown once and stored nowhere: it is derived from the source's nonce and the installation's secret
key, so that a copy of the database alone signs nothing.
"""

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from reviews.errors import BadInput, NotPermitted, NotSignedIn, NotVisible
from reviews.models import EventSource, ProductionEvent, Team
from reviews.queries import people
from reviews.services import events, production, wellformed
from reviews.services.production import ProductionReport, Reporter

SALT: Final = "countersign.event-source"
PREFIX: Final = "whsec_"
TOLERANCE: Final = timedelta(minutes=5)
TYPE: Final = "production."
FIELDS: Final = ("build", "scope", "scope_percent", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One delivery as it came: the three headers of Standard Webhooks, and the body byte by byte."""

    message_id: str
    timestamp: str
    signature: str
    body: bytes


@transaction.atomic
def make_source(*, actor: User, team: str, name: str) -> tuple[EventSource, str]:
    """A source that reports for the team as `actor`, and its signing secret, which is not kept.

    Raises:
        NotVisible: there is no such team in which the actor holds a role.
        NotPermitted: the actor only reads there.
        BadInput: no name.
    """
    owner = Team.objects.filter(slug=team, slug__in=people.roles_by_team(actor)).first()
    if owner is None:
        raise NotVisible(f"There is no team {team} in which you hold a role.", where="team")
    if not production.works_for(actor, owner):
        raise NotPermitted(f"Webhooks of {owner.name} are set up by those who work for it.", needs="Ask one of them.")
    wellformed.require_text(name, "name", longest=200, code="no_name")
    row = EventSource.objects.create(
        team=owner,
        owner=actor,
        name=name,
        key=secrets.token_urlsafe(18),
        nonce=secrets.token_hex(32),
        made_at=timezone.now(),
    )
    events.append(owner, actor, "make_event_source", name=name, key=row.key)
    return row, secret_of(row)


@transaction.atomic
def revoke_source(*, actor: User, source_id: int) -> EventSource:
    """The source, of no use from now on. Raises NotVisible when it is none of the actor's."""
    row = EventSource.objects.select_for_update().select_related("team").filter(pk=source_id, owner=actor).first()
    if row is None:
        raise NotVisible("There is no such event source of yours.")
    if row.revoked_at is None:
        row.revoked_at = timezone.now()
        row.save(update_fields=["revoked_at"])
        events.append(row.team, actor, "revoke_event_source", name=row.name, key=row.key)
    return row


@transaction.atomic
def receive(*, key: str, delivery: Delivery) -> ProductionEvent:
    """The event that a signed delivery reports; delivered twice, it is kept once.

    Raises:
        NotSignedIn: no such source, a signature that does not hold, or a timestamp more than five minutes off.
        BadInput: a body of another shape; and as `production.report`.
        NotPermitted: the source's owner works for the team no more.
    """
    source = EventSource.objects.select_related("team", "owner").filter(key=key, revoked_at__isnull=True).first()
    if source is None or not source.owner.is_active or not signed(secret_of(source), delivery, timezone.now()):
        raise NotSignedIn(
            "This delivery is not signed as its source signs.",
            needs="Sign webhook-id.webhook-timestamp.body with the secret of the source, and send it within 5 minutes.",
            code="bad_signature",
        )
    report = _report(delivery)
    source.last_used_at = timezone.now()
    source.save(update_fields=["last_used_at"])
    return production.report(reporter=Reporter(source.owner, source=source), team=source.team.slug, report=report)


def secret_of(source: EventSource) -> str:
    """The signing secret of a source, as Standard Webhooks writes it: whsec_ and base64."""
    key = salted_hmac(SALT, f"{source.key}:{source.nonce}", algorithm="sha256").digest()
    return PREFIX + base64.b64encode(key).decode()


def signed(secret: str, delivery: Delivery, now: datetime) -> bool:
    """Whether one of the delivery's v1 signatures is right, and its timestamp no more than five minutes off."""
    if not delivery.message_id or not delivery.timestamp.isascii() or not delivery.timestamp.isdigit():
        return False
    if len(delivery.timestamp) > len("9999999999"):
        return False
    sent = datetime.fromtimestamp(int(delivery.timestamp), UTC)
    if abs(now - sent) > TOLERANCE:
        return False
    content = f"{delivery.message_id}.{delivery.timestamp}.".encode() + delivery.body
    right = hmac.digest(base64.b64decode(secret.removeprefix(PREFIX)), content, hashlib.sha256)
    given = (part.partition(",") for part in delivery.signature.split(" "))
    return any(hmac.compare_digest(right, _decoded(value)) for version, _, value in given if version == "v1")


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _report(delivery: Delivery) -> ProductionReport:
    """What {"type": "production.deployed", "timestamp": …, "data": {"build": …}} reports."""
    try:
        body = json.loads(delivery.body)
    except ValueError as error:
        raise BadInput("The body is no JSON.", code="bad_body", where="body") from error
    data = body.get("data") if isinstance(body, Mapping) else None
    kind = body.get("type") if isinstance(body, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(kind, str) or not kind.startswith(TYPE):
        raise BadInput(
            f"A delivery has a type that begins with {TYPE} and an object data.",
            needs="See docs/api.md for its members.",
            code="bad_body",
            where="type",
        )
    texts = {name: _text(data, name) for name in FIELDS}
    return ProductionReport(
        kind=kind.removeprefix(TYPE),
        happened_at=_moment(str(body.get("timestamp", ""))),
        event_id=delivery.message_id,
        **texts,
    )


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name, "")
    if not isinstance(value, str):
        raise BadInput(f"{name} is a text, also when it is a number.", code="bad_body", where=f"data.{name}")
    return value


def _moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadInput("The timestamp is no ISO 8601 time.", code="bad_body", where="timestamp") from error
    if found.tzinfo is None:
        raise BadInput("The timestamp names no time zone.", needs="End it with Z.", code="bad_body", where="timestamp")
    return found
