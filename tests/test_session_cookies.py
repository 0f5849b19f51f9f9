"""The cookie of a session goes over https alone where the site is reached by it."""

import runpy

import pytest

from config import settings


@pytest.mark.parametrize(("address", "secure"), [("https://reviews.example", True), ("http://localhost:8000", False)])
def test_cookies_follow_the_address_of_the_site(monkeypatch: pytest.MonkeyPatch, address: str, secure: bool) -> None:
    monkeypatch.setenv("COUNTERSIGN_SITE_ADDRESS", address)

    found = runpy.run_path(settings.__file__)

    assert (found["SESSION_COOKIE_SECURE"], found["CSRF_COOKIE_SECURE"]) == (secure, secure)
