"""The sampling lab: how far the mean of n yes-or-no trials is from normal, exactly, and how far it can be at most.

It models independent Bernoulli trials. It says nothing of training time, nor of steps that share a run.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.errors import Refused
from analysis.exact import Exact, parse_exact, to_decimal_outward

MOST_TRIALS: Final = 100
BERRY_ESSEEN: Final = Fraction("0.4748")
BOUND_DIGITS: Final = 4
FINEST: Final = 10**30  # the largest denominator of p: its powers stay computable, and its curve above underflow
MODELS: Final = "Independent Bernoulli trials, not training time."


@dataclass(frozen=True, slots=True)
class Bar:
    """The probability of `k` successes, exact and by the normal curve; normal is None when there is no curve."""

    k: int
    exact: float
    normal: float | None


@dataclass(frozen=True, slots=True)
class Normal:
    """How well the normal curve does.

    bound: the Berry-Esseen bound on greatest_error. bound_printed: the same, rounded up to four digits.
    greatest_error: the largest distance between the exact and the normal distribution function.
    covered: the sum of the normal bars; the tails beyond 0 and n stay outside.
    """

    bound: float
    bound_printed: str
    greatest_error: float
    covered: float


@dataclass(frozen=True, slots=True)
class SamplingLab:
    """All that the page of the lab shows. mean_variance: of the mean of the trials.

    normal: None when p is 0 or 1, where there is nothing to compare.
    """

    p: Fraction
    n: int
    mean_variance: Fraction
    bars: tuple[Bar, ...]
    normal: Normal | None


def sampling_lab(p: Exact, n: int) -> SamplingLab:
    """The lab of `n` trials that succeed with probability `p`.

    Raises:
        Refused: not_a_proportion (p outside 0 to 1, or of more than 30 decimals), not_a_trial_count (n is no whole
            number from 1 to 100), not_a_number, not_finite.
    """
    share = parse_exact(p)
    if not 0 <= share <= 1:
        raise Refused("not_a_proportion", f"p lies outside 0 to 1: {p}.", "Give a probability.")
    if share.denominator > FINEST:
        raise Refused("not_a_proportion", "p has more than 30 decimals.", "Give a probability of at most 30 decimals.")
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MOST_TRIALS:
        raise Refused("not_a_trial_count", "n is no whole number from 1 to 100.", "Give a number of trials up to 100.")
    exact = _probabilities(share, n)
    curve = _normal_bars(share, n) if 0 < share < 1 else None
    return SamplingLab(
        share,
        n,
        share * (1 - share) / n,
        tuple(Bar(k, float(exact[k]), curve[k] if curve else None) for k in range(n + 1)),
        _normal(share, exact, curve) if curve else None,
    )


def _probabilities(p: Fraction, n: int) -> list[Fraction]:
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def _normal_bars(p: Fraction, n: int) -> list[float]:
    """Of every k from 0 to n, also where the curve reaches beyond."""
    centre, spread = float(n * p), math.sqrt(n * p * (1 - p))
    return [_between((k - 0.5 - centre) / spread, (k + 0.5 - centre) / spread) for k in range(n + 1)]


def _between(low: float, high: float) -> float:
    """The normal probability between two ends, from the nearer tail, so that no digit cancels."""
    return _below(-low) - _below(-high) if low > 0 else _below(high) - _below(low)


def _below(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


def _normal(p: Fraction, exact: list[Fraction], bars: list[float]) -> Normal:
    n = len(exact) - 1
    squared = (BERRY_ESSEEN * (p**2 + (1 - p) ** 2)) ** 2 / (p * (1 - p) * n)
    return Normal(math.sqrt(squared), _root_printed_up(squared), _greatest_error(p, exact), math.fsum(bars))


def _greatest_error(p: Fraction, exact: list[Fraction]) -> float:
    """The distance is greatest at a jump of the exact distribution function, on one of its two sides."""
    n = len(exact) - 1
    centre, spread = float(n * p), math.sqrt(n * p * (1 - p))
    greatest, before = 0.0, Fraction(0)
    for k, probability in enumerate(exact):
        curve = _below((k - centre) / spread)
        after = before + probability
        greatest = max(greatest, abs(float(before) - curve), abs(float(after) - curve))
        before = after
    return greatest


def _root_printed_up(squared: Fraction) -> str:
    """The square root, rounded up exactly: the smallest decimal whose square is at least `squared`."""
    scaled = math.ceil(squared * 10 ** (2 * BOUND_DIGITS))
    return to_decimal_outward(Fraction(math.isqrt(scaled - 1) + 1, 10**BOUND_DIGITS), digits=BOUND_DIGITS, up=True)
