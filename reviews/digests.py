"""Digests of bytes, as the records name them."""

import hashlib

from analysis.evidence.format import Document


def sha256_of(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def digest_of(document: Document) -> str:
    """SHA-256 of a file in hexadecimal, read in blocks, whoever watches its reading."""
    with Document(document.held, document.name).opened() as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
