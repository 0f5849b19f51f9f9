"""The ratio of arithmetic means with Fieller's interval, as Kalibera and Jones use it. Only where a plan names it.

The default compares typical (geometric-mean) runs. For lognormal runs the two ratios differ by a factor of
exp((candidate CV squared - baseline CV squared) / 2).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis.claims import ConfidenceInterval, Frame
from analysis.errors import Refused
from analysis.procedures import mean, t_quantile, too_few_runs, two_sided_p, variance, zero_variance

ESTIMAND: Final = "ratio of arithmetic means"
ASSUMED: Final = ("runs are independent of each other", "run values are roughly normal")
HALVINGS: Final = 200


@dataclass(frozen=True, slots=True)
class _Arm:
    mean: float
    squared_error: float
    df: int


def fieller_ratio(
    baseline: Sequence[float], candidate: Sequence[float], *, confidence: float, frame: Frame
) -> ConfidenceInterval:
    """Candidate mean over baseline mean. Wider than Welch on logs at small n, and over-covering: .98 to .996 at 3 runs.

    centre and se are of the log ratio by the delta method; the ends are Fieller's.

    Args:
        baseline, candidate: positive run values in one unit, at least 2 each, not logs.
        frame: of a ratio; its estimand is replaced.

    Raises:
        Refused: too_few_runs, not_positive, zero_variance, fieller_unbounded.
    """
    fewest = min(len(baseline), len(candidate))
    if fewest < 2:
        raise too_few_runs(len(baseline), len(candidate))
    if min(*baseline, *candidate) <= 0:
        raise Refused("not_positive", "A run value is zero or less.", "A ratio needs positive values.")
    b, c = _arm(baseline), _arm(candidate)
    if b.squared_error + c.squared_error == 0:
        raise zero_variance()
    lo, hi = _ends(b, c, confidence)
    return ConfidenceInterval(
        estimate=c.mean / b.mean,
        lo=lo,
        hi=hi,
        centre=math.log(c.mean / b.mean),
        se=math.sqrt(b.squared_error / b.mean**2 + c.squared_error / c.mean**2),
        df=float(fewest - 1),
        p_value=_p_value(b, c),
        confidence=confidence,
        method="fieller",
        units=fewest,
        frame=replace(frame, estimand=ESTIMAND),
        assumptions=ASSUMED,
    )


def _arm(values: Sequence[float]) -> _Arm:
    return _Arm(mean(values), variance(values, rounding=0.0) / len(values), len(values) - 1)


def _ends(b: _Arm, c: _Arm, confidence: float) -> tuple[float, float]:
    b_reach = t_quantile(b.df, confidence) ** 2 * b.squared_error
    c_reach = t_quantile(c.df, confidence) ** 2 * c.squared_error
    room = b.mean**2 - b_reach
    if room <= 0:
        raise Refused(
            "fieller_unbounded",
            "The mean of the baseline is not told from zero, so the ratio has no upper end.",
            "Add baseline runs, or compare typical runs on the log scale.",
        )
    product = b.mean * c.mean
    half = math.sqrt(max(product**2 - room * (c.mean**2 - c_reach), 0.0))
    return (product - half) / room, (product + half) / room


def _p_value(b: _Arm, c: _Arm) -> float:
    """The error level at which an end of the interval is one, by halving; a t test when the arms have equal counts."""
    apart = (c.mean - b.mean) ** 2
    if b.df == c.df:
        return two_sided_p(b.df, math.sqrt(apart / (b.squared_error + c.squared_error)))
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        level = (low + high) / 2
        reach = t_quantile(b.df, level) ** 2 * b.squared_error + t_quantile(c.df, level) ** 2 * c.squared_error
        low, high = (level, high) if reach < apart else (low, level)
    return 1 - (low + high) / 2
