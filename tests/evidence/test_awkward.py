"""The awkward cases of the specification of formats, by their numbers: each is read for what it is, or refused."""

import json
from collections.abc import Callable

import pytest

from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import json_reader
from analysis.reading import Reading
from tests.evidence import make

SPAN = '{"ph": "X", "cat": "cpu_op", "name": "%s", "pid": 1, "tid": 1, "ts": %s, "dur": %s}'
KERNEL = '{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": %s, "dur": %s}'
LOADED = '{"schemaVersion": 1, "traceEvents": [%s]}'
BLOCK = "============ Serving Benchmark Result ============\nSuccessful requests: 8\n"


def values_of(reading: Reading, metric: str) -> list[float | None]:
    return [m.value for m in reading.measurements.only(metric=metric)]


def said(reading: Reading, words: str) -> bool:
    return any(words in sentence for sentence in (*reading.leniences, *reading.notices))


def appended() -> str:
    endless = json.dumps(make.sglang(request_rate=float("inf")))
    return f"{endless}\n{json.dumps(make.sglang())}\n"


def recoded(case: str, encoding: str) -> bytes:
    return make.text(case).replace("\r\n", "\n").replace("\n", "\r\n").encode(encoding)


def tagged(case: str) -> str:
    return "".join(f"[1,0]<stdout>:{line}\n" for line in make.text(case).splitlines())


def german() -> str:
    head = "timestamp; index; power.draw [W]\r\n"
    return head + "05.01.2026 10:00:00,500; 0; 33,09 W\r\n05.01.2026 10:00:01,500; 0; 34,5 W\r\n"


