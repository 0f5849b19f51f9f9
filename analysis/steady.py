"""How much a long run knows about itself: autocorrelation and effective sample size. Never about another run."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from analysis.errors import Refused

FEWEST_EFFECTIVE: Final = 50
Z_95: Final = 1.959963984540054


def integrated_autocorrelation_time(series: Sequence[float]) -> float:
    """Steps per independent step, at least 1, by Geyer's initial positive sequence (1992).

    Raises:
        Refused: zero_variance, when all steps are equal.
    """
    x = np.asarray(series, dtype=np.float64)
    centred = x - x.mean()
    padded = np.fft.rfft(centred, 2 * x.size)
    covariance = np.fft.irfft(padded * padded.conj())[: x.size]
    if covariance[0] <= 0:
        raise Refused("zero_variance", "All steps are equal.", "Use a finer timer.")
    correlation = covariance / covariance[0]
    even = x.size // 2 * 2
    pairs = correlation[:even:2] + correlation[1:even:2]
    stops = np.flatnonzero(pairs <= 0)
    return max(1.0, float(-1 + 2 * pairs[: stops[0] if stops.size else None].sum()))


def precision_of_mean(series: Sequence[float]) -> float | None:
    """Relative half-width of a 95 % interval of this run's own mean; None with fewer than 50 effective steps."""
    x = np.asarray(series, dtype=np.float64)
    if x.size < FEWEST_EFFECTIVE or np.ptp(x) == 0 or x.mean() == 0:
        return None
    tau = integrated_autocorrelation_time(series)
    if x.size / tau < FEWEST_EFFECTIVE:
        return None
    return float(Z_95 * np.sqrt(tau * x.var(ddof=1) / x.size) / abs(x.mean()))
