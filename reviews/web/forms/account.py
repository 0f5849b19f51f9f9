"""Forms of the account: proofs that are typed, and answers of passkeys, which a script puts into a hidden field."""

from typing import Any

from allauth.mfa.webauthn.forms import AddWebAuthnForm, AuthenticateWebAuthnForm, LoginWebAuthnForm
from django import forms
from fido2.webauthn import AuthenticationResponse, RegistrationResponse

_UNREADABLE = (TypeError, ValueError, KeyError, AttributeError, IndexError)


class Answer(forms.JSONField):
    """What a passkey answered, as JSON of WebAuthn: checked for being one, not for what it says. shape: of which."""

    widget = forms.HiddenInput

    def __init__(self, shape: type[AuthenticationResponse | RegistrationResponse]) -> None:
        super().__init__(error_messages={"required": "No passkey answered."})
        self._shape = shape

    def to_python(self, value: Any) -> Any:
        """The JSON. Raises ValidationError for what is no answer of a passkey."""
        found = super().to_python(value)
        if found in self.empty_values:
            return found
        try:
            self._shape.from_dict(found)
        except _UNREADABLE as error:
            raise forms.ValidationError("This is no answer of a passkey.", code="passkey_unreadable") from error
        return found


class AddPasskey(AddWebAuthnForm):  # type: ignore[misc]
    """A name and the answer; every passkey here can sign in by itself."""

    name = forms.CharField(
        label="Name",
        max_length=100,
        help_text="So that you know it again: “laptop”, “key on the ring”.",
    )
    credential = Answer(RegistrationResponse)
    passwordless = None


class SecondStepByPasskey(AuthenticateWebAuthnForm):  # type: ignore[misc]
    """The answer of one of the person's passkeys."""

    credential = Answer(AuthenticationResponse)


class LogInByPasskey(LoginWebAuthnForm):  # type: ignore[misc]
    """The answer of a passkey that says whose it is."""

    credential = Answer(AuthenticationResponse)


class SignByPasskey(forms.Form):
    """The answer of a passkey to a statement."""

    credential = Answer(AuthenticationResponse)
