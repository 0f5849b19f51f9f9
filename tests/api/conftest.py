"""Requests are counted in a cache that outlives a test: each begins at zero."""

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()
