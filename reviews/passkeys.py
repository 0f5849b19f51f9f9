"""A statement signed with a passkey, and the check of it from stored bytes alone: no server, no database, no clock.

The WebAuthn challenge is the SHA-256 of `DOMAIN` and the bytes of the statement, so that the authenticator's signature
is one of the statement. An authenticator signs its own data followed by the SHA-256 of the client data, in which the
challenge and the origin of the page stand.
"""

import json
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from typing import Final, Self
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from fido2 import cbor
from fido2.cose import CoseKey

DOMAIN: Final = b"countersign/passkey-signature/1\n"
_PRESENT, _VERIFIED = 0x01, 0x04
_KEY_TYPE: Final = 1
# COSE: algorithm -> type of key. ES256, ES384, ES512 and ES256K; EdDSA; RS256 and PS256.
_KEY_TYPES: Final = {-7: 2, -35: 2, -36: 2, -47: 2, -8: 1, -257: 3, -37: 3}
_FLAGS: Final = 32
_HEAD: Final = 37


class NotReadable(ValueError):
    """Something that is kept of a passkey is not what it should be."""


def challenge_of(statement: bytes) -> bytes:
    """What the authenticator is asked to sign for the statement."""
    return sha256(DOMAIN + statement).digest()


def to_text(data: bytes) -> str:
    """base64url without padding, as WebAuthn writes bytes."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def from_text(text: str) -> bytes:
    """The bytes of base64url, padded or not. Raises ValueError."""
    if not text.isascii():
        raise NotReadable("not base64url")
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedWithPasskey:
    """What a signature keeps of its passkey, all that the check needs; bytes in base64url.

    public_key: the COSE key that was enrolled. enrolled_at: when, in ISO 8601. rp_id: the site that it is bound to.
    """

    credential_id: str
    public_key: str
    rp_id: str
    enrolled_at: str
    authenticator_data: str
    client_data_json: str
    signature: str

    def as_json(self) -> dict[str, str]:
        """How records keep it."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: object) -> Self:
        """The kept one read back. Raises ValueError when a member is missing or is no text."""
        if not isinstance(kept, Mapping):
            raise NotReadable("it is no object")
        names = [field.name for field in fields(cls)]
        said = {name: value for name in names if isinstance(value := kept.get(name), str)}
        if lacking := sorted(set(names) - set(said)):
            raise NotReadable(f"it has no {lacking[0]}")
        return cls(**said)


def faults(statement: bytes, given: SignedWithPasskey) -> tuple[str, ...]:
    """Every reason why `given` is no signature of the statement, in words; empty when it is one."""
    try:
        data, client = from_text(given.authenticator_data), from_text(given.client_data_json)
        signature, said = from_text(given.signature), _object(client)
        key = _key(from_text(given.public_key))
    except (ValueError, TypeError, AttributeError) as error:
        return (f"its parts cannot be read: {error}",)
    return (
        *_client_faults(said, statement, given.rp_id),
        *_authenticator_faults(data, given.rp_id),
        *_key_faults(key, data + sha256(client).digest(), signature),
    )


def statement_is_meant(statement: bytes, client_data_json: bytes) -> bool:
    """Whether the client data name the challenge of this statement and no other."""
    try:
        return bool(_object(client_data_json).get("challenge") == to_text(challenge_of(statement)))
    except ValueError:
        return False


def _site_of(origin: object) -> tuple[str, str]:
    """Scheme and host of an origin; neither for what is none."""
    try:
        parts = urlsplit(str(origin))
        return parts.scheme, parts.hostname or ""
    except ValueError:
        return "", ""


def _key(encoded: bytes) -> CoseKey:
    """The public key, from the one way in which CBOR writes it."""
    try:
        found = cbor.decode(encoded)
        canonical = cbor.encode(found) == encoded
    except (ValueError, TypeError, LookupError, struct.error, RecursionError) as error:
        raise NotReadable("the public key is no CBOR") from error
    if not canonical or not isinstance(found, Mapping):
        raise NotReadable("the public key is no COSE key")
    return CoseKey.parse(found)


def _object(data: bytes) -> Mapping[str, object]:
    try:
        found = json.loads(data)
    except RecursionError as error:
        raise NotReadable("the client data are nested too deep") from error
    if not isinstance(found, Mapping):
        raise NotReadable("the client data are no object")
    return found


def _client_faults(said: Mapping[str, object], statement: bytes, rp_id: str) -> Iterator[str]:
    if said.get("type") != "webauthn.get":
        yield "the client data are not those of a signature"
    if said.get("challenge") != to_text(challenge_of(statement)):
        yield "the challenge is not the digest of the statement"
    if said.get("crossOrigin"):
        yield "it was asked for from a page inside a page of another site"
    scheme, host = _site_of(said.get("origin", ""))
    if not (host == rp_id or host.endswith(f".{rp_id}")) or not (scheme == "https" or host == "localhost"):
        yield f"the page that asked for it is not one of {rp_id}"


def _authenticator_faults(data: bytes, rp_id: str) -> Iterator[str]:
    if len(data) < _HEAD:
        yield "the authenticator's data are cut off"
        return
    if data[:_FLAGS] != sha256(rp_id.encode()).digest():
        yield f"the authenticator was asked by another site than {rp_id}"
    if not data[_FLAGS] & _PRESENT:
        yield "nobody touched the authenticator"
    if not data[_FLAGS] & _VERIFIED:
        yield "the authenticator did not check who used it"


def _key_faults(key: CoseKey, message: bytes, signature: bytes) -> Iterator[str]:
    if _KEY_TYPES.get(key.ALGORITHM) != key.get(_KEY_TYPE):
        yield "the enrolled key is of a kind that does not count"
        return
    try:
        key.verify(message, signature)
    except InvalidSignature:
        yield "the enrolled key did not sign it"
    except (NotImplementedError, ValueError, KeyError, TypeError) as error:
        yield f"the enrolled key cannot be used: {error}"
