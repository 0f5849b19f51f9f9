"""Proving again who one is before signing, deciding or approving a waiver.

A page for such an act uses a form made from `StepUp`: it asks for the password unless that was given inside the last
STEP_UP_SECONDS, and a valid form means that `authentication_of` answers.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from django import forms
from django.conf import settings
from django.contrib.auth import authenticate
from django.http import HttpRequest
from django.utils import timezone

from reviews.authentication import Authentication
from reviews.errors import BadInput, NotSignedIn
from reviews.web.door import actor_of

_KEY: Final = "step_up"


def confirm(request: HttpRequest, password: str) -> Authentication:
    """Keep in the session that the password was given now. Raises BadInput for a wrong one, NotSignedIn for nobody."""
    person = actor_of(request)
    if authenticate(request, username=person.get_username(), password=password) != person:
        raise BadInput("This is not your password.", needs="Type it again.", code="wrong_password", where="password")
    now = timezone.now()
    request.session[_KEY] = {"person": person.pk, "method": "password", "at": now.isoformat()}
    return Authentication(method="password", at=now)


def authentication_of(request: HttpRequest) -> Authentication:
    """How and when the person proved who they are. Raises NotSignedIn when that was never or too long ago."""
    authentication = _kept(request)
    if authentication is None:
        raise NotSignedIn(
            "This act needs your password again.",
            needs=f"Go back and type your password; it counts for {settings.STEP_UP_SECONDS // 60} minutes.",
            code="step_up_needed",
            where="password",
        )
    return authentication


def _kept(request: HttpRequest) -> Authentication | None:
    """What the session keeps of the same person, unless it is too old."""
    kept = request.session.get(_KEY)
    if not kept or kept["person"] != actor_of(request).pk:
        return None
    at = datetime.fromisoformat(kept["at"])
    if timezone.now() - at > timedelta(seconds=settings.STEP_UP_SECONDS):
        return None
    return Authentication(method=kept["method"], at=at)


class StepUp(forms.Form):
    """Base of the forms for signing, deciding and approving; has a `password` field only when one is needed."""

    password = forms.CharField(
        label="Your password",
        help_text="Asked again, because this act is recorded in your name.",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, request: HttpRequest, data: Mapping[str, object] | None = None) -> None:
        super().__init__(data)
        self._request = request
        if _kept(request) is not None:
            del self.fields["password"]

    def clean_password(self) -> str:
        """Nothing: the password is checked, and kept nowhere."""
        try:
            confirm(self._request, self.cleaned_data["password"])
        except BadInput as refusal:
            raise forms.ValidationError(f"{refusal.message} {refusal.needs}", code=refusal.code) from refusal
        return ""
