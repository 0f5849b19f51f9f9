"""Engine benchmarks (trtexec, llama-bench, ONNX Runtime and others): what the golden cases do not show."""

import json

import pytest

from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.reading import Reading
from tests.evidence import make
from tests.evidence.test_serving_formats import refused, settings, values_of

PASSED = "&&&& PASSED TensorRT.trtexec # trtexec {}\n"
SUMMARY = "[I] Latency: min = 1.0 ms, max = 3.0 ms, mean = 2.0 ms\n[I] Throughput: 100 qps\n"
STAMPED = SUMMARY.replace("[I]", "[01/01/2024-00:00:00] [I]")
MARKDOWN = "| model | backend | test | t/s |\n| --- | --- | ---: | ---: |\n"
LLAMA_CSV = "build_commit,model_type,n_prompt,n_gen,avg_ts\n"
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


@pytest.mark.parametrize(
    ("sizes", "metric"),
    [
        ({"n_prompt": 512}, "pp512"),
        ({"n_prompt": 0, "n_gen": 128}, "tg128"),
        ({"n_prompt": 512, "n_gen": 128, "n_depth": 64}, "pp512_tg128_d64"),
        ({"n_prompt": 0}, "nothing"),
    ],
)
def test_a_test_is_named_as_the_tool_names_it(sizes: dict[str, object], metric: str) -> None:
    assert values_of(make.read(make.llama(**sizes)), metric) == [64.0]


def test_a_list_without_a_test_is_refused() -> None:
    assert refused("[]", "llama-bench") == ("no_runs", "x.json")


@pytest.mark.parametrize(
    ("time", "code"),
    [
        ("soon", "not_a_time"),
        ("9999-12-31T23:59:59-23:59", "not_a_time"),
        ("1969-12-31T00:00:00Z", "negative"),
        (5, "not_text"),
    ],
)
def test_a_test_time_that_is_none_is_refused(time: object, code: str) -> None:
    assert refused(make.llama(test_time=time)) == (code, "x.json:[0].test_time")


def test_the_start_of_a_run_is_that_of_its_first_test() -> None:
    assert make.read(make.llama(test_time="1970-01-01T00:01:00Z")).runs[0].started_ns == 60 * 10**9


def test_one_repetition_is_said_to_have_no_deviation() -> None:
    reading = make.read(make.llama(stddev_ts=0))

    assert values_of(reading, "pp512", "std") == [None]
    assert any("measured once" in notice for notice in reading.notices)


def test_a_table_without_rows_is_a_failed_run() -> None:
    [run] = make.read(MARKDOWN).runs

    assert (run.status, run.reason) == ("failed", "the tool printed no result")


def test_a_table_that_broke_off_is_partial_and_keeps_its_rows() -> None:
    reading = make.read(MARKDOWN + "| tiny | RPC | pp512 | 95.5 ± 0.5 |\nmain: error: out of memory\n")

    assert (reading.runs[0].status, values_of(reading, "pp512", "mean")) == ("partial", [95.5])


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ("ggml_cuda_init: failed to initialize, using the CPU", "", "completed"),
        ("Failed to connect to 10.0.0.1:50052", "", "partial"),
        ("", "Segmentation fault (core dumped)", "partial"),
        ("", "first error\nsecond error", "partial"),
        ("", "done", "completed"),
    ],
)
def test_what_stands_beside_the_json_may_say_that_it_broke(before: str, after: str, status: str) -> None:
    [run] = make.read(f"{before}\n{json.dumps([make.llama()])}\n{after}\n").runs

    assert run.status == status
    assert (after.partition("\n")[0] or before) in run.reason or status == "completed"


def test_json_that_is_cut_off_is_partial() -> None:
    assert make.read(json.dumps([make.llama()] * 2)[:-20]).runs[0].reason == "the file is cut off"


def test_the_names_of_old_tests_are_read() -> None:
    reading = make.read(MARKDOWN + "| tiny | CPU | pp 512 | 95.5 ± 0.5 |\n| tiny | CPU | tg 128 | 9.5 ± 0.5 |\n")

    assert [m.metric for m in reading.measurements if m.stat == "mean"] == ["pp512", "tg128"]


def test_a_percentile_on_the_console_of_benchmark_app_is_read() -> None:
    console = "Count: 4 iterations\nDuration: 5 ms\n    90 percentile:     10.5 ms\nThroughput: 3 apples\n"

    assert [(m.stat, m.value) for m in make.read(console).measurements] == [("p90", 0.0105)]


def test_each_table_has_the_build_below_it() -> None:
    tables = "".join(f"{MARKDOWN}| tiny | CPU | tg8 | {i}.5 |\n\nbuild: abc{i} ({i})\n" for i in (1, 2))
    reading = make.read(tables)

    assert [s.value for s in reading.settings if s.name == "build_commit"] == ["abc1", "abc2"]


@pytest.mark.parametrize(
    ("content", "code", "where"),
    [
        (MARKDOWN + "| tiny | CPU | pp512 |\n", "ragged_row", "x.json:3"),
        (MARKDOWN + "| tiny | CPU | fast | 95.5 |\n", "unknown_metric", "x.json:3"),
        (MARKDOWN + "| tiny | CPU | pp512 | fast |\n", "not_a_number", "x.json:3.avg_ts"),
        (make.text("llama-bench/rows.sql").replace(", '64.0'", ""), "ragged_row", "x.json:6"),
        (LLAMA_CSV + "abc,tiny,512,0,-1\n", "negative", "x.json:2.avg_ts"),
        (LLAMA_CSV + "abc,tiny,512\nabc,tiny,512,0,1\n", "ragged_row", "x.json:2"),
    ],
)
def test_a_table_that_is_wrong_is_refused_by_its_place(content: str, code: str, where: str) -> None:
    assert refused(content) == (code, where)


def test_a_table_that_is_cut_off_is_partial() -> None:
    assert make.read(LLAMA_CSV + "abc,tiny,512,0,64\nabc,tiny").runs[0].status == "partial"


def test_an_insert_into_another_table_is_no_llama_bench() -> None:
    with pytest.raises(UnknownFormat):
        make.read("INSERT INTO users (name) VALUES ('a');\n")


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
