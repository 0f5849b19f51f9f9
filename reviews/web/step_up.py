"""Proving again who one is before signing, deciding or approving a waiver.

A page for such an act uses a form made from `StepUp`: it asks for the password, or a code, unless one was given inside
the last STEP_UP_SECONDS, and a valid form means that `authentication_of` answers. The page `prove` takes a passkey too.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final
from weakref import WeakKeyDictionary

from allauth.core import ratelimit
from django import forms
from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import urlencode

from reviews.authentication import Authentication
from reviews.errors import BadInput, NotSignedIn
from reviews.queries.second_steps import ProofsOf, proofs_of
from reviews.services import second_steps
from reviews.web.door import actor_of

_KEY: Final = "step_up"

_asked: WeakKeyDictionary[HttpRequest, ProofsOf] = WeakKeyDictionary()


def confirm(request: HttpRequest, said: str) -> Authentication:
    """Keep in the session that the password, or a code, was given now.

    Raises:
        BadInput: it is neither, or too many were tried.
        NotSignedIn: nobody is signed in.
    """
    person = actor_of(request)
    if not ratelimit.consume(request, action="reauthenticate", user=person):
        raise BadInput("Too many tries.", needs="Try again in a minute.", code="too_many_tries", where="password")
    method = _method_of(request, person, said)
    if not method:
        typed = "neither your password nor a code that counts now" if proofs_of(person).codes else "not your password"
        raise BadInput(f"This is {typed}.", needs="Type it again.", code="wrong_password", where="password")
    return keep(request, method)


def keep(request: HttpRequest, method: str) -> Authentication:
    """Keep in the session that the person proved who they are now; the caller has checked it."""
    now = timezone.now()
    request.session[_KEY] = {"person": actor_of(request).pk, "method": method, "at": now.isoformat()}
    return Authentication(method=method, at=now)


def is_proved(request: HttpRequest) -> bool:
    """Whether a proof stands that is not too old."""
    return _kept(request) is not None


def authentication_of(request: HttpRequest) -> Authentication:
    """How and when the person proved who they are. Raises NotSignedIn when that was never or too long ago."""
    authentication = _kept(request)
    if authentication is None:
        raise NotSignedIn(
            "This act needs a proof of who you are.",
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


def _method_of(request: HttpRequest, person: User, said: str) -> str:
    """What was typed: "password", "totp" or "recovery_code"; "" for none of them."""
    if authenticate(request, username=person.get_username(), password=said) == person:
        return "password"
    return second_steps.use_code(actor=person, code=said)


def other_ways(request: HttpRequest) -> str:
    """The address of the page that takes every proof, and comes back to this one."""
    return f"{reverse('prove')}?{urlencode({'next': request.get_full_path()})}"


def _proofs(request: HttpRequest) -> ProofsOf:
    """What proves the person, asked once a request: a page may have a form for each row."""
    if request not in _asked:
        _asked[request] = proofs_of(actor_of(request))
    return _asked[request]


class Prove(forms.Form):
    """The password or a code, alone, whether or not one was given lately."""

    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, request: HttpRequest, data: Mapping[str, object] | None = None) -> None:
        super().__init__(data)
        self._request = request
        proofs = _proofs(request)
        if proofs.codes:
            label = "Your password, or a code" if proofs.password else "A code of your authenticator app"
            self.fields["password"].label = label

    def clean_password(self) -> str:
        """Nothing: the password is checked, and kept nowhere."""
        try:
            confirm(self._request, self.cleaned_data["password"])
        except BadInput as refusal:
            raise forms.ValidationError(f"{refusal.message} {refusal.needs}", code=refusal.code) from refusal
        return ""


class StepUp(Prove):
    """Base of the forms for signing, deciding and approving; has a `password` field only when one is needed."""

    def __init__(self, request: HttpRequest, data: Mapping[str, object] | None = None) -> None:
        super().__init__(request, data)
        if is_proved(request):
            self.needs_no_proof()
        else:
            self.fields["password"].help_text = format_html(
                'Asked again, because this act is recorded in your name. <a href="{}">Prove it in another way</a>',
                other_ways(request),
            )

    def needs_no_proof(self) -> None:
        """Drops the field: a proof stands, or comes in another way."""
        self.fields.pop("password", None)
