"""The graph of the tail-latency drivers and the profile of queue waits, as charts with their tables."""

import pytest

from analysis.drivers_chart import drivers_chart, queue_chart
from analysis.policy_impact import queue_answer
from analysis.request_drivers import request_drivers
from tests.analysis.waited import a_run_of

LATENCY = [1.0] * 19 + [3.0]


def test_each_edge_is_a_line_with_a_bar_of_each_arm_and_an_interval() -> None:
    base = [a_run_of("baseline", n, {"queue_wait": [0.1] * 19 + [1.0 + n], "latency": LATENCY}) for n in range(2)]
    chart = drivers_chart(request_drivers(base, [a_run_of("candidate", 0, {"latency": LATENCY})]))
    ticks = dict(chart.y.ticks)

    assert ticks[5.0] == "the tail"
    assert ticks[4.0] == "queueing delay → the tail"
    assert ticks[2.0] == "mapping fallback: not recorded"
    ours, theirs = chart.spans
    assert ours.bars[1] == (4.15, 0.0, ours.bars[1][2])
    assert round(ours.bars[1][2], 6) == round((0.9 * 19 / 20 + 1.9 * 19 / 20) / 2, 6)
    assert [bar[0] for bar in theirs.bars] == [4.85]
    assert [round(bar.at, 2) for bar in chart.intervals] == [4.15, 1.15]
    row = next(row for row in chart.rows if row[:2] == ("candidate", "queueing delay"))
    assert row[2:] == ("the tail", None, None, None, None, None, None, "not recorded")
    assert {row[1] for row in chart.rows} == {"the tail", "queueing delay", "service time"}
    assert "no cause" in chart.subtitle


def test_an_excess_below_zero_is_drawn_to_the_left() -> None:
    run = a_run_of("baseline", 0, {"queue_wait": [0.2] * 19 + [0.0], "latency": LATENCY})
    (spans,) = drivers_chart(request_drivers([run], ())).spans

    assert spans.bars[1][1:] == pytest.approx((-0.19, 0.0))


def test_a_graph_of_drivers_that_nobody_recorded_has_the_tail_alone() -> None:
    chart = drivers_chart(request_drivers([a_run_of("baseline", 0, {"latency": LATENCY})], ()))

    assert [len(spans.bars) for spans in chart.spans] == [1]
    assert chart.intervals == ()


def test_the_profile_has_an_interval_or_a_point_for_each_number_that_every_run_has() -> None:
    base = [a_run_of("baseline", n, {"queue_wait": (0.1 + n, 0.2 + n), "latency": (9.0, 9.0)}) for n in range(2)]
    (load,) = queue_answer(base, [a_run_of("candidate", 0, {"queue_wait": (0.3, 0.3)})]).loads
    chart = queue_chart(load)

    assert [(bar.name, bar.at) for bar in chart.intervals] == [("baseline", 4.15), ("baseline", 3.15)]
    (points,) = chart.series
    assert (points.name, points.shape) == ("candidate, no interval", "square")
    assert [point.label for point in points.points] == [
        "mean: one run shows no interval",
        "p50: one run shows no interval",
    ]
    assert chart.rows[0][:3] == ("baseline", "b0", 2)
    assert chart.rows[2][-1] is None
