"""Samples of power, taken exactly as written, and their integral over a window. Gaps are seen, never bridged."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from statistics import median
from typing import Final

import numpy as np

from analysis.errors import Refused
from analysis.exact import Exact, parse_exact
from analysis.notices import Notice

GAP: Final = Fraction(5, 2)
GREATEST_GAP_SHARE: Final = Fraction(5, 100)
FEWEST_SENSOR_WINDOWS: Final = 30
NEAR_INTEGER: Final = Fraction(1, 10)


@dataclass(frozen=True, slots=True)
class PowerSamples:
    """Readings of one meter: `watts` at strictly rising `times` in seconds, both exact, at least two."""

    times: tuple[Fraction, ...]
    watts: tuple[Fraction, ...]

    @property
    def gap(self) -> Fraction:
        """The distance between samples beyond which they are a gap: 2.5 times the median distance."""
        return GAP * median(later - earlier for earlier, later in pairwise(self.times))


@dataclass(frozen=True, slots=True)
class Window:
    """The steady part of a run from `start` to `end`, seconds on the meter's clock; the work is of the same window."""

    start: Fraction
    end: Fraction

    @property
    def seconds(self) -> Fraction:
        """How long it is."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Energy:
    """Gross energy over a window, by the trapezoid rule between samples; a point, which carries no bound.

    gap_share: of the window, that lies between samples too far apart.
    """

    joules: float
    window: Window
    samples: int
    gap_share: float
    method: str
    notices: tuple[Notice, ...]


def power_samples(times: Sequence[Exact], watts: Sequence[Exact]) -> PowerSamples:
    """The samples, checked. times: seconds. watts: at least 0.

    Raises:
        Refused: too_few_samples, duplicate_timestamp, not_increasing, negative_power, not_a_number, not_finite.
    """
    if len(times) != len(watts) or len(times) < 2:
        raise Refused(
            "too_few_samples",
            f"{len(times)} timestamps and {len(watts)} readings are no series.",
            "Give at least two samples, each with its time and its power.",
        )
    exact = PowerSamples(tuple(map(parse_exact, times)), tuple(map(parse_exact, watts)))
    for number, (earlier, later) in enumerate(pairwise(exact.times)):
        _require_rising(earlier, later, number)
    if min(exact.watts) < 0:
        number = exact.watts.index(min(exact.watts))
        raise Refused("negative_power", f"Sample {number} has {float(min(exact.watts)):g} W.", "Remove its cause.")
    return exact


def _require_rising(earlier: Fraction, later: Fraction, number: int) -> None:
    if later == earlier:
        raise Refused(
            "duplicate_timestamp",
            f"Samples {number} and {number + 1} carry the same time.",
            "Export every sample once, with a finer clock.",
        )
    if later < earlier:
        raise Refused(
            "not_increasing",
            f"Sample {number + 1} is earlier than sample {number}.",
            "Export the samples of one meter in the order of time.",
        )


def window_of(start: Exact, end: Exact) -> Window:
    """The window from `start` to `end`, in seconds.

    Raises:
        Refused: reversed, not_a_number, not_finite.
    """
    found = Window(parse_exact(start), parse_exact(end))
    if found.seconds <= 0:
        raise Refused("reversed", "The window ends before it starts.", "Give the start first.")
    return found


def trapezoid(samples: PowerSamples, window: Window) -> float:
    """Joules by the trapezoid rule, both ends interpolated to the window; gaps are bridged here without a word.

    Raises:
        Refused: window_not_covered.
    """
    first, last = span(samples, window)
    times = np.array([float(t - window.start) for t in samples.times[first : last + 1]])
    watts = np.array([float(w) for w in samples.watts[first : last + 1]])
    ends = np.array([0.0, float(window.seconds)])
    inner = (times > ends[0]) & (times < ends[1])
    at = np.concatenate((ends[:1], times[inner], ends[1:]))
    return float(np.trapezoid(np.interp(at, times, watts), at))


def integrate_power(samples: PowerSamples, window: Window, *, sensor_average: Fraction | None) -> Energy:
    """The energy over a window, if samples cover it closely enough for a point.

    Args:
        sensor_average: seconds over which the sensor averages, when it does (a second, for many accelerators).

    Raises:
        Refused: window_not_covered, power_gaps (more than 5 % of the window), run_too_short_for_sensor.
    """
    require_long_enough(window, sensor_average)
    share = gap_share(samples, window)
    if share > GREATEST_GAP_SHARE:
        raise Refused(
            "power_gaps",
            f"{100 * float(share):.3g} % of the window lies in {_gaps_in_words(samples, window)}.",
            "Use the bounds of the energy, or an energy counter.",
        )
    bridged = f"Gaps make up {100 * float(share):.2g} % of the window; the trapezoid bridges them."
    first, last = span(samples, window)
    return Energy(
        joules=trapezoid(samples, window),
        window=window,
        samples=last - first + 1,
        gap_share=float(share),
        method="trapezoid",
        notices=(Notice("power_gaps_bridged", bridged),) if share else (),
    )


def require_long_enough(window: Window, sensor_average: Fraction | None) -> None:
    """Passes unless the sensor averages, and the window holds fewer than thirty of its averages.

    Raises:
        Refused: run_too_short_for_sensor.
    """
    if sensor_average is not None and window.seconds < FEWEST_SENSOR_WINDOWS * sensor_average:
        raise Refused(
            "run_too_short_for_sensor",
            f"The sensor averages over {float(sensor_average):g} s, and the window has {float(window.seconds):g} s.",
            f"Measure at least {float(FEWEST_SENSOR_WINDOWS * sensor_average):g} s, or read an energy counter.",
        )


def gap_share(samples: PowerSamples, window: Window) -> Fraction:
    """The share of the window between samples that are further apart than 2.5 times the median.

    Raises:
        Refused: window_not_covered.
    """
    return sum((piece for _, piece in gaps(samples, window)), Fraction(0)) / window.seconds


def gaps(samples: PowerSamples, window: Window) -> tuple[tuple[Fraction, Fraction], ...]:
    """Each distance beyond 2.5 times the median between samples around the window, and how much of it lies inside.

    Raises:
        Refused: window_not_covered.
    """
    first, last = span(samples, window)
    limit = samples.gap
    return tuple(
        (later - earlier, min(later, window.end) - max(earlier, window.start))
        for earlier, later in pairwise(samples.times[first : last + 1])
        if later - earlier > limit
    )


def _gaps_in_words(samples: PowerSamples, window: Window) -> str:
    long = [distance for distance, _ in gaps(samples, window)]
    return f"gaps between samples ({len(long)}, the longest of {float(max(long)):.6g} s)"


def require_cover(what: str, first: Fraction, last: Fraction, window: Window) -> None:
    """Passes when what was read from `first` to `last` covers the window.

    Raises:
        Refused: window_not_covered, with the seconds that are not covered.
    """
    late, early = max(first - window.start, Fraction(0)), max(window.end - last, Fraction(0))
    if late or early:
        missing = min(late, window.seconds) + min(early, window.seconds)
        raise Refused(
            "window_not_covered",
            f"The {what} begin {float(late):.6g} s after the window begins and end {float(early):.6g} s before it "
            f"ends: {float(min(missing, window.seconds)):.6g} of its {float(window.seconds):.6g} s are not covered.",
            "Sample from before the start of the window until after its end.",
        )


def span(samples: PowerSamples, window: Window) -> tuple[int, int]:
    """The indices of the last sample at or before the window, and of the first at or after it.

    Raises:
        Refused: window_not_covered.
    """
    require_cover("samples", samples.times[0], samples.times[-1], window)
    return bisect_right(samples.times, window.start) - 1, bisect_left(samples.times, window.end)


def aliasing(load_period: Exact, sampling_period: Exact) -> Notice | None:
    """A notice when samples meet the load at the same phases again and again: the error is then the same in all runs.

    That is so when one period is within a tenth of a cycle of a whole multiple of the other; both in seconds.

    Raises:
        Refused: not_positive, not_a_number, not_finite.
    """
    shorter, longer = sorted((parse_exact(load_period), parse_exact(sampling_period)))
    if shorter <= 0:
        raise Refused("not_positive", "A period is longer than nothing.", "Give both periods in seconds.")
    ratio = longer / shorter
    if abs(ratio - math.floor(ratio + Fraction(1, 2))) > NEAR_INTEGER:
        return None
    return Notice(
        "aliasing",
        f"The periods of load and sampling stand {float(ratio):.4g} to 1: power may be sampled at the same phases in "
        "every run, and no interval over runs shows it. Jitter the sampling, or read an energy counter.",
    )
