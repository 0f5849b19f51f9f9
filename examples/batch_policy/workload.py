"""One run of a small batch-inference server that really computes: a dense network behind a first-come batcher.

A process is a run, on one core. Phase 1 answers a queue that is full from its first moment: its rate is the
throughput. Phase 2 answers requests that arrive at random (Poisson) in real time: a latency counts from the moment
when a request was due, however late the server noticed it. Both phases use the same batcher and the same network.
"""

import argparse
import hashlib
import json
import os
import platform
import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

SEED: Final = 20260
WIDTHS: Final = (512, 2048, 2048, 512)
DISTINCT_INPUTS: Final = 1024
SATURATED_REQUESTS: Final = 1024
TIMED_REQUESTS: Final = 1100
RATE_PER_S: Final = 1000
MAX_WAIT_NS: Final = 2_000_000
CHECKED_ANSWERS: Final = 256
POWER_COUNTERS: Final = ("class/powercap/*/energy_uj", "class/hwmon/*/power*_input", "class/hwmon/*/energy*_input")

Floats = NDArray[np.float32]


class Clock(Protocol):
    """Time in nanoseconds."""

    def now(self) -> int: ...

    def wait_until(self, moment: int) -> None: ...


class RealClock:
    """The clock of this machine: sleeps while the moment is far, then looks again and again."""

    def now(self) -> int:
        return time.perf_counter_ns()

    def wait_until(self, moment: int) -> None:
        while (left := moment - self.now()) > 0:
            if left > 500_000:
                time.sleep((left - 300_000) / 1e9)


@dataclass(frozen=True, slots=True)
class Policy:
    """At most `max_batch` requests together; the first of a batch waits at most `max_wait_ns` for others."""

    max_batch: int
    max_wait_ns: int


def dispatch_moment(arrivals: Sequence[int], head: int, free: int, policy: Policy) -> int:
    """When the batch that starts at `head` leaves: the server is free, and the batch full or out of patience."""
    out_of_patience = arrivals[head] + policy.max_wait_ns
    last = head + policy.max_batch - 1
    ready = min(arrivals[last], out_of_patience) if last < len(arrivals) else out_of_patience
    return max(free, ready)


def batch_size(arrivals: Sequence[int], head: int, moment: int, policy: Policy) -> int:
    """How many requests, from `head` on, have arrived by `moment` and fit into one batch."""
    limit = min(head + policy.max_batch, len(arrivals))
    return bisect_right(arrivals, moment, head, limit) - head


def serve(arrivals: Sequence[int], policy: Policy, clock: Clock, answer: Callable[[int, int], None]) -> list[int]:
    """The moment at which each request was answered, in their order. `arrivals` ascend, on the clock's scale.

    answer: computes the batch of (first request, number of requests).
    """
    finished: list[int] = []
    while (head := len(finished)) < len(arrivals):
        clock.wait_until(dispatch_moment(arrivals, head, clock.now(), policy))
        size = batch_size(arrivals, head, clock.now(), policy)
        answer(head, size)
        finished += [clock.now()] * size
    return finished


