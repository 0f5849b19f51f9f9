"""The feasible region, the difference of two, and the front of a sweep."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from analysis.batch_front import pareto_front
from analysis.batch_region import Limit, Region, feasible_region, region_change
from analysis.batch_sweep import BatchSweep, read_sweep
from analysis.errors import Refused
from analysis.sweep_numbers import SweepPlan
from tests.analysis.batches import THREE, a_sweep, measured, row, runs_of

FAST, EDGE, SLOW = (27.0, 27.9, 26.5), (48.5, 49.5, 48.9), (80.0, 81.0, 79.5)


def of(*tails: Sequence[float]) -> BatchSweep:
    """A sweep of sizes 1, 2, …, each with these p99s in ms."""
    sizes = {
        size: [measured(1000.0 * size * (1 + 0.01 * n), p99) for n, p99 in enumerate(of)]
        for size, of in enumerate(tails, start=1)
    }
    return a_sweep(sizes)


def region_of(*tails: Sequence[float], limit: float = 0.05) -> Region:
    return feasible_region(of(*tails), [Limit("p99", limit)])


def code_of(ask: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        ask()
    assert refused.value.needs
    return refused.value.code


def test_a_limit_between_the_bounds_is_undetermined_though_every_run_kept_it() -> None:
    region = region_of(EDGE, FAST, SLOW)

    assert [point.state for point in region.points] == ["undetermined", "feasible", "infeasible"]
    first, second, third = (point.answers[0] for point in region.points)
    assert first.bound == pytest.approx(0.0506899965433408)
    assert first.check is not None
    assert first.check.typical_near == pytest.approx(0.04812455952570282)
    assert first.check.typical_far == pytest.approx(0.049820004632189686)
    assert second.bound == pytest.approx(0.029618678306425494)
    assert third.answer == "broken"
    assert third.bound is not None
    assert third.bound > 0.05


def test_all_limits_must_be_met_and_one_that_is_broken_decides() -> None:
    sweep = of(FAST, FAST)

    def states(throughput: float, p99: float) -> list[str]:
        region = feasible_region(sweep, [Limit("throughput", throughput), Limit("p99", p99)])
        return [point.state for point in region.points]

    assert states(500.0, 0.05) == ["feasible", "feasible"]
    assert states(1500.0, 0.05) == ["infeasible", "feasible"]
    assert states(1500.0, 0.027) == ["infeasible", "undetermined"]
    assert feasible_region(sweep, [Limit("p99", 0.05)]).labels("feasible") == ("1", "2")


def test_single_runs_are_refused_and_never_feasible() -> None:
    region = region_of((1.0,), (1.0, 1.1))

    assert [point.state for point in region.points] == ["undetermined", "undetermined"]
    assert [a.refusal.code for point in region.points for a in point.answers if a.refusal] == ["too_few_runs"] * 2
    assert region.points[0].answers[0].bound is None


def test_tails_of_too_few_requests_decide_nothing_however_many_runs_there_are() -> None:
    few = [row("latency", 0.001 * n, "p99", "s") | {"n": 400} for n in (1, 2, 3)]
    region = feasible_region(a_sweep({1: [[one] for one in few], 2: [[one] for one in few]}), [Limit("p99", 9.0)])

    assert [a.refusal.code for point in region.points for a in point.answers if a.refusal] == ["tail_too_small"] * 2


def test_a_point_that_lost_a_run_is_undetermined() -> None:
    failed = runs_of({4: [measured(1.0)]}, status="failed", reason="out of memory")
    region = feasible_region(read_sweep([*runs_of(THREE), *failed], SweepPlan()), [Limit("p99", 9.0)])

    assert [point.state for point in region.points] == ["feasible", "feasible", "undetermined"]
    assert region.points[2].answers[0].refusal is not None
    assert region.points[2].answers[0].refusal.code == "runs_failed"


def test_a_tail_measured_beyond_what_the_point_serves_is_no_property_of_it() -> None:
    sweep = replace(of(FAST, FAST), offered=990.0)
    first, second = feasible_region(sweep, [Limit("p99", 0.05)]).points

    assert (first.state, second.state) == ("undetermined", "feasible")
    assert first.answers[0].refusal is not None
    assert first.answers[0].refusal.code == "unstable"
    slower = feasible_region(replace(sweep, offered=900.0), [Limit("p99", 0.05)])
    assert slower.labels("feasible") == ("1", "2")
    tails = a_sweep({1: [measured(p99=p99) for p99 in FAST], 2: [measured(1.0, p99) for p99 in FAST]}, offered=1.0)
    assert feasible_region(tails, [Limit("p99", 0.05)]).labels("feasible") == ("1",)
    alone = a_sweep({size: [measured(p99=p99) for p99 in FAST] for size in (1, 2)}, offered=1.0)
    assert feasible_region(alone, [Limit("p99", 0.05)]).labels("feasible") == ("1", "2")
    throughput = feasible_region(sweep, [Limit("throughput", 500.0)])
    assert throughput.labels("feasible") == ("1", "2")


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ([], "no_limits"),
        ([Limit("p99", 0.0)], "bad_limit"),
        ([Limit("p99", float("nan"))], "bad_limit"),
        ([Limit("p99", 1.0), Limit("p99", 2.0)], "bad_limit"),
        ([Limit("temperature", 80.0)], "not_measured"),
    ],
)
def test_what_is_no_limit_is_refused(limits: list[Limit], code: str) -> None:
    assert code_of(lambda: feasible_region(of(FAST, FAST), limits)) == code


def test_at_the_limit_hardly_a_point_is_called_feasible() -> None:
    """A typical p99 exactly at the limit: of 1,000 points with 3 or 5 runs each, at most 5 % may pass."""
    rng = np.random.default_rng(20320)
    passed = 0
    for _ in range(25):
        sizes = {
            size: [
                measured(100.0 * size, 50 * float(np.exp(0.05 * rng.standard_normal())))
                for _ in range(3 + 2 * (size % 2))
            ]
            for size in range(1, 41)
        }
        passed += len(feasible_region(a_sweep(sizes), [Limit("p99", 0.05)]).labels("feasible"))
    assert 0 < passed <= 50


def test_what_a_candidate_gains_and_loses() -> None:
    before = region_of(FAST, SLOW, FAST, SLOW, EDGE)
    after = region_of(FAST, FAST, SLOW, SLOW, FAST, FAST)
    change = region_change(before, after)

    assert [point.change for point in change.points] == ["kept", "gained", "lost", "out", "uncertain", "uncertain"]
    assert change.points[5].baseline is None
    assert (change.points[4].baseline, change.points[4].candidate) == ("undetermined", "feasible")
    assert change.labels("gained") == ("2",)


def test_regions_under_other_limits_have_no_difference() -> None:
    assert code_of(lambda: region_change(region_of(FAST, FAST), region_of(FAST, FAST, limit=0.06))) == "limits_differ"
    other = feasible_region(read_sweep(runs_of(THREE, varied="max_concurrency"), SweepPlan()), [Limit("p99", 0.05)])
    assert code_of(lambda: region_change(region_of(FAST, FAST), other)) == "limits_differ"


def test_a_point_is_dominated_only_beyond_the_intervals() -> None:
    sizes = {
        1: [measured(100 + n, 50 + 0.1 * n) for n in range(5)],
        2: [measured(200 + n, 40 + 0.1 * n) for n in range(5)],
        3: [measured(201 + n, 39.95 + 0.1 * n) for n in range(5)],
        4: [measured(300 + n, 60 + 0.1 * n) for n in range(5)],
        5: [measured(1.0, 99.0)],
        6: [measured(1.0)],
    }
    front = pareto_front(a_sweep(sizes))

    assert [(p.label, p.standing, p.by) for p in front.points] == [
        ("1", "dominated", "2"), ("2", "not_separated", "3"), ("3", "front", ""), ("4", "front", ""),
        ("5", "not_separated", "1"),
    ]  # fmt: skip
    assert front.objectives == ("throughput", "p99")
    assert front.left_out == ("6",)
    assert front.points[4].objectives[0].lo is None


def test_a_front_needs_two_objectives() -> None:
    assert code_of(lambda: pareto_front(a_sweep({1: [measured(1.0)], 2: [measured(2.0)]}))) == "too_few_objectives"
    nothing = [row("other", 1.0, "mean", "s")]
    assert code_of(lambda: pareto_front(a_sweep({1: [nothing], 2: [nothing]}))) == "too_few_objectives"
