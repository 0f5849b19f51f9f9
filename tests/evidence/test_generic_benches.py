"""Generic benchmark tools: what is a run of theirs, what is raw, and what is refused."""

import json

import pytest

from analysis.errors import MalformedEvidence
from tests.evidence import make
from tests.evidence.make import Fields


def code_of(content: object, form: str | None = None) -> str:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content, form)
    return refusal.value.code


def google(*entries: Fields, **context: object) -> Fields:
    return {"context": context, "benchmarks": list(entries)}


def timed(**fields: object) -> Fields:
    ordinary = {"name": "a", "run_type": "iteration", "iterations": 5, "real_time": 1.5, "time_unit": "ns"} | fields
    return {key: value for key, value in ordinary.items() if value is not ...}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (google(timed(), library_build_type="debug"), "debug_build"),
        (google(timed(name=...)), "missing"),
        (google(timed(real_time=-1)), "negative"),
        (google(timed(real_time="fast")), "not_a_number"),
        (google(timed(iterations=1.5)), "not_a_count"),
        (google(timed(), timed(time_unit="parsec")), "unknown_unit"),
        (google(timed(run_type="aggregate")), "no_runs"),
        (f"{json.dumps(google(timed()))}\n{json.dumps(google(timed()))}", "several_files"),
    ],
)
def test_a_bad_result_of_google_benchmark_is_refused(content: object, code: str) -> None:
    assert code_of(content, "google-benchmark") == code


def test_a_summary_without_a_name_for_its_benchmark_is_known_by_its_own() -> None:
    entry = timed(name="a_median", run_type="aggregate", iterations=...)

    [measurement] = make.read(google(entry)).measurements

    assert (measurement.run, measurement.stat, measurement.n) == ("a", "median", None)


def test_a_repetition_that_failed_takes_the_numbers_of_its_benchmark_with_it() -> None:
    reading = make.read(google(timed(), timed(error_occurred=True), timed(name="b")))

    assert [(m.run, m.value) for m in reading.measurements] == [("a", None), ("a", None), ("b", 1.5e-9)]


def test_an_entry_without_a_unit_is_in_ns() -> None:
    reading = make.read(google(timed(), timed(time_unit=...)))

    assert [m.value for m in reading.measurements] == [1.5e-9, 1.5e-9]


def perf(run: Fields, **metadata: object) -> Fields:
    return {"benchmarks": [{"runs": [run]}], "metadata": {"perf_version": "1.0"} | metadata}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (perf({"values": [1.5]}, unit="mile"), "unknown_unit"),
        (perf({"values": [0]}), "not_positive"),
        (perf({"values": ["fast"]}), "not_a_number"),
        (perf({"values": [-1]}, unit="byte"), "negative"),
        (perf({"values": [1.5], "warmups": [[1]]}), "lengths_differ"),
        (perf({"warmups": [[1, 1.5]]}), "no_runs"),
        (f"{json.dumps(perf({'values': [1]}))}\n{json.dumps(perf({'values': [1]}))}", "several_files"),
    ],
)
def test_a_bad_result_of_pyperf_is_refused(content: object, code: str) -> None:
    assert code_of(content, "pyperf") == code


def test_a_file_without_calibration_says_nothing_about_it() -> None:
    assert make.read(perf({"values": [1.5]}, unit="integer")).notices == ()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("BenchmarkA 10 1e999 ns/op", "not_finite"),
        ("BenchmarkA 10 -5 ns/op", "negative"),
        ("--- FAIL: BenchmarkA", "no_runs"),
        ("BenchmarkA", "no_runs"),
    ],
)
def test_bad_output_of_go_is_refused(line: str, code: str) -> None:
    assert code_of(f"{line}\n", "go-bench") == code


def test_go_lines_of_several_benchmarks_need_no_word_about_processes() -> None:
    assert make.read("BenchmarkA 10 5 ns/op\nBenchmarkB 10 5 ns/op\n").notices == ()


NCCL = "# nThread 1 nGpus 1 minBytes 4 maxBytes 8\n#  size count type redop root time algbw busbw #wrong\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (NCCL, "no_rows"),
        (f"{NCCL}4 1 float 1.5 0.1 0.1\n", "ragged_row"),
        (NCCL.replace("maxBytes 8", f"iters: {10**30}"), "not_a_count"),
        (NCCL.replace("maxBytes 8", "iters: 2(factor)"), "not_a_number"),
        (f"{NCCL}4 1 float sum -1 fast 0.1 0.1 0\n", "not_a_number"),
        (f"{NCCL}4 1 float sum -1 -1 0.1 0.1 0\n", "not_positive"),
    ],
)
def test_bad_output_of_nccl_tests_is_refused(text: str, code: str) -> None:
    assert code_of(text) == code


def test_a_table_with_one_placement_has_one_run_a_row_and_is_not_finished_without_its_end() -> None:
    reading = make.read(f"{NCCL}4 1 float sum -1 5.5 0.1 0.1 0\n8 1 float sum -1 5.5 0.1 0.1 2\n")

    assert [(run.status, run.reason) for run in reading.runs] == [("completed", ""), ("failed", "2 values were wrong")]
    assert [m.value for m in reading.measurements] == [5.5e-6, 1e8, 1e8, None, None, None]


def test_a_file_that_ends_within_a_table_has_its_last_run_partial() -> None:
    assert [run.status for run in make.read(f"{NCCL}4 1 float sum -1 5.5 0.1 0.1 0\n").runs] == ["partial"]


