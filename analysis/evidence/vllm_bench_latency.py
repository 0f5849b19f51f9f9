"""vLLM `bench latency --output-json`.

In the file: `latencies` in s, one for each measured iteration (the warm-up is not in it), which is the generation of
one whole batch; their mean, percentiles, and since 2026 their standard deviation. Here: one run, because the iterations
share a process. Not in the file: batch size, input and output length.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, reported, serving, text_reader, values
from analysis.evidence.collect import Collection, raw
from analysis.evidence.format import Document, Format
from analysis.evidence.reported import Meaning
from analysis.evidence.serving import Record
from analysis.evidence.values import Json
from analysis.evidence.vllm_bench_throughput import named
from analysis.reading import Reading

NAME: Final = "vllm-bench-latency"
VERSION: Final = 1

MARKS: Final = (
    re.compile(rb'"avg_latency"\s*:\s*[-\d.NI]'),
    re.compile(rb'"latencies"\s*:\s*\['),
)
READ: Final = ("avg_latency", "std_latency", "latencies", "percentiles")
METRIC: Final = "latency"
PERCENT: Final = re.compile(r"\d{1,2}(?:\.\d+)?")
UNSTATED: Final = "Batch size, input length and output length are not in the file: they have to be stated by somebody."


def looks_right(document: Document) -> str | None:
    """The reason why this is a vLLM latency result, or None."""
    head, tail = text_reader.ends(document)
    if all(mark.search(head) for mark in MARKS) and b'"percentiles"' in head + tail:
        return "it has avg_latency, latencies and percentiles"
    return None


def parse(document: Document) -> Reading:
    """One run per result object.

    Raises:
        MalformedEvidence: no JSON, a field that is missing or no number, a time that is not positive.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    for record in serving.records(read.values, document.name):
        _run(collection, record)
    collection.notice(UNSTATED)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _run(collection: Collection, record: Record) -> None:
    run = collection.add(collect.completed(record.key, record.where))
    place = record.place("latencies")
    latencies = values.items(record.needed("latencies"), place)
    if not latencies:
        raise MalformedEvidence("no iteration was measured", where=place, code="no_runs")
    for i, seconds in enumerate(latencies):
        run.measured(METRIC, collect.positive(seconds, "s", f"{place}[{i}]"), raw(i))
    run.worked("iterations", values.Numeral(str(len(latencies))), place)
    for stat, value, where in _aggregates(record):
        reported.add(run, Meaning(METRIC, stat, "s"), value, where, len(latencies))
    reported.thin_tails(collection, record.where, [m.stat for m in run.measurements], len(latencies))
    for key, value in record.fields.items():
        if key not in READ:
            if isinstance(value, list | dict):
                collection.leave([key])
            else:
                run.configured(key, value, record.place(key))
    named(run, collection.document.name)


def _aggregates(record: Record) -> list[tuple[str, Json, str]]:
    found = [("mean", record.needed("avg_latency"), record.place("avg_latency"))]
    if "std_latency" in record.fields:
        found.append(("std", record.fields["std_latency"], record.place("std_latency")))
    where = record.place("percentiles")
    for percent, value in values.fields(record.fields.get("percentiles", {}), where).items():
        place = f"{where}.{percent}"
        if not PERCENT.fullmatch(percent):
            raise MalformedEvidence(f"{values.shown(percent)} is no percentile", where=place, code="unknown_stat")
        found.append((f"p{percent}", value, place))
    return found


FORMAT: Final = Format(NAME, "vLLM bench latency result", VERSION, looks_right, parse)
