"""What widens an interval beyond its spread: tolerated differences in work, and the error of the measurement itself.

Allowances are bounded, not random; they add up on the scale where effects add, and each is kept with its reason.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

from analysis import work
from analysis.claims import ConfidenceInterval, WidenedInterval, widen
from analysis.design import used
from analysis.energy_answer import EnergyAnswer
from analysis.inputs import ARMS, Arm, ComparisonPlan
from analysis.notices import Notice
from analysis.runs import RunPoint
from analysis.work import AuditRow

Source = Literal["work", "measurement", "meter"]

NOT_WIDENED: Final = "nothing beyond the spread needs an allowance: what widens the effect is not in this interval"

SHARED: Final = Notice(
    "shared_gain_drops_out",
    "The stated errors of the measurement are equal, and one instrument served both arms: they drop out of the ratio, "
    "and widen nothing.",
)


@dataclass(frozen=True, slots=True)
class Allowance:
    """A part of the widening. amount: on each side, on the scale where effects add; factor: the same as a ratio.

    factor is None on other scales than the ratio.
    """

    source: Source
    amount: float
    factor: float | None
    reasons: tuple[str, ...]


def allowances(
    plan: ComparisonPlan, audit: Collection[AuditRow], points: Collection[RunPoint], energy: EnergyAnswer | None
) -> tuple[Allowance, ...]:
    """What widens the interval: differences in work, the stated measurement error, the error of the meters.

    The error of the meters moves each arm by that of its worst run. Equal errors of a shared gain widen nothing.
    """
    found: list[Allowance] = []
    factor, reasons = work.widening(audit)
    if factor > 1:
        found.append(_allowance(plan, "work", _amount(plan, factor, _largest(points, ARMS)), reasons))
    error = plan.measurement_error
    if error is not None and max(error.baseline, error.candidate) > 1:
        by_arm = [_amount(plan, getattr(error, arm), _largest(points, (arm,))) for arm in ARMS]
        amount = abs(by_arm[1] - by_arm[0]) if error.shared_gain else by_arm[0] + by_arm[1]
        if amount > 0:
            found.append(_allowance(plan, "measurement", amount, (error.said,)))
    if energy is not None and energy.is_bounded and energy.reason:
        amount = (energy.baseline_error or 0.0) + (energy.candidate_error or 0.0)
        found.append(_allowance(plan, "meter", amount, (energy.reason,)))
    return tuple(found)


def widened(interval: ConfidenceInterval, parts: Collection[Allowance]) -> WidenedInterval | None:
    """The interval with its allowances on each side; None when there are none.

    Raises:
        Refused: unbounded.
    """
    if not parts:
        return None
    total = math.fsum(part.amount for part in parts)
    reasons = tuple(reason for part in parts for reason in part.reasons)
    return widen(interval, baseline=0.0, candidate=total, shared_gain=False, reasons=reasons)


def dropped_out(plan: ComparisonPlan) -> tuple[Notice, ...]:
    """A notice that the stated errors of one instrument are equal, so that they widen nothing."""
    error = plan.measurement_error
    return (SHARED,) if error is not None and error.baseline > 1 and error.of_ratio == 1 else ()


def unallowed(interval: ConfidenceInterval, parts: Collection[Allowance]) -> ConfidenceInterval:
    """An interval beside a widened one that is not widened itself: it says so among its assumptions."""
    return replace(interval, assumptions=(*interval.assumptions, NOT_WIDENED)) if parts else interval


def _amount(plan: ComparisonPlan, factor: Fraction, largest: float) -> float:
    """A factor g moves a ratio by g on each side, and a difference by at most (g - 1) of the largest run value."""
    return math.log(factor) if plan.scale == "ratio" else float(factor - 1) * largest


def _largest(points: Collection[RunPoint], arms: Collection[Arm]) -> float:
    return max(abs(point.value or 0.0) for point in used(points) if point.arm in arms)


def _allowance(plan: ComparisonPlan, source: Source, amount: float, reasons: tuple[str, ...]) -> Allowance:
    return Allowance(source, amount, math.exp(amount) if plan.scale == "ratio" else None, reasons)
