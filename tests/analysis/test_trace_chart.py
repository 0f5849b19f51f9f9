"""The timeline as a chart: both arms on the same lines, with exact numbers in its table."""

import pytest

from analysis.charts import ChartSpec
from analysis.trace_answer import answer
from analysis.trace_chart import timeline_chart
from analysis.traced_runs import TracedRun
from analysis.traces.events import Events, Kind, Lane
from tests.analysis import traced

STEP: list[traced.Made] = [(Kind.OPERATOR, "mm", 0, 200), (Kind.KERNEL, "gemm", 300, 400), (Kind.MEMORY, "c", 800, 50)]
OTHER: list[traced.Made] = [(Kind.OPERATOR, "mm", 0, 200), (Kind.KERNEL, "gemm", 300, 600)]


def drawn(*arms: Events) -> ChartSpec:
    runs = [[TracedRun(name, events)] for name, events in zip("ab", arms, strict=True)]
    spec = timeline_chart(answer(*runs))
    assert spec is not None
    return spec


def steps(inside: list[traced.Made]) -> Events:
    return traced.events(traced.steps(3, every=1000, inside=inside))


def test_every_part_has_one_line_for_both_arms_and_its_exact_numbers() -> None:
    spec = drawn(steps(STEP), steps(OTHER))

    assert [words for _, words in spec.y.ticks] == ["host work", "dev 1 compute", "dev 1 memory", "dev 1 idle"]
    assert [row[:2] for row in spec.rows] == [
        ("host", "work"), ("device 1", "compute"), ("device 1", "memory"), ("device 1", "idle")
    ]  # fmt: skip
    assert [cell for row in spec.rows for cell in row[2:]] == pytest.approx(
        [200e-9, 0.2, 200e-9, 0.2, 400e-9, 0.4, 600e-9, 0.6, 50e-9, 0.05, 0, 0, 550e-9, 0.55, 400e-9, 0.4]
    )
    assert [spans.name for spans in spec.spans] == ["baseline", "candidate"]
    of_baseline, of_candidate = ({round(at, 2) for at, _, _ in spans.bars} for spans in spec.spans)
    assert of_baseline == {4.17, 3.17, 2.17, 1.17}
    assert of_candidate == {3.83, 2.83, 0.83}


def test_what_one_arm_does_not_know_is_not_measured_there() -> None:
    waits = [*STEP, (Kind.SYNCHRONISATION, "wait", 900, 20)]
    spec = drawn(steps(STEP), steps(waits))

    [row] = [row for row in spec.rows if row[:2] == ("host", "waits")]
    assert row[2:4] == (None, None)
    assert row[4] == pytest.approx(20e-9)


def test_devices_that_are_not_shown_are_counted_and_how_it_is_drawn_is_said() -> None:
    rows: list[traced.Made] = [(Kind.KERNEL, "k", n, 5) for n in range(3)]
    many = traced.events(rows, lanes=[Lane(str(n), "7") for n in range(3)])

    assert "; the first 2 of 3 devices" in drawn(many, many).subtitle
    assert "devices" not in drawn(steps(STEP), steps(STEP)).subtitle
    assert "gaps below 1/240 of the longer step are closed" in drawn(many, many).subtitle


def test_steps_in_which_nothing_runs_have_no_chart() -> None:
    empty = traced.events(traced.steps(3))

    assert timeline_chart(answer([TracedRun("a", empty)], [TracedRun("b", empty)])) is None
