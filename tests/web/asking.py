"""Asking pages as somebody of the cast."""

from typing import TYPE_CHECKING, TypeAlias

from django.test import Client

from tests import cases

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse

# What a client answers; the class has its name in the stubs only.
Answer: TypeAlias = "_MonkeyPatchedWSGIResponse"


def as_(name: str) -> Client:
    """A client in which that person is logged in."""
    client = Client()
    client.force_login(cases.person(name))
    return client


def page(name: str, path: str) -> str:
    """The page as HTML; it must be there."""
    response = as_(name).get(path)
    assert response.status_code == 200, (response.status_code, response.content.decode()[:2000])
    return response.content.decode()


def follow(response: Answer) -> str:
    """Where a redirect leads."""
    assert response.status_code == 302, response.content.decode()[:2000]
    return str(response.headers["Location"])
