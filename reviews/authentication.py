"""How and when somebody proved who they are; signatures, waivers and decisions record it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

METHODS: Final[Mapping[str, str]] = {
    "password": "password, asked again",
    "totp": "one-time code of an authenticator app",
    "recovery_code": "recovery code",
    "passkey": "passkey",
    "single_sign_on": "single sign-on, asked anew",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PasskeyAnswer:
    """What a passkey gave back for one statement. credential_id in base64url; the others are the bytes as they came.

    stated_at: the time that stands in the statement that was shown for it.
    """

    credential_id: str
    authenticator_data: bytes
    client_data_json: bytes
    signature: bytes
    stated_at: datetime


@dataclass(frozen=True, slots=True)
class Authentication:
    """How it was proved, and when, with a time zone.

    method: a key of METHODS.
    passkey: for a statement that was signed with one; None when a passkey, or something else, proved the person alone.
    """

    method: str
    at: datetime
    passkey: PasskeyAnswer | None = None
