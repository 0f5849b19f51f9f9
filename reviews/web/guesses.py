"""The guessed standard error that the address of a page states."""

import re
from fractions import Fraction

from reviews.errors import BadInput
from reviews.queries.next_measurement import GUESS


def guess_in(text: str) -> Fraction:
    """The guess as a share, from a percentage; the usual one without a text. Raises BadInput for what is none."""
    if not text:
        return GUESS
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,4})?", text) or not 0 < Fraction(text) <= 100:
        raise BadInput(
            f"“{text[:20]}” is no percentage above 0 and at most 100.", needs="Write for example 1.5.", where="guess"
        )
    return Fraction(text) / 100
