"""trtllm-bench: its console blocks, `--report_json`, and the requests of `--request_json`.

In the file: the engine, the world (tensor and pipeline parallel size), how many requests of which mean lengths, and
rates; with streaming also times to and per token with percentiles. `Token Throughput` of versions up to 0.17 counts
output tokens. The total latency is the duration of the run (s in 0.12, ms later), not the latency of a request. Not
read: `Issue Rate`, which is nonsense when all requests are issued at once. Here: one file is one run.
"""

import re
from collections.abc import Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, reported, serving, text_reader, trtllm_bench_requests, values
from analysis.evidence.collect import Collection, Run, inside
from analysis.evidence.format import Document, Format
from analysis.evidence.reported import Meaning
from analysis.evidence.values import Json
from analysis.reading import Reading

NAME: Final = "trtllm-bench"
VERSION: Final = 2

BLOCKS: Final = re.compile(rb"^= (?:PERFORMANCE OVERVIEW|WORLD \+ RUNTIME INFORMATION)", re.MULTILINE)
REPORT: Final = (re.compile(rb'"world_info"\s*:\s*\{'), re.compile(rb'"(?:performance|streaming_metrics)"\s*:\s*\{'))
SPREAD: Final = re.compile(r"\[(TPOT|TTFT|GTPS|LATENCY)\] (MINIMUM|MAXIMUM|AVERAGE|P\d{1,2}(?:\.\d+)?)", re.IGNORECASE)
SPREADS: Final = {
    "tpot": ("tpot", "ms"), "ttft": ("ttft", "ms"), "latency": ("e2e_latency", "ms"),
    "gtps": ("output_throughput_per_user", "1/s"),
}  # fmt: skip
STATS: Final = {"minimum": "min", "maximum": "max", "average": "mean"}
REPORTED: Final = {
    "token throughput (tokens/sec)": Meaning("output_throughput", "rate", "1/s"),
    "total output throughput (tokens/sec)": Meaning("output_throughput", "rate", "1/s"),
    "total token throughput (tokens/sec)": Meaning("total_token_throughput", "rate", "1/s"),
    "request throughput (req/sec)": Meaning("request_throughput", "rate", "1/s"),
    "per user output throughput (tokens/sec/user)": Meaning("output_throughput_per_user", "rate", "1/s"),
    "per user output throughput [w/ ctx] (tps/user)": Meaning("output_throughput_per_user", "rate", "1/s"),
    "per gpu output throughput (tokens/sec/gpu)": Meaning("output_throughput_per_gpu", "rate", "1/s"),
    "per gpu output throughput (tps/gpu)": Meaning("output_throughput_per_gpu", "rate", "1/s"),
    "average request latency (ms)": Meaning("e2e_latency", "mean", "ms"),
    "average time-to-first-token [ttft] (ms)": Meaning("ttft", "mean", "ms"),
    "average time-per-output-token [tpot] (ms)": Meaning("tpot", "mean", "ms"),
    "number of concurrent requests": Meaning("concurrency", "mean", "1"),
    "request_throughput_req_s": Meaning("request_throughput", "rate", "1/s"),
    "system_output_throughput_tok_s": Meaning("output_throughput", "rate", "1/s"),
    "system_total_throughput_tok_s": Meaning("total_token_throughput", "rate", "1/s"),
    "output_throughput_per_user_tok_s": Meaning("output_throughput_per_user", "rate", "1/s"),
    "output_throughput_per_gpu_tok_s": Meaning("output_throughput_per_gpu", "rate", "1/s"),
    "avg_request_latency_ms": Meaning("e2e_latency", "mean", "ms"),
    "avg_ttft_ms": Meaning("ttft", "mean", "ms"),
    "avg_tpot_ms": Meaning("tpot", "mean", "ms"),
    "avg_num_concurrent_requests": Meaning("concurrency", "mean", "1"),
}
SPREADS_IN_JSON: Final = {
    "request_latency_percentiles_ms": "latency", "tpot_percentiles": "tpot", "ttft_percentiles": "ttft",
    "gen_tps_percentiles": "gtps",
}  # fmt: skip
DURATION: Final = {"total latency (ms)": "ms", "total latency (seconds)": "s", "total_latency_ms": "ms"}
REQUESTS: Final = ("number of requests", "num_requests")
PER_REQUEST: Final = {
    "average input length (tokens)": "input_tokens_per_request",
    "average output length (tokens)": "output_tokens_per_request",
    "avg_input_length": "input_tokens_per_request",
    "avg_output_length": "output_tokens_per_request",
}
SETTINGS: Final = {
    "tensorrt-llm version": "version", "tensorrt llm version": "version", "tp size": "tensor_parallel_size",
    "pp size": "pipeline_parallel_size", "ep size": "expert_parallel_size", "tp_size": "tensor_parallel_size",
    "pp_size": "pipeline_parallel_size", "ep_size": "expert_parallel_size",
    "max runtime batch size": "max_batch_size", "max runtime tokens": "max_num_tokens",
    "kv memory percentage": "kv_cache_percentage", "kv cache dtype": "kv_cache_dtype",
    "scheduling policy": "scheduling_policy", "max input length": "max_input_length",
    "max sequence length": "max_sequence_length", "model": "model", "dtype": "dtype", "quantization": "quantization",
    "backend": "backend",
}  # fmt: skip
IDENTITY: Final = ("model path", "engine directory", "model_path", "engine_dir")
NONSENSE: Final = ("issue rate (req/sec)", "issue_rate")
PARTS: Final = ("engine", "machine", "world_info", "request_info", "performance", "streaming_metrics", "dataset")


