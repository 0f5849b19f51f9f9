"""Engine benchmarks other than llama-bench (trtexec, ONNX Runtime and others): what the golden cases do not show."""

import json

import pytest

from analysis.errors import MalformedEvidence
from analysis.reading import Reading
from tests.evidence import make
from tests.evidence.readings import refused, settings, values_of

PASSED = "&&&& PASSED TensorRT.trtexec # trtexec {}\n"
SUMMARY = "[I] Latency: min = 1.0 ms, max = 3.0 ms, mean = 2.0 ms\n[I] Throughput: 100 qps\n"
STAMPED = SUMMARY.replace("[I]", "[01/01/2024-00:00:00] [I]")
OVERVIEW = "= PERFORMANCE OVERVIEW\nRequest Throughput (req/sec): 2.5\n"


def trtexec(options: str, before: str = "") -> Reading:
    return make.read(before + STAMPED + PASSED.format(options))


@pytest.mark.parametrize(
    ("options", "before", "queries", "samples"),
    [
        ("--batch=4", "", [], [100.0]),
        ("--shapes=a:8x3,b:8x1", "", [100.0], [800.0]),
        ("--optShapes=a:2x3", "", [100.0], [200.0]),
        ("--shapes=a:8x3,b:4x1", "", [100.0], []),
        ("--onnx=a.onnx --batch=4", "[01/01/2024-00:00:00] [I] Batch: Explicit\n", [100.0], []),
        ("", "[01/01/2024-00:00:00] [I] Batch: 16\n", [], [100.0]),
    ],
)
def test_queries_are_samples_or_batches(options: str, before: str, queries: list[float], samples: list[float]) -> None:
    reading = trtexec(options, before)

    assert values_of(reading, "query_throughput", "rate") == queries
    assert values_of(reading, "throughput", "rate") == samples
    assert any("batches of unknown size" in notice for notice in reading.notices) is (samples == [])


def test_a_rate_of_nothing_is_no_rate_of_samples() -> None:
    log = STAMPED.replace("100 qps", "0 qps") + PASSED.format("--shapes=a:8x3")
    reading = make.read(log)

    assert values_of(reading, "query_throughput", "rate") == [None]
    assert values_of(reading, "throughput", "rate") == []


def test_a_log_without_status_lines_is_one_run() -> None:
    gpu = "[01/01/2024-00:00:00] [I] GPU Compute Time: min = 1.0 ms, max = 3.0 ms\n"

    assert [run.status for run in make.read(gpu).runs] == ["completed"]


def test_a_run_without_a_summary_failed() -> None:
    assert [(r.status, r.reason) for r in make.read(PASSED.format("--onnx=a")).runs] == [
        ("failed", "the log has no performance summary")
    ]


def test_a_run_that_the_next_one_cut_short_is_a_run() -> None:
    running = "&&&& RUNNING TensorRT.trtexec # trtexec --batch=1\n"

    assert [run.status for run in make.read(running + running + STAMPED).runs] == ["failed", "completed"]


def test_an_option_that_stands_twice_is_stated_once() -> None:
    reading = trtexec("--batch=1 --batch=2 --int8")

    assert [s.value for s in reading.settings if s.name == "batch"] == ["1"]


def test_a_file_without_a_run_of_trtexec_is_refused() -> None:
    assert refused("hello", "trtexec") == ("no_runs", "x.json")
    assert refused("[[1]] 2", "trtexec")[0] in ("no_runs", "malformed_json")
    assert refused('[ {"a": 1} ]\n{"b": 2}', "trtexec") == ("no_runs", "x.json")


def test_an_empty_list_of_inferences_is_refused() -> None:
    assert refused("[ ]", "trtexec") == ("no_runs", "x.json:")


def test_an_inference_without_a_duration_is_refused() -> None:
    assert refused([{"startComputeMs": 1.0}]) == ("missing", "x.json:[0].latencyMs")


def test_a_layer_without_a_median_is_read() -> None:
    reading = make.read([{"count": 2}, {"name": "conv", "timeMs": 3.0, "averageMs": 1.5}])

    assert [(m.stat, m.value, m.stage, m.n) for m in reading.measurements] == [
        ("mean", 0.0015, "conv", 2),
        ("total", 0.003, "conv", 2),
    ]


