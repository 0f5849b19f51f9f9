"""A first-come batcher: requests wait until a server is free and the batch is full, or the first has waited enough.

The loop goes over batches, not over requests. Where numba is installed the same loop is compiled, with the same result.
"""

import heapq
import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.errors import Refused
from analysis.table import Floats

ONCE: Final = np.ones(1)
Sizes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BatchPolicy:
    """At most max_batch requests at once; the first of a batch waits at most max_wait seconds for others."""

    max_batch: int
    max_wait: float

    @property
    def said(self) -> str:
        """The policy in words."""
        return f"at most {self.max_batch} at once, wait {1000 * self.max_wait:g} ms"


@dataclass(frozen=True, slots=True)
class Served:
    """What became of every request and every batch, in their order. latencies, finished: seconds. sizes: of batches."""

    latencies: Floats
    sizes: Sizes
    finished: Floats

    @property
    def histogram(self) -> Sizes:
        """How many batches were of 1, 2, … requests."""
        return np.bincount(self.sizes)[1:]


def simulate_batcher(
    arrivals: Floats, service: Floats, policy: BatchPolicy, *, servers: int = 1, noise: Floats | None = None
) -> Served:
    """Serves the arrivals in their order.

    Args:
        arrivals: rising times in seconds. service: seconds of a batch of 1, 2, …, max_batch.
        noise: factors of the service times of the batches, in their order; none for exact ones.

    Raises:
        Refused: bad_policy, bad_traffic.
    """
    _check(arrivals, service, policy, servers)
    loop = compiled() if servers == 1 else None
    if loop is not None:
        factors = ONCE if noise is None else noise
        finished, ends = loop(arrivals, service, policy.max_batch, policy.max_wait, factors)
    elif servers == 1:
        finished, ends = _one_server(arrivals, service, policy, noise)
    else:
        finished, ends = _many_servers(arrivals, service, policy, servers, noise)
    sizes = np.diff(ends, prepend=0)
    return Served(np.repeat(finished, sizes) - arrivals, sizes, finished)


def _check(arrivals: Floats, service: Floats, policy: BatchPolicy, servers: int) -> None:
    if not (policy.max_batch >= 1 and 0 <= policy.max_wait < math.inf and servers >= 1):
        raise Refused(
            "bad_policy",
            f"{servers} server(s) that take {policy.said} serve nobody.",
            "Give at least one server, a batch of at least 1, and a wait of 0 or longer.",
        )
    if service.size < policy.max_batch:
        raise Refused(
            "batch_outside_sweep",
            f"A batch of {policy.max_batch} has no service time: the longest known is of {service.size}.",
            "Measure the greatest batch of the policy: nothing is extrapolated.",
        )
    if not arrivals.size or not np.isfinite(arrivals).all() or (np.diff(arrivals) < 0).any():
        raise Refused("bad_traffic", "Requests arrive at finite times that do not fall.", "Sort the arrivals.")


def _one_server(arrivals: Floats, service: Floats, policy: BatchPolicy, noise: Floats | None) -> tuple[Floats, Sizes]:
    """When each batch is finished, and at which request it ends."""
    max_batch, wait, n = policy.max_batch, policy.max_wait, arrivals.size
    at = [*arrivals.tolist(), *([math.inf] * max_batch)]
    seconds = [0.0, *service.tolist()]
    factors = None if noise is None else noise.tolist()
    finished: list[float] = []
    ends: list[int] = []
    finish, end = finished.append, ends.append
    first, last, free = 0, max_batch - 1, -math.inf
    while first < n:
        start = at[first] + wait
        if at[first + last] < start:
            start = at[first + last]
        if free > start:
            start = free
        after = first + 1
        if last and at[after] <= start:
            after = bisect_right(at, start, after, first + max_batch)
        took = seconds[after - first]
        free = start + (took if factors is None else took * factors[len(ends)])
        finish(free)
        end(after)
        first = after
    return np.array(finished), np.array(ends)


def _many_servers(
    arrivals: Floats, service: Floats, policy: BatchPolicy, servers: int, noise: Floats | None
) -> tuple[Floats, Sizes]:
    """The same with several servers: the one that is free first takes the batch."""
    max_batch, n = policy.max_batch, arrivals.size
    at = [*arrivals.tolist(), *([math.inf] * max_batch)]
    seconds = [0.0, *service.tolist()]
    factors = None if noise is None else noise.tolist()
    free = [-math.inf] * servers
    finished: list[float] = []
    ends: list[int] = []
    first = 0
    while first < n:
        start = max(free[0], min(at[first + max_batch - 1], at[first] + policy.max_wait))
        after = bisect_right(at, start, first + 1, first + max_batch)
        took = seconds[after - first]
        done = start + (took if factors is None else took * factors[len(ends)])
        heapq.heapreplace(free, done)
        finished.append(done)
        ends.append(after)
        first = after
    return np.array(finished), np.array(ends)


Loop = Callable[[Floats, Floats, int, float, Floats], tuple[Floats, Sizes]]
_COMPILED: list[Loop | None] = []


def compiled() -> Loop | None:
    """The loop for one server as machine code, None where numba is not installed."""
    if not _COMPILED:
        _COMPILED.append(_compile())
    return _COMPILED[0]


def _compile() -> Loop | None:
    try:
        import numba  # noqa: PLC0415 - heavy, and optional
    except ImportError:
        return None
    made: Loop = numba.njit(plain_loop)
    return made


def plain_loop(arrivals: Floats, service: Floats, max_batch: int, wait: float, factors: Floats) -> tuple[Floats, Sizes]:
    """What numba compiles: the loop for one server over arrays. factors: of the batches, or one that is 1."""
    n = arrivals.size
    finished = np.empty(n)
    ends = np.empty(n, np.int64)
    count, first, free = 0, 0, -np.inf
    while first < n:
        start = arrivals[first] + wait
        full = first + max_batch - 1
        if full < n and arrivals[full] < start:
            start = arrivals[full]
        start = max(start, free)
        after = first + 1
        limit = min(n, first + max_batch)
        while after < limit and arrivals[after] <= start:
            after += 1
        took = service[after - first - 1]
        free = start + (took if factors.size == 1 else took * factors[count])
        finished[count] = free
        ends[count] = after
        count += 1
        first = after
    return finished[:count].copy(), ends[:count].copy()
