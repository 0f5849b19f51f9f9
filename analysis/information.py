"""Which measurement to make next: the one that tells the hypotheses apart for the least time.

The bits are expected before anything is measured, from what each hypothesis predicts. They order the candidates, and
are no evidence for any hypothesis.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isclose
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

PredictedRatio = tuple[float | None, float | None] | None


@dataclass(frozen=True, slots=True)
class PossibleMeasurement:
    """A measurement that could be made.

    se: the standard error that its plan gives the log ratio. minutes: what it costs.
    predictions: the ratio that each hypothesis predicts, in one order; an end that is None is open, and None in place
    of both ends is no prediction.
    """

    name: str
    se: float
    minutes: float
    predictions: tuple[PredictedRatio, ...]


@dataclass(frozen=True, slots=True)
class RankedMeasurement:
    """A measurement in its place. unpredicted: the hypotheses, from 0, that predict nothing for it."""

    name: str
    bits: float
    bits_per_minute: float
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
        Refused: one_hypothesis, bad_priors, not_positive, reversed.
    """
    weights = _weights(len(predictions), priors)
    if not se > 0:
        raise Refused("not_positive", "The standard error is not above 0.", "Give the one that the plan expects.")
    ends = np.log(np.array([_ends(predicted) for predicted in predictions]))
    grid = _grid(ends, se)
    density = np.array([_density(grid, low, high, se) for low, high in ends])
    mixed = weights @ density
    share = np.divide(density, mixed, out=np.ones_like(density), where=density > 0)
    told = weights @ np.trapezoid(density * np.log2(share), grid, axis=1)
    return max(0.0, float(told))


def _weights(hypotheses: int, priors: Sequence[float] | None) -> NDArray[np.float64]:
    if hypotheses < 2:
        raise Refused("one_hypothesis", "There is nothing to tell apart.", "State at least one rival hypothesis.")
    if priors is None:
        return np.full(hypotheses, 1 / hypotheses)
    if len(priors) != hypotheses or not all(p >= 0 for p in priors) or not isclose(fsum(priors), 1, rel_tol=1e-9):
        raise Refused("bad_priors", "The priors are no shares of 1.", "Give one per hypothesis, or none at all.")
    return np.array(priors, dtype=np.float64)


def _ends(predicted: PredictedRatio) -> tuple[float, float]:
    """The predicted ratio; an open end lies at half or double, of one or of the other end."""
    low, high = predicted or DIFFUSE
    if low is None or low <= 0:
        low = DIFFUSE[0] * min(1.0, 1.0 if high is None else high)
    if high is None:
        high = DIFFUSE[1] * max(1.0, low)
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

    Raises:
        Refused: one_hypothesis, bad_priors, not_positive, reversed.
    """
    return tuple(sorted((_ranked(c, priors) for c in candidates), key=lambda r: (-r.bits_per_minute, r.name)))


def _ranked(candidate: PossibleMeasurement, priors: Sequence[float] | None) -> RankedMeasurement:
    if not candidate.minutes > 0:
        raise Refused("not_positive", f"{candidate.name} costs no time.", "Give the minutes that it takes.")
    bits = expected_information_gain(candidate.predictions, se=candidate.se, priors=priors)
    silent = tuple(i for i, predicted in enumerate(candidate.predictions) if predicted is None)
    return RankedMeasurement(candidate.name, bits, bits / candidate.minutes, silent)
