"""Which measurement to make next: the one that tells the hypotheses apart for the least time.

The bits are expected before anything is measured, from what each hypothesis predicts. They order the candidates, and
are no evidence for any hypothesis.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isclose, isfinite
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.errors import Refused

DIFFUSE: Final = (0.5, 2.0)
POINTS: Final = 4001
REACH: Final = 8.0
COARSEST: Final = 0.25
AROUND_AN_END: Final = 401
POINTLIKE: Final = 1e-5
FINEST_ERROR, COARSEST_ERROR = 1e-9, 10.0
SHORTEST, LONGEST = 1e-6, 1e9
NEGLIGIBLE: Final = 1e-100
SAME_DIGITS: Final = 9

PredictedRatio = tuple[float | None, float | None] | None


@dataclass(frozen=True, slots=True)
class PossibleMeasurement:
    """A measurement that could be made.

    se: the standard error that its plan gives the log ratio. minutes: what it costs, None when nobody knows.
    predictions: the ratio that each hypothesis predicts, in one order; an end that is None is open, and None in place
    of both ends is no prediction.
    """

    name: str
    se: float
    minutes: float | None
    predictions: tuple[PredictedRatio, ...]


@dataclass(frozen=True, slots=True)
class RankedMeasurement:
    """A measurement in its place. unpredicted: the hypotheses, from 0, that predict nothing for it.

    bits_per_minute: None when its minutes are not known.
    """

    name: str
    bits: float
    bits_per_minute: float | None
    unpredicted: tuple[int, ...]


def expected_information_gain(
    predictions: Sequence[PredictedRatio], *, se: float, priors: Sequence[float] | None
) -> float:
    """The bits that a measurement is expected to tell of which hypothesis holds.

    Args:
        predictions: the ratio that each hypothesis predicts, as in `PossibleMeasurement`. Without one, anything from
            half to double.
        se: standard error of the log ratio.
        priors: one per hypothesis, None for equal ones.

    Raises:
        Refused: one_hypothesis, bad_priors, not_positive, bad_standard_error, reversed, not_finite.
    """
    weights = _weights(len(predictions), priors)
    _require_error(se)
    ends = np.log(np.array([_ends(predicted) for predicted in predictions]))
    grid = _grid(ends, se)
    density = np.array([_density(grid, low, high, se) for low, high in ends])
    mixed = weights @ density
    counts = (density > 0) & (mixed > 0) & (weights > NEGLIGIBLE)[:, np.newaxis]
    share = np.divide(density, mixed, out=np.ones_like(density), where=counts)
    told = weights @ np.trapezoid(density * np.log2(share), grid, axis=1)
    return max(0.0, float(told))


def _require_error(se: float) -> None:
    if not se > 0:
        raise Refused("not_positive", "The standard error is not above 0.", "Give the one that the plan expects.")
    if not FINEST_ERROR <= se <= COARSEST_ERROR:
        raise Refused(
            "bad_standard_error",
            f"No measurement has a standard error of {se:g} of the log ratio.",
            f"Give it as a share of the ratio, from {FINEST_ERROR:g} to {COARSEST_ERROR:g}: 0.01 is 1 %.",
        )


def _weights(hypotheses: int, priors: Sequence[float] | None) -> NDArray[np.float64]:
    if hypotheses < 2:
        raise Refused("one_hypothesis", "There is nothing to tell apart.", "State at least one rival hypothesis.")
    if priors is None:
        return np.full(hypotheses, 1 / hypotheses)
    if len(priors) != hypotheses or not all(0 <= p <= 1 for p in priors) or not isclose(fsum(priors), 1, rel_tol=1e-9):
        raise Refused("bad_priors", "The priors are no shares of 1.", "Give one per hypothesis, or none at all.")
    return np.array(priors, dtype=np.float64)


def _ends(predicted: PredictedRatio) -> tuple[float, float]:
    """The predicted ratio; an open end lies at half or double, of one or of the other end."""
    low, high = predicted or DIFFUSE
    if low is None or low <= 0:
        low = DIFFUSE[0] * min(1.0, 1.0 if high is None else high)
    if high is None:
        high = DIFFUSE[1] * max(1.0, low)
    if not (isfinite(low) and isfinite(high)):
        raise Refused("not_finite", "A predicted end is not a finite number.", "Leave an open end out.")
    if not 0 < low <= high:
        raise Refused("reversed", "The prediction's low end is above its high end.", "Give the low end first.")
    return low, high


def _grid(ends: NDArray[np.float64], se: float) -> NDArray[np.float64]:
    """The outcomes to sum over; finer around the predicted ends when the standard error is small beside their range."""
    low, high = ends.min() - REACH * se, ends.max() + REACH * se
    even = np.linspace(low, high, POINTS)
    if (high - low) / (POINTS - 1) <= COARSEST * se:
        return even
    near = np.add.outer(ends.ravel(), np.linspace(-REACH * se, REACH * se, AROUND_AN_END))
    return np.unique(np.concatenate([even, near.ravel()]))


def _density(outcome: NDArray[np.float64], low: float, high: float, se: float) -> NDArray[np.float64]:
    from scipy.special import ndtr  # noqa: PLC0415

    if high - low <= POINTLIKE * se:
        found = np.exp(-0.5 * ((outcome - (low + high) / 2) / se) ** 2) / (se * np.sqrt(2 * np.pi))
    else:
        found = (ndtr((outcome - low) / se) - ndtr((outcome - high) / se)) / (high - low)
    return np.asarray(found, dtype=np.float64)


def rank_measurements(
    candidates: Sequence[PossibleMeasurement], *, priors: Sequence[float] | None
) -> tuple[RankedMeasurement, ...]:
    """The candidates by expected bits per minute, most first; equal ones by name.

    When the minutes of any candidate are not known, all are ranked by bits alone.

    Raises:
        Refused: one_hypothesis, bad_priors, not_positive, bad_standard_error, bad_minutes, reversed,
            not_finite.
    """
    found = [_ranked(candidate, priors) for candidate in candidates]
    timed = all(row.bits_per_minute is not None for row in found)
    return tuple(sorted(found, key=lambda row: (-_worth(row, timed=timed), row.name)))


def _worth(row: RankedMeasurement, *, timed: bool) -> float:
    """What a measurement is ranked by, to so many digits that the rounding of sums orders nothing."""
    if round(row.bits, SAME_DIGITS) == 0:
        return 0.0
    told = row.bits_per_minute if timed and row.bits_per_minute is not None else row.bits
    return float(f"{told:.{SAME_DIGITS}g}")


def _ranked(candidate: PossibleMeasurement, priors: Sequence[float] | None) -> RankedMeasurement:
    minutes = candidate.minutes
    if minutes is not None:
        _require_minutes(minutes, candidate.name)
    bits = expected_information_gain(candidate.predictions, se=candidate.se, priors=priors)
    silent = tuple(i for i, predicted in enumerate(candidate.predictions) if predicted is None)
    return RankedMeasurement(candidate.name, bits, None if minutes is None else bits / minutes, silent)


def _require_minutes(minutes: float, name: str) -> None:
    if not minutes > 0:
        raise Refused("not_positive", f"{name} costs no time.", "Give the minutes that it takes.")
    if not SHORTEST <= minutes <= LONGEST:
        raise Refused(
            "bad_minutes", f"{name} cannot take {minutes:g} minutes.", f"Give from {SHORTEST:g} to {LONGEST:g} minutes."
        )
