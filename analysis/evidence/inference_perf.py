"""inference-perf lifecycle reports (`stage_0_lifecycle_metrics.json`, `summary_lifecycle_metrics.json`).

In the file: what load was offered and achieved, and summaries over the successful requests, in s and per second. Here:
one run per file; one stage is one load point, and the summary pools all stages. Older files have lengths per request
(`prompt_len`, `output_len`), newer ones totals (`prompt_tokens`, `output_tokens`) and the time of the benchmark.
"""

import re
from typing import Final

from analysis.evidence import collect, inference_perf_requests, json_reader, reported, serving, text_reader, values
from analysis.evidence.collect import Collection, Run, inside
from analysis.evidence.format import Document, Format
from analysis.evidence.reported import Meaning
from analysis.evidence.serving import Record
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "inference-perf"
VERSION: Final = 1

MARKS: Final = (re.compile(rb'"load_summary"\s*:\s*\{'), re.compile(rb'"successes"\s*:\s*\{'))
STAT: Final = re.compile(r"mean|median|min|max|p\d{1,2}(?:\.\d+)?")
LATENCIES: Final = {
    "request_latency": "e2e_latency",
    "time_to_first_token": "ttft",
    "time_per_output_token": "tpot",
    "normalized_time_per_output_token": "normalized_tpot",
    "inter_token_latency": "itl",
}
RATES: Final = {
    "requests_per_sec": "request_throughput",
    "input_tokens_per_sec": "input_throughput",
    "output_tokens_per_sec": "output_throughput",
    "total_tokens_per_sec": "total_token_throughput",
}
LENGTHS: Final = {"prompt_len": "input_tokens_per_request", "output_len": "output_tokens_per_request"}
TOTALS: Final = {"prompt_tokens": "input_tokens", "output_tokens": "output_tokens"}
STAGE: Final = re.compile(r"(?:.*/)?stage_(\d+)_lifecycle_metrics[^/]*")
SUMMARY: Final = re.compile(r"(?:.*/)?summary_lifecycle_metrics[^/]*")
POOLED: Final = "The summary pools the requests of all stages: its latencies are those of no one load."
BEHIND: Final = 0.99


def looks_right(document: Document) -> str | None:
    """The reason why this is an inference-perf report, or None."""
    head, tail = text_reader.ends(document)
    if all(mark.search(head + tail) for mark in MARKS):
        return "it has load_summary and successes"
    return "it lists requests with start, end and answer" if inference_perf_requests.looks_right(head) else None


def parse(document: Document) -> Reading:
    """One run per report, and one for a list of requests.

    Raises:
        MalformedEvidence: no JSON, a part that is missing, a number that is none, a time or rate below zero.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    if inference_perf_requests.looks_right(text_reader.ends(document)[0]):
        inference_perf_requests.read(collection, read.values)
        return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)
    for record in serving.records(read.values, document.name):
        _run(collection, record)
    if SUMMARY.fullmatch(document.name):
        collection.notice(POOLED)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _part(record: Record, key: str) -> Record:
    where = record.place(key)
    return Record(values.fields(record.needed(key), where), where, record.key)


def _run(collection: Collection, record: Record) -> None:
    load, successes = _part(record, "load_summary"), _part(record, "successes")
    served = values.count(successes.needed("count"), successes.place("count"))
    lost = _part(record, "failures").count("count") if record.fields.get("failures") is not None else None
    tried = load.count("count")
    run = collection.add(serving.outcome(record.key, record.where, served=served, attempted=tried, lost=lost))
    reported.worked(run, "requests_completed", successes.fields["count"], successes.place("count"))
    if record.fields.get("benchmark_time_seconds") is not None:
        reported.lasted(run, record.fields["benchmark_time_seconds"], "s", record.place("benchmark_time_seconds"))
    _load(collection, run, load)
    for key in successes.fields:
        _success(collection, run, successes, key)
    _latencies(collection, run, successes)
    collection.leave(
        key for key in record.fields if key not in ("load_summary", "successes", "failures", "benchmark_time_seconds")
    )
    stage = STAGE.fullmatch(collection.document.name)
    if stage:
        run.identified("load_stage", Numeral(stage[1]), collection.document.name, "file name")
    reported.folders(run, collection.document.name)


def _load(collection: Collection, run: Run, load: Record) -> None:
    requested, achieved = load.fields.get("requested_rate"), load.fields.get("achieved_rate")
    where = load.place("requested_rate")
    if requested is not None:
        values.not_negative(requested, where)
        run.configured("request_rate", requested, where, unit="1/s")
        collection.notice(serving.rate_limited(values.written(requested)))
    if achieved is not None:
        reported.add(
            run, Meaning("offered_rate", "rate", "1/s"), achieved, load.place("achieved_rate"), load.count("count")
        )
    if requested is not None and achieved is not None:
        asked, sent = values.finite(requested, where), values.finite(achieved, load.place("achieved_rate"))
        if sent < BEHIND * asked:
            collection.notice(
                f"{load.where} the load generator sent {sent:.6g} requests/s and not the {asked:.6g} asked for: "
                "this point is a saturated client, not an open loop."
            )
    if load.fields.get("concurrency") is not None:
        run.configured("max_concurrency", load.fields["concurrency"], load.place("concurrency"))
    collection.leave(
        f"load_summary.{key}"
        for key in load.fields
        if key not in ("count", "requested_rate", "achieved_rate", "concurrency")
    )


def _success(collection: Collection, run: Run, successes: Record, key: str) -> None:
    value, where = successes.fields[key], successes.place(key)
    if key in ("count", "latency") or value is None:
        return
    if key == "throughput":
        part = values.fields(value, where)
        for name, metric in RATES.items():
            if name in part:
                reported.add(run, Meaning(metric, "rate", "1/s"), part[name], inside(where, name), None)
        collection.leave(f"throughput.{name}" for name in part if name not in RATES)
    elif key in TOTALS and isinstance(value, dict) and value.get("total") is not None:
        reported.worked(run, TOTALS[key], value["total"], inside(where, "total"))
    elif key in LENGTHS and isinstance(value, dict) and value.get("mean") is not None:
        run.worked(LENGTHS[key], value["mean"], inside(where, "mean"))
    else:
        collection.leave([f"successes.{key}"])


def _latencies(collection: Collection, run: Run, successes: Record) -> None:
    latency = _part(successes, "latency")
    served = successes.count("count")
    summaries: dict[str, dict[str, Json]] = {}
    for key, value in latency.fields.items():
        if key not in LATENCIES:
            collection.leave([f"latency.{key}"])
            continue
        metric, where = LATENCIES[key], latency.place(key)
        if value is None:
            run.measured(
                metric, collect.nothing(None, "s", where, serving.NOTHING_MEASURED), collect.aggregate("mean", 0)
            )
            continue
        summaries[metric] = values.fields(value, where)
        for stat, number in summaries[metric].items():
            if STAT.fullmatch(stat):
                n = None if metric == "itl" else served
                reported.add(run, Meaning(metric, stat, "s"), number, inside(where, stat), n)
            else:
                collection.leave([f"latency.{key}.{stat}"])
    if summaries:
        collection.notice(serving.TOOL_PERCENTILES)
        reported.thin_tails(collection, latency.where, [m.stat for m in run.measurements], served)
    for stat in ("mean", "median"):
        gap, per_token = (summaries.get(metric, {}).get(stat) for metric in ("itl", "tpot"))
        reported.bundled(collection, latency.where, gap, per_token)


FORMAT: Final = Format(NAME, "inference-perf report", VERSION, looks_right, parse)
