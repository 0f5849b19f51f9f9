"""Exports of Weights & Biases: what the golden cases do not show."""

import pytest

from analysis.errors import MalformedEvidence, UnknownFormat
from tests.evidence import make

CHART = '"Step","a - loss","a - loss__MIN","a - loss__MAX"\n'
RUNS = "Name,State,Created,Runtime,train/loss\n"
HISTORY = "_step,_timestamp,loss\n"


def refused(content: str) -> tuple[str, str]:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content, name="x.csv")
    return refusal.value.code, refusal.value.where


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        (CHART + '"0","","",""\n', "no_runs", ""),
        (CHART + '"0","fast","1","1"\n', "not_a_number", ":2.a - loss"),
        (CHART + '"-1","1","1","1"\n', "negative", ":2.Step"),
        (RUNS + "a,finished,,-5,1\n", "not_positive", ":2.Runtime"),
        (HISTORY + "0,,\n", "no_runs", ""),
        (HISTORY + "x,,1.5\n", "not_a_number", ":2._step"),
        (HISTORY + "0,soon,1.5\n", "not_a_number", ":2._timestamp"),
        (HISTORY + "0,1.5,1e999\n", "not_finite", ":2.loss"),
    ],
)
def test_a_cell_that_cannot_be_is_named(content: str, code: str, place: str) -> None:
    assert refused(content) == (code, f"x.csv{place}")


def test_two_runs_of_one_name_in_a_chart_are_refused() -> None:
    header = CHART.strip() + ',"a - loss","a - loss__MIN","a - loss__MAX"\n'

    assert refused(header + '"0","1","1","1","1","1","1"\n')[0] == "repeated_column"


def test_two_metrics_of_one_run_in_a_chart_are_of_one_run() -> None:
    header = CHART.strip() + ',"a - acc","a - acc__MIN","a - acc__MAX"\n'
    reading = make.read(header + '"0","1","1","1","2","2","2"\n')

    assert [(m.run, m.metric, m.value) for m in reading.measurements] == [("a", "loss", 1.0), ("a", "acc", 2.0)]


def test_an_axis_that_does_not_count_places_no_point() -> None:
    chart = CHART.replace("Step", "Relative Time (Process)")
    reading = make.read(chart + '"0.5","1","1","1"\n"2026-01-05","2","2","2"\n')

    assert [m.index for m in reading.measurements] == [None, None]


def test_a_table_of_runs_whose_names_collide_with_lines_keeps_all() -> None:
    reading = make.read(RUNS + "a,finished,,5,1\na (4),finished,,5,2\na,finished,,5,3\n")

    assert [run.key for run in reading.runs] == ["a", "a (4)", "a (4) (4)"]


def test_a_table_of_runs_without_metrics_says_so() -> None:
    reading = make.read("Name,State,Created,Runtime,lr\na,,,5,1\n")

    assert reading.notices == (
        "The table holds the last value of each metric of a run, not the best: columns read as metrics are none.",
    )
    assert reading.runs[0].reason == "its state is not said"


def test_a_history_with_one_row_a_step_is_not_said_to_repeat_any() -> None:
    assert make.read(HISTORY + "0,1.5,1.5\n1,2.5,1.25\n").notices == ()


def test_a_history_without_moments_is_timed_by_nothing() -> None:
    reading = make.read("_step,_runtime,loss\n0,1.5,2.5\n")

    assert [(m.metric, m.value, m.started_ns) for m in reading.measurements] == [("loss", 2.5, None)]


def test_a_table_of_people_is_no_table_of_runs() -> None:
    with pytest.raises(UnknownFormat):
        make.read("Name,State\nAnn,Ohio\n")
