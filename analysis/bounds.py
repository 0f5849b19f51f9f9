"""Deterministic bounds: what must hold if the stated input intervals hold. Never a confidence level.

All arithmetic is on exact rationals; printing rounds outward, and never changes what an interval establishes.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from analysis.errors import Refused
from analysis.exact import MOST_DIGITS, Exact, outward_float, parse_exact, to_decimal_outward
from analysis.units import factor_to_base

Direction = Literal["below_one", "above_one", "not_established"]

NO_LEVEL: Final = "These bounds carry no confidence level."
UNDECIDED: Final = (
    "These bounds alone do not establish which configuration is faster; get tighter comparable measurements or "
    "repeat runs."
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Guaranteed ends, 0 < lo <= hi, in `unit`; true if every one of `assumptions` is.

    unit: a base unit; "1" for a ratio, candidate over baseline.
    """

    lo: Fraction
    hi: Fraction
    unit: str
    assumptions: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.lo <= 0:
            raise Refused("not_positive", "A bounded quantity must be positive.", "Give a low end above zero.")
        if self.lo > self.hi:
            raise Refused("reversed", "The low end is above the high end.", "Give the low end first.")


def bound(low: Exact, high: Exact, *, unit: str, assumption: str) -> Bounds:
    """The quantity between `low` and `high`, converted to its base unit.

    Raises:
        Refused: not_a_number, not_finite, not_positive, reversed, unit_mismatch.
    """
    base, factor = factor_to_base(unit)
    return Bounds(parse_exact(low) * factor, parse_exact(high) * factor, base, (assumption,) if assumption else ())


def work_bound(low: Exact, high: Exact, *, assumption: str) -> Bounds:
    """Valid work done by one arm, a count.

    Raises:
        Refused: zero_work, and what `bound` refuses.
    """
    if parse_exact(low) == 0:
        raise Refused("zero_work", "No valid work was done.", "Compare arms that both completed work.")
    return bound(low, high, unit="1", assumption=assumption)


@dataclass(frozen=True, slots=True)
class Clock:
    """What is known of a clock, in seconds: a reading r means a true time in [r, r + resolution).

    offset: greatest difference between the two clocks that read start and end. ppm: greatest rate error.
    """

    resolution: Fraction
    offset: Fraction
    ppm: Fraction

    def __post_init__(self) -> None:
        if min(self.resolution, self.offset, self.ppm) < 0 or self.ppm >= 10**6:
            raise Refused(
                "not_a_clock", "No clock is like that.", "Give errors of zero or more, and less than 10^6 ppm."
            )


def duration_bounds(start: Exact, end: Exact, clock: Clock) -> Bounds:
    """The true duration in seconds between two readings in seconds.

    Raises:
        Refused: not_positive, when the low end is not above zero; not_a_number, not_finite.
    """
    elapsed, rate = parse_exact(end) - parse_exact(start), clock.ppm / 10**6
    slack = clock.resolution + clock.offset
    return Bounds(
        (elapsed - slack) / (1 + rate),
        (elapsed + slack) / (1 - rate),
        "s",
        (f"resolution {float(clock.resolution):g} s, offset {float(clock.offset):g} s, {float(clock.ppm):g} ppm",),
    )


def throughput_bounds(work: Bounds, duration: Bounds) -> Bounds:
    """Work per second of one arm.

    Raises:
        Refused: unit_mismatch, when `duration` is no time or `work` no count.
    """
    if (work.unit, duration.unit) != ("1", "s"):
        raise _unit_mismatch(work.unit, duration.unit)
    return Bounds(work.lo / duration.hi, work.hi / duration.lo, "1/s", work.assumptions + duration.assumptions)


def ratio_bounds(
    baseline: Bounds,
    candidate: Bounds,
    *,
    baseline_work: Bounds | None,
    candidate_work: Bounds | None,
    shared_scale: bool,
) -> Bounds:
    """Candidate throughput over baseline throughput, from what each arm took (time or energy) and its work.

    Args:
        baseline_work, candidate_work: both None when the valid work is the same: it cancels, even if unknown.
        shared_scale: both works carry one unknown factor (same counter), which cancels; else it counts twice.

    Raises:
        Refused: unit_mismatch, work_missing, scale_not_shared.
    """
    if baseline.unit != candidate.unit:
        raise _unit_mismatch(baseline.unit, candidate.unit)
    low, high = _work_ratio(baseline_work, candidate_work, shared_scale=shared_scale)
    works = [w for w in (baseline_work, candidate_work) if w is not None]
    said = [text for part in (baseline, candidate, *works) for text in part.assumptions]
    return Bounds(low * baseline.lo / candidate.hi, high * baseline.hi / candidate.lo, "1", tuple(dict.fromkeys(said)))


def _work_ratio(baseline: Bounds | None, candidate: Bounds | None, *, shared_scale: bool) -> tuple[Fraction, Fraction]:
    if baseline is None and candidate is None:
        return Fraction(1), Fraction(1)
    if baseline is None or candidate is None:
        raise Refused("work_missing", "The work is given for one arm only.", "Give the work of both arms, or of none.")
    if baseline.unit != candidate.unit:
        raise _unit_mismatch(baseline.unit, candidate.unit)
    if not shared_scale:
        return candidate.lo / baseline.hi, candidate.hi / baseline.lo
    if candidate.lo / baseline.lo != candidate.hi / baseline.hi:
        raise Refused(
            "scale_not_shared",
            "The two works do not differ by one factor, so they share no unknown scale.",
            "Give both works with the same relative error, or leave the shared scale out.",
        )
    return candidate.lo / baseline.lo, candidate.hi / baseline.hi


