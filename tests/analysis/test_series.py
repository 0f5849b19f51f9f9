"""What the warmup cuts of a run, on its own clock, and which rows are known to be in order."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.errors import Refused
from analysis.series import after_warmup, begins, clock_of, cut_in_words, in_order
from analysis.table import Table
from tests.analysis.props import SECOND, a_measurement, a_plan

SECONDS = a_plan(metric="step_time", stat="mean", warmup_seconds=Fraction("0.5"))


def steps(values: Any, **changes: Any) -> Table:
    rows = [a_measurement(value, **{"metric": "step_time", "index": i, **changes}) for i, value in enumerate(values)]
    return Table.of(rows)


def started(*seconds: float | None, metric: str = "ttft", **changes: Any) -> Table:
    """Rows of 1, 2, 3 … s that started then, in s after a second of the epoch."""
    return Table.of(
        a_measurement(
            1.0 + i, metric=metric, index=i, started_ns=None if at is None else 10**18 + round(at * SECOND), **changes
        )
        for i, at in enumerate(seconds)
    )


def left(rows: Table, plan: Any = SECONDS) -> list[float]:
    found: list[float] = after_warmup(rows, plan).values.tolist()
    return found


def test_seconds_cut_the_steps_that_began_before_them() -> None:
    """Five steps of 0.1 s are over at 0.5 s exactly, though their sum in floats is not."""
    assert left(steps([0.1] * 5 + [0.2] * 2)) == [0.2, 0.2]
    assert left(steps([0.1] * 5 + [0.2] * 2), a_plan(metric="step_time", warmup_seconds=Fraction("0.50001"))) == [0.2]


def test_seconds_count_from_the_first_row_of_the_run_whatever_its_phase() -> None:
    rows = Table.of([*steps([0.3], phase="warmup"), *steps([0.3, 0.3, 0.4])])

    assert left(rows) == [0.3, 0.4]


def test_requests_are_cut_by_their_own_starts_in_whatever_order_they_ended() -> None:
    assert left(started(0.6, 0.0, 0.4, 0.5)) == [1.0, 4.0]


@pytest.mark.parametrize(
    "rows",
    [
        started(0.0, None, 1.0),
        started(None, None),
        steps([0.3, None, 0.3]),
        steps([0.3, 0.3], unit="1/s"),
        steps([0.3, 0.3], index=1),
    ],
    ids=["a start is missing", "requests without starts", "a time is missing", "rates", "two of one number"],
)
def test_without_a_clock_seconds_are_refused_and_not_guessed(rows: Table) -> None:
    with pytest.raises(Refused, match=r"cuts 0\.5 s") as refused:
        after_warmup(rows, a_plan(metric="ttft" if len(rows) != 3 else "step_time", warmup_seconds=Fraction("0.5")))
    assert refused.value.code == "no_run_clock"


def test_a_time_that_is_missing_after_the_cut_hides_nothing() -> None:
    assert np.isnan(left(steps([0.3, 0.3, None, 0.1]))).tolist() == [True, False]


def test_a_run_that_is_shorter_than_its_warmup_leaves_nothing() -> None:
    assert left(steps([0.1, 0.1])) == []
    assert left(Table.of(())) == []


def test_stages_and_aggregates_are_no_part_of_the_clock() -> None:
    whole = [*steps([0.3, 0.3, 0.4]), *steps([9.0], stage="load"), *steps([9.0], kind="aggregate", stat="mean")]

    assert left(Table.of(whole)) == [0.4]


def left_of(stage: str, *parts: Table) -> list[float]:
    """What 0.5 s leave of a stage of the run with all these rows."""
    found: list[float] = after_warmup(Table.of(row for part in parts for row in part), SECONDS, stage).values.tolist()
    return found


def test_a_stage_loses_the_steps_that_the_run_loses() -> None:
    """The stage itself takes 0.5 s only with its fifth step; the run was past it after its second."""
    whole, load = steps([0.3, 0.3, 0.4, 0.2]), steps([0.1, 0.12, 0.13, 0.14], stage="load")

    assert left_of("", whole, load) == [0.4, 0.2]
    assert left_of("load", whole, load) == [0.13, 0.14]
    assert left_of("load", whole, steps([0.1, 0.12, 0.13, 0.14], stage="load", index=None)) == [0.13, 0.14]


def test_a_stage_that_not_every_step_has_loses_those_of_the_steps_that_are_cut() -> None:
    whole, some = steps([0.3, 0.3, 0.4, 0.2]), steps([0.1, 0.1, 0.2], stage="save")
    saved = [replace(row, index=index) for row, index in zip(some, (1, 3, 3), strict=True)]

    assert left_of("save", whole, Table.of(saved)) == [0.1, 0.2]


def test_a_stage_without_rows_of_the_whole_run_is_cut_by_the_starts_of_the_first() -> None:
    """The second stage of the step that began in the warmup is cut with it, though it started later."""
    load = started(0.0, 0.4, 0.8, metric="step_time", stage="load")
    send = started(0.2, 0.6, 1.0, metric="step_time", stage="send")

    assert (left_of("load", load, send), left_of("send", load, send)) == ([3.0], [3.0])


def test_rows_of_a_stage_that_are_of_no_step_are_cut_by_their_own_starts() -> None:
    whole = started(0.0, 0.4, metric="step_time")
    parts = started(0.1, 0.2, 0.5, 0.6, metric="step_time", stage="load")

    assert left_of("load", whole, parts) == [3.0, 4.0]


@pytest.mark.parametrize(
    "parts",
    [
        (steps([0.3, 0.3], stage="load"),),
        (steps([0.3, 0.3]), steps([0.1] * 4, stage="load")),
        (steps([0.3, 0.3]), started(0.1, 0.2, 0.3, metric="step_time", stage="load")),
        (started(0.0, 0.4, metric="step_time"), steps([0.1] * 4, stage="load")),
    ],
    ids=["no rows of the run", "more rows than steps", "starts of the stage alone", "starts of the run alone"],
)
def test_a_stage_off_the_clock_of_the_run_is_refused_and_never_timed_by_itself(parts: tuple[Table, ...]) -> None:
    with pytest.raises(Refused, match="of its stages") as refused:
        left_of("load", *parts)
    assert refused.value.code == "no_run_clock"


@pytest.mark.parametrize(
    ("rows", "metric", "clock", "ordered"),
    [
        (started(0, 1, 1), "ttft", "starts", True),
        (started(0, 2, 1), "ttft", "starts", False),
        (started(0, 2, None), "ttft", "", False),
        (started(0, 2, None), "step_time", "", False),
        (steps([1.0, 2.0]), "step_time", "durations", True),
        (steps([1.0, 2.0], index=None), "wall_time", "durations", True),
        (steps([1.0, 2.0]), "e2e_latency", "", False),
        (steps([1.0, 2.0], unit="1/s"), "throughput", "", True),
        (steps([1.0, 2.0], index=3), "step_time", "", False),
        (Table.of([*steps([1.0]), *steps([1.0], index=None)]), "step_time", "", False),
        (Table.of(()), "ttft", "", False),
    ],
)
def test_rows_are_in_order_of_their_starts_or_as_the_steps_of_a_file(
    rows: Table, metric: str, clock: str, ordered: bool
) -> None:
    assert (clock_of(rows, metric), in_order(rows, metric) if len(rows) else False) == (clock, ordered)


def test_begins_are_in_nanoseconds_after_the_first() -> None:
    by_start, by_time = begins(started(2, 3.5), "ttft"), begins(steps([0.25, 0.5]), "step_time")

    assert by_start is not None
    assert by_time is not None
    assert (by_start.tolist(), by_time.tolist()) == ([0.0, 1.5e9], [0.0, 0.25e9])
    assert begins(steps([0.25, 0.5]), "ttft") is None


def test_the_declared_cut_is_said_in_its_unit() -> None:
    assert [cut_in_words(plan) for plan in (a_plan(), a_plan(warmup_steps=1), SECONDS)] == [
        "0 steps",
        "1 step",
        "0.5 s",
    ]
