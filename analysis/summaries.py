"""Arms of which only the mean, the standard deviation and the count of runs are known.

That is enough for Welch on logs when runs vary little: the standard deviation of a log is that of the value over the
mean. A mean and a standard deviation of steps or requests say nothing about other runs, however many there are.
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

from analysis.errors import Refused
from analysis.procedures import ROUNDING, ArmMean, Spread, welch_of_means

SummaryOf = Literal["runs", "steps", "requests"]

GREATEST_VARIATION: Final = 0.20
MOST_RUNS: Final = 10**9


@dataclass(frozen=True, slots=True)
class ArmSummary:
    """Mean and standard deviation over `count` units in an arm; `of` says whether they are runs."""

    mean: float
    deviation: float
    count: int
    of: SummaryOf


def welch_of_summaries(baseline: ArmSummary, candidate: ArmSummary) -> Spread:
    """Welch on logs by the delta method, from a summary of each arm's runs.

    Raises:
        Refused: aggregate_only (not of runs, or a variation of 20 % and more), not_positive, not_a_count,
            too_few_runs, zero_variance.
    """
    return welch_of_means(_on_logs(baseline), _on_logs(candidate))


def _on_logs(arm: ArmSummary) -> ArmMean:
    if arm.of != "runs":
        raise Refused(
            "aggregate_only",
            f"A mean and a standard deviation of {arm.count} {arm.of} say nothing about another run.",
            "Give one value per run, or the mean, standard deviation and count of runs.",
        )
    if not (arm.mean > 0 and arm.deviation >= 0 and math.isfinite(arm.mean + arm.deviation)):
        raise Refused(
            "not_positive", "A mean is zero or less, or a deviation negative.", "A ratio needs positive values."
        )
    if arm.count > MOST_RUNS:
        raise Refused("not_a_count", "Nobody made that many runs.", f"Give the count of runs, up to {MOST_RUNS}.")
    variation = arm.deviation / arm.mean
    if variation >= GREATEST_VARIATION:
        raise Refused(
            "aggregate_only",
            f"The runs vary by {100 * variation:.3g} % of their mean, too much for a summary of them.",
            "Give one value per run.",
        )
    squared = variation**2 if variation > ROUNDING else 0.0
    return ArmMean(math.log(arm.mean), squared / max(arm.count, 1), arm.count)