def test_a_test_without_a_row_is_named() -> None:
    finished = f"{NCCL}4 1 float sum -1 5.5 0.1 0.1 0\n# Avg bus bandwidth : 0.1\n"
    reading = make.read(f"{finished}{NCCL}")

    assert [run.status for run in reading.runs] == ["completed"]
    assert any("did not finish" in notice for notice in reading.notices)


def nvbench(*states: Fields, **fields: object) -> Fields:
    device = {"id": 0, "name": "x", "sm_version": 1}
    return {"devices": [device], "benchmarks": [{"name": "a", "states": list(states)}]} | fields


def summary(name: str, value: object) -> Fields:
    return {"name": name, "data": [{"value": value}]}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (nvbench(), "no_runs"),
        (nvbench({"summaries": [summary("GPU Time", "-1")]}), "negative"),
        (nvbench({"summaries": [summary("GPU Time", "fast")]}), "not_a_number"),
        (nvbench({"summaries": [summary("GPU Time", "1e300"), summary("Noise", "1e300")]}), "not_finite"),
        (nvbench({"summaries": [summary("Samples", "1.5")]}), "not_a_count"),
        (nvbench({"summaries": [{"name": "Samples", "data": [{}]}]}), "missing"),
        (f"{json.dumps(nvbench())}\n{json.dumps(nvbench())}", "several_files"),
        ("Benchmark,Device,Device Name,Skipped,GPU Time (sec)\n", "no_runs"),
    ],
)
def test_a_bad_result_of_nvbench_is_refused(content: object, code: str) -> None:
    assert code_of(content, "nvbench") == code


def test_a_noise_without_a_time_before_it_and_a_state_without_settings_are_nothing() -> None:
    reading = make.read(nvbench({"summaries": [summary("Noise", "0.5"), summary("GPU Time", 1.5)]}))

    assert [(m.metric, m.stat, m.value) for m in reading.measurements] == [("gpu_time", "mean", 1.5)]
    assert [setting.name for setting in reading.settings] == ["benchmark"]


def test_a_summary_without_a_short_name_keeps_its_own() -> None:
    state: Fields = {"summaries": {"GPU Time": {"value": {"value": "1.5"}}}, "axis_values": [{"value": "8"}]}
    reading = make.read(nvbench(state))

    assert [(m.metric, m.value) for m in reading.measurements] == [("gpu_time", 1.5)]
    assert ("0", "8") in [(setting.name, setting.value) for setting in reading.settings]


def test_a_share_that_is_no_number_is_refused() -> None:
    header = "Benchmark,Device,Device Name,Skipped,CPU Time (sec),Noise\n"

    assert code_of(f"{header}a,0,x,No,0.5,much%\n") == "not_a_number"
    assert code_of(f"{header}a,0,x,No,0.5,1e-2%\n") == "not_a_number"


MEASUREMENT = "<torch.utils.benchmark.utils.common.Measurement object at 0x7f>\nx\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nothing of the kind", "no_runs"),
        (MEASUREMENT, "missing"),
        (f"{MEASUREMENT}  2.34 us\n", "missing"),
        (f"{MEASUREMENT}  0 us\n  1 measurement, 100 runs , 1 thread\n", "not_positive"),
        (
            f"{MEASUREMENT}  2 us\n  IQR: 1 us (fast to 2)\n  9 measurements, 1 runs per measurement, 1 thread\n",
            "not_a_number",
        ),
    ],
)
def test_a_bad_measurement_of_torch_is_refused(text: str, code: str) -> None:
    assert code_of(text, "torch-benchmark") == code


def test_blocks_of_one_kind_are_not_warned_of() -> None:
    block = f"{MEASUREMENT}  2 us\n  1 measurement, 1 runs , 1 thread\n\n"

    assert len(make.read(block + block).notices) == 1


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ({"node": "a", "comment": 5}, "no_runs"),
        ({"node": "a", "x/y": "fast"}, "not_a_number"),
        ({"node": "a", "x/steptime_train": -1}, "negative"),
    ],
)
def test_a_bad_file_of_superbench_is_refused(content: object, code: str) -> None:
    assert code_of(content, "superbench") == code


BURN = "50.0%  proc'd: {}   errors: {}   temps: 38 C\n"


def test_output_of_gpu_burn_without_a_rate_is_refused() -> None:
    assert code_of(BURN.format("0 (0 Gflop/s)", "0")) == "no_runs"


def test_output_of_gpu_burn_without_a_verdict_is_partial_and_keeps_its_rates() -> None:
    reading = make.read(BURN.format("5 (7 Gflop/s)", "0"))

    assert [(run.status, run.reason) for run in reading.runs] == [("partial", "the output has no verdict on the GPUs")]
    assert [m.value for m in reading.measurements] == [7e9]
    assert reading.settings == ()


def test_errors_of_one_gpu_take_the_numbers_from_the_run() -> None:
    reading = make.read(BURN.format("5 (7 Gflop/s) - 5 (8 Gflop/s)", "0 - 10"))

    assert [run.reason for run in reading.runs] == ["GPU 1 reported errors: 10"]
    assert [m.value for m in reading.measurements] == [None, None]


TPU = "benchmark,test_name,p50_ms,avg_ms,std_ms,platform\n"


@pytest.mark.parametrize(
    ("row", "code"),
    [("a,b,fast,1,1,tpu", "not_a_number"), ("a,b,-1,1,1,tpu", "negative"), ("a,b,1,1,-1,tpu", "negative")],
)
def test_a_bad_row_of_the_tpu_microbenchmarks_is_refused(row: str, code: str) -> None:
    assert code_of(f"{TPU}{row}\n") == code


def test_a_platform_without_peak_numbers_is_not_warned_of() -> None:
    assert make.read(f"{TPU}a,b,1,1,1,cpu\n").notices == ()
