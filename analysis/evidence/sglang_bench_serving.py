"""SGLang `bench_serving` result files (JSON Lines), and the dLoRA fork of it.

In the file: one object per run, appended; aggregates over completed requests in ms, rates per second; with
`--output-details` also lists with one item per request, in s. Here: one run per object. Old files have 18 keys; the
fork has `total_generated_tokens`, `architecture` and `routing_strategy`. The file does not say how many requests were
tried: that is taken from the file name where it follows the tool's pattern. Not in the file: model, seed, version.
"""

import re
from pathlib import PurePosixPath
from typing import Final

from analysis.evidence import collect, json_reader, serving, text_reader, values
from analysis.evidence.collect import Collection, Run, aggregate
from analysis.evidence.format import Document, Format
from analysis.evidence.serving import Record
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "sglang-bench-serving"
VERSION: Final = 2

E2E: Final = re.compile(rb'"(?:mean|median|p\d+)_e2e_latency_ms"\s*:')
MARKS: Final = (rb'"sharegpt_output_len"', rb'"total_output_tokens_retokenized"', rb'"total_generated_tokens"')

RATES: Final = {
    "request_throughput": "request_throughput",
    "input_throughput": "input_throughput",
    "output_throughput": "output_throughput",
    "total_throughput": "total_token_throughput",
}
WORK: Final = {
    "completed": "requests_completed",
    "total_input_tokens": "input_tokens",
    "total_output_tokens": "output_tokens",
    "total_generated_tokens": "output_tokens",
    "total_output_tokens_retokenized": "output_tokens_retokenized",
}
IDENTITY: Final = ("tag",)
OF_THE_TOOL: Final = re.compile(r"[a-z-]+_\d{4}_(?P<prompts>\d+)_.+")
OF_THE_FORK: Final = re.compile(r".+_(?P<rate>\d+(?:\.\d+)?)_\d+_(?P<prompts>\d+)")
RETOKENIZED: Final = (
    "Streamed and retokenised output tokens differ: rates and times per token are of the streamed ones."
)


def looks_right(document: Document) -> str | None:
    """The reason why this is an SGLang serving result, or None."""
    for part in text_reader.ends(document):
        if E2E.search(part):
            for mark in MARKS:
                if mark in part:
                    return f"it has {mark.decode()} and an end-to-end latency in ms"
    return None


def parse(document: Document) -> Reading:
    """One run per result object.

    Raises:
        MalformedEvidence: no JSON, a field that is missing or no number, a time or rate below zero, lists of requests
            that differ in length.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    for record in serving.records(read.values, document.name):
        _run(collection, record)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _run(collection: Collection, record: Record) -> None:
    served = values.count(record.needed("completed"), record.place("completed"))
    tried = _tried(record, collection.document.name, served)
    lost = None if tried is None else tried - served
    if served:
        run = collection.add(collect.completed(record.key, record.where, attempted=tried, failed=lost))
    else:
        run = collection.add(
            collect.failed(record.key, record.where, serving.NOTHING_SERVED, attempted=tried, lost=lost)
        )
    run.lasted(record.needed("duration"), record.place("duration"))
    if tried is not None:
        run.configured("num_prompts", Numeral(str(tried)), collection.document.name, "file name")
    for key in record.fields:
        _field(collection, run, record, key)
    serving.request_details(collection, run, record)
    _checks(collection, record)
    if lost:
        collection.notice(f"{record.where} {served} of {tried} requests were completed; latencies are of those only.")


def _tried(record: Record, name: str, served: int) -> int | None:
    """The number of requests that the file name tells, when it fits the record; else None."""
    stem = PurePosixPath(name).stem
    found = OF_THE_TOOL.fullmatch(stem)
    if found is None:
        found = OF_THE_FORK.fullmatch(stem)
        rate = record.fields.get("request_rate")
        if found is None or not isinstance(rate, Numeral) or float(found["rate"]) != float(rate.text):
            return None
    tried = values.count(Numeral(found["prompts"]), name)
    return tried if tried >= served else None


def _field(collection: Collection, run: Run, record: Record, key: str) -> None:
    value, where = record.fields[key], record.place(key)
    served = values.count(record.fields["completed"], record.place("completed"))
    if key in RATES:
        serving.rate(run, RATES[key], record, key, done=_done(record, key))
    elif key in WORK:
        serving.work(run, WORK[key], value, where)
    elif serving.latency(run, record, key, served) or key in ("duration", *serving.DETAILS):
        return
    elif key in ("concurrency", "accept_length"):
        figure = collect.positive_or_nothing(value, "1", where, serving.NOTHING_MEASURED)
        run.measured(key, figure, aggregate("mean", None))
    elif key in ("max_output_tokens_per_s", "max_concurrent_requests"):
        metric, unit = ("output_throughput", "1/s") if key.endswith("_s") else ("concurrent_requests", "1")
        figure = collect.positive_or_nothing(value, unit, where, serving.NOTHING_MEASURED)
        run.measured(metric, figure, aggregate("max", None))
    elif key in IDENTITY:
        run.identified(key, value, where)
    elif key == "server_info" and isinstance(value, dict):
        _server(collection, run, value, where)
    elif isinstance(value, list | dict) or key.startswith("total_"):
        collection.leave([key])
    else:
        run.configured(key, value, where)


def _server(collection: Collection, run: Run, info: dict[str, Json], where: str) -> None:
    """The settings of the server, as far as they are plain values."""
    for name, value in info.items():
        if isinstance(value, list | dict):
            collection.leave([f"server_info.{name}"])
        else:
            run.configured(f"server_info.{name}", value, f"{where}.{name}")


def _done(record: Record, key: str) -> int | None:
    """The work behind a rate; None when the file does not say."""
    tokens_in, tokens_out = record.count("total_input_tokens"), _streamed(record)
    match key:
        case "request_throughput":
            return record.count("completed")
        case "output_throughput":
            return tokens_out
        case "input_throughput":
            return tokens_in
    return None if tokens_in is None or tokens_out is None else tokens_in + tokens_out


def _streamed(record: Record) -> int | None:
    streamed = record.count("total_output_tokens")
    return record.count("total_generated_tokens") if streamed is None else streamed


def _checks(collection: Collection, record: Record) -> None:
    for key in RATES:
        serving.check_rate(collection, record, key, _done(record, key))
    retokenized = record.count("total_output_tokens_retokenized")
    if retokenized is not None and retokenized != record.count("total_output_tokens"):
        collection.notice(RETOKENIZED)
    if any(serving.LATENCY.fullmatch(key) and key.startswith("p") for key in record.fields):
        collection.notice(serving.TOOL_PERCENTILES)
    serving.misread(collection, record, record.count("completed"))
    serving.offered_load(collection, record)


FORMAT: Final = Format(NAME, "SGLang bench_serving result", VERSION, looks_right, parse)
