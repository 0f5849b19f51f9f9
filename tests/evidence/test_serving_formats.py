"""What vLLM measures and logs besides the JSON of bench serve: what the golden cases do not show."""

import json

import pytest

from analysis import evidence
from analysis.errors import UnknownFormat
from analysis.evidence import python_text
from analysis.evidence.format import Document
from tests.evidence import make
from tests.evidence.readings import refused, settings, values_of

CLIENT = "start_time_ms,ttft_ms,tpot_ms,latency_ms,input_num_tokens,output_num_tokens\n"
SERVER = "timestamp_sec,num_requests_running,prompt_tokens_total,generation_tokens_total\n"
BLOCK = "============ Serving Benchmark Result ============\n"
END = "==================================================\n"


def test_model_and_size_come_from_the_file_name_and_folders_stay_identity() -> None:
    stated = make.read(make.throughput(), name="exp/rocm/acme_tiny_tp4.json").settings

    assert {(s.name, s.value, s.source) for s in stated if s.source != "file field"} == {
        ("model", "acme_tiny", "file name"),
        ("tensor_parallel_size", "4", "file name"),
        ("directory", "rocm", "directory name"),
        ("directory_1_up", "exp", "directory name"),
    }


def test_a_rate_that_is_not_work_over_time_is_said() -> None:
    assert any(
        "x.json:tokens_per_second: 321" in n for n in make.read(make.throughput(tokens_per_second=321.0)).notices
    )


def test_no_work_leaves_a_rate_unchecked_and_a_zero_no_rate() -> None:
    reading = make.read(make.throughput(num_requests=0, requests_per_second=0))

    assert values_of(reading, "request_throughput", "rate") == [None]


def test_the_twin_in_the_schema_of_pytorch_is_no_throughput_result() -> None:
    with pytest.raises(UnknownFormat):
        make.read([{"benchmark_values": [1], "extra_info": make.throughput()}])


def test_a_latency_result_without_an_iteration_is_refused() -> None:
    assert refused(make.latency(latencies=[])) == ("no_runs", "x.json:latencies")


def test_a_percentile_that_is_none_is_refused() -> None:
    assert refused(make.latency(percentiles={"high": 1})) == ("unknown_stat", "x.json:percentiles.high")


def test_a_deviation_of_one_iteration_is_no_spread() -> None:
    [spread] = [m for m in make.read(make.latency(std_latency=0.0)).measurements if m.stat == "std"]

    assert (spread.value, spread.reason) == (None, "one sample has no spread")


@pytest.mark.parametrize("count", [101, 100, 99])
def test_a_p99_says_no_more_than_the_maximum_below_a_hundred_samples(count: int) -> None:
    notices = make.read(make.latency(latencies=[0.5] * count)).notices

    assert any(f"p99 of {count} samples" in n for n in notices) is (count < 100)


def test_a_block_that_is_not_closed_is_partial() -> None:
    reading = make.read(BLOCK + "Successful requests: 8\nMean TTFT (ms): 12.5\n")

    assert (reading.runs[0].status, values_of(reading, "ttft", "mean")) == ("partial", [0.0125])


def test_a_closed_block_is_complete() -> None:
    assert make.read(BLOCK + "Mean TTFT (ms): 12.5\n" + END).runs[0].status == "completed"


def test_a_block_without_a_number_is_refused() -> None:
    assert refused(BLOCK + "Backend: vllm\n" + END) == ("no_runs", "x.json:1")


def test_text_without_a_block_is_refused_when_somebody_says_it_is_one() -> None:
    assert refused("hello", "vllm-bench-serve-text") == ("no_runs", "x.json")


@pytest.mark.parametrize("line", ["Mean TTFT (ms): -1", "Request throughput (req/s): -2", "Successful requests: many"])
def test_a_bad_number_of_a_block_is_named_by_its_line(line: str) -> None:
    assert refused(f"{BLOCK}{line}\nBenchmark duration (s): 1\n{END}")[1] == "x.json:2"


