"""Tokens per second of a device against those of a user, over the settings of an engine that batches in flight."""

import math
from fractions import Fraction
from pathlib import Path

import pytest

from analysis.batch_charts import curves
from analysis.batch_region import Limit, feasible_region, region_change
from analysis.batch_sweep import BatchSweep, read_sweep
from analysis.inputs import LabelledRun
from analysis.interactivity import interactivity
from analysis.interactivity_chart import interactivity_chart
from analysis.sweep_numbers import SweepPlan
from analysis.sweep_server import server_of
from tests.analysis.batches import Row, row, runs_of
from tests.analysis.test_batch_sweep import code_of, codes, of


def served(rate: float, token: float | None = None, stat: str = "mean") -> list[Row]:
    """Output tokens per second of the server, and the seconds of one token."""
    found = [row("output_throughput", rate, "rate", "1/s")]
    return found if token is None else [*found, row("tpot", token, stat, "s")]


def at(load: object, runs: list[list[Row]], **settings: object) -> list[LabelledRun]:
    return runs_of({load: runs}, varied="max_concurrency", settings=settings)


def a_grid() -> list[LabelledRun]:
    """2 × 2 without its last point; three runs at each, 1 % apart."""
    found = []
    for load, seqs, rate, token in ((4, 64, 400.0, 0.008), (8, 64, 700.0, 0.010), (4, 128, 300.0, 0.009)):
        runs = [served(rate * (1 + 0.001 * n), token * (1 + 0.001 * n)) for n in range(3)]
        found += at(load, runs, max_num_seqs=seqs)
    return found


def test_settings_of_one_engine_that_vary_apart_are_a_grid() -> None:
    sweep = read_sweep(a_grid(), SweepPlan())

    assert (sweep.axes, sweep.in_flight) == (("max_concurrency", "max_num_seqs"), True)
    assert [(point.at, point.label, len(point.runs)) for point in sweep.points] == [
        (4, "4 × 64", 3), (4, "4 × 128", 3), (8, "8 × 64", 3),
    ]  # fmt: skip
    assert [notice.sentence for notice in sweep.notices] == [
        "Of the grid of max_concurrency × max_num_seqs, not measured: 8 × 128."
    ]
    assert code_of(lambda: server_of(sweep)) == "batches_in_flight"


def test_points_of_a_declared_grid_and_runs_that_state_no_setting_are_named() -> None:
    apart = at(16, [served(1.0)])
    sweep = read_sweep([*a_grid(), *apart], SweepPlan(varied="max_concurrency, max_num_seqs", grid=(Fraction(2),)))

    assert codes(sweep) == ["grid_incomplete", "not_in_sweep"]
    assert sweep.notices[0].sentence.endswith("not measured: 2 × 64, 2 × 128, 8 × 128.")


def test_different_work_at_one_point_of_a_grid_and_between_its_points_is_noticed() -> None:
    def work(load: int, seqs: int, tokens: int) -> list[LabelledRun]:
        settings = {"max_num_seqs": seqs}
        return runs_of(
            {load: [served(9.0)]}, varied="max_concurrency", settings=settings, work={"output_tokens": tokens}
        )

    four = [*work(1, 1, 100), *work(1, 2, 100), *work(2, 1, 100)]

    assert codes(read_sweep([*four, *work(2, 2, 200)], SweepPlan()))[1:] == ["work_differs_by_point"]
    assert codes(read_sweep([*four, *work(2, 2, 100), *work(2, 2, 200)], SweepPlan()))[1:] == ["work_differs_at_point"]


@pytest.mark.parametrize("other", ["max_batch", "request_rate"])
def test_what_is_no_grid_stays_refused(other: str) -> None:
    runs = [run for load in (1, 2) for value in (5, 9) for run in at(load, [served(9.0)], **{other: value})]

    assert code_of(lambda: read_sweep(runs, SweepPlan())) == "ambiguous_sweep"


def test_both_rates_have_intervals_that_hold_together() -> None:
    spread = [served(200 * math.exp(d), 0.01) for d in (-0.1, 0.0, 0.1)]
    sweep = read_sweep([*at(1, spread), *at(2, [served(600, 0.04)] * 3)], SweepPlan(devices=2))
    found = interactivity(sweep)

    # Four intervals: each at 1 - 0.05/4. Student's t with two degrees of freedom has a closed form; ln sd is 0.1.
    level = 0.9875
    half = 0.1 / math.sqrt(3) * level * math.sqrt(2 / (1 - level**2))
    user, device = found.front.points[0].objectives
    assert [user.typical, user.lo, user.hi] == pytest.approx([100, 100, 100])
    assert [device.typical, device.lo, device.hi] == pytest.approx([100, 100 * math.exp(-half), 100 * math.exp(half)])
    assert [one.typical for one in found.front.points[1].objectives] == pytest.approx([25, 300])
    assert found.per_user == "1 / tpot mean"


