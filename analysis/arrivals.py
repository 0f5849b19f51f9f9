"""When requests arrive, in seconds from the start: at random, in bursts, or as somebody recorded it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from analysis.errors import Refused
from analysis.table import Floats

Pattern = Literal["poisson", "mmpp", "replay"]


@dataclass(frozen=True, slots=True)
class Bursts:
    """Two states of traffic. low, high: rates in each as multiples of the mean rate.

    low_seconds, high_seconds: how long a state lasts on average.
    """

    low: float
    high: float
    low_seconds: float
    high_seconds: float

    @property
    def mean(self) -> float:
        """The mean rate as a multiple of the stated one; 1 when the four numbers fit together."""
        whole = self.low_seconds + self.high_seconds
        return (self.low * self.low_seconds + self.high * self.high_seconds) / whole


@dataclass(frozen=True, slots=True)
class Traffic:
    """A pattern of arrivals that can be had at any mean rate.

    bursts: of a "mmpp". recorded: rising times of a "replay", in seconds; they are scaled in time to meet a rate.
    """

    pattern: Pattern
    bursts: Bursts | None = None
    recorded: tuple[float, ...] = ()

    @property
    def said(self) -> str:
        """The pattern in words."""
        if self.bursts is not None:
            return (
                f"two states of {self.bursts.low:g} and {self.bursts.high:g} times the rate, which last "
                f"{self.bursts.low_seconds:g} s and {self.bursts.high_seconds:g} s on average"
            )
        return f"{len(self.recorded)} recorded times, scaled in time" if self.recorded else "Poisson"

    def at(self, rate: float, requests: int, rng: Generator) -> Floats:
        """Arrivals at a mean rate per second: `requests` of them, or as many as were recorded.

        Raises:
            Refused: bad_traffic.
        """
        if self.bursts is not None:
            scaled = rate / self.bursts.mean
            low, high = self.bursts.low * scaled, self.bursts.high * scaled
            return mmpp2_arrivals(
                (low, high), (1 / self.bursts.low_seconds, 1 / self.bursts.high_seconds), requests, rng
            )
        return replayed(self.recorded, rate) if self.recorded else poisson_arrivals(rate, requests, rng)


def poisson_arrivals(rate: float, requests: int, rng: Generator) -> Floats:
    """Independent arrivals, `rate` per second on average.

    Raises:
        Refused: bad_traffic.
    """
    _require(rate > 0 and requests > 0, f"{requests} requests at {rate:g} per second are no traffic.")
    return np.cumsum(rng.exponential(1 / rate, requests))


def mmpp2_arrivals(rates: tuple[float, float], leaving: tuple[float, float], requests: int, rng: Generator) -> Floats:
    """Poisson arrivals whose rate jumps between two states, started in the long-run share of each state.

    Args:
        rates: of arrivals in the first and the second state. leaving: rates at which each state is left.

    Raises:
        Refused: bad_traffic.
    """
    possible = min(rates) >= 0 and max(rates) > 0 and min(leaving) > 0 and requests > 0
    _require(possible, "Two states need rates that are not negative, one of them above zero, and lasting times.")
    first = int(rng.random() >= leaving[1] / sum(leaving))
    mean_rate = (rates[0] * leaving[1] + rates[1] * leaving[0]) / sum(leaving)
    phases = max(8, int(1.2 * requests / mean_rate / (1 / leaving[0] + 1 / leaving[1])) * 2)
    found: list[Floats] = []
    count, now = 0, 0.0
    while count < requests:
        states = (np.arange(phases) + first) % 2
        lasting = rng.exponential(1 / np.asarray(leaving)[states])
        starts = now + np.concatenate(([0.0], np.cumsum(lasting)))
        counts = rng.poisson(np.asarray(rates)[states] * lasting)
        at = np.repeat(np.arange(phases), counts)
        found.append(np.sort(starts[at] + lasting[at] * rng.random(at.size)))
        count += at.size
        now = float(starts[-1])
    return np.concatenate(found)[:requests]


def replayed(recorded: Sequence[float], rate: float | None = None) -> Floats:
    """Recorded times, from zero; scaled in time to a mean rate, which keeps their pattern and nothing else.

    Raises:
        Refused: bad_traffic.
    """
    times: Floats = np.array(recorded, dtype=np.float64)
    rising = times.size > 1 and bool(np.isfinite(times).all()) and bool((np.diff(times) >= 0).all())
    _require(rising and times[-1] > times[0], "Recorded arrivals are at least two finite times that do not fall.")
    times -= times[0]
    if rate is None:
        return times
    _require(rate > 0, f"{rate:g} per second is no rate.")
    scaled: Floats = times * ((times.size - 1) / times[-1] / rate)
    return scaled


def _require(possible: object, message: str) -> None:
    if not possible:
        raise Refused("bad_traffic", message, "Give a rate above zero, or times in rising order.")
