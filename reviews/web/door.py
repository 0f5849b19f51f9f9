"""Who is asking, as a person. Every page needs one: the middleware sends strangers to the login first."""

from django.contrib.auth.models import User
from django.http import HttpRequest

from reviews.errors import NotSignedIn


def actor_of(request: HttpRequest) -> User:
    """The person who is signed in. Raises NotSignedIn."""
    if not isinstance(request.user, User):
        raise NotSignedIn("Nobody is signed in.", needs="Log in, then try again.")
    return request.user
