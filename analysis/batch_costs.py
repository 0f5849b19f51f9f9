"""What a batch of b requests costs, in seconds of a server or in joules: between the sizes of a sweep, never beyond."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from analysis.errors import Refused
from analysis.notices import named
from analysis.procedures import ROUNDING, mean, variance
from analysis.table import Floats


@dataclass(frozen=True, slots=True)
class BatchCost:
    """The cost of a full batch of one size over its runs: seconds, or joules.

    typical: geometric mean of the runs. se: standard error of its logarithm, None with a single run. runs: how many.
    """

    size: int
    typical: float
    se: float | None
    runs: int


@dataclass(frozen=True, slots=True)
class BatchCosts:
    """The costs by batch size, the smallest size first."""

    costs: tuple[BatchCost, ...]

    @property
    def largest(self) -> int:
        """The greatest batch that was measured."""
        return self.costs[-1].size

    def table(self, max_batch: int) -> Floats:
        """The typical cost of a batch of 1, 2, …, max_batch, in a straight line between measured sizes.

        Raises:
            Refused: batch_outside_sweep.
        """
        return self._between(max_batch, [cost.typical for cost in self.costs])

    def drawn(self, max_batch: int, rng: Generator) -> Floats:
        """A table that the sweep is as consistent with: each measured cost is drawn from what its runs leave open.

        Raises:
            Refused: batch_outside_sweep.
        """
        return self._between(max_batch, [_draw(cost, rng) for cost in self.costs])

    def _between(self, max_batch: int, typical: Sequence[float]) -> Floats:
        smallest = self.costs[0].size
        if smallest > 1 or not 1 <= max_batch <= self.largest:
            raise Refused(
                "batch_outside_sweep",
                f"Batches of 1 to {max_batch} are served, and the sweep measured {smallest} to {self.largest}.",
                "Measure a batch of 1 and the greatest batch of the policy: nothing is extrapolated.",
            )
        sizes = [cost.size for cost in self.costs]
        return np.interp(np.arange(1, max_batch + 1), sizes, typical)


def capacity(service: Floats, servers: int) -> float:
    """The greatest rate that a table of service times allows: the best b / s(b), for all servers together."""
    return float(servers * (np.arange(1, service.size + 1) / service).max())


def batch_costs(runs_by_size: Mapping[int, Sequence[float]]) -> BatchCosts:
    """The costs of a sweep: by batch size, the seconds or joules of a full batch in each run.

    Raises:
        Refused: no_batch_costs, not_positive.
    """
    bad = [f"{size}" for size, runs in runs_by_size.items() if not runs or not all(0 < one < math.inf for one in runs)]
    if bad:
        raise Refused("not_positive", f"A batch of {named(bad)} has no positive cost.", "Measure it again.")
    if not runs_by_size:
        raise Refused("no_batch_costs", "No batch size has a cost.", "Measure the throughput of full batches.")
    return BatchCosts(tuple(_cost(size, runs_by_size[size]) for size in sorted(runs_by_size)))


def _cost(size: int, runs: Sequence[float]) -> BatchCost:
    logs = [math.log(one) for one in runs]
    se = None
    if len(logs) > 1:
        se = math.sqrt(variance(logs, rounding=ROUNDING * max(abs(x) for x in logs)) / len(logs))
    return BatchCost(size, math.exp(mean(logs)), se, len(logs))


def _draw(cost: BatchCost, rng: Generator) -> float:
    if cost.se is None:
        return cost.typical
    return cost.typical * math.exp(cost.se * rng.standard_t(cost.runs - 1))
