"""Who is asking, as a person, and for which number. Every page needs a person; strangers are sent to the login."""

import re

from django.contrib.auth.models import User
from django.http import HttpRequest

from reviews.errors import BadInput, NotSignedIn


def actor_of(request: HttpRequest) -> User:
    """The person who is signed in. Raises NotSignedIn."""
    if not isinstance(request.user, User):
        raise NotSignedIn("Nobody is signed in.", needs="Log in, then try again.")
    return request.user


def site_of(request: HttpRequest) -> str:
    """The name under which the page was asked for, without its port: passkeys are bound to it."""
    return request.get_host().partition(":")[0]


def number_of(text: str, where: str) -> int | None:
    """The number that an address or a form names in up to nine digits; None when it names none. Raises BadInput."""
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise BadInput(f"“{text[:20]}” is no number.", needs="Give a number of up to nine digits.", where=where)
    return int(text)
