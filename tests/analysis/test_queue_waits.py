"""Queue waits of runs: mean, quantiles, and the share of the time from arrival to answer."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.errors import Refused
from analysis.looking import plan_of, typical
from analysis.queue_waits import LONGER, NO_LATENCY, TOOL_ONLY, ArmWaits, RunWaits, require_recorded, waits_of
from tests.analysis.props import a_measurement
from tests.analysis.waited import a_run_of

PLAN = plan_of("queue_wait", "mean", better="lower", scale="difference", warmup=0, confidence=0.95)


def one(columns: dict[str, Any], **more: Any) -> RunWaits:
    return waits_of("baseline", [a_run_of("baseline", 0, columns, **more)], PLAN).runs[0]


def typical_of(found: ArmWaits, name: str) -> Any:
    return {number.name: number.typical for number in found.numbers}[name]


def test_the_mean_and_the_share_of_a_run_are_those_of_its_requests() -> None:
    found = one({"queue_wait": (0.1, 0.3, None, 0.2), "latency": (0.5, 0.5, 0.9, 1.0)})

    assert (found.metric, found.requests) == ("queue_wait", 3)
    assert found.mean == pytest.approx(0.2)
    assert found.share == pytest.approx(0.6 / 2.0)  # of the three requests that have both
    assert found.number("p50") == 0.2
    assert found.number("p99") is None
    assert found.quantiles[2].reason == "3 requests; p99 needs 1000"


def test_a_wait_in_the_client_comes_before_the_latency() -> None:
    found = one({"queue_time": (1.0, 1.0), "e2e_latency": (1.0, 3.0)})

    assert found.share == pytest.approx(2 / 6)


def test_quantiles_stand_with_the_order_statistics_around_them() -> None:
    waits = np.arange(1000) / 1000
    found = one({"queue_wait": waits.tolist()})
    p50, p95, p99 = found.quantiles

    assert (p50.value, p95.value, p99.value) == (0.499, 0.949, 0.989)
    assert (p95.lo, p95.hi) == (0.935, 0.963)  # ranks 936 and 964 of a binomial count of 1000 with p = 0.95
    assert found.share_reason == NO_LATENCY


def test_a_median_of_few_requests_has_no_order_statistics_around_it() -> None:
    p50 = one({"queue_wait": (0.1, 0.2, 0.3)}).quantiles[0]

    assert (p50.value, p50.lo, p50.hi) == (0.2, None, None)
    p50 = one({"queue_wait": (0.1, 0.2)}).quantiles[0]
    assert (p50.value, p50.lo) == (0.1, None)
    assert "2 requests" in p50.reason


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"queue_wait": (0.6,), "latency": (0.5,)}, LONGER),
        ({"queue_wait": (0.0,), "latency": (0.0,)}, NO_LATENCY),
        ({"queue_wait": (0.1,)}, NO_LATENCY),
    ],
)
def test_what_has_no_share_says_why(columns: dict[str, Any], reason: str) -> None:
    found = one(columns)

    assert (found.share, found.share_reason) == (None, reason)


def test_requests_that_are_numbered_twice_are_not_held_beside_each_other() -> None:
    twice = [a_measurement(0.1, metric="queue_wait", index=0)]
    assert one({"queue_wait": (0.1,), "latency": (0.5,)}, rows=twice).share is None


def test_a_mean_of_the_tool_is_all_that_a_file_of_aggregates_tells() -> None:
    row = a_measurement(0.02, metric="server_queue", kind="aggregate", stat="mean", n=50)
    found = one({"latency": (0.5,)}, rows=[row])

    assert (found.metric, found.requests, found.mean) == ("server_queue", 50, 0.02)
    assert (found.number("p50"), found.share_reason) == (None, TOOL_ONLY)
    cut = replace(PLAN, warmup_steps=1)
    assert not waits_of("baseline", [a_run_of("baseline", 0, {}, rows=[row])], cut).recorded


def test_an_arm_has_the_mean_of_its_runs_with_students_interval() -> None:
    runs = [
        a_run_of("baseline", n, {"queue_wait": (wait,), "latency": (1.0,)}) for n, wait in enumerate((0.1, 0.2, 0.3))
    ]
    found = waits_of("baseline", runs, PLAN)
    mean = typical_of(found, "mean")

    assert mean.estimate == pytest.approx(0.2)
    assert mean.hi - mean.lo == pytest.approx(2 * 4.302652729911275 * 0.1 / 3**0.5)
    assert typical_of(found, "p99") is None
    assert found.by_run("share of the latency") == pytest.approx({"b0": 0.1, "b1": 0.2, "b2": 0.3})


def test_runs_that_did_not_complete_are_left_out_and_one_run_has_no_interval() -> None:
    failed = a_run_of("baseline", 1, {}, file_run={"status": "failed", "reason": "it crashed"})
    partial = a_run_of("baseline", 2, {}, file_run={"status": "partial"})
    excluded = a_run_of("baseline", 3, {}, excluded="throttled")
    run = a_run_of("baseline", 0, {"queue_wait": (0.1,)})
    found = waits_of("baseline", [run, failed, partial, excluded], PLAN)

    assert [one.label for one in found.runs] == ["b0"]
    assert typical_of(found, "mean").reason == "one run shows no interval"
    with pytest.raises(Refused) as refused:
        waits_of("baseline", [failed], PLAN)
    assert refused.value.code == "no_runs"


def test_runs_that_are_all_alike_have_no_interval() -> None:
    assert typical((0.1, 0.1), 0.95).reason == "does not vary between runs"


def test_a_wait_that_no_run_records_is_refused() -> None:
    found = waits_of("baseline", [a_run_of("baseline", 0, {"latency": (0.5,)})], PLAN)

    with pytest.raises(Refused) as refused:
        require_recorded([found])
    assert refused.value.code == "no_queue_wait"
