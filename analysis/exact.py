"""Numbers taken exactly as written, and printed so that rounding never hides an end.

Text and JSON numbers pass through decimals, so "0.1" is one tenth; a Python float is its exact binary value.
"""

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from analysis.errors import Refused

Exact = str | int | float | Decimal | Fraction

NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
NOT_FINITE: Final = re.compile(r"[+-]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE)
MOST_CHARACTERS: Final = 400
GREATEST_EXPONENT: Final = 400
MOST_DIGITS: Final = 40


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact value in `unit`, a base unit."""

    value: Fraction
    unit: str


def parse_exact(value: object) -> Fraction:
    """The exact rational that was written.

    Raises:
        Refused: not_a_number (also for a bool), not_finite (nan, infinity, or beyond 400 digits).
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        raise _not_a_number(value)
    if isinstance(value, str):
        return _from_text(value.strip())
    if not math.isfinite(value):
        raise _not_finite(value)
    return Fraction(value)


def _from_text(text: str) -> Fraction:
    if NOT_FINITE.fullmatch(text):
        raise _not_finite(text)
    if not NUMBER.fullmatch(text):
        raise _not_a_number(text)
    number = Decimal(text)
    if len(text) > MOST_CHARACTERS or (number and abs(number.adjusted()) >= GREATEST_EXPONENT):
        raise _not_finite(text)
    return Fraction(number)


def _not_a_number(value: object) -> Refused:
    return Refused("not_a_number", f"{str(value)[:40]!r} is not a number.", "Write a plain decimal number.")


def _not_finite(value: object) -> Refused:
    return Refused("not_finite", f"{str(value)[:40]!r} is not a finite number.", "Write a finite number.")


def to_decimal_outward(value: Fraction, *, digits: int, up: bool) -> str:
    """`value` with `digits` decimals, rounded down, or up when `up`; by integer arithmetic only."""
    scaled = value.numerator * 10**digits
    units = -(-scaled // value.denominator) if up else scaled // value.denominator
    sign, figures = "-" if units < 0 else "", str(abs(units)).rjust(digits + 1, "0")
    return f"{sign}{figures[:-digits]}.{figures[-digits:]}" if digits else f"{sign}{figures}"


def outward_float(value: Fraction, *, up: bool) -> float:
    """The nearest float at or above `value` when `up`, at or below it otherwise.

    Raises:
        Refused: not_finite, when no float is that large.
    """
    try:
        number = float(value)
    except OverflowError as error:
        raise _not_finite("a number beyond the range of floats") from error
    outside = number >= value if up else number <= value
    return number if outside else math.nextafter(number, math.inf if up else -math.inf)


def nearest_float(value: Fraction) -> float:
    """The float nearest to `value`.

    Raises:
        Refused: not_finite, when no float is that large.
    """
    try:
        return float(value)
    except OverflowError as error:
        raise _not_finite("a number beyond the range of floats") from error


def plain_decimal(value: Fraction | float, *, significant: int) -> str:
    """`value` to `significant` digits as a decimal without exponent or trailing zeros: "0.98", "2", "-0.000012"."""
    number = Fraction(value)
    rounded = Decimal(number.numerator) / Decimal(number.denominator)
    text = format(Decimal(f"{rounded:.{significant - 1}e}"), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "0") else text
