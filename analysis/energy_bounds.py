"""Bounds of an energy from samples of power, under a declared envelope between them. Exact; never a confidence level.

Range      power stays between a floor and a cap; always valid
Slew       and changes by no more than so many watts per second
Neighbours and stays between the two samples around it; an assumption, and a bold one for a pulsing load
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Final

from analysis.bounds import Bounds
from analysis.errors import Refused
from analysis.power import PowerSamples, Window, span


@dataclass(frozen=True, slots=True)
class Range:
    """Power stays between `floor` and `cap`, watts."""

    floor: Fraction
    cap: Fraction

    @property
    def said(self) -> str:
        return f"power stays between {float(self.floor):g} and {float(self.cap):g} W"


@dataclass(frozen=True, slots=True)
class Slew:
    """Power stays inside `limits`, and changes by at most `watts_per_second`."""

    limits: Range
    watts_per_second: Fraction

    @property
    def said(self) -> str:
        return f"{self.limits.said}, and changes by at most {float(self.watts_per_second):g} W/s"


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Power stays inside `limits`, and between any two samples within their readings."""

    limits: Range

    @property
    def said(self) -> str:
        return f"{self.limits.said}, and between two samples within their readings"


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far a reading may be off: a share of it (`relative`, below 1), and `absolute` watts."""

    relative: Fraction
    absolute: Fraction

    @property
    def said(self) -> str:
        return f"readings are within {100 * float(self.relative):g} % and {float(self.absolute):g} W"


Envelope = Range | Slew | Neighbours
Reading = tuple[int, int]
EXACT: Final = Accuracy(Fraction(0), Fraction(0))


@dataclass(frozen=True, slots=True)
class _Grid:
    """Whole numbers for exact sums: `ticks` in a second, `steps` in a watt; limits and slope in those."""

    ticks: int
    steps: int
    floor: int
    cap: int
    slope: int

    @property
    def parts(self) -> int:
        """Into how many parts a tick of a step is divided, so that areas under slopes are whole."""
        return 8 * self.slope

    def when(self, seconds: Fraction) -> int:
        return seconds.numerator * (self.ticks // seconds.denominator)

    def power(self, watts: Fraction) -> int:
        return watts.numerator * (self.steps // watts.denominator)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Part of the time between two samples: from `start` to `end` after the first of them, `length` apart."""

    length: int
    start: int
    end: int

    @property
    def inside(self) -> int:
        return self.end - self.start


def energy_bounds(samples: PowerSamples, window: Window, *, envelope: Envelope, accuracy: Accuracy) -> Bounds:
    """The joules of a window, under the envelope; gaps between samples fall back to the floor and the cap.

    Raises:
        Refused: window_not_covered, bad_envelope, bad_accuracy, outside_envelope, slew_exceeded,
            not_positive (nothing is guaranteed: the floor is 0 throughout).
    """
    limits = envelope if isinstance(envelope, Range) else envelope.limits
    _check(envelope, limits, accuracy)
    first, last = span(samples, window)
    inside = PowerSamples(samples.times[first : last + 1], samples.watts[first : last + 1])
    grid = _grid(inside, window, envelope, accuracy)
    gap, low, high = math.floor(samples.gap * grid.ticks), 0, 0
    for piece, one, other in _pieces(inside, window, grid, accuracy):
        if isinstance(envelope, Range) or piece.length > gap:
            least, most = grid.floor * piece.inside * grid.parts, grid.cap * piece.inside * grid.parts
        else:
            least, most = _between(envelope, piece, grid, (one, other))
        low, high = low + least, high + most
    if low <= 0:
        raise Refused("not_positive", "The bounds guarantee no energy at all.", "Declare a floor above 0 W.")
    unit = grid.ticks * grid.steps * grid.parts
    return Bounds(Fraction(low, unit), Fraction(high, unit), "J", (envelope.said, accuracy.said))


def _check(envelope: Envelope, limits: Range, accuracy: Accuracy) -> None:
    if not 0 <= limits.floor < limits.cap or (isinstance(envelope, Slew) and envelope.watts_per_second <= 0):
        raise Refused(
            "bad_envelope",
            "The envelope holds no power.",
            "Declare a floor of at least 0 W below the cap, and a slew above 0 W/s.",
        )
    if not 0 <= accuracy.relative < 1 or accuracy.absolute < 0:
        raise Refused("bad_accuracy", "No meter is like that.", "Declare errors of at least 0, and below 100 %.")


