"""Goodput of runs, counted from raw requests at the plan's service level."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.assess import LabelledRun
from analysis.table import Table
from tests.analysis.props import a_measurement, change, codes
from tests.analysis.served import FAILED, OK, SLOW, THREE, arms, goodput, refused_by, served


def test_the_goodput_of_a_run_is_requests_per_second_that_kept_every_limit() -> None:
    result = goodput(THREE)

    assert [(p.value, p.unit, p.n_inner) for p in result.runs[:3]] == [
        (9.0, "1/s", 100),
        (8.8, "1/s", 100),
        (9.1, "1/s", 100),
    ]
    assert result.outcome == "verdict"
    assert result.interval is not None
    assert result.interval.frame.estimand == (
        "ratio of typical (geometric-mean) run goodput rate (requests with tpot <= 0.05 s, ttft <= 0.2 s), "
        "candidate over baseline"
    )


def test_requests_that_failed_or_are_not_listed_kept_none() -> None:
    lost = served("candidate", 9, [OK] * 70 + [FAILED] * 10, file_run={"attempted": 200})
    (point,) = [p for p in goodput((*THREE, lost)).runs if p.label == "c9"]

    assert (point.value, point.n_inner, point.left_out) == (7.0, 200, 10)


@pytest.mark.parametrize(("rate", "said"), [("12", True), ("inf", False)])
def test_a_goodput_at_an_offered_rate_speaks_of_that_load(rate: str, said: bool) -> None:
    result = goodput(arms((90, 88, 91), (80, 79, 78), settings=(("request_rate", rate),)))

    assert ("goodput_of_one_load" in codes(result.notices)) is said


def test_a_run_that_served_nothing_at_the_level_failed() -> None:
    result = goodput((*THREE, served("candidate", 9, [SLOW] * 50)))

    assert result.outcome == "failed_to_serve"
    assert (result.failures[1].failed, result.failures[1].runs) == (1, 4)
    (point,) = [p for p in result.runs if p.label == "c9"]
    assert point.reason == "None of 50 requests with tpot <= 0.05 s, ttft <= 0.2 s was served."


def test_an_excluded_run_that_served_nothing_stays_excluded() -> None:
    runs = change((*THREE, served("candidate", 9, [SLOW] * 50)), "c9", excluded="too hot")

    assert [p.status for p in goodput(runs).runs if p.label == "c9"] == ["excluded"]


def rows_of(run: LabelledRun, *rows: Any) -> LabelledRun:
    return replace(run, reading=replace(run.reading, measurements=Table.of(rows)))


BARE = served("candidate", 9, [OK] * 5)
TTFT = a_measurement(0.1, metric="ttft", index=0)
TPOT = a_measurement(0.01, metric="tpot", index=0)


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (rows_of(BARE, TTFT), "no_requests"),
        (rows_of(BARE, TTFT, replace(TPOT, unit="1")), "unit_mismatch"),
        (rows_of(BARE, TTFT, TTFT, TPOT), "duplicate_request"),
        (served("candidate", 9, [OK] * 5, seconds=""), "no_duration"),
        (served("candidate", 9, [OK] * 5, seconds="0"), "no_duration"),
    ],
)
def test_a_run_without_countable_requests_has_no_goodput(run: LabelledRun, code: str) -> None:
    assert refused_by(goodput((*THREE, run))) == code


def test_a_goodput_needs_its_requests() -> None:
    assert refused_by(goodput(THREE, minimum_requests=101)) == "too_few_requests"


def test_rows_of_metrics_meet_by_the_index_of_the_request() -> None:
    """Request 1 is slow in one metric, 2 lacks the other, and the rows stand in another order."""
    ttfts, tpots = ((0, 0.1), (1, 0.3), (2, 0.1), (3, 0.1)), ((3, 0.01), (0, 0.01), (1, 0.01))
    rows = [(index, value, "ttft") for index, value in ttfts] + [(index, value, "tpot") for index, value in tpots]
    run = rows_of(BARE, *(a_measurement(value, metric=metric, index=index) for index, value, metric in rows))
    (point,) = [p for p in goodput((*THREE, run)).runs if p.label == "c9"]

    assert (point.value, point.n_inner, point.left_out) == (0.2, 4, 1)


def test_requests_without_an_index_count_by_their_place() -> None:
    run = rows_of(served("candidate", 9, [OK]), *(replace(m, index=None) for m in (TTFT, TTFT, TPOT, TPOT)))

    assert [p.value for p in goodput((*THREE, run)).runs if p.label == "c9"] == [0.2]
