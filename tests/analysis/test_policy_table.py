"""What a batch costs, the simulated tail of a policy, and the table of policies by arrival rate."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from analysis.arrivals import Bursts, Traffic, poisson_arrivals
from analysis.batch_costs import BatchCosts, batch_costs, capacity
from analysis.batch_sweep import read_sweep
from analysis.batcher import BatchPolicy, simulate_batcher
from analysis.errors import Refused
from analysis.policy_table import PolicyGrid, PolicyTable, Threshold, Tried, cost_of, policy_table, under_limit
from analysis.service_fit import SHARES, efficiency_batch, service_fit
from analysis.simulated_tail import Effort, Server, simulate_tail, steady_tail
from analysis.sweep_numbers import SweepPlan
from analysis.sweep_server import server_of
from tests.analysis.batches import a_sweep, affine, measured, runs_of

SIZES = (1, 2, 4, 8, 16, 32, 64)
SECONDS = batch_costs({b: [0.010 + 0.002 * b] for b in SIZES})
JOULES = batch_costs({b: [3 + 0.55 * b] for b in SIZES})
SERVER = Server(SECONDS, JOULES, idle_watts=60.0)
POISSON = Traffic("poisson")
QUICK = Effort(requests=5000, replications=5, seed=1)


def code_of(ask: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        ask()
    assert refused.value.needs
    return refused.value.code


# What a batch costs


def test_between_sizes_the_cost_is_a_straight_line_and_beyond_them_nothing() -> None:
    costs = batch_costs({1: [1.0], 4: [2.0, 8.0]})

    assert costs.table(4) == pytest.approx([1, 2, 3, 4])
    assert costs.table(2) == pytest.approx([1, 2])
    assert costs.largest == 4
    assert code_of(lambda: costs.table(5)) == "batch_outside_sweep"
    assert code_of(lambda: costs.table(0)) == "batch_outside_sweep"
    assert code_of(lambda: batch_costs({2: [1.0], 4: [2.0]}).table(2)) == "batch_outside_sweep"


def test_what_the_runs_leave_open_is_drawn_and_a_single_run_is_taken_as_it_is() -> None:
    costs = batch_costs({1: [1.0, 1.1, 0.9], 2: [2.0], 4: [3.0, 3.0]})
    drawn = np.array([costs.drawn(4, default_rng(seed)) for seed in range(400)])

    assert drawn[:, 0].std() > 0.05
    assert np.median(drawn[:, 0]) == pytest.approx(costs.costs[0].typical, rel=0.02)
    assert set(drawn[:, 1]) == {2.0}
    assert drawn[:, 3] == pytest.approx(3.0)


def test_a_batch_without_a_cost_is_refused() -> None:
    assert code_of(lambda: batch_costs({})) == "no_batch_costs"
    assert code_of(lambda: batch_costs({1: []})) == "not_positive"
    assert code_of(lambda: batch_costs({1: [0.0]})) == "not_positive"


def test_the_best_batch_gives_the_capacity() -> None:
    assert capacity(SECONDS.table(64), 2) == pytest.approx(2 * 64 / 0.138)
    assert capacity(np.array([1.0, 10.0]), 1) == 1.0


def test_the_batch_of_most_of_the_gain() -> None:
    fit = service_fit(SECONDS)

    assert (fit.alpha, fit.beta) == pytest.approx((0.010, 0.002))
    assert [efficiency_batch(fit, share) for share in SHARES] == pytest.approx([5, 20, 45])
    assert code_of(lambda: efficiency_batch(fit, 1.0)) == "bad_share"


@pytest.mark.parametrize(
    "times", [{1: 1.0, 2: 2.0}, {1: 1.0, 2: 1.0, 4: 2.0}, {1: 1.0, 2: 2.0, 4: 4.0}, {1: 3.0, 2: 3.0, 4: 3.0}]
)
def test_no_line_with_a_fixed_part_has_no_such_batch(times: dict[int, float]) -> None:
    assert code_of(lambda: service_fit(batch_costs({b: [s] for b, s in times.items()}))) == "not_affine"


# The tail


def test_bursts_lengthen_the_tail_by_far() -> None:
    policy, effort = BatchPolicy(64, 0.0), Effort(requests=100_000, replications=5, seed=3)
    calm = simulate_tail(SERVER, policy, POISSON, 300.0, effort)
    bursty = simulate_tail(SERVER, policy, Traffic("mmpp", Bursts(0.6, 1.8, 2.0, 1.0)), 300.0, effort)

    assert calm.value == pytest.approx(0.078, rel=0.05)
    assert 5 < bursty.value / calm.value < 20
    assert calm.lo < calm.value < calm.hi
    assert calm.load == pytest.approx(300 * 0.138 / 64)
    assert not calm.sweep_spread
    assert calm.joules is not None
    assert calm.busy_seconds * 300 == pytest.approx(calm.busy_share, rel=0.02)


def test_the_same_seed_gives_the_same_tail() -> None:
    ask = (SERVER, BatchPolicy(8, 0.005), POISSON, 100.0)

    assert simulate_tail(*ask, QUICK) == simulate_tail(*ask, QUICK)
    assert simulate_tail(*ask, QUICK) != simulate_tail(*ask, replace(QUICK, seed=2))


def test_recorded_arrivals_say_how_many_they_are() -> None:
    recorded = tuple(poisson_arrivals(1.0, 3000, default_rng(1)).tolist())
    tail = simulate_tail(Server(SECONDS), BatchPolicy(8, 0.0), Traffic("replay", recorded=recorded), 100.0, QUICK)

    assert tail.requests == 3000
    assert tail.joules is None


def test_where_requests_arrive_faster_than_they_are_served_there_is_no_tail() -> None:
    assert code_of(lambda: simulate_tail(SERVER, BatchPolicy(64, 0.0), POISSON, 0.98 * 64 / 0.138, QUICK)) == "unstable"
    twice = replace(SERVER, servers=2)
    assert simulate_tail(twice, BatchPolicy(64, 0.0), POISSON, 0.98 * 64 / 0.138, QUICK).load < 0.5


@pytest.mark.parametrize("effort", [replace(QUICK, replications=4), replace(QUICK, requests=1999)])
def test_too_little_simulation_is_refused(effort: Effort) -> None:
    assert code_of(lambda: simulate_tail(SERVER, BatchPolicy(8, 0.0), POISSON, 10.0, effort)) == "too_few_replications"


def a_measured(rng: np.random.Generator, *, runs: int, sd: float) -> BatchCosts:
    return batch_costs(
        {b: list((0.010 + 0.002 * b) * np.exp(sd * rng.standard_normal(runs))) for b in (1, 2, 4, 8, 16)}
    )


def test_the_interval_holds_the_true_tail_as_often_as_it_says() -> None:
    """100 sweeps of three runs with a spread of 5 %: the interval of the simulated p99 holds that of the true times."""
    policy, rng = BatchPolicy(16, 0.005), default_rng(20350)
    true = simulate_batcher(poisson_arrivals(200.0, 1_000_000, rng), affine(0.010, 0.002, 16), policy)
    truth = steady_tail(true)
    tails = [
        simulate_tail(Server(a_measured(rng, runs=3, sd=0.05)), policy, POISSON, 200.0, Effort(2000, 5, seed))
        for seed in range(100)
    ]

    assert all(tail.sweep_spread for tail in tails)
    assert sum(tail.lo <= truth <= tail.hi for tail in tails) >= 93


# The server of a sweep


def test_a_sweep_says_how_long_a_server_works_on_a_full_batch_and_what_it_takes() -> None:
    rows = [[measured(100.0 * b, power=300.0)] * 3 for b in (1, 2, 4)]
    server = server_of(a_sweep(dict(zip((1, 2, 4), rows, strict=True))), servers=2, idle_watts=60.0)

    assert server.seconds.table(4) == pytest.approx([0.01] * 4)
    assert server.joules is not None
    assert server.joules.table(4) == pytest.approx([3.0] * 4)
    assert (server.servers, server.idle_watts) == (2, 60.0)


def test_sizes_without_energy_leave_the_energy_out() -> None:
    sweep = a_sweep({1: [measured(100.0, power=300.0)], 2: [measured(200.0)]})

    assert server_of(sweep).joules is None
    assert server_of(a_sweep({1: [measured(100.0)], 2: [measured(200.0)]})).joules is None


def test_engines_that_batch_in_flight_are_not_simulated() -> None:
    sweep = read_sweep(runs_of({1: [measured(1.0)], 2: [measured(2.0)]}, varied="max_num_seqs"), SweepPlan())

    assert code_of(lambda: server_of(sweep)) == "batches_in_flight"


@pytest.mark.parametrize("sizes", [{1: [], 2.5: []}, {0: [], 1: []}])
def test_sizes_that_are_no_batches_are_not_simulated(sizes: dict[float, object]) -> None:
    sweep = a_sweep({size: [measured(1.0)] for size in sizes})

    assert code_of(lambda: server_of(sweep)) == "batch_outside_sweep"


# The table


def a_table(**changes: Any) -> PolicyTable:
    policies = tuple(BatchPolicy(b, w) for b in SIZES for w in (0.0, 0.005, 0.010, 0.020, 0.040))
    grid = PolicyGrid(**{"rates": (50.0, 150.0, 250.0, 350.0), "policies": policies, "limit": 0.1, **changes})
    return policy_table(SERVER, grid, POISSON, Effort(20_000, 5, 1))


def test_the_cheapest_policy_that_keeps_the_limit_is_chosen_at_each_rate() -> None:
    table = a_table()
    chosen = [(row.rate, row.chosen.policy if row.chosen else None) for row in table.rows]

    assert chosen == [
        (50.0, BatchPolicy(16, 0.040)), (150.0, BatchPolicy(32, 0.040)), (250.0, BatchPolicy(32, 0.040)), (350.0, None),
    ]  # fmt: skip
    assert [cost_of(row.chosen, "joules") for row in table.rows if row.chosen] == pytest.approx(
        [2.431, 1.173, 0.887], rel=0.01
    )
    assert table.rows[0].lowest is not None
    assert cost_of(table.rows[0].lowest, "joules") == pytest.approx(3.707, rel=0.01)
    assert table.rows[3].lowest is not None
    assert table.rows[3].lowest.tail is not None
    assert table.rows[3].lowest.tail.value == pytest.approx(0.1058, rel=0.03)
    assert table.thresholds == (
        Threshold(50.0, 50.0, BatchPolicy(16, 0.040), BatchPolicy(32, 0.040)),
        Threshold(250.0, 150.0, BatchPolicy(32, 0.040), None),
    )
    assert (table.objective, table.traffic) == ("joules", "Poisson")


def test_without_energy_the_time_of_a_server_is_minimised_and_a_growing_queue_is_no_choice() -> None:
    told: list[tuple[int, int]] = []
    policies = (BatchPolicy(1, 0.0), BatchPolicy(16, 0.020))
    grid = PolicyGrid((100.0, 10.0, 10.0), policies, 0.1)
    table = policy_table(Server(SECONDS), grid, POISSON, QUICK, lambda done, of: told.append((done, of)))

    assert table.objective == "busy_seconds"
    assert [row.rate for row in table.rows] == [10.0, 100.0]
    assert table.rows[1].tried[0].refusal is not None
    assert table.rows[1].tried[0].refusal.code == "unstable"
    assert cost_of(table.rows[1].tried[0], "busy_seconds") == 0
    assert table.rows[1].chosen is not None
    assert table.rows[1].chosen.policy == policies[1]
    assert cost_of(table.rows[1].chosen, "busy_seconds") == pytest.approx(table.rows[1].chosen.tail.busy_seconds)  # type: ignore[union-attr]
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4)]


def test_where_every_queue_grows_nothing_is_chosen() -> None:
    table = policy_table(SERVER, PolicyGrid((1000.0,), (BatchPolicy(1, 0.0),), 0.1), POISSON, QUICK)

    assert (table.rows[0].chosen, table.rows[0].lowest) == (None, None)
    assert table.rows[0].tried == (Tried(BatchPolicy(1, 0.0), None, table.rows[0].tried[0].refusal, keeps=False),)


@pytest.mark.parametrize("changes", [{"rates": ()}, {"policies": ()}, {"rates": (0.0,)}, {"limit": 0.0}])
def test_an_empty_grid_is_refused(changes: dict[str, Any]) -> None:
    assert code_of(lambda: a_table(**changes)) == "bad_policy_grid"


def test_too_large_a_grid_is_refused() -> None:
    assert code_of(lambda: a_table(rates=tuple(range(1, 60)))) == "bad_policy_grid"


def test_a_policy_beyond_the_sweep_is_refused_whatever_the_rate() -> None:
    assert code_of(lambda: a_table(policies=(BatchPolicy(65, 0.0),))) == "batch_outside_sweep"


def test_another_limit_chooses_anew_from_the_same_simulations() -> None:
    policies = (BatchPolicy(1, 0.0), BatchPolicy(8, 0.0), BatchPolicy(32, 0.02))
    wide, narrow = (
        policy_table(SERVER, PolicyGrid((50.0, 150.0, 900.0), policies, limit), POISSON, QUICK) for limit in (1.0, 0.06)
    )

    assert wide != narrow
    assert under_limit(wide, 0.06) == narrow
    assert under_limit(narrow, 1.0) == wide
    assert code_of(lambda: under_limit(wide, 0.0)) == "bad_policy_grid"
