"""SuperBench `results-summary.jsonl`.

In the file: an object per node with a number for each benchmark, metric and rank, `nccl-bw/allreduce_8_busbw:0`.
Here: one run per node, the rank as stage: ranks are never reduced to one here. Units are not in the file: those of step
times, throughputs and bandwidths are known from the tool; every other number is as printed.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, text_reader, values
from analysis.evidence.collect import Collection, Figure, Sample
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json
from analysis.reading import Reading

NAME: Final = "superbench"
VERSION: Final = 1

NODE: Final = re.compile(rb'"node"\s*:\s*"')
METRIC: Final = re.compile(rb'[{,]\s*"[a-z][\w-]*(?::[\w-]+)?(?:/[\w.-]+)+(?::[\d_]+)?"\s*:\s*-?\d')

KEY: Final = re.compile(r"(?P<metric>[^:]*(?::[^:/]+(?=/))?[^:]*?)(?::(?P<rank>\d+(?:_\d+)*))?")
UNITS: Final = (
    (re.compile(r".*/steptime_\w+"), "ms"),
    (re.compile(r".*/throughput_\w+"), "samples/s"),
    (re.compile(r"[nr]ccl-bw[^/]*/\w+_(?:busbw|algbw)"), "GB/s"),
    (re.compile(r"[nr]ccl-bw[^/]*/\w+_time"), "us"),
)
CODE: Final = "return_code"
NO_UNITS: Final = (
    "The file states no units. Those of step times (ms), throughputs and NCCL (us, GB/s) are known from the tool; "
    "every other number is as printed, without a unit."
)
ONE: Final = "One number per metric and rank: no interval can be made from one file."
NOTHING: Final = "the tool writes null or 0 when nothing was measured"


def looks_right(document: Document) -> str | None:
    """The reason why this is a file of SuperBench, or None."""
    head, tail = text_reader.ends(document)
    if re.match(rb"\s*\{", head) and METRIC.search(head) and (NODE.search(head) or NODE.search(tail)):
        return 'it has a "node" and numbers named benchmark/metric'
    return None


def parse(document: Document) -> Reading:
    """One run per node.

    Raises:
        MalformedEvidence: no JSON, a number that is none, a time or rate below zero, no number at all.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    records = [
        (values.fields(value, f"{document.name}:[{i}]"), f"{document.name}:[{i}]")
        for i, value in enumerate(read.values)
    ]
    for i, (record, where) in enumerate(records):
        _node(collection, str(i), record, where)
    collection.notice(NO_UNITS)
    collection.notice(ONE)
    if not any(run.measurements for run in collection.runs):
        raise MalformedEvidence("there is no number in it", where=document.name, code="no_runs")
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _node(collection: Collection, key: str, record: dict[str, Json], where: str) -> None:
    run = collection.add(collect.completed(key, where))
    for name, value in record.items():
        place = f"{where}.{name}"
        found = KEY.fullmatch(name)
        if name == "node":
            run.identified("node", value, place)
        elif found is None or "/" not in name:
            collection.leave([name])
        elif found["metric"].endswith(CODE):
            if values.written(value) != "0":
                collection.notice(f"{place}: the return code is {values.shown(value)}.")
        else:
            sample = Sample("aggregate", "value", None, stage=found["rank"] or "")
            run.measured(_word(found["metric"]), _figure(found["metric"], value, place), sample)


def _word(metric: str) -> str:
    return re.sub(r"\W+", "_", metric).strip("_").lower()


def _figure(metric: str, value: Json, where: str) -> Figure:
    unit = next((unit for pattern, unit in UNITS if pattern.fullmatch(metric)), "1")
    if value is None:
        return collect.nothing(value, unit, where, NOTHING)
    return (
        collect.finite(value, unit, where) if unit == "1" else collect.positive_or_nothing(value, unit, where, NOTHING)
    )


FORMAT: Final = Format(NAME, "SuperBench result", VERSION, looks_right, parse)
