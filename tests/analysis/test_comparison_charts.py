from dataclasses import replace
from fractions import Fraction
from typing import Any

from analysis.assess import assess
from analysis.comparison_charts import effect_chart, runs_chart
from tests.analysis.props import (
    BASELINE,
    BLOCKED,
    CANDIDATE,
    INDEPENDENT,
    a_plan,
    a_request,
    a_run,
    change,
    interleaved,
)


def runs_of(request: Any) -> Any:
    return runs_chart(assess(request))


def effect_of(request: Any) -> Any:
    return effect_chart(assess(request))


def test_every_run_is_a_point_in_start_order() -> None:
    spec = runs_of(INDEPENDENT)

    assert (spec.x.label, spec.y.unit) == ("start order", "s")
    assert sorted(point.x for series in spec.series for point in series.points) == [float(i) for i in range(1, 11)]
    assert [(series.name, series.shape) for series in spec.series] == [("baseline", "square"), ("candidate", "circle")]
    assert len(spec.rows) == 10
    assert {len(row) for row in spec.rows} == {len(spec.columns)}


def test_blocks_put_both_runs_at_one_place() -> None:
    spec = runs_of(BLOCKED)

    assert spec.x.ticks == tuple((float(i), f"k{i}") for i in range(5))
    assert [point.x for point in spec.series[0].points] == [point.x for point in spec.series[1].points]


def test_unknown_starts_are_said_on_the_axis() -> None:
    unknown = [replace(run, run=replace(run.run, started_ns=None)) for run in INDEPENDENT.runs]

    assert runs_of(a_request(unknown)).x.label == "run, start order unknown"


def test_an_unused_run_is_a_marked_point_and_one_without_a_value_is_in_the_rows_alone() -> None:
    failed = a_run("baseline", 9, 1.0, file_run={"status": "failed", "reason": "crashed"})
    spec = runs_of(a_request([*change(INDEPENDENT.runs, "c1", excluded="throttled"), failed]))

    assert "c1 (excluded)" in [point.label for point in spec.series[1].points]
    assert "b9" not in [point.label for point in spec.series[0].points]
    assert [row[-2:] for row in spec.rows if row[0] == "b9"] == [("failed", "crashed")]


def test_without_any_value_there_is_no_chart_of_runs() -> None:
    assert runs_of(a_request([a_run("baseline", 1, None)])) is None


def test_the_interval_stands_against_the_margin_and_no_change() -> None:
    result = assess(INDEPENDENT)
    spec = effect_chart(result)

    assert result.interval is not None
    assert spec is not None
    assert [(bar.low, bar.high, bar.estimate) for bar in spec.intervals] == [
        (result.interval.lo, result.interval.hi, result.interval.estimate)
    ]
    assert (spec.bands[0].low, spec.bands[0].high) == (float(Fraction(100, 102)), 1.02)
    assert spec.marks[0].at == 1.0
    assert spec.y.ticks == ((0.0, "95 % interval, this placement only"),)


def test_a_widened_interval_stands_beside_the_statistical_one() -> None:
    runs = [*interleaved(BASELINE, (), work=(("output_tokens", "10040"),)), *interleaved((), CANDIDATE)]

    assert [bar.name for bar in effect_of(a_request(runs)).intervals] == [
        "95 % interval, this placement only",
        "95 % interval, widened by allowances",
    ]


def test_the_interval_of_an_only_look_is_drawn_apart_and_named_as_not_valid() -> None:
    result = assess(a_request(INDEPENDENT.runs, a_plan(look=2)))
    spec = effect_chart(result)

    assert spec is not None
    assert result.single_look is not None
    assert [(bar.name, bar.role) for bar in spec.intervals] == [
        ("plain 95 %: not valid", "reference"),
        ("95 % interval, this placement only", "interval"),
    ]
    assert spec.intervals[0].low == result.single_look.lo
    assert len({bar.at for bar in spec.intervals}) == 2


def test_where_no_interval_is_valid_the_struck_one_stands_alone() -> None:
    spec = effect_of(a_request(INDEPENDENT.runs[:3] + INDEPENDENT.runs[5:8], a_plan(look=2)))

    assert [bar.role for bar in spec.intervals] == ["reference"]


def test_a_difference_is_drawn_in_its_unit_around_zero() -> None:
    spec = effect_of(a_request(INDEPENDENT.runs, a_plan(scale="difference", margin=Fraction("0.005"))))

    assert (spec.x.unit, spec.marks[0].at) == ("s", 0.0)
    assert (spec.bands[0].low, spec.bands[0].high) == (-0.005, 0.005)


def test_ratios_and_counts_have_no_unit_on_their_axis() -> None:
    runs = interleaved([0.99, 0.98, 0.985], [0.97, 0.975, 0.96], measured={"unit": "1"})
    plan = a_plan(scale="proportion", better="higher", margin=Fraction("-0.001"))

    assert runs_of(a_request(runs, plan)).y.unit == ""


def test_without_an_interval_there_is_no_chart_of_the_effect() -> None:
    assert effect_of(a_request(interleaved([99.0], [109.0]))) is None


def test_a_plan_without_a_usable_margin_draws_none() -> None:
    result = replace(assess(INDEPENDENT), plan=a_plan(margin=Fraction(0)))
    spec = effect_chart(result)

    assert spec is not None
    assert spec.bands == ()
