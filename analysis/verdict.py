"""One displayed interval governs everything: its direction, and its materiality against the declared margin.

The interval is oriented so that the neutral value (1 for a ratio, 0 for a difference) divides worse, below, from
better, above; comparisons are exact. "Equivalent" means that the same interval lies inside the margin, never that
nothing was found.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from analysis.bounds import Bounds
from analysis.claims import ConfidenceInterval, WidenedInterval
from analysis.looks import multiplier_at
from analysis.margin import Margin

Direction = Literal["regression_established", "improvement_established", "not_established"]
Materiality = Literal[
    "worse_than_margin", "better_than_margin", "within_margin", "not_worse_than_margin", "not_better_than_margin",
    "undecided",
]  # fmt: skip
Interval = ConfidenceInterval | WidenedInterval | Bounds

MOST_MORE: Final = 2000
BASIS: Final = {
    ConfidenceInterval: "confidence_interval", WidenedInterval: "widened_interval", Bounds: "deterministic_bounds",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the interval establishes. basis: the kind of interval that it rests on."""

    direction: Direction
    materiality: Materiality
    headline: str
    basis: str


def verdict(interval: Interval, margin: Margin) -> Verdict:
    """The verdict on a throughput-like or time-like effect, in the orientation of the margin.

    Raises:
        TypeError: what is given is no interval; an estimate or an attribution carries no verdict.
    """
    basis = BASIS.get(type(interval))
    if basis is None:
        raise TypeError(f"a {type(interval).__name__} carries no verdict")
    lo, hi = margin.oriented(Fraction(interval.lo), Fraction(interval.hi))
    direction, materiality = _direction(lo, hi, margin), _materiality(lo, hi, margin)
    return Verdict(direction, materiality, _headline(direction, materiality, interval, margin), basis)


def _direction(lo: Fraction, hi: Fraction, margin: Margin) -> Direction:
    if hi < margin.neutral:
        return "regression_established"
    return "improvement_established" if lo > margin.neutral else "not_established"


def _materiality(lo: Fraction, hi: Fraction, margin: Margin) -> Materiality:
    worse, best = margin.worse, margin.best
    if lo > worse and hi < best:
        return "within_margin"
    if hi < worse:
        return "worse_than_margin"
    if lo > best:
        return "better_than_margin"
    if lo > worse:
        return "not_worse_than_margin"
    return "not_better_than_margin" if hi < best else "undecided"


HEADLINES: Final[dict[tuple[Direction, Materiality], str]] = {
    ("regression_established", "worse_than_margin"): "Regression of at least {margin} established",
    ("regression_established", "within_margin"): "Regression established, smaller than the {margin} of interest",
    ("regression_established", "not_better_than_margin"): "Regression established; whether it reaches {margin} is not",
    ("improvement_established", "better_than_margin"): "Improvement beyond the {margin} margin established",
    ("improvement_established", "within_margin"): "Improvement established, smaller than the {margin} of interest",
    ("improvement_established", "not_worse_than_margin"): (
        "Improvement established; whether it reaches {margin} is not"
    ),
    ("not_established", "within_margin"): "Equivalent within {margin}",
    ("not_established", "not_worse_than_margin"): "Not worse by more than {margin}",
    ("not_established", "not_better_than_margin"): "Not better by more than {margin}",
}


def _headline(direction: Direction, materiality: Materiality, interval: Interval, margin: Margin) -> str:
    if materiality == "undecided":
        return f"Not established: {_what_would_help(interval, margin)}"
    return HEADLINES[direction, materiality].format(margin=margin.said)


def _what_would_help(interval: Interval, margin: Margin) -> str:
    if isinstance(interval, Bounds):
        return "needs tighter bounds or repeated runs"
    statistical = interval.statistical if isinstance(interval, WidenedInterval) else interval
    allowance = interval.allowance if isinstance(interval, WidenedInterval) else 0.0
    more = more_units(statistical, margin, allowance=allowance)
    if more is None:
        return "more runs alone will not settle it"
    return f"needs about {more} more {statistical.frame.counted}"


def more_units(interval: ConfidenceInterval, margin: Margin, *, allowance: float) -> int | None:
    """How many more blocks, runs or placements make the expected half-width smaller than the margin; None: too many.

    One that holds at every look stays so. The spread is taken as observed, so this is the expected size, not an
    assured one.
    """
    room = math.log(float(margin.best)) if margin.scale == "ratio" else float(margin.best)
    n = interval.units
    for total in range(n + 1, n + MOST_MORE + 1):
        df = interval.df * (total - 1) / (n - 1)
        if multiplier_at(interval, total, df) * interval.se * math.sqrt(n / total) + allowance < room:
            return total - n
    return None