class Network:
    """A dense network with fixed weights and fixed inputs, in float32; about 25 MB of weights."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self._weights = [
            (rng.standard_normal(shape, dtype=np.float32) * np.float32((2 / shape[0]) ** 0.5))
            for shape in pairwise(WIDTHS)
        ]
        self._inputs = rng.standard_normal((DISTINCT_INPUTS, WIDTHS[0]), dtype=np.float32)

    def outputs(self, first: int, size: int) -> Floats:
        """The outputs of `size` requests from `first` on, computed as one batch; shape (size, 512)."""
        values = self._inputs[np.arange(first, first + size) % DISTINCT_INPUTS]
        for weight in self._weights[:-1]:
            values = np.maximum(values @ weight, 0)
        return values @ self._weights[-1]

    def answer(self, first: int, size: int) -> None:
        """Computes a batch and drops its outputs."""
        self.outputs(first, size)


def equal_answers(network: Network, max_batch: int) -> int:
    """How many of the first 256 requests get the same answer (largest output) in batches as one by one."""
    alone = [int(network.outputs(i, 1).argmax()) for i in range(CHECKED_ANSWERS)]
    together: list[int] = []
    for first in range(0, CHECKED_ANSWERS, max_batch):
        together += network.outputs(first, max_batch).argmax(axis=1).tolist()
    return sum(a == b for a, b in zip(alone, together, strict=True))


def poisson_arrivals(stream: int) -> list[int]:
    """Arrival moments in nanoseconds after the start: seeded by (SEED, stream), RATE_PER_S a second on average."""
    gaps = np.random.default_rng([SEED, stream]).exponential(1e9 / RATE_PER_S, TIMED_REQUESTS)
    return [int(moment) for moment in np.cumsum(gaps)]


def saturated_throughput(network: Network, policy: Policy, clock: Clock) -> float:
    """Requests a second while the queue is never empty."""
    start = clock.now()
    finished = serve([start] * SATURATED_REQUESTS, policy, clock, network.answer)
    return SATURATED_REQUESTS / ((finished[-1] - start) / 1e9)


def timed_latencies(network: Network, policy: Policy, clock: Clock, stream: int) -> list[int]:
    """Microseconds from due arrival to answer of each request, in the order of arrival."""
    start = clock.now()
    arrivals = [start + moment for moment in poisson_arrivals(stream)]
    finished = serve(arrivals, policy, clock, network.answer)
    return [(end - due) // 1000 for end, due in zip(finished, arrivals, strict=True)]


def energy_reason() -> str:
    """Why energy is null, after looking for a counter that the system shows."""
    found = any(True for pattern in POWER_COUNTERS for _ in Path("/sys").glob(pattern))
    return (
        "a power counter is there, but this workload does not read it"
        if found
        else "this machine shows no power counter"
    )


def processor() -> str:
    """The processor's model as the system names it, or its architecture."""
    table = Path("/proc/cpuinfo")
    lines = table.read_text().splitlines() if table.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def settings(max_batch: int, checked: int) -> dict[str, str | int]:
    """All that this run states about how it was done; two runs under different policies differ in `max_batch` alone."""
    return {
        "model": f"dense network {'-'.join(map(str, WIDTHS))}, fixed weights",
        "dataset": f"{DISTINCT_INPUTS} fixed inputs of {WIDTHS[0]} numbers, in turn",
        "precision": "float32",
        "batch_policy": "first come first served, one server",
        "max_batch": max_batch,
        "max_wait_us": MAX_WAIT_NS // 1000,
        "saturated_phase_requests": SATURATED_REQUESTS,
        "latency_phase_requests": TIMED_REQUESTS,
        "latency_phase_rate": f"{RATE_PER_S}/s",
        "seed": SEED,
        "answers_equal_to_one_by_one": f"{checked} of {CHECKED_ANSWERS}",
        "blas_threads": os.environ["OPENBLAS_NUM_THREADS"],
        "numpy": np.__version__,
        "python": platform.python_version(),
        "cpu": processor(),
    }


def measurements(throughput: float, latencies_us: Sequence[int]) -> list[dict[str, object]]:
    """The three measurements of a run; energy is there, and says why it has no value."""
    return [
        {"metric": "throughput", "unit": "1/s", "stat": "rate", "value": round(throughput, 3), "n": SATURATED_REQUESTS},
        {"metric": "e2e_latency", "unit": "us", "values": list(latencies_us)},
        {"metric": "energy_per_request", "unit": "J", "stat": "mean", "value": None, "reason": energy_reason()},
    ]


def one_run(max_batch: int, stream: int) -> Mapping[str, object]:
    """A whole run, without the label and the identity that its recorder gives it."""
    network, policy, clock = Network(SEED), Policy(max_batch, MAX_WAIT_NS), RealClock()
    checked = equal_answers(network, max_batch)
    started_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    throughput = saturated_throughput(network, policy, clock)
    latencies = timed_latencies(network, policy, clock, stream)
    requests = SATURATED_REQUESTS + TIMED_REQUESTS
    return {
        "status": "completed",
        "started_at": started_at,
        "attempted": requests,
        "failed": 0,
        "settings": settings(max_batch, checked),
        "work": {"requests_completed": requests, "output_tokens": 0},
        "identity": {"stream": str(stream), "workload_sha256": hashlib.sha256(Path(__file__).read_bytes()).hexdigest()},
        "measurements": measurements(throughput, latencies),
    }


def main() -> int:
    """Prints a run as JSON; 2 when the number of BLAS threads was not set before numpy was loaded."""
    parser = argparse.ArgumentParser(description="one run of the batch-inference workload, as JSON")
    parser.add_argument("--max-batch", type=int, required=True)
    parser.add_argument(
        "--stream", type=int, required=True, help="number of the arrival stream; equal streams arrive alike"
    )
    given = parser.parse_args()
    if "OPENBLAS_NUM_THREADS" not in os.environ:
        print("set OPENBLAS_NUM_THREADS=1 first: the run states how many threads it used", file=sys.stderr)
        return 2
    json.dump(one_run(given.max_batch, given.stream), sys.stdout, separators=(",", ":"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
