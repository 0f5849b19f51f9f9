from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import runs
from analysis.errors import Refused
from analysis.quantile import nearest_rank, quantile_of
from analysis.run_values import RunValue, run_value
from analysis.runs import read_points
from analysis.table import Table
from tests.analysis.props import a_measurement, a_plan, a_request, a_run, codes


def rows(values: Any, **changes: Any) -> list[Any]:
    return [a_measurement(value, **{"index": i, **changes}) for i, value in enumerate(values)]


def aggregate(value: float | None, stat: str, n: int | None, **changes: Any) -> Any:
    return a_measurement(value, kind="aggregate", stat=stat, n=n, **changes)


def refused_code(measurements: Any, **plan: Any) -> str:
    with pytest.raises(Refused) as refused:
        run_value(Table.of(measurements), a_plan(**plan))
    return refused.value.code


@pytest.mark.parametrize(
    ("stat", "p"),
    [("p99", Fraction(99, 100)), ("p99.9", Fraction(999, 1000)), ("median", Fraction(1, 2)), ("p5", Fraction(1, 20))],
)
def test_a_statistic_names_its_quantile_exactly(stat: str, p: Fraction) -> None:
    assert quantile_of(stat) == p


@pytest.mark.parametrize("stat", ["mean", "p0", "p100", "p", "p99.", "99", "p-1"])
def test_other_statistics_are_no_quantiles(stat: str) -> None:
    assert quantile_of(stat) is None


@pytest.mark.parametrize(
    ("n", "p", "rank"), [(100, "0.29", 29), (1000, "0.99", 990), (10, "0.5", 5), (11, "0.5", 6), (3, "0.01", 1)]
)
def test_nearest_rank_is_an_observed_value(n: int, p: str, rank: int) -> None:
    """0.29 * 100 is 28.999999999999996 in floats; its ceiling would still be right, but not for every p."""
    assert nearest_rank(list(range(n, 0, -1)), Fraction(p)) == rank


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=50), st.sampled_from(["0.5", "0.9", "0.99"]))
def test_duplicating_every_step_changes_no_quantile(values: list[float], p: str) -> None:
    assert nearest_rank(values * 2, Fraction(p)) == nearest_rank(values, Fraction(p))


@pytest.mark.parametrize(
    ("stat", "value"), [("mean", 2.5), ("median", 2.0), ("min", 1.0), ("max", 4.0), ("total", 10.0)]
)
def test_raw_rows_are_reduced_to_the_statistic(stat: str, value: float) -> None:
    assert run_value(Table.of(rows([3.0, 1.0, 4.0, 2.0])), a_plan(stat=stat)) == RunValue(value, "s", 4, 0, "ours")


def test_the_warmup_is_cut_by_index_and_rows_without_a_value_are_counted() -> None:
    measured = [*rows([9.0, 9.0, 1.0, None, 3.0]), a_measurement(9.0, index=7, phase="warmup")]

    assert run_value(Table.of(measured), a_plan(stat="mean", warmup_steps=2)) == RunValue(2.0, "s", 2, 1, "ours")


def test_without_an_index_the_position_is_cut() -> None:
    assert run_value(Table.of(rows([9.0, 1.0], index=None)), a_plan(stat="mean", warmup_steps=1)).value == 1.0


def test_raw_rows_win_over_the_aggregate_of_the_tool() -> None:
    measured = [aggregate(7.0, "mean", 3), *rows([1.0, 2.0])]

    assert run_value(Table.of(measured), a_plan(stat="mean")) == RunValue(1.5, "s", 2, 0, "ours")


def test_an_aggregate_stands_in_for_what_raw_rows_cannot_give() -> None:
    measured = [aggregate(7.0, "rate", 3), *rows([1.0, 2.0])]

    assert run_value(Table.of(measured), a_plan(stat="rate")) == RunValue(7.0, "s", 3, 0, "tool")


def test_a_median_of_the_tool_may_be_called_p50() -> None:
    assert run_value(Table.of([aggregate(7.0, "median", 9)]), a_plan(stat="p50")).value == 7.0


def test_stages_are_not_the_whole() -> None:
    assert refused_code(rows([1.0], stage="prefill")) == "not_measured"


def test_a_tail_needs_ten_requests_beyond_it() -> None:
    times = [float(i) for i in range(1, 1001)]

    assert run_value(Table.of(rows(times)), a_plan(stat="p99")).value == 990.0
    assert run_value(Table.of([aggregate(5.0, "p99", 1000)]), a_plan(stat="p99")).computed == "tool"
    assert run_value(Table.of(rows(times[:20])), a_plan(stat="median")).value == 10.0


