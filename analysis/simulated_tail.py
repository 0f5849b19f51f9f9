"""The tail of a batch policy at one arrival rate, by simulation: repeated, with what the sweep leaves open.

Each replication has fresh arrivals and service times drawn from what the runs of the sweep leave open. The spread of
its results is then that of the answer itself, so the interval is one of another replication, and not of their mean.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.random import Generator

from analysis.arrivals import Traffic
from analysis.batch_costs import BatchCosts, capacity
from analysis.batcher import BatchPolicy, Served, simulate_batcher
from analysis.errors import Refused
from analysis.procedures import mean, t_quantile
from analysis.quantile import nearest_rank
from analysis.table import Floats

FEWEST_REPLICATIONS: Final = 5
FEWEST_REQUESTS: Final = 2000
WARMUP: Final = Fraction(5, 100)
SATURATION: Final = 0.98
TAIL: Final = Fraction(99, 100)
METHOD: Final = "replications_log_t"


@dataclass(frozen=True, slots=True)
class Server:
    """What serves: seconds of a batch, joules of a batch (None when not measured), watts when idle, how many."""

    seconds: BatchCosts
    joules: BatchCosts | None = None
    idle_watts: float = 0.0
    servers: int = 1


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is simulated: requests of each replication, replications, and the seed of all randomness."""

    requests: int = 20_000
    replications: int = FEWEST_REPLICATIONS
    seed: int = 1


@dataclass(frozen=True, slots=True)
class SimulatedTail:
    """The p99 latency of a policy at a rate, in seconds.

    value: geometric mean over replications. lo, hi: two-sided interval at `confidence`.
    load: of the capacity. mean_batch, busy_share, busy_seconds (of a server, per request) and joules (per request, None
        when not measured) are means over replications.
    sweep_spread: whether the service times were drawn, because the sweep has several runs of each size.
    """

    value: float
    lo: float
    hi: float
    confidence: float
    load: float
    mean_batch: float
    busy_share: float
    busy_seconds: float
    joules: float | None
    replications: int
    requests: int
    sweep_spread: bool
    method: str = METHOD


def simulate_tail(
    server: Server, policy: BatchPolicy, traffic: Traffic, rate: float, effort: Effort, *, confidence: float = 0.95
) -> SimulatedTail:
    """The p99 latency and the cost of a policy at a mean rate of arrivals per second.

    Raises:
        Refused: unstable, batch_outside_sweep, too_few_replications, bad_policy, bad_traffic.
    """
    _check(effort)
    typical = server.seconds.table(policy.max_batch)
    load = rate / capacity(typical, server.servers)
    if load >= SATURATION:
        raise Refused(
            "unstable",
            f"{rate:g} requests per second are {100 * load:.4g} % of what {policy.said} can serve: "
            "the p99 grows with the length of the simulation and is no property of the policy.",
            f"Stay below {100 * SATURATION:g} %, or allow a larger batch.",
        )
    seeds = np.random.SeedSequence(effort.seed).spawn(effort.replications)
    runs = [_replicate(server, policy, traffic, rate, effort.requests, np.random.default_rng(seed)) for seed in seeds]
    logs = [math.log(run.tail) for run in runs]
    centre = mean(logs)
    spread = float(np.std(logs, ddof=1)) * math.sqrt(1 + 1 / len(logs)) * t_quantile(len(logs) - 1, confidence)
    joules = [run.joules for run in runs if run.joules is not None]
    return SimulatedTail(
        value=math.exp(centre),
        lo=math.exp(centre - spread),
        hi=math.exp(centre + spread),
        confidence=confidence,
        load=load,
        mean_batch=mean([run.mean_batch for run in runs]),
        busy_share=mean([run.busy_share for run in runs]),
        busy_seconds=mean([run.busy_seconds for run in runs]),
        joules=mean(joules) if joules else None,
        replications=len(runs),
        requests=runs[0].requests,
        sweep_spread=all(cost.se is not None for cost in server.seconds.costs),
    )


@dataclass(frozen=True, slots=True)
class _Replication:
    tail: float
    mean_batch: float
    busy_share: float
    busy_seconds: float
    joules: float | None
    requests: int


def _check(effort: Effort) -> None:
    if effort.replications < FEWEST_REPLICATIONS or effort.requests < FEWEST_REQUESTS:
        raise Refused(
            "too_few_replications",
            f"{effort.replications} replications of {effort.requests} requests say too little of a tail.",
            f"Simulate at least {FEWEST_REPLICATIONS} replications of {FEWEST_REQUESTS} requests.",
        )


def _replicate(
    server: Server, policy: BatchPolicy, traffic: Traffic, rate: float, requests: int, rng: Generator
) -> _Replication:
    arrivals = traffic.at(rate, requests, rng)
    service = server.seconds.drawn(policy.max_batch, rng)
    served = simulate_batcher(arrivals, service, policy, servers=server.servers)
    busy = float(service[served.sizes - 1].sum())
    span = float(served.finished.max() - arrivals[0]) * server.servers
    joules = None
    if server.joules is not None:
        drawn = server.joules.drawn(policy.max_batch, rng)
        joules = (float(drawn[served.sizes - 1].sum()) + server.idle_watts * (span - busy)) / arrivals.size
    return _Replication(
        tail=steady_tail(served),
        mean_batch=arrivals.size / served.sizes.size,
        busy_share=busy / span,
        busy_seconds=busy / arrivals.size,
        joules=joules,
        requests=arrivals.size,
    )


def steady_tail(served: Served) -> float:
    """The p99 by nearest rank of the requests after the first 5 %."""
    return nearest_rank(after_warmup(served.latencies), TAIL)


def after_warmup(latencies: Floats | Sequence[float]) -> Floats:
    """The latencies without the first 5 %, in which the queue still fills."""
    values = np.asarray(latencies, dtype=np.float64)
    return values[values.size * WARMUP.numerator // WARMUP.denominator :]
