"""Quantiles of the requests or steps of one run: ranks, how many requests they need, and what is no quantile.

Ranks are worked out exactly. Confidence levels are those of the binomial count of requests at or below the quantile,
and hold for independent requests of one run only; between runs the run is the unit (`slo.py`, `procedures.py`).
"""

import bisect
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.errors import Refused

Side = Literal["two_sided", "lower", "upper"]

PERCENTILE: Final = re.compile(r"p(\d{1,2}(?:\.\d{1,6})?)", re.ASCII)
TAIL_REQUESTS: Final = 10
CONFIDENCE: Final = Fraction(95, 100)
MOST_QUERIES: Final = 10**9
CLOSE: Final = 1e-6


def quantile_of(stat: str) -> Fraction | None:
    """The p of "p99.9" or "median", exactly; None when `stat` is no quantile."""
    if stat == "median":
        return Fraction(1, 2)
    found = PERCENTILE.fullmatch(stat)
    p = Fraction(found[1]) / 100 if found else None
    return p or None


def nearest_rank(values: ArrayLike, p: Fraction) -> float:
    """The smallest value with at least a share `p` of the values at or below it; `values` is not empty."""
    numbers = np.asarray(values, dtype=np.float64)
    return _ranked(numbers, -(-numbers.size * p.numerator // p.denominator))


def _ranked(values: NDArray[np.float64], rank: int) -> float:
    return float(np.partition(values, rank - 1)[rank - 1])


def fewest_requests(p: Fraction) -> int:
    """How many requests a run needs for the quantile: ten beyond it. A median is no tail."""
    return 1 if p == Fraction(1, 2) else math.ceil(TAIL_REQUESTS / min(p, 1 - p))


def conservative_rank(n: int, p: Fraction) -> int:
    """The rank ceil((n + 1) p): another request stays at or below that value with a probability of at least p.

    Raises:
        Refused: not_a_quantile, quantile_not_estimable (fewer than p / (1 - p) requests).
    """
    _require_inside(p)
    rank = -(-(n + 1) * p.numerator // p.denominator)
    if rank > n:
        raise _not_estimable(n, p, math.ceil(p / (1 - p)))
    return rank


def conservative_quantile(values: Sequence[float] | NDArray[np.float64], p: Fraction) -> float:
    """The run value for a check against a limit, at the conservative rank.

    Raises:
        Refused: quantile_not_estimable (no upper statement at 95 %), tail_too_small (fewer than ten requests beyond).
    """
    require_upper_statement(len(values), p, confidence=CONFIDENCE)
    fewest = fewest_requests(p)
    if len(values) < fewest:
        raise Refused(
            "tail_too_small",
            f"{_named(p)} of {len(values)} requests leaves fewer than {TAIL_REQUESTS} beyond it.",
            f"Send at least {fewest} requests in every run.",
        )
    return _ranked(np.asarray(values, dtype=np.float64), conservative_rank(len(values), p))


def min_requests(p: Fraction, *, confidence: Fraction, side: Side) -> int:
    """The fewest independent requests of one run of which some rank bounds the quantile at `confidence`.

    "upper" needs p^n <= 1 - confidence, "lower" (1 - p)^n, and "two_sided" both with half the error. Exact.

    Raises:
        Refused: not_a_quantile, bad_level.
    """
    _require_inside(p)
    error = _error(confidence, side)
    bases = {"upper": (p,), "lower": (1 - p,), "two_sided": (p, 1 - p)}[side]
    return max(_first_power_below(base, error) for base in bases)


def require_upper_statement(n: int, p: Fraction, *, confidence: Fraction) -> None:
    """Passes when n requests of one run can bound the quantile from above at all.

    Raises:
        Refused: quantile_not_estimable, not_a_quantile, bad_level.
    """
    fewest = min_requests(p, confidence=confidence, side="upper")
    if n < fewest:
        raise _not_estimable(n, p, fewest)


def order_statistic_ranks(n: int, p: Fraction, *, confidence: Fraction, side: Side) -> tuple[int | None, int | None]:
    """Ranks whose values enclose the quantile at `confidence`, 1 to n; None where no rank reaches that far.

    Equal tails of the exact binomial. A one-sided answer has None on its other side.

    Raises:
        Refused: not_a_quantile, bad_level.
    """
    from scipy.special import bdtr  # noqa: PLC0415

    _require_inside(p)
    error, share = float(_error(confidence, side)), float(p)
    cumulative = range(n + 1)
    lower = bisect.bisect_right(cumulative, error, key=lambda k: float(bdtr(k, n, share)))
    upper = bisect.bisect_left(cumulative, 1 - error, key=lambda k: float(bdtr(k, n, share))) + 1
    return (lower or None) if side != "upper" else None, (upper if upper <= n else None) if side != "lower" else None


@dataclass(frozen=True, slots=True)
class QuantileOfRun:
    """The nearest-rank quantile of one run with the order statistics around it; None where no request reaches.

    It speaks of that run alone, and only if its requests are independent.
    """

    value: float
    lo: float | None
    hi: float | None
    unit: str
    p: Fraction
    confidence: Fraction
    requests: int
    scope: str
    assumptions: tuple[str, ...]


def order_statistic_interval(
    runs: Sequence[Sequence[float]], p: Fraction, *, confidence: Fraction, side: Side, unit: str
) -> QuantileOfRun:
    """The distribution-free interval of a quantile of one run, of values in `unit`.

    Raises:
        Refused: pooled_order_statistic (several runs), quantile_not_estimable, not_a_quantile, bad_level.
    """
    if len(runs) != 1:
        raise Refused(
            "pooled_order_statistic",
            f"The requests of {len(runs)} runs are not one sample: the interval of their pool misses the quantile in "
            "30 % to 75 % of cases once runs differ.",
            "Take the quantile of every run, and the interval over runs.",
        )
    values = sorted(runs[0])
    require_upper_statement(len(values), p, confidence=confidence)
    lower, upper = order_statistic_ranks(len(values), p, confidence=confidence, side=side)
    return QuantileOfRun(
        value=nearest_rank(values, p),
        lo=None if lower is None else values[lower - 1],
        hi=None if upper is None else values[upper - 1],
        unit=unit,
        p=p,
        confidence=confidence,
        requests=len(values),
        scope="this run only",
        assumptions=("the requests of the run are independent of each other",),
    )


def mlperf_min_passing(over_latency: int, p: Fraction, *, confidence: Fraction, tolerance: Fraction) -> int:
    """How many queries under the latency limit stop a run early, with `over_latency` above it (MLPerf inference).

    The smallest h with P(Binomial(h + over_latency, 1 - p + tolerance) <= over_latency) <= 1 - confidence; the share p
    is then established for one run of independent queries, and for nothing else.

    Raises:
        Refused: not_a_quantile, bad_level, too_many_queries (beyond 10^9).
    """
    from scipy.special import betainc  # noqa: PLC0415

    _require_inside(p)
    _require_inside(p - tolerance)
    error, share = float(_error(confidence, "upper")), float(p - tolerance)
    found = bisect.bisect_left(
        range(1, MOST_QUERIES), -error, key=lambda h: -float(betainc(h, over_latency + 1, share))
    )
    if found == MOST_QUERIES - 1:
        raise Refused("too_many_queries", "More than 10^9 queries would be needed.", "Allow fewer over the limit.")
    return found + 1


SUMMARIES: Final = (
    (
        re.compile(r"(mean|avg|average|median)[ _-]*(of[ _-]*)?(window[ _-]*)?p\d[\d.]*s?"),
        "average_of_percentiles",
        "An average of percentiles is no percentile: where load moved between windows it was 15 % to 23 % too low.",
    ),
    (
        re.compile(r"(max|maximum|highest|worst)[ _-]*(of[ _-]*)?(window[ _-]*)?p\d[\d.]*s?"),
        "max_of_percentiles",
        "The greatest of several percentiles is no percentile: it was 14 % to 71 % too high.",
    ),
    (
        re.compile(r"p\d[\d.]*[ _-]*of[ _-]*(step[ _-]*|window[ _-]*|batch[ _-]*)?(means?|averages?)"),
        "aggregate_only",
        "A percentile of means says nothing of single requests: the means hide the tail.",
    ),
)  # fmt: skip


def require_plain_stat(stat: str) -> None:
    """Passes unless `stat` names a summary of percentiles, or a percentile of summaries, as if it were a percentile.

    Raises:
        Refused: average_of_percentiles, max_of_percentiles, aggregate_only.
    """
    said = stat.strip().lower()
    for pattern, code, message in SUMMARIES:
        if pattern.fullmatch(said):
            raise Refused(code, message, "Give the raw requests, or one percentile of each whole run.")


def _require_inside(p: Fraction) -> None:
    if not 0 < p < 1:
        raise Refused("not_a_quantile", f"{float(p):g} is no share of the requests.", "Give p between 0 and 1.")


def _error(confidence: Fraction, side: Side) -> Fraction:
    if not 0 < confidence < 1:
        raise Refused("bad_level", f"{float(confidence):g} is no confidence.", "Give a level between 0 and 1.")
    return (1 - confidence) / (2 if side == "two_sided" else 1)


def _first_power_below(base: Fraction, error: Fraction) -> int:
    """The smallest n >= 1 with base^n <= error; logarithms decide, unless n is close to whole."""
    n = math.log(error) / math.log1p(-float(1 - base))
    whole = max(1, round(n))
    if abs(n - whole) > CLOSE:
        return max(1, math.ceil(n))
    return whole if base**whole <= error else whole + 1


def _named(p: Fraction) -> str:
    return "The median" if p == Fraction(1, 2) else f"p{float(100 * p):g}"


def _largest(n: int, p: Fraction) -> str:
    """That the quantile of so few is the largest of them, "" where it is not."""
    return f": of {n} it is the largest" if p > Fraction(1, 2) and n * (1 - p) < 1 else ""


def _not_estimable(n: int, p: Fraction, fewest: int) -> Refused:
    return Refused(
        "quantile_not_estimable",
        f"{n} requests cannot bound {_named(p)[0].lower()}{_named(p)[1:]} from above{_largest(n, p)}.",
        f"Send at least {fewest} requests in every run, and {fewest_requests(p)} for an interval.",
    )