@pytest.mark.parametrize(
    "measured",
    [rows([1.0] * 999), rows([1.0] * 299), [aggregate(5.0, "p99", 999)], [aggregate(5.0, "p99", None)]],
    ids=["raw", "the floor", "aggregate", "unknown"],
)
def test_fewer_requests_allow_no_p99(measured: Any) -> None:
    assert refused_code(measured, stat="p99") == "tail_too_small"


def test_below_the_floor_there_is_no_p99_at_all_and_a_median_has_no_floor() -> None:
    assert refused_code(rows([1.0] * 298), stat="p99") == "quantile_not_estimable"
    assert refused_code([aggregate(5.0, "p99", 298)], stat="p99") == "quantile_not_estimable"
    assert refused_code(rows([1.0] * 4), stat="median", minimum_requests=9) == "tail_too_small"


def test_a_value_is_shown_only_of_a_known_number_of_requests() -> None:
    theirs = {"kind": "aggregate", "stat": "p99"}
    shown = points(a_run("baseline", 1, 5.0, measured={**theirs, "n": 999}), stat="p99")["b1"]
    hidden = points(a_run("baseline", 1, 5.0, measured={**theirs, "n": None}), stat="p99")["b1"]

    assert (shown.status, shown.value, hidden.status, hidden.value) == ("value_only", 5.0, "no_value", None)
    assert shown.problem is not None
    assert shown.problem.code == "tail_too_small"


def test_the_templates_minimum_counts_too() -> None:
    assert refused_code(rows([1.0] * 9), stat="mean", minimum_requests=10) == "too_few_requests"
    assert refused_code(rows([1.0] * 1500), stat="p99", minimum_requests=2000) == "tail_too_small"
    assert run_value(Table.of([aggregate(5.0, "mean", None)]), a_plan(stat="mean", minimum_requests=10)).value == 5.0


@pytest.mark.parametrize(
    ("measured", "plan", "code"),
    [
        ([], {}, "not_measured"),
        ([aggregate(None, "mean", 0, reason="all requests failed")], {"stat": "mean"}, "not_measured"),
        ([aggregate(1.0, "p99", 2000)], {"stat": "mean"}, "not_measured"),
        (rows([1.0, 2.0]), {"stat": "value"}, "ambiguous_value"),
        ([aggregate(1.0, "mean", 2), aggregate(2.0, "mean", 2)], {"stat": "mean"}, "ambiguous_value"),
        ([aggregate(1.0, "mean", 20)], {"stat": "mean", "warmup_steps": 5}, "aggregate_only"),
        ([*rows([1.0]), a_measurement(2.0, unit="1/s", index=1)], {"stat": "mean"}, "mixed_units"),
        (rows([0.0]), {}, "not_positive"),
        (rows([-1.0]), {}, "not_positive"),
        (rows([1.5]), {"scale": "proportion"}, "not_a_proportion"),
    ],
)
def test_a_run_without_an_honest_number_is_refused(measured: Any, plan: Any, code: str) -> None:
    assert refused_code(measured, **plan) == code


def test_the_refusal_says_what_the_file_has_instead_or_why_it_has_nothing() -> None:
    with pytest.raises(Refused, match="the file has p99"):
        run_value(Table.of([aggregate(1.0, "p99", 2000)]), a_plan(stat="mean"))
    with pytest.raises(Refused, match="no power counter"):
        run_value(Table.of([aggregate(None, "mean", None, reason="no power counter")]), a_plan(stat="mean"))


def test_a_difference_may_be_negative_or_zero() -> None:
    assert run_value(Table.of(rows([-1.0])), a_plan(scale="difference")).value == -1.0
    assert run_value(Table.of(rows([0.25])), a_plan(scale="proportion")).value == 0.25


def points(*labelled: Any, **plan: Any) -> dict[str, Any]:
    return {p.label: p for p in read_points(a_request(labelled, a_plan(**plan)))}


def test_every_run_is_a_point_in_start_order() -> None:
    found = points(
        a_run("candidate", 1, 2.0, file_run={"started_ns": 5}), a_run("baseline", 1, 1.0, file_run={"started_ns": 3})
    )

    assert [(p.label, p.order, p.value, p.status) for p in found.values()] == [
        ("b1", 1, 1.0, "used"),
        ("c1", 2, 2.0, "used"),
    ]


def test_a_failed_run_has_no_value_and_says_why() -> None:
    found = points(a_run("baseline", 1, 1.0, file_run={"status": "failed", "reason": "out of memory"}))["b1"]

    assert (found.status, found.reason, found.value) == ("failed", "out of memory", None)