def test_work_that_is_no_number_is_not_stated() -> None:
    reading = make.read(f"{BLOCK}Total input tokens: nan\nMean TTFT (ms): 12.5\n{END}")

    assert settings(reading) == {}


def test_two_blocks_in_one_log_are_two_runs_with_the_arguments_above_each() -> None:
    log = "".join(f"Namespace(seed={i})\n{BLOCK}Mean TTFT (ms): {i}.5\n" for i in (1, 2))
    reading = make.read(log)

    assert [(s.run, s.value) for s in reading.settings if s.name == "seed"] == [("0", "1"), ("1", "2")]
    assert values_of(reading, "ttft", "mean") == [0.0015, 0.0025]


def test_a_wrapper_that_is_cut_off_keeps_what_was_printed() -> None:
    whole = json.dumps({"success": False, "raw_output": f"start\n{BLOCK}Mean TTFT (ms): 12.5\nP99"})
    reading = make.read(whole[:-2] + "\\")

    assert (reading.runs[0].status, values_of(reading, "ttft", "mean")) == ("partial", [0.0125])
    assert reading.leniences == ("the file is cut off: its last value was left out",)
    assert any("reports no success, and yet a result" in notice for notice in reading.notices)


@pytest.mark.parametrize(
    ("success", "output", "reason"),
    [
        (True, "vllm bench serve\nit ended\n", "the output holds no result: it ended"),
        (True, "vllm bench serve", "the output holds no result: vllm bench serve"),
        (False, "", "the wrapper reports no success"),
    ],
)
def test_a_wrapper_without_a_result_is_a_failed_run(success: bool, output: str, reason: str) -> None:
    [run] = make.read({"success": success, "raw_output": output}).runs

    assert (run.status, run.reason) == ("failed", reason)


@pytest.mark.parametrize(
    "content", [{"success": True, "raw_output": "Throughput: 4.5 requests/s"}, {"raw_output": "a"}, {"success": False}]
)
def test_a_wrapper_of_something_else_is_unknown(content: object) -> None:
    with pytest.raises(UnknownFormat):
        make.read(content)


def test_a_wrapper_may_say_first_what_was_printed() -> None:
    assert make.read({"raw_output": "ended", "success": False}).runs[0].status == "failed"


def test_settings_as_python_prints_them() -> None:
    text = "a=1, b='x, y', c={'k': [1, 2]}, d=<f at 0x1>, nothing, 'e': \"q\", f=g(h=1)"

    assert dict(python_text.settings(text)) == {
        "a": "1", "b": "x, y", "c": "{'k': [1, 2]}", "d": "<f at 0x1>", "e": "q", "f": "g(h=1)",
    }  # fmt: skip


def test_what_stands_inside_brackets_ends_where_they_close() -> None:
    assert python_text.inside("N(a=')', b=(1)) rest", "N(") == "a=')', b=(1)"
    assert python_text.inside("N(a=1", "N(") == "a=1"


def test_requests_that_took_no_time_are_refused() -> None:
    assert refused(CLIENT + "1000,0,0,0,1,1\n", name="x.csv") == ("not_positive", "x.csv")


def test_a_rate_that_is_not_finite_is_refused() -> None:
    assert refused(CLIENT + "0,1,1,1e-310,1,1\n", name="x.csv") == ("not_finite", "x.csv")


def test_a_rate_to_check_that_is_not_finite_is_refused() -> None:
    content = make.throughput(elapsed_time=1e-310, requests_per_second=1.0)

    assert refused(content) == ("not_finite", "x.json:requests_per_second")


def test_a_time_that_vanishes_in_seconds_is_refused() -> None:
    assert refused(CLIENT + "0,1e-323,1,1,1,1\n", name="x.csv") == ("not_positive", "x.csv:2.ttft_ms")


def test_a_sum_that_no_count_holds_is_not_stated_as_samples() -> None:
    row = f"0,1,1,1,{2**63 - 1025},{2**63 - 1025}\n"
    found = make.read(CLIENT + row, name="x.csv").measurements

    assert [m.n for m in found if m.metric == "total_token_throughput"] == [None]