def _grid(samples: PowerSamples, window: Window, envelope: Envelope, accuracy: Accuracy) -> _Grid:
    limits = envelope if isinstance(envelope, Range) else envelope.limits
    ticks = math.lcm(*(t.denominator for t in (*samples.times, window.start, window.end)))
    slope = envelope.watts_per_second / ticks if isinstance(envelope, Slew) else Fraction(1)
    steps = math.lcm(*(w.denominator for w in samples.watts)) * accuracy.relative.denominator
    steps *= math.lcm(*(x.denominator for x in (accuracy.absolute, limits.floor, limits.cap, slope)))
    blank = _Grid(ticks, steps, 0, 0, 0)
    return replace(blank, floor=blank.power(limits.floor), cap=blank.power(limits.cap), slope=blank.power(slope))


def _pieces(
    samples: PowerSamples, window: Window, grid: _Grid, accuracy: Accuracy
) -> Iterator[tuple[_Piece, Reading, Reading]]:
    """The parts of the window between samples, with the readings at both ends of each."""
    begin, finish = grid.when(window.start), grid.when(window.end)
    points = ((grid.when(t), _reading(w, grid, accuracy)) for t, w in zip(samples.times, samples.watts, strict=True))
    for (earlier, one), (later, other) in pairwise(points):
        yield _Piece(later - earlier, max(begin - earlier, 0), min(finish, later) - earlier), one, other


def _reading(watts: Fraction, grid: _Grid, accuracy: Accuracy) -> Reading:
    """What the true power at a sample may be: least and greatest."""
    said, absolute = grid.power(watts), grid.power(accuracy.absolute)
    off = said * accuracy.relative.numerator // accuracy.relative.denominator + absolute
    low, high = max(said - off, grid.floor), min(said + off, grid.cap)
    if low > high:
        raise Refused(
            "outside_envelope",
            f"A reading of {float(watts):g} W lies outside the floor and the cap.",
            "Declare the envelope that the device has.",
        )
    return low, high


def _between(envelope: Slew | Neighbours, piece: _Piece, grid: _Grid, ends: tuple[Reading, Reading]) -> tuple[int, int]:
    """Least and greatest energy of a piece between two samples."""
    (one_low, one_high), (other_low, other_high) = ends
    if isinstance(envelope, Neighbours):
        area = piece.inside * grid.parts
        return min(one_low, other_low) * area, max(one_high, other_high) * area
    reach = grid.slope * piece.length
    if other_low > one_high + reach or one_low > other_high + reach:
        raise Refused(
            "slew_exceeded",
            f"Power moved between two samples faster than {float(envelope.watts_per_second):g} W/s.",
            "Declare the slew that the device has, or only its range.",
        )
    # The least power is the greatest seen upside down: floor and cap change places.
    top = grid.floor + grid.cap
    least = top * piece.inside * grid.parts - _under_peak(piece, top - one_low, top - other_low, grid)
    return least, _under_peak(piece, one_high, other_high, grid)


def _under_peak(piece: _Piece, left: int, right: int, grid: _Grid) -> int:
    """The energy if power rises from `left` at the slope, no higher than the cap, and falls to `right` just in time.

    Times here are in halves of a step at the slope (2 slope to a tick), so that the peak is at a whole number.
    """
    fine = 2 * grid.slope
    start, end, length = fine * piece.start, fine * piece.end, fine * piece.length
    peak = min(max(right - left + grid.slope * piece.length, 0), length)
    turn = min(max(peak, start), end)
    rising = _under_rise(left + grid.slope * piece.start, turn - start, grid.cap)
    return rising + _under_rise(right + grid.slope * (piece.length - piece.end), end - turn, grid.cap)


def _under_rise(start: int, fine: int, cap: int) -> int:
    """The energy, in parts, of `fine` halves of a step that begin at power `start` and rise to the cap."""
    free = min(max(2 * (cap - start), 0), fine)
    return 4 * start * free + free * free + 4 * cap * (fine - free)
