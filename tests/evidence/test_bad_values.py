"""Times and rates that cannot be: each is refused by its place, in each format."""

import json

import pytest

from analysis.errors import MalformedEvidence
from tests.evidence import make

WRONG = ["-1", "NaN", "Infinity", "true", '"0.2"', "[]"]
WRONG_OR_NOTHING = [*WRONG, "0", "null"]


def spoiled(content: object, bad: str) -> str:
    """The file with the value 77777 replaced."""
    text = json.dumps(content)
    assert text.count("77777") == 1
    return text.replace("77777", bad)


PLACES = [
    ("vllm-bench-serve", make.vllm(duration=77777), "duration", WRONG_OR_NOTHING),
    ("vllm-bench-serve", make.vllm(request_throughput=77777), "request_throughput", [*WRONG, "0"]),
    ("vllm-bench-serve", make.vllm(p99_ttft_ms=77777), "p99_ttft_ms", WRONG),
    ("vllm-bench-serve", make.vllm(std_ttft_ms=77777), "std_ttft_ms", WRONG),
    ("vllm-bench-serve", make.vllm(completed=77777), "completed", [*WRONG, "1.5"]),
    ("vllm-bench-serve", make.detailed(ttfts=[0.5, 77777, 0.1, 0.0]), "ttfts[1]", WRONG),
    ("vllm-bench-serve", make.detailed(itls=[[0.1, 77777], [], [], []]), "itls[0][1]", [*WRONG, "null"]),
    ("vllm-bench-serve", make.detailed(latencies=[1, 2, 77777, 0]), "latencies[2]", WRONG),
    ("sglang-bench-serving", make.sglang(output_throughput=77777), "output_throughput", [*WRONG, "0"]),
    ("sglang-bench-serving", make.sglang(mean_e2e_latency_ms=77777), "mean_e2e_latency_ms", WRONG),
    ("hyperfine", make.hyperfine(times=[0.5, 77777]), "results[0].times[1]", WRONG_OR_NOTHING),
    ("pytest-benchmark", make.pytest_benchmark(data=[0.5, 77777]), "benchmarks[0].stats.data[1]", WRONG_OR_NOTHING),
    ("pytest-benchmark", make.pytest_benchmark(mean=77777), "benchmarks[0].stats.mean", WRONG),
    ("vllm-bench-throughput", make.throughput(elapsed_time=77777), "elapsed_time", WRONG_OR_NOTHING),
    ("vllm-bench-throughput", make.throughput(num_requests=77777), "num_requests", [*WRONG, "1.5"]),
    ("vllm-bench-throughput", make.throughput(tokens_per_second=77777), "tokens_per_second", WRONG),
    ("vllm-bench-latency", make.latency(latencies=[0.5, 77777]), "latencies[1]", WRONG_OR_NOTHING),
    ("vllm-bench-latency", make.latency(percentiles={"99": 77777}), "percentiles.99", WRONG),
    ("inference-perf", make.lifecycle(benchmark_time_seconds=77777), "benchmark_time_seconds", [*WRONG, "0"]),
    ("inference-perf", make.lifecycle(failures={"count": 77777}), "failures.count", [*WRONG, "1.5"]),
    ("guidellm", make.guidellm(duration=77777), "benchmarks[0].duration", [*WRONG, "0"]),
    ("llama-bench", make.llama(samples_ts=[77777]), "[0].samples_ts[0]", WRONG_OR_NOTHING),
    ("llama-bench", make.llama(avg_ts=77777), "[0].avg_ts", WRONG),
    ("llama-bench", make.llama(n_prompt=77777), "[0].n_prompt", [*WRONG, "1.5", "null"]),
    ("trtexec", [{"latencyMs": 1.5, "computeMs": 77777}], "[0].computeMs", WRONG),
    (
        "trtllm-bench",
        make.trtllm(performance={"request_throughput_req_s": 77777}),
        "performance.request_throughput_req_s",
        WRONG,
    ),
    (
        "optimum-benchmark",
        make.optimum(throughput={"unit": "samples/s", "value": 77777}),
        "forward.throughput.value",
        WRONG,
    ),
    ("countersign-measurements", make.measured(value=77777), "runs[0].measurements[0].value", [*WRONG, "0"]),
    ("countersign-bounds", make.bounds(low=77777), "quantities[0].low", ["-1", "NaN", "true", '"x"', "0", "null"]),
]


@pytest.mark.parametrize(
    ("form", "content", "place", "bad"),
    [(form, content, place, bad) for form, content, place, wrong in PLACES for bad in wrong],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_value_is_named_by_its_place(form: str, content: object, place: str, bad: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(spoiled(content, bad), form)

    assert refusal.value.where == f"x.json:{place}"


@pytest.mark.parametrize("bad", ["-1", "0", "nan", "inf", "fast", ""])
def test_a_bad_cell_is_named_by_its_line_and_column(bad: str) -> None:
    table = f"prompt_tokens,generation_tokens,ttft,generation_time,launch_time,finish_time\n1,1,{bad},1,10,12\n"

    with pytest.raises(MalformedEvidence) as refusal:
        make.read(table, name="x.csv")

    assert refusal.value.where == "x.csv:2.ttft"


@pytest.mark.parametrize(
    ("launch", "finish", "code"),
    [
        ("12", "12", "not_positive"),
        ("13", "12", "not_positive"),
        ("-5", "12", "negative"),
        ("1", "1e300", "not_a_time"),
    ],
)
def test_a_request_that_takes_no_time_is_refused(launch: str, finish: str, code: str) -> None:
    header = "prompt_tokens,generation_tokens,ttft,generation_time,launch_time,finish_time"

    with pytest.raises(MalformedEvidence) as refusal:
        make.read(f"{header}\n1,1,0.5,1,{launch},{finish}\n", name="x.csv")

    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("time", "code"), [(-1, "negative"), ("soon", "not_a_number"), (10**20, "not_a_time"), (None, "not_a_number")]
)
def test_a_bad_moment_in_a_log_is_named_by_its_line(time: object, code: str) -> None:
    log = make.mllog(("run_start", 1000, {})) + ":::MLLOG " + json.dumps({"key": "run_stop", "time_ms": time}) + "\nx\n"

    with pytest.raises(MalformedEvidence) as refusal:
        make.read(log, name="x.txt")

    assert (refusal.value.code, refusal.value.where) == (code, "x.txt:2.time_ms")
