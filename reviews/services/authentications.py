"""Proof of who is acting, asked again for what is recorded in somebody's name."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from reviews.authentication import Authentication
from reviews.errors import NotSignedIn


def require_fresh(authentication: Authentication) -> None:
    """Raises NotSignedIn when the proof is older than STEP_UP_SECONDS, or lies in the future."""
    age = timezone.now() - authentication.at
    if not timedelta(0) <= age <= timedelta(seconds=settings.STEP_UP_SECONDS):
        raise NotSignedIn(
            f"This act needs a proof of who you are that is not older than {settings.STEP_UP_SECONDS // 60} minutes.",
            needs="Prove it again: with your password, a code or a passkey.",
            code="step_up_needed",
            where="password",
        )


def as_json(authentication: Authentication) -> dict[str, str]:
    """How rows keep it."""
    return {"method": authentication.method, "at": authentication.at.isoformat()}
