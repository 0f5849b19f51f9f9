"""On which clock the times of a file are, and what somebody states of that clock: its zone, or its offset.

Nothing is inferred from how large times are, or from where they overlap: a wall clock without zone stays one until
somebody states its zone, or how many seconds bring it to the clock of the run.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.instants import SECOND
from analysis.reading import Reading

Clock = Literal["epoch", "local", "meter"]
"""Instants; a wall clock without zone; that of PTDaemon, by which LoadGen notes when power measurement began."""

LOCAL: Final = "Times are of a local clock without zone: joining them with another file needs the offset between both."
"""What a reading says of its samples when they are on a wall clock."""
OF_PTDAEMON: Final = "session"
"""What the samples of PTDaemon state about themselves; logs of training in the same format are in epoch time."""

ZONE: Final = re.compile(
    r"(?:UTC|Z|(?:UTC(?=[+-])|(?=[+-]\d\d:))(?P<sign>[+-])(?P<hours>0\d|1[0-4])(?::?(?P<minutes>[0-5]\d))?)", re.ASCII
)
OFFSET: Final = re.compile(r"(?P<number>[+-]?\d{1,12}(?:\.\d{1,9})?)(?: ?s)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class StatedClock:
    """What somebody states: a zone, `seconds` ahead of UTC, or an offset of `seconds` to add to the file's times."""

    kind: Literal["zone", "offset"]
    seconds: Fraction

    @property
    def said(self) -> str:
        """In words: "zone UTC+01:00", "offset of +3600 s"."""
        sign, size = "-" if self.seconds < 0 else "+", abs(self.seconds)
        if self.kind == "offset":
            return f"offset of {sign}{in_seconds(size)} s"
        return f"zone UTC{sign}{int(size) // 3600:02}:{int(size) % 3600 // 60:02}"


def in_seconds(seconds: Fraction) -> str:
    """A number of seconds to the nanosecond, without zeros at its end."""
    whole, rest = divmod(abs(round(seconds * SECOND)), SECOND)
    fraction = f".{rest:09}".rstrip("0") if rest else ""
    return f"{'-' if seconds < 0 else ''}{whole}{fraction}"


def stated_clock(text: str) -> StatedClock | None:
    """What a label says of a clock: "UTC+01:00", "Z", "+3600" or "-0.25 s"; None for "".

    Raises:
        Refused: bad_clock.
    """
    said = text.strip()
    if not said:
        return None
    zone = ZONE.fullmatch(said)
    if zone:
        minutes = int(zone["hours"] or 0) * 60 + int(zone["minutes"] or 0)
        return StatedClock("zone", Fraction(60 * (-minutes if zone["sign"] == "-" else minutes)))
    offset = OFFSET.fullmatch(said)
    if offset:
        return StatedClock("offset", parse_exact(offset["number"].lstrip("+")))
    raise Refused(
        "bad_clock",
        f"{said[:40]!r} says nothing of a clock.",
        "Write the zone of its times, like UTC+01:00, or the seconds to add to them, like +3600. A zone by its name "
        "changes with the season: write what it was on that day.",
    )


def clock_of_rows(reading: Reading) -> Clock:
    """The clock of the samples of a log of power."""
    if LOCAL in reading.notices:
        return "local"
    return "meter" if any(setting.name == OF_PTDAEMON for setting in reading.settings) else "epoch"
