"""How much of a run lies beyond a quantile: ten requests at least, and independent ones if they follow each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.notices import Notice
from analysis.quantile import CONFIDENCE, TAIL_REQUESTS, fewest_requests, min_requests, nearest_rank
from analysis.steady import integrated_autocorrelation_time

Estimability = Literal["estimable", "value_only", "not_estimable"]

WORDS: Final = {
    "value_only": "the value is shown, and carries no interval",
    "not_estimable": "even the value says nothing of the upper tail",
}


@dataclass(frozen=True, slots=True)
class Tail:
    """What a run of `requests` knows of its quantile.

    estimability: of an interval, of a bare value, or of neither.
    beyond: N (1 - p) requests. effective: the same in independent requests, by the autocorrelation of being beyond.
    """

    p: Fraction
    requests: int
    estimability: Estimability
    beyond: float
    effective: float
    notices: tuple[Notice, ...]


def tail_of(values: Sequence[float] | NDArray[np.float64], p: Fraction) -> Tail:
    """The tail of one run's values, in the order in which they were measured; `values` is not empty."""
    n = len(values)
    beyond = float(n * min(p, 1 - p))
    effective = beyond / exceedance_tau(values, p)
    found = estimability(n, p)
    notices = []
    if found != "estimable":
        notices.append(Notice("small_tail", f"{beyond:.3g} of {n} requests lie beyond it: {WORDS[found]}."))
    elif effective < TAIL_REQUESTS and p != Fraction(1, 2):
        notices.append(
            Notice(
                "correlated_tail",
                f"Slow requests come together: {beyond:.3g} beyond it count for {effective:.3g} independent ones.",
            )
        )
    return Tail(p, n, found, beyond, effective, tuple(notices))


def estimability(requests: int, p: Fraction) -> Estimability:
    """What so many requests allow: ten beyond the quantile for an interval, a 95 % upper statement for a value."""
    if requests >= max(fewest_requests(p), min_requests(p, confidence=CONFIDENCE, side="upper")):
        return "estimable"
    return "value_only" if requests >= min_requests(p, confidence=CONFIDENCE, side="upper") else "not_estimable"


def exceedance_tau(values: Sequence[float] | NDArray[np.float64], p: Fraction) -> float:
    """Requests per independent request, at least 1, of the series "this one is beyond the run's quantile"."""
    beyond = np.asarray(values, dtype=np.float64) > nearest_rank(values, p)
    return integrated_autocorrelation_time(beyond) if beyond.any() else 1.0
