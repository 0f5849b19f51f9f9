"""The batcher: worked cases, what queueing theory knows exactly, and the compiled loop."""

import builtins
import sys
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from analysis import batcher
from analysis.arrivals import poisson_arrivals
from analysis.batcher import BatchPolicy, simulate_batcher
from analysis.errors import Refused
from analysis.quantile import nearest_rank
from analysis.queue_theory import affine_bound, bulk_time, md1_time, mg1_time, mm1_quantile, mmc_time
from analysis.table import Floats
from tests.analysis.batches import affine

ARRIVALS = np.array([0, 1, 1.5, 2, 9, 9.1])
SERVICE = np.array([1, 1.2, 1.4, 1.6])


@pytest.mark.parametrize(
    ("policy", "latencies", "batches"),
    [
        (BatchPolicy(2, 0.5), [1.5, 1.7, 1.2, 1.7, 1.3, 1.2], [2, 2]),
        (BatchPolicy(4, 0.0), [1, 1, 1.7, 1.2, 1, 1.9], [4, 1]),
    ],
)
def test_a_handful_of_requests_worked_by_hand(policy: BatchPolicy, latencies: list[float], batches: list[int]) -> None:
    served = simulate_batcher(ARRIVALS, SERVICE, policy)

    assert served.latencies == pytest.approx(latencies)
    assert served.histogram.tolist() == batches


def test_requests_far_apart_wait_for_nobody_in_vain() -> None:
    served = simulate_batcher(np.linspace(0.0, 900.0, 10), SERVICE, BatchPolicy(4, 0.5))

    assert served.latencies == pytest.approx([1.5] * 10)


def test_a_seeded_run_gives_the_stated_numbers() -> None:
    arrivals = np.cumsum(default_rng(42).exponential(1 / 200, 100000))
    served = simulate_batcher(arrivals, affine(0.010, 0.002, 16), BatchPolicy(16, 0.005))

    assert served.sizes.size == 28497
    assert served.latencies.mean() == pytest.approx(0.027834008742215224, rel=1e-12)
    assert nearest_rank(served.latencies, Fraction(1, 2)) == pytest.approx(0.02702621101656888, rel=1e-12)
    assert nearest_rank(served.latencies, Fraction(99, 100)) == pytest.approx(0.048015515227120886, rel=1e-12)
    assert arrivals[-1] == pytest.approx(501.74836560857034, rel=1e-12)
    assert served.histogram.tolist() == [3588, 6163, 6285, 4972, 3348, 2058, 1125, 541, 226, 118, 44, 23, 6]


def mean_time(rate: float, service: Floats, *, noise: str = "", servers: int = 1, requests: int = 400_000) -> float:
    rng = default_rng(20280)
    arrivals = poisson_arrivals(rate, requests, rng)
    factors = None
    if noise == "exponential":
        factors = rng.exponential(size=requests)
    elif noise == "lognormal":
        factors = rng.lognormal(-np.log(5) / 2, np.sqrt(np.log(5)), requests)
    served = simulate_batcher(arrivals, service, BatchPolicy(service.size, 0.0), servers=servers, noise=factors)
    return float(served.latencies[requests // 20 :].mean())


ONE = np.ones(1)
AFFINE = affine(0.1, 0.02, 1000)


@pytest.mark.parametrize(
    ("simulated", "exact", "tolerance"),
    [
        (lambda: mean_time(0.3, ONE), md1_time(0.3, 1), 0.01),
        (lambda: mean_time(0.7, ONE), md1_time(0.7, 1), 0.01),
        (lambda: mean_time(0.9, ONE), md1_time(0.9, 1), 0.03),
        (lambda: mean_time(0.5, ONE, noise="exponential"), 2.0, 0.015),
        (lambda: mean_time(0.9, ONE, noise="exponential", requests=2_000_000), 10.0, 0.04),
        (lambda: mean_time(0.6, ONE, noise="lognormal", requests=3_000_000), mg1_time(0.6, 1, 4), 0.06),
        (lambda: mean_time(3.2, ONE, noise="exponential", servers=4), mmc_time(3.2, 1, 4), 0.015),
        (lambda: mean_time(2.0, np.ones(4)), bulk_time(2.0, np.ones(4)), 0.01),
        (lambda: mean_time(3.6, np.ones(4)), bulk_time(3.6, np.ones(4)), 0.02),
        (lambda: mean_time(12.8, np.ones(16)), bulk_time(12.8, np.ones(16)), 0.01),
        (lambda: mean_time(10.0, AFFINE), bulk_time(10.0, AFFINE), 0.01),
        (lambda: mean_time(30.0, AFFINE), bulk_time(30.0, AFFINE), 0.01),
        (lambda: mean_time(45.0, AFFINE), bulk_time(45.0, AFFINE), 0.02),
    ],
)
def test_the_simulation_meets_what_is_known_exactly(simulated: Any, exact: float, tolerance: float) -> None:
    """The tolerances are three standard errors of this many requests, at least 1 %."""
    assert simulated() == pytest.approx(exact, rel=tolerance)


def test_the_tail_of_exponential_service_is_met_too() -> None:
    rng = default_rng(20280)
    arrivals = poisson_arrivals(0.5, 400_000, rng)
    served = simulate_batcher(arrivals, ONE, BatchPolicy(1, 0.0), noise=rng.exponential(size=400_000))

    assert nearest_rank(served.latencies, Fraction(99, 100)) == pytest.approx(mm1_quantile(0.5, 1, 0.99), rel=0.03)


@pytest.mark.parametrize(
    ("found", "stated"),
    [
        (md1_time(0.3, 1), 1.2143), (md1_time(0.7, 1), 2.1667), (md1_time(0.9, 1), 5.5), (mg1_time(0.6, 1, 4), 4.75),
        (mmc_time(3.2, 1, 4), 1.7455), (mm1_quantile(0.5, 1, 0.99), 9.210), (bulk_time(2, np.ones(4)), 1.51696),
        (bulk_time(3.6, np.ones(4)), 2.49609), (bulk_time(12.8, np.ones(16)), 1.55255),
        (bulk_time(10, AFFINE), 0.19795), (bulk_time(30, AFFINE), 0.41557), (bulk_time(45, AFFINE), 1.65263),
        (affine_bound(10, 0.02, 0.1), 0.21042), (affine_bound(30, 0.02, 0.1), 0.41563),
        (affine_bound(45, 0.02, 0.1), 1.65263), (mmc_time(0.5, 1, 1), 2.0),
    ],
)  # fmt: skip
def test_theory_gives_the_stated_values(found: float, stated: float) -> None:
    assert found == pytest.approx(stated, abs=5e-5 if stated < 5 else 1e-3)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: md1_time(1.0, 1.0),
        lambda: mm1_quantile(2.0, 1.0, 0.99),
        lambda: mmc_time(4.0, 1.0, 4),
        lambda: bulk_time(4.0, np.ones(4)),
        lambda: affine_bound(50.0, 0.02, 0.1),
    ],
)
def test_theory_refuses_a_queue_that_grows(ask: Any) -> None:
    with pytest.raises(Refused) as refused:
        ask()
    assert refused.value.code == "unstable"


