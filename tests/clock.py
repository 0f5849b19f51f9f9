"""The time of the product, moved on by a test."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

_REAL = timezone.now


def move_on(monkeypatch: pytest.MonkeyPatch, *, hours: float) -> None:
    """From now on it is so many hours later than it is."""
    shift = timedelta(hours=hours)

    def later() -> datetime:
        return _REAL() + shift

    monkeypatch.setattr(timezone, "now", later)
