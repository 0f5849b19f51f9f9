"""The batcher of the example's workload on a clock that only moves when it is told to."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from examples.batch_policy import workload
from examples.batch_policy.workload import Policy, serve

MS = 1_000_000
S = 1_000_000_000
ARRIVALS = (0, S, 1500 * MS, 2 * S, 9 * S, 9100 * MS)
SERVICE = {1: S, 2: 1200 * MS, 3: 1400 * MS, 4: 1600 * MS}


class ToyClock:
    """Stands still, except while it waits and while the server works."""

    def __init__(self) -> None:
        self.time = 0

    def now(self) -> int:
        return self.time

    def wait_until(self, moment: int) -> None:
        self.time = max(self.time, moment)


def served(arrivals: Sequence[int], policy: Policy, service: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """(latencies, batch sizes) of a server that takes service[b] for a batch of b."""
    clock, sizes = ToyClock(), list[int]()

    def answer(_first: int, size: int) -> None:
        sizes.append(size)
        clock.time += service[size]

    finished = serve(arrivals, policy, clock, answer)
    return [end - due for end, due in zip(finished, arrivals, strict=True)], sizes


def test_a_batch_of_two_leaves_when_full_or_out_of_patience() -> None:
    latencies, sizes = served(ARRIVALS, Policy(2, 500 * MS), SERVICE)

    assert latencies == [1500 * MS, 1700 * MS, 1200 * MS, 1700 * MS, 1300 * MS, 1200 * MS]
    assert sorted(sizes) == [1, 1, 2, 2]


def test_without_waiting_whatever_is_there_is_served() -> None:
    latencies, sizes = served(ARRIVALS, Policy(4, 0), SERVICE)

    assert latencies == [S, S, 1700 * MS, 1200 * MS, S, 1900 * MS]
    assert sorted(sizes) == [1, 1, 1, 1, 2]


def test_a_lonely_request_waits_out_its_patience() -> None:
    latencies, _ = served([0, 100 * S, 200 * S], Policy(8, 3 * MS), SERVICE)

    assert latencies == [3 * MS + SERVICE[1]] * 3


def test_a_full_queue_is_served_in_full_batches() -> None:
    _, sizes = served([0] * 8, Policy(4, 500 * MS), SERVICE)

    assert sizes == [4, 4]


def test_the_saturated_phase_counts_requests_over_the_time_that_they_took(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ToyClock()

    class Slow:
        def answer(self, _first: int, _size: int) -> None:
            clock.time += 10 * MS

    monkeypatch.setattr(workload, "SATURATED_REQUESTS", 32)

    assert workload.saturated_throughput(Slow(), Policy(16, 0), clock) == pytest.approx(32 / 0.020)  # type: ignore[arg-type]


def test_a_latency_counts_from_the_due_arrival_and_is_in_microseconds() -> None:
    clock = ToyClock()

    class Slow:
        def answer(self, _first: int, _size: int) -> None:
            clock.time += 7 * MS

    latencies = workload.timed_latencies(Slow(), Policy(10_000, 10**12), clock, 1)  # type: ignore[arg-type]
    arrivals = workload.poisson_arrivals(1)

    assert latencies[0] == (arrivals[0] + 10**12 + 7 * MS - arrivals[0]) // 1000
    assert latencies[0] - latencies[-1] == pytest.approx((arrivals[-1] - arrivals[0]) / 1000, abs=1)


def test_equal_streams_arrive_alike_and_others_do_not() -> None:
    assert workload.poisson_arrivals(3) == workload.poisson_arrivals(3)
    assert workload.poisson_arrivals(3) != workload.poisson_arrivals(4)


def test_arrivals_come_at_the_stated_rate() -> None:
    arrivals = workload.poisson_arrivals(1)

    assert arrivals == sorted(arrivals)
    assert len(arrivals) / (arrivals[-1] / S) == pytest.approx(workload.RATE_PER_S, rel=0.1)


def test_the_network_gives_the_same_answers_in_batches_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workload, "WIDTHS", (32, 64, 64, 32))
    network = workload.Network(7)

    assert workload.equal_answers(network, 16) == workload.CHECKED_ANSWERS


def test_a_network_that_answers_otherwise_in_batches_is_counted() -> None:
    class Odd(workload.Network):
        def __init__(self) -> None:
            pass

        def outputs(self, first: int, size: int) -> workload.Floats:
            right = np.eye(4, dtype=np.float32)[np.arange(first, first + size) % 4]
            return right if size == 1 else np.roll(right, 1, axis=1)

    assert workload.equal_answers(Odd(), 16) == 0


def test_a_run_without_a_stated_number_of_threads_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr("sys.argv", ["workload", "--max-batch", "4", "--stream", "1"])

    assert workload.main() == 2
    assert "OPENBLAS_NUM_THREADS=1" in capsys.readouterr().err


def test_two_policies_state_the_same_settings_but_for_the_greatest_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    small, large = workload.settings(4, 256), workload.settings(16, 256)

    assert {name for name in small if small[name] != large[name]} == {"max_batch"}
