"""Load generators (inference-perf, GuideLLM): what the golden cases do not show."""

import json

import pytest

from tests.evidence import make
from tests.evidence.readings import refused, values_of


def test_a_stage_in_which_nothing_was_served_failed() -> None:
    nothing = {"count": 0, "latency": {"request_latency": None}, "throughput": {"requests_per_sec": 0.0}}
    reading = make.read(make.lifecycle(successes=nothing, failures=...))

    assert (reading.runs[0].status, reading.runs[0].attempted, reading.runs[0].failed) == ("failed", 2, None)
    assert {m.value for m in reading.measurements} == {None}


@pytest.mark.parametrize(("achieved", "behind"), [(1.999, False), (1.5, True)])
def test_a_load_generator_that_fell_behind_is_said(achieved: float, behind: bool) -> None:
    load = {"count": 2, "requested_rate": 2.0, "achieved_rate": achieved}

    assert any("load generator sent" in n for n in make.read(make.lifecycle(load_summary=load)).notices) is behind


def test_an_achieved_rate_without_a_requested_one_is_read() -> None:
    reading = make.read(make.lifecycle(load_summary={"count": 2, "achieved_rate": 1.5}))

    assert values_of(reading, "offered_rate", "rate") == [1.5]


@pytest.mark.parametrize("missing", ["load_summary", "successes"])
def test_a_report_that_lacks_a_part_is_refused(missing: str) -> None:
    assert refused(make.lifecycle(**{missing: ...}), "inference-perf") == ("missing", f"x.json:{missing}")


def test_several_guidellm_files_in_one_are_refused() -> None:
    assert refused("\n".join(json.dumps(make.guidellm()) for _ in range(2))) == ("several_files", "x.json")


def test_a_guidellm_file_without_a_benchmark_is_refused() -> None:
    assert refused({"benchmarks": []}, "guidellm") == ("no_runs", "x.json:benchmarks")


def test_a_benchmark_that_ended_before_it_started_is_refused() -> None:
    content = make.guidellm(duration=..., start_time=20.0, end_time=20.0)

    assert refused(content) == ("not_positive", "x.json:benchmarks[0].end_time")


@pytest.mark.parametrize("totals", [..., {"successful": None}])
def test_a_benchmark_that_does_not_count_its_requests_has_no_computed_rates(totals: object) -> None:
    reading = make.read(
        make.guidellm(request_totals=totals, metrics={"requests_per_second": {"successful": {"mean": 2.0}}}), "guidellm"
    )

    assert values_of(reading, "request_throughput", "rate") == []
    assert values_of(reading, "request_throughput", "mean") == [2.0]


def test_a_benchmark_without_times_has_no_computed_rates() -> None:
    assert values_of(make.read(make.guidellm(duration=...)), "request_throughput", "rate") == []


def test_rates_are_work_over_duration() -> None:
    assert values_of(make.read(make.guidellm()), "request_throughput", "rate") == [2.0]
