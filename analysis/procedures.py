"""The arithmetic of the interval procedures, on the scale where effects add: logs of run values, or the values.

Every procedure gives a centre, a standard error and degrees of freedom; the interval is centre -+ t * se.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.errors import Refused

ROUNDING: Final = 16 * 2.0**-52


@dataclass(frozen=True, slots=True)
class Spread:
    """An effect on the additive scale. df may be fractional; units: the independent units that limit it."""

    centre: float
    se: float
    df: float
    method: str
    units: int


@dataclass(frozen=True, slots=True)
class ArmMean:
    """The mean of an arm's runs on the additive scale, its squared standard error, and how many runs it has."""

    value: float
    squared_error: float
    runs: int


@dataclass(frozen=True, slots=True)
class Stratum:
    """The effect on one placement, and the variances of the means that it is made of, each with its df."""

    centre: float
    variances: tuple[tuple[float, int], ...]


def t_quantile(df: float, confidence: float) -> float:
    """The two-sided Student t quantile; `df` may be fractional."""
    from scipy.special import stdtrit  # noqa: PLC0415

    return float(stdtrit(df, 0.5 + confidence / 2))


def two_sided_p(df: float, statistic: float) -> float:
    """The probability of |T| at or beyond `statistic` with `df` degrees of freedom."""
    from scipy.special import stdtr  # noqa: PLC0415

    return float(2 * stdtr(df, -abs(statistic)))


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean, summed without rounding error."""
    return math.fsum(values) / len(values)


def variance(values: Sequence[float], *, rounding: float) -> float:
    """The sample variance; exactly 0 when the values differ by no more than `rounding`."""
    if max(values) - min(values) <= rounding:
        return 0.0
    centre = mean(values)
    return math.fsum((v - centre) ** 2 for v in values) / (len(values) - 1)


def welch(baseline: Sequence[float], candidate: Sequence[float]) -> Spread:
    """Candidate minus baseline with Welch's standard error, and a guarded df when a small arm is unequal.

    The guard (Hsu; Mickey and Brown) keeps the level when the smaller arm has 2 to 4 runs; then the method is
    "welch_min_df".

    Raises:
        Refused: too_few_runs (fewer than 2 in an arm), zero_variance.
    """
    if min(len(baseline), len(candidate)) < 2:
        raise too_few_runs(len(baseline), len(candidate))
    return welch_of_means(_arm_mean(baseline), _arm_mean(candidate))


def _arm_mean(values: Sequence[float]) -> ArmMean:
    return ArmMean(mean(values), _of_mean(values), len(values))


def welch_of_means(baseline: ArmMean, candidate: ArmMean) -> Spread:
    """The same from the mean of each arm and its standard error.

    Raises:
        Refused: too_few_runs, zero_variance.
    """
    fewest, most = sorted((baseline.runs, candidate.runs))
    if fewest < 2:
        raise too_few_runs(baseline.runs, candidate.runs)
    a, b = baseline.squared_error, candidate.squared_error
    if a + b == 0:
        raise zero_variance()
    guarded = not (fewest == most or fewest >= 5 or (fewest >= 3 and most <= fewest + 1))
    df = _satterthwaite([(a, baseline.runs - 1), (b, candidate.runs - 1)])
    return Spread(
        candidate.value - baseline.value,
        math.sqrt(a + b),
        fewest - 1 if guarded else df,
        "welch_min_df" if guarded else "welch",
        fewest,
    )


def paired(pairs: Sequence[tuple[float, float]]) -> Spread:
    """The mean of candidate minus baseline over blocks, pairs (baseline, candidate).

    Raises:
        Refused: too_few_blocks (fewer than 2), zero_variance.
    """
    if len(pairs) < 2:
        raise Refused("too_few_blocks", f"{len(pairs)} whole block is left.", "Run at least 2 blocks, better 5.")
    stratum = block_stratum(pairs)
    found = stratum.variances[0][0]
    if found == 0:
        raise zero_variance()
    return Spread(stratum.centre, math.sqrt(found), len(pairs) - 1, "paired", len(pairs))


def stratified(strata: Sequence[Stratum]) -> Spread:
    """The mean effect over placements, for these placements only; Satterthwaite df over all components.

    Raises:
        Refused: zero_variance.
    """
    parts = [(v / len(strata) ** 2, df) for stratum in strata for v, df in stratum.variances]
    total = math.fsum(v for v, _ in parts)
    if total == 0:
        raise zero_variance()
    centre = mean([stratum.centre for stratum in strata])
    return Spread(centre, math.sqrt(total), _satterthwaite(parts), "stratified", len(strata))


def arms_stratum(baseline: Sequence[float], candidate: Sequence[float]) -> Stratum:
    """The effect on one placement from the independent runs of both arms.

    Raises:
        Refused: too_few_runs (fewer than 2 in an arm).
    """
    if min(len(baseline), len(candidate)) < 2:
        raise too_few_runs(len(baseline), len(candidate))
    parts = ((_of_mean(baseline), len(baseline) - 1), (_of_mean(candidate), len(candidate) - 1))
    return Stratum(mean(candidate) - mean(baseline), parts)


def block_stratum(pairs: Sequence[tuple[float, float]]) -> Stratum:
    """The effect on one placement from its blocks, pairs (baseline, candidate).

    Raises:
        Refused: too_few_blocks (fewer than 2).
    """
    if len(pairs) < 2:
        raise Refused("too_few_blocks", "A placement has one block.", "Run at least 2 blocks on every placement.")
    differences = [c - b for b, c in pairs]
    rounding = ROUNDING * max(abs(x) for pair in pairs for x in pair)
    return Stratum(mean(differences), ((variance(differences, rounding=rounding) / len(pairs), len(pairs) - 1),))


def too_few_runs(baseline: int, candidate: int) -> Refused:
    """The refusal of an interval, with the counts of runs."""
    return Refused(
        "too_few_runs",
        f"{baseline} baseline and {candidate} candidate runs allow no interval, whatever the number of steps in them.",
        "Run each arm at least twice for an interval, and three times for a verdict.",
    )


def _of_mean(values: Sequence[float]) -> float:
    return variance(values, rounding=ROUNDING * max(abs(v) for v in values)) / len(values)


def _satterthwaite(parts: Sequence[tuple[float, int]]) -> float:
    total = math.fsum(v for v, _ in parts)
    return total**2 / math.fsum(v**2 / df for v, df in parts)


def zero_variance() -> Refused:
    """The refusal of an interval around values that do not vary."""
    return Refused(
        "zero_variance",
        "The values do not vary: they are copies, or the timer is coarser than the spread.",
        "Use a finer timer or separate runs, or compare deterministic bounds.",
    )
