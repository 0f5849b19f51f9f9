"""Digests of bytes, as the records name them."""

import hashlib


def sha256_of(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
