"""How much of a run lies beyond a quantile: ten requests at least, and independent ones if they follow each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.notices import Notice, named
from analysis.quantile import CONFIDENCE, TAIL_REQUESTS, fewest_requests, min_requests, nearest_rank
from analysis.steady import integrated_autocorrelation_time

Estimability = Literal["estimable", "value_only", "not_estimable"]

WORDS: Final[Mapping[Estimability, str]] = {
    "value_only": "The value is shown, and carries no interval",
    "not_estimable": "Even the value says nothing of the upper tail",
}


@dataclass(frozen=True, slots=True)
class Tail:
    """What a run of `requests` knows of its quantile.

    estimability: of an interval, of a bare value, or of neither.
    beyond: N (1 - p) requests. effective: the same in independent requests, by the autocorrelation of being beyond;
        None when the requests are not known to be in order.
    """

    p: Fraction
    requests: int
    estimability: Estimability
    beyond: float
    effective: float | None


def tail_of(values: Sequence[float] | NDArray[np.float64], p: Fraction, *, in_order: bool) -> Tail:
    """The tail of one run's values, in_order: as they started, one after the other; `values` is not empty."""
    n = len(values)
    beyond = float(n * min(p, 1 - p))
    effective = beyond / exceedance_tau(values, p) if in_order else None
    return Tail(p, n, estimability(n, p), beyond, effective)


def notices_of(tails: Mapping[str, Tail], stat: str) -> tuple[Notice, ...]:
    """What the tails of the runs, by label, do to the reading of a quantile: one sentence each, with all the runs."""
    found = []
    small = [f" {said}: {named(few)}." for size, said in WORDS.items() if (few := _few(tails, size))]
    if small:
        found.append(Notice("small_tail", f"Few requests lie beyond {stat}.{''.join(small)}"))
    together = [
        f"{label} ({tail.beyond:.3g} count for {tail.effective:.3g})"
        for label, tail in tails.items()
        if tail.estimability == "estimable" and tail.p != Fraction(1, 2)
        and tail.effective is not None and tail.effective < TAIL_REQUESTS
    ]  # fmt: skip
    if together:
        found.append(
            Notice(
                "correlated_tail",
                f"Requests beyond {stat} come together and count for fewer independent ones: {named(together)}.",
            )
        )
    return tuple(found)


def _few(tails: Mapping[str, Tail], size: Estimability) -> list[str]:
    return [
        f"{label} ({tail.beyond:.3g} of {tail.requests})" for label, tail in tails.items() if tail.estimability == size
    ]


def estimability(requests: int, p: Fraction) -> Estimability:
    """What so many requests allow: ten beyond the quantile for an interval, a 95 % upper statement for a value."""
    if requests >= max(fewest_requests(p), min_requests(p, confidence=CONFIDENCE, side="upper")):
        return "estimable"
    return "value_only" if requests >= min_requests(p, confidence=CONFIDENCE, side="upper") else "not_estimable"


def exceedance_tau(values: Sequence[float] | NDArray[np.float64], p: Fraction) -> float:
    """Requests per independent request, at least 1, of the series "this one is beyond the run's quantile"."""
    beyond = np.asarray(values, dtype=np.float64) > nearest_rank(values, p)
    return integrated_autocorrelation_time(beyond) if beyond.any() else 1.0
