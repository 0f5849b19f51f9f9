"""LoadGen and PTDaemon: what makes a run fail, what a number stands for, and what is refused."""

import json
from pathlib import Path

import pytest

from analysis.errors import MalformedEvidence
from analysis.reading import Reading
from tests.evidence import make, real

BANNER = "================================================\n{}\n================================================\n"


def summary(results: str = "Result is : VALID\n", statistics: str = "") -> str:
    head = "Scenario : Server\nMode : PerformanceOnly\n"
    return BANNER.format("MLPerf Results Summary") + head + results + BANNER.format("Additional Stats") + statistics


def entry(key: str, value: object, **metadata: object) -> str:
    return f":::MLLOG {json.dumps({'key': key, 'value': value, 'time_ms': 1.5, 'metadata': metadata})}\n"


def line(mark: str = "a_testing", time: str = "07-11-2024 23:35:19.963", watts: str = "100.5") -> str:
    return f"Time,{time},Watts,{watts},Volts,239.1,Amps,0.4,PF,0.9,Mark,{mark}\n"


def statuses(reading: Reading) -> list[tuple[str, str]]:
    return [(run.status, run.reason) for run in reading.runs]


def test_a_result_that_is_invalid_says_what_was_not_met() -> None:
    text = summary("Result is : INVALID\n  Min duration satisfied : NO\n  Min queries satisfied : Yes\n")

    assert statuses(make.read(text)) == [("failed", "the result is INVALID (not met: Min duration satisfied)")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (summary("Result is : INVALID\n"), "the result is INVALID"),
        (summary(""), "the file states no result"),
        (
            summary().replace("PerformanceOnly", "AccuracyOnly"),
            "the mode is AccuracyOnly: performance was not measured",
        ),
        (entry("loadgen_version", "4.1") + entry("result_validity", "INVALID"), "the result is INVALID"),
    ],
)
def test_a_run_without_a_valid_result_is_failed(text: str, reason: str) -> None:
    assert statuses(make.read(text)) == [("failed", reason)]


def test_a_detail_log_that_is_invalid_says_what_was_not_met() -> None:
    log = (
        entry("loadgen_version", "4.1")
        + entry("result_validity", "INVALID")
        + entry("result_min_duration_met", value=False)
    )

    assert statuses(make.read(log)) == [("failed", "the result is INVALID (not met: min_duration_met)")]


def test_two_results_in_one_file_are_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(summary() + summary())

    assert refusal.value.code == "several_runs"