def test_the_front_says_what_is_beaten_and_what_is_not_separated() -> None:
    close = at(4, [served(399.0 + n, 0.0081 + 0.0002 * n) for n in range(3)], max_num_seqs=256)
    found = interactivity(read_sweep([*a_grid(), *close], SweepPlan()))

    assert [(p.label, p.standing, p.by) for p in found.front.points] == [
        ("4 × 64", "front", ""), ("4 × 128", "dominated", "4 × 64"), ("4 × 256", "not_separated", "4 × 64"),
        ("8 × 64", "front", ""),
    ]  # fmt: skip
    spec = interactivity_chart(found)
    assert [(one.name, len(one.points)) for one in spec.series] == [
        ("front", 2), ("not separated", 1), ("dominated", 1), ("ends of the intervals", 16),
    ]  # fmt: skip
    assert [row[:4] for row in spec.rows][1] == ("4 × 128", 3, "dominated", "4 × 64")
    assert spec.y.label == "output tokens per second of the server"


def test_without_the_time_of_a_token_a_user_gets_a_share_of_the_throughput() -> None:
    found = interactivity(read_sweep([*at(4, [served(400)]), *at(8, [served(600)])], SweepPlan()))

    assert found.per_user == "output tokens per second / max_concurrency"
    assert [p.objectives[0].typical for p in found.front.points] == pytest.approx([100, 75])


def test_a_median_of_the_token_time_stands_where_there_is_no_mean() -> None:
    found = interactivity(read_sweep([*at(4, [served(400, 0.01, "median")]), *at(8, [served(600, 0.02, "median")])],
                                     SweepPlan()))  # fmt: skip

    assert found.per_user == "1 / tpot median"
    assert [point.objectives[0].typical for point in found.front.points] == pytest.approx([100, 50])


def test_runs_that_say_too_little_are_left_out() -> None:
    lost = [row("output_throughput", 9.0, "rate", "1/s"), row("tpot", None, "mean", "s", reason="lost")]
    runs = [*at(1, [served(100, 0.01)]), *at(4, [lost]), *at(8, [served(200, 0.02)])]
    none = [row("output_throughput", None, "rate", "1/s", reason="lost")]
    shares = [*at(0, [served(5)]), *at(1, [none]), *at(2, [served(9)]), *at(3, [served(9)])]

    assert interactivity(read_sweep(runs, SweepPlan())).front.left_out == ("4",)
    assert interactivity(read_sweep(shares, SweepPlan())).front.left_out == ("0", "1")


def test_what_has_no_two_rates_is_refused() -> None:
    def asked(varied: str, rows: list[Row]) -> BatchSweep:
        return read_sweep(runs_of({1: [rows], 2: [rows]}, varied=varied), SweepPlan())

    requests = [row("request_throughput", 9.0, "rate", "1/s"), row("tpot", 0.01, "mean", "s")]
    assert code_of(lambda: interactivity(asked("max_concurrency", requests))) == "no_output_tokens"
    assert code_of(lambda: interactivity(asked("max_concurrency", requests[1:]))) == "no_output_tokens"
    assert code_of(lambda: interactivity(asked("request_rate", served(9.0)))) == "no_user_rate"


def test_regions_of_two_grids_are_compared_point_by_point() -> None:
    slow = feasible_region(read_sweep(a_grid(), SweepPlan()), [Limit("throughput", 350.0)])
    change = region_change(slow, slow)

    assert {point.label: point.change for point in change.points} == {
        "4 × 64": "kept",
        "4 × 128": "out",
        "8 × 64": "kept",
    }


def test_curves_of_a_grid_stand_over_its_load_and_draw_no_line() -> None:
    spec = curves(read_sweep(a_grid(), SweepPlan()), None)["throughput"]

    assert (spec.x.label, spec.x.ticks) == ("max_concurrency", ((4.0, "4"), (8.0, "8")))
    assert not any(one.line for one in spec.series)
    assert [cells[0] for cells in spec.rows] == ["4 × 64", "4 × 128", "8 × 64"]


def test_a_public_sweep_trades_the_device_for_the_user(shared_evidence: Path) -> None:
    found = interactivity(of(sorted((shared_evidence / "vllm-bench-serve" / "inferencex_gptoss120b").glob("*.json"))))

    assert found.per_user == "1 / tpot mean"
    users = [point.objectives[0].typical for point in found.front.points]
    device = [point.objectives[1].typical for point in found.front.points]
    assert (users[2], users[5]) == pytest.approx((1 / 0.009043755853690438, 1 / 0.014871257350024614))
    assert device == pytest.approx([459.2, 929.0, 1725.6, 2985.6, 5002.6, 8368.3, 13975.9, 22534.2], abs=0.05)
    assert all(one.lo is None for point in found.front.points for one in point.objectives)
    assert {point.standing for point in found.front.points} <= {"front", "not_separated"}
    assert not any(one.name == "ends of the intervals" for one in interactivity_chart(found).series)