def test_a_percentile_on_the_console_of_benchmark_app_is_read() -> None:
    console = "Count: 4 iterations\nDuration: 5 ms\n    90 percentile:     10.5 ms\nThroughput: 3 apples\n"

    assert [(m.stat, m.value) for m in make.read(console).measurements] == [("p90", 0.0105)]


def test_output_of_onnxruntime_without_an_average_is_refused() -> None:
    assert refused("Session creation time cost: 1 s\n", "onnxruntime-perf-test") == ("no_runs", "x.json")


@pytest.mark.parametrize(("written", "seconds"), [("1.5 s", 1.5), ("1500 ms", 1.5), ("1.5", 0.0015)])
def test_an_average_is_in_the_unit_that_it_states_else_in_ms(written: str, seconds: float) -> None:
    reading = make.read(f"Average inference time cost: {written}\nRuns:3\n")

    assert values_of(reading, "latency", "mean") == [seconds]
    assert settings(reading) == {"inferences": "3"}


def test_a_report_of_benchmark_app_without_results_is_refused() -> None:
    assert refused("Command line parameters\nm;tiny.xml\n") == ("no_runs", "x.json")


def test_a_report_of_layers_without_a_layer_is_refused() -> None:
    table = "layerName;execStatus;layerType;realTime (ms)\nTotal;;;1.5\n"

    assert refused(table) == ("no_runs", "x.json")


def test_layers_in_a_table_with_commas_are_read() -> None:
    reading = make.read("layerName,execStatus,layerType,realTime (ms)\nconv,EXECUTED,Conv,1.5\n")

    assert [(m.metric, m.stage, m.value) for m in reading.measurements] == [("layer_time", "conv", 0.0015)]


def test_a_report_may_lack_the_iterations_and_hold_unknown_keys() -> None:
    reading = make.read("Command line parameters\nm;a\nExecution results\nlatency (ms);1.5\nnew thing;2\n")

    assert values_of(reading, "latency", "median") == [0.0015]
    assert reading.notices[-1] == "Not read: new thing."


def test_two_reports_of_trtllm_bench_in_one_file_are_refused() -> None:
    assert refused(OVERVIEW * 2) == ("several_files", "x.json:4")
    assert refused("\n".join(json.dumps(make.trtllm()) for _ in range(2))) == ("several_files", "x.json")


def test_a_report_without_a_rate_is_refused() -> None:
    assert refused("= PERFORMANCE OVERVIEW\nNumber of requests: 3\n") == ("no_runs", "x.json")


def test_the_total_latency_is_the_duration_of_the_run() -> None:
    reading = make.read(OVERVIEW + "Total Latency (ms): 1500\n")

    assert settings(reading) == {"duration": "1.5"}
    assert values_of(reading, "e2e_latency", "mean") == []


def test_a_report_without_a_phase_is_refused() -> None:
    assert refused({"note": {"latency": None}}, "optimum-benchmark") == ("no_runs", "x.json:")


def test_a_phase_may_lack_its_values_and_its_count() -> None:
    reading = make.read(make.optimum(latency={"unit": "s", "mean": 0.5}))

    assert [(m.stat, m.value, m.n) for m in reading.measurements] == [("mean", 0.5, None)]


def test_a_phase_that_was_not_timed_keeps_its_throughput() -> None:
    content = {"a": {"latency": None, "throughput": {"unit": "steps/s", "value": 2.5}}, "config": 1}

    assert values_of(make.read(content, "optimum-benchmark"), "a_throughput", "rate") == [2.5]


def test_a_unit_that_is_unknown_is_refused() -> None:
    content = make.optimum(throughput={"unit": "furlongs/s", "value": 2.5})

    assert refused(content) == ("unknown_unit", "x.json:forward.throughput.value")


def test_a_size_that_is_not_finite_in_bytes_is_refused() -> None:
    content = make.optimum(memory={"unit": "GB", "max_ram": 1e305})

    assert refused(content) == ("not_finite", "x.json:forward.memory.max_ram")


def test_a_report_may_come_without_its_configuration() -> None:
    assert settings(make.read({"report": make.optimum()})) == {}


def test_a_column_of_a_table_that_is_no_number_is_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(",forward.latency(s)\n0,fast\n", name="bs4/x.csv")

    assert refusal.value.where == "bs4/x.csv:2.forward.latency(s)"