NO_QUERY = (
    "&&&& RUNNING TensorRT.trtexec [TensorRT v8500] # trtexec --onnx=x\n"
    "[01/05/2026-10:00:00] [I] Timing trace has 0 queries over 1.0 s\n"
    "&&&& PASSED TensorRT.trtexec [TensorRT v8500] # trtexec --onnx=x\n"
)
SET_BACK = (
    "step:9/99 train_loss:5.5 train_time:61759ms step_avg:nanms\n"
    "step:11/99 train_loss:5.4 train_time:90ms step_avg:90ms\n"
    "step:12/99 train_loss:5.3 train_time:190ms step_avg:95ms\n"
)
READ: dict[str, tuple[str | bytes, Callable[[Reading], bool]]] = {
    "a01 Infinity in appended lines": (
        appended(), lambda r: len(r.runs) == 2 and said(r, "bare NaN or Infinity") and said(r, "one after the other"),
    ),
    "a02 nan as a text where a run was resumed": (
        make.text("megatron-golden/resumed.json"), lambda r: None in [m.value for m in r.measurements],
    ),
    "a05 a trace that is cut in an event": (
        (LOADED % f"{SPAN % ('a', 1, 2)}, {SPAN % ('b', 5, 2)}")[:-40], lambda r: r.runs[0].status == "partial",
    ),
    "a06 kernels at time zero": (
        LOADED % ", ".join([SPAN % ("a", 10**12, 5), KERNEL % (10**12 + 1, 2), KERNEL % (0, 0)]),
        lambda r: values_of(r, "device_busy_time") == [2e-06] and said(r, "at time 0"),
    ),
    "a07 a backslash that is no escape": (
        LOADED % SPAN.replace("%s", r"C:\c\_x", 1) % (1, 2), lambda r: said(r, "backslash"),
    ),
    "a08 quotes in a name": (LOADED % SPAN.replace("%s", 'f("a", 1)', 1) % (1, 2), lambda r: said(r, "quotes")),
    "a09 times as texts in a bare list": (
        "[" + SPAN % ("a", '"1000.5"', 2) + "," + SPAN % ("b", '"1003.5"', 2) + "]",
        lambda r: bool(r.measurements),
    ),
    "a10 lines before and after the JSON of llama-bench": (
        f"ggml_init: found 1 device\n{make.text('llama-bench/whole.json')}\nSegmentation fault\n",
        lambda r: r.format == "llama-bench" and said(r, "text before") and said(r, "text after"),
    ),
    "a12 UTF-16 of a shell": (recoded("llama-bench/whole.json", "utf-16"), lambda r: said(r, "UTF-16")),
    "a13 UTF-8 with a mark": (recoded("llama-bench/table.csv", "utf-8-sig"), lambda r: said(r, "byte order mark")),
    "a14 a German spreadsheet": (german(), lambda r: values_of(r, "power") == [33.09, 34.5]),
    "a15 headers that stand twice": (make.text("nvbench/current.csv"), lambda r: bool(values_of(r, "gpu_time"))),
    "a16 a colon in the name of the goodput": (
        json.dumps(make.vllm(**{"request_goodput": ..., "request_goodput:": 1.5})),
        lambda r: values_of(r, "request_goodput") == [1.5],
    ),
    "a17 objects one after the other": (
        json.dumps(make.vllm()) + json.dumps(make.vllm(date="20260101-130000")), lambda r: len(r.runs) == 2,
    ),
    "a18 dashes of a divided device": (
        "# gpu    pwr  gtemp\n# Idx      W      C\n    0     75     40\n    0      -     41\n",
        lambda r: values_of(r, "power") == [75.0, None],
    ),
    "a19 tags of mpirun": (tagged("nccl-tests/two_tests.log"), lambda r: len(r.runs) > 1),
    "a21 a run that passed without a query": (
        NO_QUERY,
        lambda r: [run.status for run in r.runs] == ["failed"] and not r.measurements,
    ),
    "a22 a timer that was set back, and nanms": (
        SET_BACK,
        lambda r: said(r, "set back"),
    ),
    "a23 colours and thousands": (
        "\x1b[31mstep:  1\x1b[39m  loss: 12.5  tps: 1,125  mfu: 4.21%\n",
        lambda r: 1125.0 in [m.value for m in r.measurements],
    ),
    "a24 one device under two addresses": (
        make.text("aiperf/telemetry.jsonl"), lambda r: len({m.stage for m in r.measurements}) < 3,
    ),
    "a25 units and breaks of lines in cells": (
        make.text("serving-cases-csv/cases.csv"), lambda r: values_of(r, "ttft") == [6.25, 3.125],
    ),
    "a26 nanoseconds with thousands separators": (
        recoded("genai-perf/old.csv", "utf-8"), lambda r: 0 < (values_of(r, "ttft")[0] or 0) < 60,
    ),
    "a28 the latency of vLLM": (json.dumps(make.latency()), lambda r: r.format == "vllm-bench-latency"),
    "a29 details with a failure and one token": (
        json.dumps(make.detailed()), lambda r: said(r, "fewer chunks") or None in values_of(r, "tpot"),
    ),
    "all requests failed": (
        make.text("vllm-bench-serve/all_failed.json"),
        lambda r: r.runs[0].status == "failed" and not any(m.value for m in r.measurements if m.unit in ("s", "1/s")),
    ),
    "a wrapper without success whose output is cut": (
        json.dumps({"success": False, "raw_output": f"{BLOCK}Mean TTFT (ms): 12.5\n"}),
        lambda r: r.runs[0].status == "partial" and said(r, "reports no success"),
    ),
}  # fmt: skip
REFUSED = {
    "a04 a quote that is missing": (
        "[" + SPAN % ("a", 1, 2) + ',\n{"ph": "X", "pid": 1,\ntid": 3},\n' + SPAN % ("b", 5, 2) + "]",
        "malformed_json",
    ),
    "a11 a share without quotes": (
        '{"context": {}, "benchmarks": [{"name": "a_RMS", "real_time": 1, "time_unit": "ns", "rms": 12%}]}',
        "malformed_json",
    ),
    "a20 a header without rows": (
        "# nThread 1 nGpus 8 minBytes 8\n#  size  count  type  redop  root  time  algbw  busbw  #wrong\n", "no_rows",
    ),
    "a placeholder of a wrapper": ('{"error":"Failed"}', "unknown_format"),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_an_awkward_file_is_read_for_what_it_is(case: str) -> None:
    content, holds = READ[case]

    assert holds(make.read(content, None, "x"))


@pytest.mark.parametrize("case", REFUSED)
def test_an_awkward_file_that_cannot_be_read_is_refused_by_its_place(case: str) -> None:
    content, code = REFUSED[case]
    found = ("", "")
    try:
        make.read(content, None, "x")
    except (MalformedEvidence, UnknownFormat) as refusal:
        found = refusal.code, refusal.where

    assert found[0] == code
    assert found[1].startswith("x")


def test_a03_numbers_of_c_that_are_none_are_read_as_that_and_memtier_is_unknown() -> None:
    content = '{"ALL STATS": {"Totals": {"Latency": -nan, "Min Latency": 9223372036854775.807}}}'

    assert "nan or inf stands for a number" in json_reader.read(make.document(content)).leniences
    with pytest.raises(UnknownFormat):
        make.read(content)


def test_a27_a_summary_that_is_invalid_is_no_evidence() -> None:
    summary = make.text("mlperf-loadgen/invalid_v0.5.txt")
    [run] = make.read(summary, None, "x").runs

    assert run.status == "failed"


def test_every_number_has_its_case() -> None:
    here = {case[:3] for case in (*READ, *REFUSED)} | {"a03", "a27"}

    assert {f"a{number:02}" for number in range(1, 30)} <= here
