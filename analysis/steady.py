"""How much a long run knows about itself: autocorrelation, effective sample size, where it is steady. Never about
another run."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.errors import Refused

FEWEST_EFFECTIVE: Final = 50
Z_95: Final = 1.959963984540054

RunClass = Literal["flat", "warmup", "slowdown", "no_steady_state", "not_assessable"]

MSER_BATCH: Final = 5
DIRECT_LAGS: Final = 64
"""Most series forget within a few steps; only those that do not need every lag."""
FEWEST_MSER_BATCHES: Final = 10
CUSUM_BATCHES: Final = 20
CUSUM_LIMITS: Final = {0.01: 1.7444, 0.05: 1.3598}
FEWEST_ASSESSABLE: Final = 40
CLEARLY: Final = 3.0
ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Cut:
    """Steps to cut from the start of a run. at_limit: half of the run did not suffice."""

    steps: int
    at_limit: bool


@dataclass(frozen=True, slots=True)
class RunShape:
    """How a run went. cusum: of the steps after the cut, None when all are equal. independent_steps: of the same."""

    kind: RunClass
    cut: Cut
    cusum: float | None
    independent_steps: float


def integrated_autocorrelation_time(series: ArrayLike) -> float:
    """Steps per independent step, at least 1, by Geyer's initial positive sequence (1992).

    Raises:
        Refused: zero_variance, when all steps are equal.
    """
    x = np.asarray(series, dtype=np.float64)
    return _autocorrelation_time(x - x.mean())


def _autocorrelation_time(centred: NDArray[np.float64]) -> float:
    variance = _product(centred, centred)
    if variance <= 0:
        raise _all_equal()
    total, size = 0.0, centred.size
    for lag in range(0, min(DIRECT_LAGS, size // 2 * 2), 2):
        later = _product(centred[: size - lag - 1], centred[lag + 1 :])
        pair = later + (_product(centred[: size - lag], centred[lag:]) if lag else variance)
        if pair <= 0:
            return max(1.0, -1 + 2 * total / variance)
        total += pair
    return max(1.0, -1 + 2 * _positive_pairs(centred) / variance)


def _product(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The sum of products, in one thread: waking others costs more than the sum itself."""
    return float(np.einsum("i,i->", one, other))


