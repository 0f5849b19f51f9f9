"""Whether a run kept up with the rate at which requests were offered, or fell behind it and was saturated.

Requests arrive at random: the time in which n of them arrive varies, so a run that took a little longer than n / rate
has not fallen behind. One that took longer than chance allows has, when its requests waited besides: a run ends with
its slowest request, and a short run of long requests takes longer without being saturated.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

import scipy.special

from analysis.inputs import LabelledRun
from analysis.series import NS
from analysis.told import numbers

Load = Literal["kept up", "fell behind", "cannot be told"]

CHANCE: Final = 0.001
"""How often a run that keeps up may take so long by the chance of the arrivals alone."""
WAITED: Final = 1 / 8
"""The part of the excess that the mean wait must reach; in a queue that grows to the end it is nearly half of it."""
HELD_BACK: Final = 4
"""So many times as long as a request must the excess last, where the client held requests back."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What was offered to a run, and in which time it was served. burstiness: of the gaps, 1 for Poisson arrivals."""

    rate: float
    requests: int
    seconds: float
    burstiness: float = 1.0

    @property
    def excess(self) -> float:
        """How much longer it took than its requests take to arrive, in seconds."""
        return self.seconds - self.requests / self.rate

    @property
    def chance(self) -> float:
        """How often its requests take so long to arrive, or longer: gaps are gamma distributed.

        Arrivals that are steadier than Poisson's are judged like them, because the end of a run is no chance.
        """
        shape = min(self.burstiness, 1.0)
        return float(scipy.special.gammaincc(shape * self.requests, shape * self.rate * self.seconds))


def load_of(run: LabelledRun) -> Load | None:
    """How the run stood to the rate that was offered to it; None without a rate, a window or a count of requests."""
    offer = offer_of(run)
    if offer is None:
        return None
    if offer.chance >= CHANCE:
        return "kept up"
    return "fell behind" if _waited(run, offer) else "cannot be told"


def offer_of(run: LabelledRun) -> Offer | None:
    """What was offered; None when the run does not say it."""
    rate, seconds = offered_rate(run), seconds_of(run)
    requests = max(int(_number(run, "requests_completed") or 0), run.run.attempted or 0)
    if rate is None or seconds is None or not requests:
        return None
    return Offer(float(rate), requests, float(seconds), float(_number(run, "burstiness") or 1))


def _waited(run: LabelledRun, offer: Offer) -> bool:
    """Whether its requests waited, in the server or in the client."""
    first, shortest = _of_requests(run, "ttft", "mean"), _of_requests(run, "ttft", "min")
    if first is not None and first - (shortest or 0.0) >= WAITED * offer.excess:
        return True
    whole = _of_requests(run, "e2e_latency", "mean")
    held_back = _number(run, "max_concurrency") is not None
    return held_back and whole is not None and offer.excess >= HELD_BACK * whole


def _of_requests(run: LabelledRun, metric: str, stat: str) -> float | None:
    """The mean or the least over the requests of a run, from its raw rows or as the tool has it."""
    rows = run.reading.of_run(run.run.key).only(metric=metric, phase="measured", stage="").measured()
    raw = rows.only(kind="raw", stat="value").values
    if raw.size:
        return float(raw.min() if stat == "min" else raw.mean())
    told = rows.only(kind="aggregate", stat=stat).values
    return float(told[0]) if told.size else None


def _number(run: LabelledRun, name: str) -> Fraction | None:
    """A setting of the run that is one number above 0."""
    found = numbers(s.value for s in run.reading.settings_of(run.run.key) if s.name == name)
    return found[0] if found and len(found) == 1 and found[0] > 0 else None


def offered_rate(run: LabelledRun) -> Fraction | None:
    """The rate at which requests were offered; None when it is not stated, or no rate bounded them."""
    return _number(run, "request_rate")


def achieved_rate(run: LabelledRun) -> Fraction | None:
    """Requests completed per second of the window, when the run states both."""
    seconds = seconds_of(run)
    done = numbers(s.value for s in run.reading.settings_of(run.run.key) if s.name == "requests_completed")
    return done[0] / seconds if seconds is not None and done and len(done) == 1 else None


def seconds_of(run: LabelledRun) -> Fraction | None:
    """How long the run was observed: as its file states it, else from its start to its end."""
    stated = [s.value for s in run.reading.settings_of(run.run.key) if s.name == "duration" and s.unit == "s"]
    found = numbers(stated)
    if found and len(found) == 1 and found[0] > 0:
        return found[0]
    start, end = run.run.started_ns, run.run.ended_ns
    return Fraction(end - start, NS) if start is not None and end is not None and end > start else None
