"""Files in and out: streamed, checked against the digest that the sender names, handed out as attachments only."""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Final

from django.http import FileResponse
from rest_framework.request import Request

from reviews.errors import BadInput
from reviews.services import store

HEADER: Final = "Content-Digest"
SHA256: Final = re.compile(r"(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]+):\s*(?=,|$)")


def digest_named(request: Request, field: str) -> str:
    """The SHA-256 (hex) that the sender names, in the field or in Content-Digest (RFC 9530); "" for none.

    Raises:
        BadInput: the header holds no sha-256, or names another digest than the field.
    """
    said = request.headers.get(HEADER, "")
    if not said:
        return field
    found = SHA256.search(said)
    named = _hex(found[1]) if found else ""
    if not named or (field and field != named):
        raise BadInput(
            f"{HEADER} does not fit.",
            needs="Send sha-256=:<base64 of the file's digest>:, the same digest as in the field sha256.",
            code="bad_digest",
            where=HEADER,
        )
    return named


def checked(chunks: Iterable[bytes], named: str) -> Iterator[bytes]:
    """The chunks as they come; after the last one, BadInput when they have another digest than the one named."""
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
        yield chunk
    if named and digest.hexdigest() != named:
        raise BadInput(
            f"The bytes have the digest {digest.hexdigest()}, not {named}.",
            needs="Something was lost on the way: send the file again.",
            code="digest_differs",
            where="sha256",
        )


def handed_out(sha256: str, name: str, media_type: str) -> FileResponse:
    """The stored bytes, to be saved and never shown. Raises NotVisible when they are not in the store."""
    file = FileResponse(store.open_artifact(sha256), as_attachment=True, filename=name, content_type=media_type)
    encoded = base64.b64encode(bytes.fromhex(sha256)).decode()
    for header, value in (("ETag", f'"{sha256}"'), (HEADER, f"sha-256=:{encoded}:")):
        file[header] = value
    return file


def _hex(encoded: str) -> str:
    try:
        raw = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return ""
    return raw.hex() if len(raw) == hashlib.sha256().digest_size else ""