@pytest.mark.parametrize(
    ("value", "code"),
    [("0", "not_positive"), ("inf", "not_a_number"), ("-5", "not_positive"), ("fast", "not_a_number")],
)
def test_a_bad_latency_of_a_valid_run_is_refused(value: str, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(summary(statistics=f"Min latency (ns) : {value}\n"), name="x.txt")

    assert (refusal.value.code, refusal.value.where) == (code, "x.txt:10")


def test_a_log_without_a_statement_is_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read("nothing of the kind\n", "mlperf-loadgen")

    assert refusal.value.code == "no_runs"


def test_a_mean_that_cannot_be_one_is_no_number() -> None:
    stats = (
        "Min latency (ns) : 4000000000\nMean latency (ns) : 5000000000\n50.00 percentile latency (ns) : 300000000000\n"
    )
    reading = make.read(summary(statistics=stats))

    [mean] = [m for m in reading.measurements if m.stat == "mean"]
    assert mean.value is None
    assert mean.reason.startswith("impossible")


def test_a_load_that_was_kept_up_with_is_only_named_as_offered() -> None:
    stats = "Scheduled samples per second : 100\nCompleted samples per second : 99\n"
    reading = make.read(summary(statistics=stats))

    assert len(reading.notices) == 1
    assert "offered" in reading.notices[0]


def test_an_offered_rate_alone_is_compared_with_nothing() -> None:
    reading = make.read(summary(statistics="Scheduled samples per second : 100\n"))

    assert [m.metric for m in reading.measurements] == ["offered_rate"]


def test_a_statement_that_is_not_known_is_named() -> None:
    assert "Not read: Mood." in make.read(summary(statistics="Mood : good\n")).notices


def test_what_is_said_twice_is_kept_once() -> None:
    text = summary("Result is : VALID\nMode : Other\nSamples per second : 5\n", "Completed samples per second : 5\n")
    reading = make.read(text)

    assert [(m.metric, m.value) for m in reading.measurements] == [("throughput", 5.0)]
    assert [s.value for s in reading.settings if s.name == "mode"] == ["PerformanceOnly"]


def test_samples_without_a_mark_belong_to_the_session_before_and_are_idle() -> None:
    reading = make.read(line("notset") + line("a_testing") + line("") + line("b_ranging"))

    assert [(run.key, [m.phase for m in reading.of_run(run.key)]) for run in reading.runs] == [
        ("a", ["idle", "measured", "idle"]),
        ("b", ["ranging"]),
    ]


def test_a_file_without_any_mark_is_one_idle_run() -> None:
    assert [run.key for run in make.read(line("notset")).runs] == ["notset"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (line(time="13-11-2024 23:35:19.963"), "not_a_time"),
        (line(watts="-1"), "negative"),
        (line(watts="fast"), "not_a_number"),
        (line() + "Time,07-11-2024 23:35:20.963,Volts,1\n" + line(), "malformed_csv"),
        (line() + "Time,07-11-2024 23:35:20.963,Watts,1,Volts,1\n" + line(), "malformed_csv"),
        (line().strip() + ",Ch1,Watts,much\n", "not_a_number"),
    ],
)
def test_a_bad_line_of_the_meter_is_refused(text: str, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(text)

    assert refusal.value.code == code


def test_a_last_line_that_is_cut_off_is_left_out() -> None:
    reading = make.read(line() + "Time,07-11-2024 23:35:20.963,Watts,1")

    assert len(reading.measurements) == 1
    assert reading.leniences == ("the last line is cut off: it was left out",)


def test_a_power_log_of_training_needs_a_reading() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(entry("power_measurement_start", None) + entry("conversion_eff", 0.96))

    assert refusal.value.code == "no_runs"


def session(**fields: object) -> dict[str, object]:
    return {"modules": {"ptd_client_server.lib.client": ""}, "messages": []} | fields


def test_a_session_without_comparisons_says_nothing_about_the_clocks() -> None:
    assert not [n for n in make.read(session()).notices if "clock" in n]


def test_two_sessions_in_one_file_are_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read("\n".join(json.dumps(session(version="1")) for _ in range(2)))

    assert refusal.value.code == "several_files"


def test_a_time_of_the_server_that_is_none_is_refused() -> None:
    message = {"cmd": "time", "cmd_time": 1.5, "reply": "soon", "reply_time": 1.75}

    with pytest.raises(MalformedEvidence) as refusal:
        make.read(session(messages=[message]))

    assert (refusal.value.code, refusal.value.where) == ("not_a_number", "x.json:messages[0].reply")


def test_the_power_in_the_window_of_the_work_is_not_that_of_the_whole_file(real_evidence: Path) -> None:
    """Design 4, section 11.11: 653 samples with mean 4954.03 W in the window, 4638.26 W in the whole file."""
    folder = "H200-SXM-141GBx8_TRT_MaxQ/resnet50_Offline"
    detail = real.read(real_evidence, f"mlperf-loadgen/v4.1_NVIDIA/{folder}/mlperf_log_detail.txt")
    power = real.read(real_evidence, "mlperf-power/v4.1_NVIDIA_MaxQ/resnet50_Offline/spl.txt").measurements
    window = {s.name: s.value for s in detail.settings if s.name.startswith("power_")}
    begin, end = (
        make.read(line(time=window[name])).measurements[0].started_ns for name in ("power_begin", "power_end")
    )

    assert begin is not None
    assert end is not None
    inside = [m.value for m in power if m.value and m.started_ns and begin <= m.started_ns <= end]
    whole = [m.value for m in power if m.value]
    assert len(inside) == 653
    assert sum(inside) / len(inside) == pytest.approx(4954.03, abs=0.005)
    assert sum(whole) / len(whole) == pytest.approx(4638.26, abs=0.005)
    assert (end - begin) / 1e9 == pytest.approx(652.603, abs=0.0005)
