"""Values as canonical JSON: numbers as decimal strings of 10 significant digits, so that no digest hangs on a float."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Final

from analysis.exact import plain_decimal

SIGNIFICANT: Final = 10
LARGEST_INTEGER: Final = 2**53 - 1


def as_json(value: object) -> object:
    """`value` as JSON values: dataclasses and mappings as objects, sequences as lists, counts as integers.

    An integer that JSON readers cannot hold exactly, such as a time in nanoseconds, becomes a decimal string.

    Raises:
        TypeError: a value that has no canonical form.
    """
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= LARGEST_INTEGER else str(value)
    if isinstance(value, (float, Fraction)):
        return plain_decimal(value, significant=SIGNIFICANT)
    if isinstance(value, Mapping):
        return {str(key): as_json(inner) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        return [as_json(inner) for inner in value]
    if is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"no canonical form for a {type(value).__name__}")


def text(value: object) -> str:
    """Canonical JSON text: sorted keys, no spaces."""
    return json.dumps(as_json(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(value: object) -> str:
    """SHA-256 of the canonical text, in hexadecimal."""
    return hashlib.sha256(text(value).encode()).hexdigest()
