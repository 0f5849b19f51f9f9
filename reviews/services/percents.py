"""Percentages: decimal text from people, exact fractions for the rules, decimals for the rows."""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Final

from reviews.errors import BadInput

TEXT: Final = re.compile(r"\d{1,3}(\.\d{1,4})?")


def percent_of(text: str, where: str = "scope_percent") -> Fraction | None:
    """A percentage above 0 and at most 100, with up to four places; None for "". Raises BadInput for anything else."""
    said = text.strip()
    if not said:
        return None
    if not TEXT.fullmatch(said) or not 0 < Decimal(said) <= 100:
        raise BadInput(
            f"{text!r} is no percentage above 0 and at most 100.", needs="Write for example 25.", where=where
        )
    return Fraction(said)


def decimal_of(percent: Fraction) -> Decimal:
    """The same percentage as a decimal."""
    return Decimal(percent.numerator) / Decimal(percent.denominator)


def text_of(percent: Decimal | None) -> str:
    """A stored percentage as decimal text without trailing zeros, "" for none."""
    return "" if percent is None else f"{percent.normalize():f}"