def _positive_pairs(centred: NDArray[np.float64]) -> float:
    """The sum of the pairs of autocovariances before the first that is not positive, all lags at once by FFT."""
    padded = np.fft.rfft(centred, 2 * centred.size)
    covariance = np.fft.irfft(padded * padded.conj())[: centred.size // 2 * 2]
    pairs = covariance[::2] + covariance[1::2]
    stops = np.flatnonzero(pairs <= 0)
    return float(pairs[: stops[0] if stops.size else None].sum())


def precision_of_mean(series: ArrayLike) -> float | None:
    """Relative half-width of a 95 % interval of this run's own mean; None with fewer than 50 effective steps."""
    x = np.asarray(series, dtype=np.float64)
    if x.size < FEWEST_EFFECTIVE or np.ptp(x) == 0 or x.mean() == 0:
        return None
    tau = integrated_autocorrelation_time(series)
    if x.size / tau < FEWEST_EFFECTIVE:
        return None
    return float(Z_95 * np.sqrt(tau * x.var(ddof=1) / x.size) / abs(x.mean()))


def effective_sample_size(series: ArrayLike) -> float:
    """How many independent steps the series is worth.

    Raises:
        Refused: zero_variance.
    """
    return np.size(series) / integrated_autocorrelation_time(series)


def mser5(series: ArrayLike) -> Cut:
    """The warmup of a run by MSER-5 (White 1997), from its batch means of five steps.

    Raises:
        Refused: too_few_steps (fewer than 50).
    """
    x = np.asarray(series, dtype=np.float64)
    batches = x.size // MSER_BATCH
    if batches < FEWEST_MSER_BATCHES:
        raise _too_few(FEWEST_MSER_BATCHES * MSER_BATCH)
    means = _means_of_five(x, batches)
    means -= means[-1]
    half = batches // 2 + 1
    left = np.arange(batches, batches - half, -1, dtype=np.float64)
    sums, squares = (np.cumsum(part[::-1])[::-1][:half] for part in (means, means * means))
    error = np.maximum(squares - sums * sums / left, 0) / (left * left)
    cut = int(np.argmin(error))
    return Cut(cut * MSER_BATCH, cut == batches // 2)


def cusum20(series: ArrayLike) -> float:
    """The greatest excursion of the cumulated deviations of 20 batch means; above 1.7444 is not steady, at 1 %.

    The spread is von Neumann's, of successive differences, which a shift hardly changes.

    Raises:
        Refused: too_few_steps (fewer than 20), zero_variance.
    """
    x = np.asarray(series, dtype=np.float64)
    if x.size and np.ptp(x) == 0:
        raise _all_equal()
    return _excursion(x)[0]


def _excursion(x: NDArray[np.float64]) -> tuple[float, int]:
    """The statistic, and the step at which the excursion turns."""
    if x.size < CUSUM_BATCHES:
        raise _too_few(CUSUM_BATCHES)
    means = _batch_means(x, CUSUM_BATCHES)
    spread = np.sqrt((np.diff(means) ** 2).sum() / (2 * (CUSUM_BATCHES - 1)))
    path = np.abs(np.cumsum(means - means.mean()))
    turn = int(np.argmax(path)) + 1
    statistic = float(path.max() / (spread * np.sqrt(CUSUM_BATCHES))) if spread > 0 else 0.0
    return statistic, turn * (x.size // CUSUM_BATCHES)


def _means_of_five(x: NDArray[np.float64], batches: int) -> NDArray[np.float64]:
    """As `_batch_means`, by columns: a mean over five numbers at a time is slow."""
    rows = x[: batches * MSER_BATCH].reshape(batches, MSER_BATCH)
    total = rows[:, 0] + rows[:, 1]
    for place in range(2, MSER_BATCH):
        total += rows[:, place]
    total /= MSER_BATCH
    return total


def _batch_means(x: NDArray[np.float64], batches: int) -> NDArray[np.float64]:
    """Of equal batches; the last steps that fill none are left out."""
    each = x.size // batches
    return np.asarray(x[: each * batches].reshape(batches, each).mean(axis=1))


def classify_run(series: ArrayLike) -> RunShape:
    """How the step times of one run went, for display; it never changes a number.

    "slowdown": the later level is the higher one. "not_assessable": fewer than 40 independent steps after the cut.

    Raises:
        Refused: too_few_steps (fewer than 50).
    """
    x = np.asarray(series, dtype=np.float64)
    cut = mser5(series)
    rest = x[cut.steps :]
    if np.ptp(rest) == 0:
        return RunShape(_before_and_after(x, cut, rest.size), cut, None, float(rest.size))
    excursion, turn = _excursion(rest)
    independent = rest.size / _time_within_levels(rest, turn)
    if cut.at_limit:
        kind: RunClass = "no_steady_state"
    elif independent < FEWEST_ASSESSABLE:
        kind = "not_assessable"
    elif excursion <= CUSUM_LIMITS[0.01]:
        kind = _before_and_after(x, cut, independent)
    else:
        kind = "slowdown" if _steps_up(rest, turn) else "no_steady_state"
    return RunShape(kind, cut, excursion, independent)


def _time_within_levels(x: NDArray[np.float64], turn: int) -> float:
    """The autocorrelation time once the two levels are taken out: a shift alone would look like endless memory."""
    levelled = np.empty_like(x)
    for part in (slice(None, turn), slice(turn, None)):
        if x[part].size:
            np.subtract(x[part], x[part].mean(), out=levelled[part])
    noise = np.ptp(levelled) > ROUNDING * max(abs(x.min()), abs(x.max()))
    return _autocorrelation_time(levelled) if noise else 1.0


def _before_and_after(x: NDArray[np.float64], cut: Cut, independent: float) -> RunClass:
    """Flat unless the steps that are cut lie clearly off the level of the rest: MSER-5 cuts a little from noise too."""
    if cut.steps == 0:
        return "flat"
    first, rest = x[: cut.steps], x[cut.steps :]
    off = float(first.mean() - rest.mean())
    if abs(off) <= CLEARLY * float(np.sqrt(rest.var() * rest.size / independent / first.size)):
        return "flat"
    return "warmup" if off > 0 else "slowdown"


def _steps_up(x: NDArray[np.float64], turn: int) -> bool:
    """Whether the level after the turn is the higher one, and is held to the end."""
    later = x[turn:]
    if later.size < CUSUM_BATCHES or later.mean() <= x[:turn].mean():
        return False
    return _excursion(later)[0] <= CUSUM_LIMITS[0.01]


def _too_few(steps: int) -> Refused:
    return Refused("too_few_steps", f"A run of fewer than {steps} steps cannot be assessed.", "Record longer runs.")


def _all_equal() -> Refused:
    return Refused("zero_variance", "All steps are equal.", "Use a finer timer.")
