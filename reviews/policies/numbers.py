"""Exact numbers and dates out of the texts that sections hold, and texts as sentences quote them.

What is no number or date is an error of the rule that asked.
"""

import re
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final

from reviews.policies.facts import RuleError

DECIMAL: Final = re.compile(r"-?[0-9]{1,40}(\.[0-9]{1,40})?")


def fraction(text: str, what: str) -> Fraction:
    """The exact value of a decimal of at most 40 digits a side; raises RuleError naming `what`."""
    if not DECIMAL.fullmatch(text):
        raise RuleError(f"{what} is “{text[:60]}”, which is not a decimal number.")
    return Fraction(text)


def percent(value: Fraction) -> str:
    """A percentage for reading: "5 %", "12.5 %"."""
    return f"{float(value):g} %"


def moment(text: str, what: str) -> datetime:
    """The instant of an ISO date or date-time (a date ends with its day, UTC); raises RuleError naming `what`."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise RuleError(f"{what} is “{text}”, which is not an ISO date.") from error
    if len(text) <= len("2026-01-01"):
        found = found.replace(hour=23, minute=59, second=59)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def quoted(text: str) -> str:
    """What somebody wrote, inside a sentence: in quotes, without the full stop that would end it."""
    return f"“{text.strip().rstrip('.')}”"


def listed(words: list[str] | tuple[str, ...], *, last: str = "and") -> str:
    """Words in a row: "a, b and c"."""
    return f" {last} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