def looks_right(document: Document) -> str | None:
    """The reason why this is a report of trtllm-bench, or None."""
    head, tail = text_reader.ends(document)
    if BLOCKS.search(head) or BLOCKS.search(tail):
        return "it has a performance overview or the world information of trtllm-bench"
    if trtllm_bench_requests.looks_right(head):
        return "it lists requests with the moments of their start, first token and end"
    return "it has world_info and performance" if all(mark.search(head) for mark in REPORT) else None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no result, more than one, a number that is none, a time or rate below zero.
    """
    collection = Collection(document)
    head, tail = text_reader.ends(document)
    if trtllm_bench_requests.looks_right(head):
        found = json_reader.read(document)
        trtllm_bench_requests.read(collection, found.values)
        return collection.reading(NAME, VERSION, found.leniences, incomplete=found.incomplete)
    if BLOCKS.search(head) or BLOCKS.search(tail):
        lines, leniences = text_reader.lines(document)
        incomplete = False
        pairs = [(reported.labelled(line.text), f"{document.name}:{line.number}") for line in lines]
        entries = [(pair[0], values.number_in(pair[1]), where) for pair, where in pairs if pair]
    else:
        read = json_reader.read(document)
        leniences, incomplete = read.leniences, read.incomplete
        entries = list(
            _entries(collection, values.fields(read.only(document.name), document.name), f"{document.name}:")
        )
    _run(collection, entries)
    return collection.reading(NAME, VERSION, leniences, incomplete=incomplete)


def _entries(collection: Collection, whole: dict[str, Json], where: str) -> Iterator[tuple[str, Json, str]]:
    """Label, value and place of what a report in JSON says."""
    for part, inner in whole.items():
        place = inside(where, part)
        if part not in PARTS or not isinstance(inner, dict):
            collection.leave([part])
            continue
        for key, value in inner.items():
            spot = inside(place, key)
            if key in SPREADS_IN_JSON and isinstance(value, dict):
                for stat, number in value.items():
                    yield f"[{SPREADS_IN_JSON[key]}] {stat}", number, inside(spot, stat)
            elif part in ("machine", "dataset"):
                yield f"{part}.{key}", value, spot
            else:
                yield key, value, spot


def _run(collection: Collection, entries: list[tuple[str, Json, str]]) -> None:
    name = collection.document.name
    stated = {label.lower(): (value, where) for label, value, where in reversed(entries)}
    several = [where for label, _, where in entries if label.lower() == "request throughput (req/sec)"]
    if len(several) > 1:
        raise MalformedEvidence("there is more than one report in it", where=several[1], code="several_files")
    n = None
    for key in REQUESTS:
        if key in stated:
            n = values.count(*stated[key])
    run = collection.add(collect.completed("0", name, attempted=n))
    seen: set[tuple[str, str]] = set()
    for label, value, where in entries:
        _entry(collection, run, (label, value, where), n, seen)
    if not any(m.stat == "rate" for m in run.measurements):
        raise MalformedEvidence("there is no result in it", where=name, code="no_runs")
    reported.thin_tails(collection, name, [m.stat for m in run.measurements], n)
    if any(m.stat.startswith("p") for m in run.measurements):
        collection.notice(serving.TOOL_PERCENTILES)


def _entry(
    collection: Collection, run: Run, entry: tuple[str, Json, str], n: int | None, seen: set[tuple[str, str]]
) -> None:
    label, value, where = entry
    known = label.lower()
    meaning = REPORTED.get(known) or _of_spread(label)
    if meaning:
        if (meaning.metric, meaning.stat) not in seen:
            seen.add((meaning.metric, meaning.stat))
            reported.add(run, meaning, value, where, n)
    elif known in DURATION:
        reported.lasted(run, value, DURATION[known], where)
    elif known in REQUESTS:
        reported.worked(run, "requests_completed", value, where)
    elif known in PER_REQUEST:
        run.worked(PER_REQUEST[known], value, where)
    elif known in IDENTITY:
        run.identified(known.replace(" ", "_"), value, where)
    elif known in NONSENSE or isinstance(value, list | dict):
        collection.leave([label])
    elif known in SETTINGS or (known.islower() and " " not in known and "_tok_s" not in known):
        run.configured(SETTINGS.get(known, known), value, where)
    else:
        collection.leave([label])


def _of_spread(label: str) -> Meaning | None:
    """The meaning of "[TPOT] P99"."""
    found = SPREAD.fullmatch(label)
    if found is None:
        return None
    metric, unit = SPREADS[found[1].lower()]
    stat = found[2].lower()
    return Meaning(metric, STATS.get(stat, stat), unit)


FORMAT: Final = Format(NAME, "trtllm-bench report", VERSION, looks_right, parse)