def test_a_rate_of_nothing_is_no_rate() -> None:
    assert values_of(make.read(CLIENT + "0,1,1,1,1,0\n", name="x.csv"), "output_throughput", "rate") == [None]


def test_a_start_that_is_no_time_is_refused() -> None:
    assert refused(CLIENT + "1e30,1,1,1,1,1\n", name="x.csv") == ("not_a_time", "x.csv:2.start_time_ms")


def test_a_counter_that_falls_is_refused_by_its_cell() -> None:
    rows = "1,0,50,5\n2,0,40,6\n"

    assert refused(SERVER + rows, name="x.csv") == ("negative", "x.csv:3.prompt_tokens_total")


def test_a_server_table_may_lack_the_cache_and_its_server_may_be_new() -> None:
    reading = make.read(SERVER + "1,2,0,0\n2,3,40,6\n", name="x.csv")

    assert (settings(reading)["input_tokens"], settings(reading)["output_tokens"]) == ("40", "6")
    assert not any("warm" in notice for notice in reading.notices)
    assert values_of(reading, "requests_running") == [2.0, 3.0]


def test_a_client_table_may_lack_who_sent_what() -> None:
    assert "clients" not in settings(make.read(CLIENT + "1000,1,1,2,1,1\n", name="x.csv"))


def test_any_other_table_is_no_table_of_the_multi_turn_benchmark() -> None:
    assert refused("a,b\n1,2\n", "vllm-multiturn-csv")[0] == "no_header"


def test_a_log_in_which_no_server_speaks_is_refused() -> None:
    assert refused("hello\n", "vllm-server-log") == ("no_runs", "x.json")


def test_a_log_that_begins_with_the_engine_is_one_start() -> None:
    line = "INFO Initializing a V1 LLM engine (v0.9.1) with config: model='acme/tiny', seed=0\n"
    reading = make.read(line * 2)

    assert len(reading.runs) == 1
    assert settings(reading) == {"vllm_version": "0.9.1", "model": "acme/tiny", "seed": "0"}


def test_a_server_log_with_a_console_report_is_the_report() -> None:
    log = f"INFO vLLM API server version 0.9.1\n{BLOCK}Mean TTFT (ms): 12.5\n{END}"

    assert make.read(log).format == "vllm-bench-serve-text"


def test_a_setting_of_a_server_that_is_too_long_is_left_out() -> None:
    reading = make.read(f"INFO vLLM API server version 0.9.1\nargs: Namespace(a=1, long='{'x' * 20_001}')\n")

    assert settings(reading) == {"vllm_version": "0.9.1", "a": "1"}
    assert reading.notices[-1] == "Not read: long."


@pytest.mark.parametrize(("rate", "warm"), [("0.0", False), ("12.5", True)])
def test_a_cache_that_was_hit_is_said(rate: str, warm: bool) -> None:
    log = f"INFO vLLM API server version 0.9.1\nAvg prompt throughput: 1, Prefix cache hit rate: {rate}%\n"

    assert any("prefix cache was hit" in notice for notice in make.read(log).notices) is warm


@pytest.mark.parametrize("ending", ["_ms", ""])
def test_gaps_between_chunks_and_tails_of_few_requests_are_said(ending: str) -> None:
    fields = {"request_throughput": 8.0, "duration": 1.0, "completed": 8, "total_input_tokens": 8, "num_prompts": 8}
    latencies = {f"mean_itl{ending}": 4.0, f"mean_tpot{ending}": 10.0, f"p99_ttft{ending}": 500.0}
    said = evidence.read(Document(json.dumps({**fields, **latencies, "model_id": "m"}).encode(), "r.json")).notices

    assert "r.json: p99 of 8 samples says no more than their maximum." in said
    assert any(one.startswith("r.json: the inter-token latency is less than half") for one in said)
