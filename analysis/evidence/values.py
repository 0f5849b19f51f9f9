"""Typed reading of the values of a file. Each function takes the place, and names it when it refuses.

Codes: missing, not_an_object, not_a_list, not_text, not_a_number, not_finite, not_positive, negative, not_a_count.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final, TypeAlias

from analysis.errors import MalformedEvidence
from analysis.evidence import limits

BIGGEST_COUNT: Final = 2**63 - 1
UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
NUMBER: Final = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as the file writes it; it becomes a float only where its place is known."""

    text: str


Json: TypeAlias = "bool | str | Numeral | list[Json] | dict[str, Json] | None"


def fields(value: Json, where: str) -> dict[str, Json]:
    """The fields of an object."""
    if not isinstance(value, dict):
        raise MalformedEvidence(f"{shown(value)} is no object", where=where, code="not_an_object")
    return value


def items(value: Json, where: str) -> list[Json]:
    """The items of a list."""
    if not isinstance(value, list):
        raise MalformedEvidence(f"{shown(value)} is no list", where=where, code="not_a_list")
    return value


def needed(record: Mapping[str, Json], key: str, where: str) -> Json:
    """The value of a field that must be there."""
    if key not in record:
        raise MalformedEvidence("the field is missing", where=where, code="missing")
    return record[key]


def text(value: Json, where: str) -> str:
    """A string that can be stored: no NUL, no lone surrogate, not endless."""
    if not isinstance(value, str):
        raise MalformedEvidence(f"{shown(value)} is no text", where=where, code="not_text")
    if UNSTORABLE.search(value):
        raise MalformedEvidence("the text holds a character that cannot be stored", where=where, code="not_text")
    if len(value) > limits.TEXT:
        raise MalformedEvidence(f"the text is longer than {limits.TEXT} characters", where=where, code="not_text")
    return value


def numeral(value: Json, where: str) -> Numeral:
    """A finite number as written."""
    if not isinstance(value, Numeral):
        raise MalformedEvidence(f"{shown(value)} is no number", where=where, code="not_a_number")
    if len(value.text) > limits.DIGITS or _far(value.text) or not math.isfinite(float(value.text)):
        raise MalformedEvidence(f"{shown(value)} is not finite", where=where, code="not_finite")
    return value


def _far(number: str) -> bool:
    """Whether its exponent is so large that exact arithmetic on it would not end."""
    exponent = number.lower().partition("e")[2]
    return len(exponent) > 5 or abs(int(exponent or "0")) > limits.DIGITS


def finite(value: Json, where: str) -> float:
    """A number that is neither NaN nor infinite."""
    return float(numeral(value, where).text)


def positive(value: Json, where: str) -> float:
    """A finite number above zero: a time or a rate."""
    number = finite(value, where)
    if number <= 0:
        raise MalformedEvidence(f"{shown(value)} is not positive", where=where, code="not_positive")
    return number


def not_negative(value: Json, where: str) -> float:
    """A finite number of at least zero: a spread, a size."""
    number = finite(value, where)
    if number < 0:
        raise MalformedEvidence(f"{shown(value)} is negative", where=where, code="negative")
    return number


def count(value: Json, where: str) -> int:
    """A whole number of at least zero, below 2**63. "12.0" counts as 12: some tools write all numbers as floats."""
    number = not_negative(value, where)
    if number >= BIGGEST_COUNT or not number.is_integer():
        raise MalformedEvidence(f"{shown(value)} is no count", where=where, code="not_a_count")
    return int(Decimal(numeral(value, where).text))


def epoch_ns(value: Json, where: str) -> int:
    """Nanoseconds since the epoch, of a number of seconds."""
    if not_negative(value, where) >= BIGGEST_COUNT / 10**9:
        raise MalformedEvidence(f"{shown(value)} is no epoch time", where=where, code="not_a_time")
    return int(Fraction(numeral(value, where).text) * 10**9)


def number_in(cell: str) -> Json:
    """The cell of a table as a number, or as the text that it is."""
    stripped = cell.strip()
    return Numeral(stripped) if NUMBER.fullmatch(stripped) else stripped


def written(value: Json) -> str:
    """Any value as text: numbers as the file has them, lists and objects as compact JSON."""
    match value:
        case str():
            return value
        case Numeral():
            return value.text
        case None | bool():
            return json.dumps(value)
        case list():
            return f"[{', '.join(_quoted(item) for item in value)}]"
        case _:
            return f"{{{', '.join(f'{json.dumps(key)}: {_quoted(item)}' for key, item in value.items())}}}"


def _quoted(value: Json) -> str:
    return json.dumps(value) if isinstance(value, str) else written(value)


def shown(value: Json) -> str:
    """A short form of a value, for a sentence."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    whole = _quoted(value)
    return whole if len(whole) <= 60 else f"{whole[:57]}..."