def test_a_queue_too_near_its_limit_is_not_worked_out() -> None:
    with pytest.raises(Refused) as refused:
        bulk_time(0.9999, ONE)
    assert refused.value.code == "unstable"


@pytest.mark.parametrize("servers", [1, 3])
def test_noise_stretches_each_batch(servers: int) -> None:
    served = simulate_batcher(
        np.array([0.0, 10.0]), ONE, BatchPolicy(1, 0.0), servers=servers, noise=np.array([1.0, 2.0])
    )

    assert served.latencies == pytest.approx([1.0, 2.0])


def test_several_servers_share_the_batches() -> None:
    served = simulate_batcher(np.array([0.0, 0.1, 0.2]), ONE, BatchPolicy(1, 0.0), servers=2)

    assert served.latencies == pytest.approx([1.0, 1.0, 1.8])


@pytest.mark.parametrize(
    ("arrivals", "policy", "servers", "code"),
    [
        (ARRIVALS, BatchPolicy(0, 0.0), 1, "bad_policy"),
        (ARRIVALS, BatchPolicy(1, -1.0), 1, "bad_policy"),
        (ARRIVALS, BatchPolicy(1, 0.0), 0, "bad_policy"),
        (ARRIVALS, BatchPolicy(5, 0.0), 1, "batch_outside_sweep"),
        (ARRIVALS[::-1], BatchPolicy(1, 0.0), 1, "bad_traffic"),
        (np.array([0.0, np.nan]), BatchPolicy(1, 0.0), 1, "bad_traffic"),
        (np.array([]), BatchPolicy(1, 0.0), 1, "bad_traffic"),
    ],
)
def test_what_cannot_be_served_is_refused(arrivals: Floats, policy: BatchPolicy, servers: int, code: str) -> None:
    with pytest.raises(Refused) as refused:
        simulate_batcher(arrivals, SERVICE, policy, servers=servers)
    assert refused.value.code == code
    assert refused.value.needs


@pytest.fixture
def nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batcher, "_COMPILED", [])


@pytest.mark.usefixtures("nothing_compiled")
def test_with_numba_the_compiled_loop_serves_with_identical_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where numba is not installed, its place is taken by what it compiles."""
    rng = default_rng(7)
    arrivals, noise = poisson_arrivals(150.0, 5000, rng), rng.lognormal(size=5000)
    service = affine(0.010, 0.002, 8)
    policies = [BatchPolicy(b, w) for b in (1, 3, 8) for w in (0.0, 0.004)]
    monkeypatch.setattr(batcher, "_COMPILED", [None])
    plain = [simulate_batcher(arrivals, service, p, noise=n) for p in policies for n in (None, noise)]

    monkeypatch.setattr(batcher, "_COMPILED", [])
    try:
        import numba  # noqa: F401, PLC0415 - only whether it is there
    except ImportError:
        monkeypatch.setitem(sys.modules, "numba", SimpleNamespace(njit=lambda function: function))
    fast = [simulate_batcher(arrivals, service, p, noise=n) for p in policies for n in (None, noise)]

    assert batcher.compiled() is not None
    for ours, theirs in zip(plain, fast, strict=True):
        assert (ours.latencies == theirs.latencies).all()
        assert (ours.sizes == theirs.sizes).all()


@pytest.mark.usefixtures("nothing_compiled")
def test_without_numba_the_plain_loop_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    ordinary = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "numba":
            raise ImportError(name)
        return ordinary(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)

    assert batcher.compiled() is None
    assert batcher.compiled() is None
    assert simulate_batcher(ARRIVALS, SERVICE, BatchPolicy(2, 0.5)).sizes.tolist() == [1, 2, 1, 2]
