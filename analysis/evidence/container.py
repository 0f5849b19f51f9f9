"""Compressed files: what is inside is what is read."""

import zlib
from dataclasses import replace
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import limits
from analysis.evidence.format import Document

GZIP: Final = b"\x1f\x8b\x08"
UNPACKED: Final = "the file is compressed with gzip: its content was read"


def opened(document: Document) -> Document:
    """The content of a gzip file; any other file, and one that is no whole gzip file, as it is.

    Raises:
        MalformedEvidence: too_large, when the content is over the limit.
    """
    if not document.content.startswith(GZIP):
        return document
    unpacker = zlib.decompressobj(wbits=31)
    try:
        content = unpacker.decompress(document.content, limits.BYTES + 1)
    except zlib.error:
        return document
    if len(content) > limits.BYTES:
        message = f"its content has more than {limits.BYTES} bytes, and that is the most that is read"
        raise MalformedEvidence(message, where=document.name, code="too_large")
    return replace(document, content=content) if unpacker.eof else document
