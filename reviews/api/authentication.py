"""Who asks: a token of a program, or a person with a session. A token acts as its owner, within its scopes."""

from typing import Final

from django.contrib.auth.models import User
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from reviews.errors import NotPermitted, NotSignedIn
from reviews.models import ApiToken
from reviews.services import tokens

REALM: Final = 'Bearer realm="countersign"'
READ: Final = "read"
FILE: Final = "file"
ATTACH: Final = "attach"
REPORT: Final = "report"
PERSON: Final = "person"
READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class Bearer(BaseAuthentication):
    """`Authorization: Bearer cs_…`."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """The token's owner and the token; None when there is no such header. Raises NotSignedIn."""
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = tokens.authenticate(secret.strip())
        return token.owner, token

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - the signature of the framework
        return REALM


class BearerInSchema(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema names the token."""

    target_class = Bearer
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:  # noqa: ARG002
        return {"type": "http", "scheme": "bearer", "bearerFormat": "cs_…"}


class InScope(BasePermission):
    """A person may all that the services allow; a token only what its scopes name for the method.

    A view says the scope that its writing methods ask for; `PERSON` is for people alone.
    """

    def has_permission(self, request: Request, view: object) -> bool:
        """True. Raises NotPermitted for a token beyond its scopes; a method that the view lacks is another matter."""
        token = request.auth
        if not isinstance(token, ApiToken) or not hasattr(view, (request.method or "").lower()):
            return True
        scope = scope_of(view, request.method or "")
        if scope == PERSON:
            raise NotPermitted("No token may do this.", needs="Do it as a person, in a browser.", code="person_needed")
        if scope not in token.scopes:
            raise NotPermitted(
                f"This token lacks the scope {scope}; it has: {', '.join(token.scopes)}.",
                needs="Issue a token with that scope.",
                code="scope_missing",
            )
        return True


def scope_of(view: object, method: str) -> str:
    """The scope that the method of the view asks of a token."""
    said: str = getattr(view, "reads", READ) if method in READING else getattr(view, "writes", PERSON)
    return said


def person_of(request: Request) -> User:
    """Who acts. Raises NotSignedIn."""
    if not isinstance(request.user, User):
        raise NotSignedIn("Nobody is signed in.", needs="Send a token, or log in.")
    return request.user


def token_of(request: Request) -> ApiToken | None:
    """The token that the person acts through, None for a session."""
    return request.auth if isinstance(request.auth, ApiToken) else None
