"""What the charts of a sweep hold."""

import pytest

from analysis.batch_charts import curves, front_chart, next_run, typical
from analysis.batch_front import pareto_front
from analysis.batch_region import Limit, feasible_region
from analysis.charts import ChartSpec, Series
from tests.analysis.batches import THREE, a_sweep, measured, row


def series(spec: ChartSpec, name: str) -> Series:
    return next(one for one in spec.series if one.name == name)


def test_a_curve_shows_runs_typical_values_bounds_limits_and_what_is_feasible() -> None:
    sweep = a_sweep(THREE)
    region = feasible_region(sweep, [Limit("throughput", 150.0), Limit("p99", 0.05)])
    found = curves(sweep, region)

    assert list(found) == ["throughput", "latency"]
    spec = found["throughput"]
    assert len(series(spec, "throughput of each run").points) == 9
    assert [p.y for p in series(spec, "throughput, typical run").points] == pytest.approx([101, 202, 404], rel=1e-3)
    assert all(p.y < 100 * p.x for p in series(spec, "throughput, bound of the next run").points)
    assert [p.x for p in series(spec, "feasible").points] == [2, 4]
    assert [(mark.name, mark.at) for mark in spec.marks] == [("limit of throughput", 150.0)]
    assert spec.x.log
    assert spec.rows[0][:2] == ("1", 3)
    assert [mark.name for mark in found["latency"].marks] == ["limit of p99"]


def test_single_runs_and_runs_without_spread_have_no_bound() -> None:
    sweep = a_sweep({1: [measured(5.0)], 2: [measured(5.0)] * 3, 3: [[row("other", 1.0, "mean", "s")]]})
    quantity = sweep.quantity("throughput")

    assert [next_run(point, quantity) for point in sweep.points] == [None, None, None]
    assert [typical(point, "throughput") for point in sweep.points] == [pytest.approx(5.0), pytest.approx(5.0), None]
    [spec] = curves(sweep, None).values()
    assert [one.name for one in spec.series] == ["throughput of each run", "throughput, typical run"]
    assert spec.rows[2] == ("3", 1, None, None)


def test_what_nothing_was_measured_of_has_no_curve() -> None:
    rows = [row("throughput", None, "rate", "1/s", reason="lost"), row("power", 5.0, "mean", "W")]

    assert list(curves(a_sweep({0: [rows], 2: [rows]}), None)) == ["power"]


def test_the_front_is_drawn_by_standing() -> None:
    sweep = a_sweep(THREE)
    spec = front_chart(sweep, pareto_front(sweep))

    assert [(one.name, len(one.points)) for one in spec.series] == [("front", 3)]
    assert spec.rows[0][:3] == ("1", "front", "")
    assert spec.rows[0][3] == pytest.approx(101, rel=1e-3)
