"""API tokens: shown once, kept as a digest. They attach, file and report; none signs or decides."""

import secrets
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.digests import sha256_of
from reviews.errors import BadInput, NotSignedIn, NotVisible
from reviews.models import ApiToken
from reviews.services import events, wellformed

SCOPES: Final = ("read", "file", "attach", "report")
PREFIX: Final = "cs_"
START_LENGTH: Final = 8


@transaction.atomic
def issue(*, actor: User, name: str, scopes: tuple[str, ...], expires_at: datetime) -> tuple[ApiToken, str]:
    """A token of `actor`, and its secret, which is not kept.

    Raises:
        BadInput: no name, an unknown scope or none, or an end that has passed.
    """
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        raise BadInput(
            f"{', '.join(unknown) or 'Nothing'} is no scope.", needs=f"Choose of: {', '.join(SCOPES)}.", where="scopes"
        )
    now = timezone.now()
    wellformed.require_text(name, "name", longest=200, code="no_name")
    if expires_at <= now:
        raise BadInput("The end of a token lies ahead.", code="end_in_the_past", where="expires_at")
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        owner=actor,
        name=name,
        start=secret[:START_LENGTH],
        digest=sha256_of(secret.encode()),
        scopes=list(scopes),
        issued_by=actor,
        issued_at=now,
        expires_at=expires_at,
    )
    events.append(actor, actor, "issue_token", name=name, scopes=list(scopes), expires_at=expires_at.isoformat())
    return token, secret


@transaction.atomic
def revoke(*, actor: User, token_id: int) -> ApiToken:
    """The token, of no use from now on. Raises NotVisible when it is none of the actor's."""
    token = ApiToken.objects.select_for_update().filter(pk=token_id, owner=actor).first()
    if token is None:
        raise NotVisible("There is no such token of yours.")
    token.revoked_at = token.revoked_at or timezone.now()
    token.save(update_fields=["revoked_at"])
    events.append(actor, actor, "revoke_token", name=token.name)
    return token


def authenticate(secret: str) -> ApiToken:
    """The token of that secret, its use noted. Raises NotSignedIn when it is unknown, expired, revoked or orphaned."""
    now = timezone.now()
    token = ApiToken.objects.select_related("owner").filter(digest=sha256_of(secret.encode())).first()
    if token is None or token.revoked_at or token.expires_at <= now or not token.owner.is_active:
        raise NotSignedIn(
            "This token is not valid.",
            needs="Log in and issue a new one: POST /api/v1/tokens/, see docs/api.md.",
            code="bad_token",
        )
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token