def _unit_mismatch(one: str, other: str) -> Refused:
    return Refused(
        "unit_mismatch", f"The quantities are in {one!r} and {other!r}.", "Compare quantities of one dimension."
    )


def reciprocal(ratio: Bounds) -> Bounds:
    """One over the ratio, ends swapped: the time ratio of a throughput ratio, and back. Of a ratio only.

    Raises:
        Refused: unit_mismatch, when it is no ratio.
    """
    _require_ratio(ratio)
    return Bounds(1 / ratio.hi, 1 / ratio.lo, "1", ratio.assumptions)


def percent_change(ratio: Bounds) -> tuple[Fraction, Fraction]:
    """100 (r - 1) of both ends."""
    _require_ratio(ratio)
    return 100 * (ratio.lo - 1), 100 * (ratio.hi - 1)


def throughput_change(time_change: Fraction) -> Fraction:
    """The relative throughput change that a relative time change means: 1 / (1 + x) - 1, falling in x.

    Raises:
        Refused: not_positive, when no time would be left.
    """
    if time_change <= -1:
        raise Refused("not_positive", "A time cannot fall by all of itself.", "Give a change above -1.")
    return 1 / (1 + time_change) - 1


def _require_ratio(ratio: Bounds) -> None:
    if not isinstance(ratio, Bounds):
        raise TypeError(f"a {type(ratio).__name__} is not Bounds")
    if ratio.unit != "1":
        raise _unit_mismatch(ratio.unit, "1")


def direction(ratio: Bounds) -> Direction:
    """What the exact ends establish; an end that is exactly one establishes nothing."""
    _require_ratio(ratio)
    return _direction(ratio.lo, ratio.hi)


def _direction(lo: Fraction, hi: Fraction) -> Direction:
    if hi < 1:
        return "below_one"
    return "above_one" if lo > 1 else "not_established"


def touches_one(ratio: Bounds) -> bool:
    """Whether an end is exactly one while nothing is established."""
    return direction(ratio) == "not_established" and 1 in (ratio.lo, ratio.hi)


def printed(ratio: Bounds, *, digits: int) -> tuple[str, str]:
    """Both ends rounded outward, with as many more digits as the direction needs to show.

    Raises:
        Refused: not_printable, when 40 digits do not show it.
    """
    exact = direction(ratio)
    for more in range(digits, MOST_DIGITS + 1):
        low, high = (
            to_decimal_outward(ratio.lo, digits=more, up=False),
            to_decimal_outward(ratio.hi, digits=more, up=True),
        )
        if _direction(Fraction(low), Fraction(high)) == exact:
            return low, high
    raise Refused("not_printable", "40 digits cannot show on which side of one this lies.", "Use the exact ends.")


def outward_floats(bounds: Bounds) -> tuple[float, float]:
    """Both ends as floats at or outside the exact ones."""
    return outward_float(bounds.lo, up=False), outward_float(bounds.hi, up=True)


def in_words(ratio: Bounds, *, digits: int) -> str:
    """What a throughput ratio's bounds say, in the only words that they allow."""
    low, high = printed(ratio, digits=digits)
    found = {"below_one": "lower", "above_one": "higher", "not_established": "direction not established"}
    said = found[direction(ratio)] + (" (touches one)" if touches_one(ratio) else "")
    text = (
        f"Under the stated duration bounds the candidate's throughput is between {low} and {high} times the "
        f"baseline's: {said}. {NO_LEVEL}"
    )
    return f"{text} {UNDECIDED}" if direction(ratio) == "not_established" else text


def bounds_to_json(ratio: Bounds, *, digits: int) -> dict[str, object]:
    """A ratio's bounds as JSON values; numbers are decimal strings rounded outward, `exact` is rational."""
    low, high = printed(ratio, digits=digits)
    percent_low, percent_high = percent_change(ratio)
    return {
        "kind": "deterministic_bounds",
        "lower": low,
        "upper": high,
        "exact": [str(ratio.lo), str(ratio.hi)],
        "percent_lower": to_decimal_outward(percent_low, digits=digits, up=False),
        "percent_upper": to_decimal_outward(percent_high, digits=digits, up=True),
        "direction": direction(ratio),
        "touches_one": touches_one(ratio),
        "unit": ratio.unit,
        "assumptions": list(ratio.assumptions),
        "sentence": in_words(ratio, digits=digits),
    }


def quantity_to_json(bounds: Bounds, *, name: str, digits: int) -> dict[str, object]:
    """Bounds of a quantity that is no ratio, such as "energy", as JSON values; decimals are rounded outward.

    Raises:
        Refused: not_printable, when 40 digits do not show that the low end is above zero.
    """
    shown = next((n for n in range(digits, MOST_DIGITS + 1) if bounds.lo * 10**n >= 1), None)
    if shown is None:
        raise Refused("not_printable", "40 digits cannot show the low end.", "Use the exact ends.")
    low = to_decimal_outward(bounds.lo, digits=shown, up=False)
    high = to_decimal_outward(bounds.hi, digits=shown, up=True)
    unit = "" if bounds.unit == "1" else f" {bounds.unit}"
    return {
        "kind": "deterministic_bounds",
        "name": name,
        "lower": low,
        "upper": high,
        "exact": [str(bounds.lo), str(bounds.hi)],
        "unit": bounds.unit,
        "assumptions": list(bounds.assumptions),
        "sentence": f"Under the stated assumptions the {name} is between {low} and {high}{unit}. {NO_LEVEL}",
    }
