"""Times as files write them: RFC 3339 instants, or seconds on the file's own clock; exact, in whole nanoseconds."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Final, Literal

from analysis.errors import Refused
from analysis.exact import NUMBER, parse_exact

Clock = Literal["instants", "seconds"]

INSTANT: Final = re.compile(r"(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d)(?:\.(\d{1,400}))?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
SECOND: Final = 10**9
GREATEST: Final = 2**63 - 1
"""Beyond this many nanoseconds no column holds a time."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A time in nanoseconds: since 1970 for an instant, since whatever zero the file's clock has for seconds."""

    clock: Clock
    ns: int


def moment_of(written: str) -> Moment:
    """The time that was written.

    Raises:
        Refused: not_a_time; too_fine, when it is not a whole number of nanoseconds.
    """
    clock: Clock = "seconds" if NUMBER.fullmatch(written) else "instants"
    seconds = parse_exact(written) if clock == "seconds" else _since_1970(written)
    ns = seconds * SECOND
    if abs(ns) > GREATEST:
        raise _not_a_time(written)
    if ns.denominator != 1:
        raise Refused("too_fine", f"{written[:40]!r} is finer than a nanosecond.", "Write at most nine decimals.")
    return Moment(clock, int(ns))


def _since_1970(written: str) -> Fraction:
    parts = INSTANT.fullmatch(written)
    if parts is None:
        raise _not_a_time(written)
    whole, fraction, zone = parts.groups()
    try:
        moment = datetime.fromisoformat(whole + zone.upper())
    except ValueError as error:
        raise _not_a_time(written) from error
    return Fraction((moment - EPOCH) // timedelta(seconds=1)) + Fraction(f"0.{fraction or 0}")


def _not_a_time(written: str) -> Refused:
    return Refused(
        "not_a_time",
        f"{written[:40]!r} is no time.",
        "Write seconds, or an instant with its zone like 2026-01-01T00:00:00.25Z.",
    )
