"""What bytes are redacted for, and how a file says that its bytes are gone."""

from datetime import datetime

from django.db.models import TextChoices


class RedactionKind(TextChoices):
    """What stood in the bytes and must not be kept."""

    SECRET = "secret", "a secret"
    CUSTOMER_DATA = "customer_data", "customer data"


def said(kind: str, by: str, at: datetime, reason: str) -> str:
    """Who took the bytes away, when and for what: "redacted by Adi on 2026-12-01 (a secret: the key of the pool)"."""
    return f"redacted by {by} on {at:%Y-%m-%d} ({RedactionKind(kind).label}: {reason.strip().rstrip('.')})"