def test_an_excluded_run_keeps_its_value_and_its_rule() -> None:
    found = points(a_run("baseline", 1, 1.0, excluded="throttled"))["b1"]

    assert (found.status, found.reason, found.value) == ("excluded", "throttled", 1.0)


def test_a_partial_run_counts_once_it_reached_the_minimum() -> None:
    def partial(n: int) -> Any:
        return a_run("baseline", 1, [1.0] * n, file_run={"status": "partial"})

    assert points(partial(10), stat="mean", minimum_requests=10)["b1"].status == "used"
    assert points(partial(9), stat="mean", minimum_requests=10)["b1"].status == "partial"
    assert points(partial(9), stat="mean")["b1"].reason == "partial run: the run did not finish"


def test_a_run_without_a_value_refuses_the_comparison_by_name() -> None:
    found = points(a_run("baseline", 1, None, measured={"reason": "no power counter"}))

    with pytest.raises(Refused, match="Run b1"):
        runs.require_values(found.values())


def test_runs_in_different_units_are_refused() -> None:
    found = points(a_run("baseline", 1, 1.0), a_run("candidate", 1, 1.0, measured={"unit": "1/s"}))

    with pytest.raises(Refused, match="1/s, s"):
        runs.require_values(found.values())


def test_quantiles_of_the_tool_and_ours_are_not_mixed() -> None:
    theirs = {"kind": "aggregate", "stat": "p99", "n": 1000}
    found = points(a_run("baseline", 1, 1.0, measured=theirs), a_run("candidate", 1, [1.0] * 1000), stat="p99")

    with pytest.raises(Refused, match="the tool's own in b1, and computed here in c1") as refused:
        runs.require_alike_quantiles(found.values(), "p99")
    assert refused.value.code == "mixed_computation"
    runs.require_alike_quantiles(found.values(), "mean")


@pytest.mark.parametrize(
    ("n", "m", "stat", "refused"),
    [
        (1000, 2000, "p99", False),
        (1000, 2001, "p99", True),
        (10_000, 20_001, "p99", False),
        (10, 30, "median", False),
        (10, 30, "mean", False),
    ],
)
def test_unequal_counts_bias_a_tail(n: int, m: int, stat: str, refused: bool) -> None:
    two = [
        replace(points(a_run(arm, 1, 1.0))[label], n_inner=count)
        for arm, label, count in (("baseline", "b1", n), ("candidate", "c1", m))
    ]
    if refused:
        with pytest.raises(Refused) as refusal:
            runs.require_alike_quantiles(two, stat)
        assert refusal.value.code == "unequal_requests"
    else:
        runs.require_alike_quantiles(two, stat)


def test_the_reader_is_told_what_was_left_out_and_what_the_tool_computed() -> None:
    found = points(
        a_run("baseline", 1, 1.0, measured={"kind": "aggregate", "stat": "mean"}),
        a_run("baseline", 2, [1.0, 1.0, None]),
        a_run("candidate", 1, 1.0, excluded="throttled"),
        a_run("candidate", 2, 1.0, file_run={"status": "partial", "reason": "cut off"}),
        a_run("candidate", 3, [1.0] * 2, file_run={"status": "partial", "reason": "out of time"}),
        stat="mean",
        minimum_requests=2,
    )
    said = {n.code: n.sentence for n in runs.notices(found.values(), "mean")}

    assert said == {
        "as_reported_by_the_tool": "mean as reported by the tool in b1.",
        "rows_without_value": "Requests or steps without a value, by run: b2 (1).",
        "excluded_runs": "Not used: c1 (throttled).",
        "partial_runs": "Not used: c2 (partial run: cut off).",
        "partial_runs_used": "Used, with as many steps or requests as planned: c3 (partial run: out of time).",
    }


def test_one_run_per_arm_knows_itself_and_nothing_else() -> None:
    steps = [1.0 + 0.01 * (i % 7) for i in range(700)]
    request = a_request([a_run("baseline", 1, steps), a_run("candidate", 1, [1.0] * 20)], a_plan(stat="mean"))

    said = runs.within_precision(request)

    assert codes(said) == {"single_run_within_precision"}
    assert "b1 is known to" in said[0].sentence
    assert "nothing about another run" in said[0].sentence


def test_two_runs_of_an_arm_or_another_statistic_get_no_precision() -> None:
    steps = [1.0 + 0.01 * (i % 7) for i in range(700)]
    alone, other = a_run("baseline", 1, steps), a_run("baseline", 2, steps)

    assert runs.within_precision(a_request([alone, other], a_plan(stat="mean"))) == ()
    assert runs.within_precision(a_request([alone], a_plan(stat="median"))) == ()
