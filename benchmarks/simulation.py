"""The simulated batcher: its speed on one core, its distance from exact queueing theory, and how often bounds hold."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator, default_rng

from analysis import batcher
from analysis.arrivals import Traffic, poisson_arrivals
from analysis.batch_costs import batch_costs
from analysis.batcher import BatchPolicy, simulate_batcher
from analysis.queue_theory import bulk_time, md1_time, mg1_time, mmc_time
from analysis.simulated_tail import Effort, Server, simulate_tail, steady_tail
from analysis.slo import slo_check
from analysis.table import Floats
from benchmarks.ratio import Said

SEED: Final = 20280
REQUESTS: Final = 1_000_000
ONE: Final = np.ones(1)
LEAST_COVERAGE: Final = 0.93
MOST_FALSE: Final = 0.05


def affine(largest: int, fixed: float = 0.010, each: float = 0.002) -> Floats:
    """Seconds of batches of 1, 2, …, largest."""
    return np.asarray(fixed + each * np.arange(1, largest + 1), dtype=np.float64)


def measure(*, quick: bool) -> Iterator[Said]:
    """Lines of speed, of theory, and of coverage and false "feasible"; each is held to its budget."""
    yield from _speed()
    yield from _theory(400_000 if quick else 4_000_000)
    yield from _coverage(60 if quick else 1000)
    yield from _false(2000 if quick else 20_000)


@dataclass(frozen=True, slots=True)
class Load:
    """What is served, and the fewest requests per second that it must be served at on one core, without numba."""

    name: str
    rate: float
    service: Floats
    wait: float
    least: float


LOADS: Final = (
    Load("batch 1", 20.0, affine(1), 0.0, 1.5e6),
    Load("mean batch 3.5", 200.0, affine(16), 0.005, 0.0),
    Load("mean batch 20", 1540.0, affine(64, each=0.0002), 0.0, 10e6),
)


def _speed() -> Iterator[Said]:
    """The best of seven, of a million requests; only the plain loop has a budget."""
    compiled = batcher.compiled
    for load in LOADS:
        arrivals = poisson_arrivals(load.rate, REQUESTS, default_rng(SEED))
        for name, loop in (("plain", _nothing), ("numba", compiled)):
            if name == "numba" and loop() is None:
                continue
            batcher.compiled = loop
            try:
                pace, mean = _pace(arrivals, load)
            finally:
                batcher.compiled = compiled
            held = name == "numba" or pace >= load.least
            yield Said(f"{load.name}, {name}: {pace / 1e6:.2f} M requests/s at a mean batch of {mean:.1f}", held)


def _pace(arrivals: Floats, load: Load) -> tuple[float, float]:
    """Requests per second of one core's time, so that neighbours disturb less, and the mean batch."""
    policy = BatchPolicy(load.service.size, load.wait)
    served = simulate_batcher(arrivals, load.service, policy)
    took = math.inf
    for _ in range(7):
        start = time.process_time()
        simulate_batcher(arrivals, load.service, policy)
        took = min(took, time.process_time() - start)
    return arrivals.size / took, arrivals.size / served.sizes.size


def _nothing() -> None:
    """In place of the compiled loop."""


def _exponential(rng: Generator, n: int) -> Floats:
    return rng.exponential(size=n)


def _lognormal(rng: Generator, n: int) -> Floats:
    return rng.lognormal(-math.log(5) / 2, math.sqrt(math.log(5)), n)


Noise = Callable[[Generator, int], Floats] | None
QUEUES: Final[tuple[tuple[str, float, Floats, int, Noise, float], ...]] = (
    ("M/D/1 .3", 0.3, ONE, 1, None, md1_time(0.3, 1)),
    ("M/D/1 .9", 0.9, ONE, 1, None, md1_time(0.9, 1)),
    ("M/M/1 .5", 0.5, ONE, 1, _exponential, 2.0),
    ("M/G/1 .6", 0.6, ONE, 1, _lognormal, mg1_time(0.6, 1, 4)),
    ("M/M/4 .8", 3.2, ONE, 4, _exponential, mmc_time(3.2, 1, 4)),
    ("bulk 4 .9", 3.6, np.ones(4), 1, None, bulk_time(3.6, np.ones(4))),
    ("bulk 16 .8", 12.8, np.ones(16), 1, None, bulk_time(12.8, np.ones(16))),
    ("affine 45", 45.0, affine(1000, 0.1, 0.02), 1, None, bulk_time(45.0, affine(1000, 0.1, 0.02))),
)


def _theory(requests: int) -> Iterator[Said]:
    """Means within three standard errors, from 20 parts of the run, or 1 %."""
    for name, rate, service, servers, noise, exact in QUEUES:
        rng = default_rng(SEED)
        arrivals = poisson_arrivals(rate, requests, rng)
        factors = None if noise is None else noise(rng, requests)
        served = simulate_batcher(arrivals, service, BatchPolicy(service.size, 0.0), servers=servers, noise=factors)
        parts = np.array([part.mean() for part in np.array_split(served.latencies[requests // 20 :], 20)])
        mean, error = float(parts.mean()), float(parts.std(ddof=1)) / math.sqrt(20)
        held = abs(mean - exact) <= max(3 * error, 0.01 * exact)
        yield Said(f"{name:11} simulated {mean:.4f} ± {error:.4f}, exact {exact:.4f}", held)


def _coverage(sweeps: int) -> Iterator[Said]:
    """How often the interval of a simulated p99 holds that of the true service times."""
    policy, times = BatchPolicy(16, 0.005), affine(16)
    truth = steady_tail(simulate_batcher(poisson_arrivals(200.0, 4_000_000, default_rng(SEED)), times, policy))
    for runs, spread in ((3, 0.02), (3, 0.05), (5, 0.05), (10, 0.02)):
        rng, inside = default_rng(SEED + runs), 0
        for seed in range(sweeps):
            measured = {b: list(times[b - 1] * np.exp(spread * rng.standard_normal(runs))) for b in (1, 2, 4, 8, 16)}
            tail = simulate_tail(
                Server(batch_costs(measured)), policy, Traffic("poisson"), 200.0, Effort(5000, 5, seed)
            )
            inside += tail.lo <= truth <= tail.hi
        share = inside / sweeps
        slack = 3 * math.sqrt(LEAST_COVERAGE * (1 - LEAST_COVERAGE) / sweeps)
        yield Said(f"p99 interval, {runs} runs, spread {spread:g}: covers {share:.3f}", share >= LEAST_COVERAGE - slack)


def _false(points: int) -> Iterator[Said]:
    """How often a point whose typical p99 is exactly at the limit is called feasible."""
    for runs, spread in ((3, 0.05), (5, 0.05), (10, 0.2)):
        rng = default_rng(SEED + runs)
        passed = sum(
            slo_check(
                np.exp(spread * rng.standard_normal(runs)).tolist(), 1.0, better="lower", confidence=0.95, unit="s",
                scope="this placement only",
            ).outcome
            == "pass"
            for _ in range(points)
        )  # fmt: skip
        share, slack = passed / points, 3 * math.sqrt(MOST_FALSE * (1 - MOST_FALSE) / points)
        yield Said(f"at the limit, {runs} runs, spread {spread:g}: feasible {share:.4f}", share <= MOST_FALSE + slack)
