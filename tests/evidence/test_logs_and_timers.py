"""MLPerf logs, hyperfine and pytest-benchmark: what the golden cases do not show."""

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence
from tests.evidence import make

START: tuple[str, int, make.Fields] = ("run_start", 1000, {})


def score(log: str) -> float | None:
    [value] = [m.value for m in make.read(log, name="x.txt").measurements if m.metric == "time_to_train"]
    return value


def test_ranks_that_start_later_do_not_shorten_the_run() -> None:
    assert score(make.mllog(START, ("run_start", 1500, {}), make.finished(5000), make.finished(5200))) == 4.2


def test_one_rank_that_does_not_say_success_fails_the_run() -> None:
    reading = make.read(make.mllog(START, make.finished(), ("run_stop", 5100, {})), name="x.txt")

    assert (reading.runs[0].status, reading.runs[0].reason) == ("failed", "the status of run_stop is null")


def test_an_old_log_that_says_no_success_is_failed() -> None:
    log = ':::MLPv0.5.0 a 10.5 (a.py:1) run_start\n:::MLPv0.5.0 a 11.5 (a.py:2) run_stop: {"success": false}\n'

    assert make.read(log, name="x.txt").runs[0].status == "failed"


@pytest.mark.parametrize(
    ("log", "code"),
    [
        (make.mllog(make.finished()), "no_runs"),
        (make.mllog(START, make.finished(), ("run_start", 9000, {})), "several_runs"),
        (make.mllog(START, make.finished(1000)), "not_positive"),
        (make.mllog(START, make.finished()).replace("null", "12%", 1) + "x\n", "malformed_json"),
        ("MLPerf: a [13/45/19 00:30:56], run_start\n", "not_a_time"),
        (":::MLPv0.5.0 a 99999999999999999999 (a.py:1) run_start\n", "not_a_time"),
        (make.mllog(START, make.finished()).replace('"run_stop"', "7"), "not_text"),
        (":::MLLOG [1] {}\n" + make.mllog(START) + ':::MLLOG {"key": "x"}\n', "missing"),
        (make.mllog(START, ("eval_accuracy", 2000, {"value": 1, "metadata": {"step": 1.5}})), "not_a_count"),
        (make.mllog(START, ("tracked_stats", 2000, {"value": {"throughput": -1}})), "not_positive"),
    ],
)
def test_a_log_that_cannot_be_scored_is_refused(log: str, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(log, "mlperf-training", name="x.txt")

    assert refusal.value.code == code


def test_entries_without_metadata_or_samples_are_read() -> None:
    log = make.mllog(START, ("eval_loss", 2000, {"value": 0.5, "metadata": "none"}), make.finished())
    reading = make.read(log, name="x.txt")

    assert [(m.metric, m.value, m.index) for m in reading.measurements] == [
        ("time_to_train", 4.0, None), ("eval_loss", 0.5, None),
    ]  # fmt: skip
    assert [s for s in reading.settings if s.role == "work"] == []


def test_several_entries_in_one_line_are_all_read() -> None:
    log = make.mllog(START).strip() + " and " + make.mllog(make.finished())

    assert score(log) == 4.0


def test_what_changes_during_the_run_is_progress_and_no_setting() -> None:
    log = make.mllog(
        START, ("learning_rate", 2000, {"value": 1}), ("learning_rate", 3000, {"value": 2}), make.finished()
    )
    reading = make.read(log, name="x.txt")

    assert reading.settings == ()
    assert "Not read: learning_rate." in reading.notices


def test_what_was_said_twice_before_the_start_is_a_setting_with_both() -> None:
    log = make.mllog(("a", 1, {"value": 1}), ("a", 2, {"value": [1, "x"]}), START, make.finished())

    assert [(s.name, s.value) for s in make.read(log, name="x.txt").settings] == [("a", '1; [1, "x"]')]


def test_the_log_of_an_inference_run_is_another_format() -> None:
    log = ':::MLLOG {"key": "loadgen_version", "value": 1}\n' + make.mllog(START)

    assert evidence.recognise(make.document(log)).format.name == "mlperf-loadgen"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ({"results": []}, "no_runs"),
        (make.hyperfine(times=[]), "no_runs"),
        (make.hyperfine(exit_codes=[0]), "lengths_differ"),
        (make.hyperfine(command=7), "not_text"),
        ({"results": [{"command": "a"}]}, "missing"),
        ({}, "missing"),
        ('{"results": []}{"results": []}', "several_files"),
    ],
)
def test_a_bad_export_of_hyperfine_is_refused(content: object, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content, "hyperfine")

    assert refusal.value.code == code


def test_a_killed_process_is_a_failed_run_and_its_time_no_number() -> None:
    reading = make.read(make.hyperfine(exit_codes=[0, None], memory_usage_byte=[10, 0]))

    assert [(run.status, run.reason) for run in reading.runs] == [
        ("completed", ""),
        ("failed", "the process was killed"),
    ]
    assert [(m.metric, m.value) for m in reading.measurements] == [
        ("wall_time", 0.5),
        ("memory", 10.0),
        ("wall_time", None),
    ]


def test_the_mean_in_the_file_is_not_read() -> None:
    reading = make.read(make.hyperfine(mean=99.0, speed=1))

    assert 99.0 not in [m.value for m in reading.measurements]
    assert "Not read: speed." in reading.notices


def test_an_export_that_is_cut_off_ends_in_a_partial_run() -> None:
    text = '{"results": [{"command": "a", "times": [0.5, 0.25, 0.1'

    assert [(run.status, run.reason) for run in make.read(text).runs] == [
        ("completed", ""), ("partial", "the file is cut off"),
    ]  # fmt: skip


def test_a_failed_run_at_the_end_of_a_cut_file_stays_failed() -> None:
    text = '{"results": [{"command": "a [ERROR]", "times": [0.5, 0.25, 0.1'

    assert [run.status for run in make.read(text).runs] == ["failed", "failed"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ({"benchmarks": []}, "no_runs"),
        ({}, "missing"),
        ({"benchmarks": [{"name": "a"}]}, "missing"),
        (make.pytest_benchmark(rounds=None), "not_a_number"),
        ({"benchmarks": [{"stats": {"rounds": 1}}]}, "missing"),
        ("[{}]{}", "several_files"),
        ("3", "not_an_object"),
    ],
)
def test_a_bad_file_of_pytest_benchmark_is_refused(content: object, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content, "pytest-benchmark")

    assert refusal.value.code == code


def test_a_clean_commit_is_no_notice() -> None:
    assert make.read(make.pytest_benchmark() | {"commit_info": {"dirty": False}}).notices == ()
