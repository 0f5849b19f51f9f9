"""SuperBench `results-summary.jsonl` and `monitor.jsonl`.

In the file: an object per node with a number for each benchmark, metric and rank, `nccl-bw/allreduce_8_busbw:0`; or an
object per sample of the monitor. Here: one run per node, the rank as stage: ranks are never reduced to one here. Units
are not in the file: those of step times, throughputs and bandwidths are known from the tool; every other number is as
printed. `gpu_power_limit` is a limit, not what was drawn.
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
MONITOR: Final = re.compile(rb'\s*\{\s*"time"\s*:\s*"[^"]*",\s*"cpu_usage"\s*:')

KEY: Final = re.compile(r"(?P<metric>[^:]*(?::[^:/]+(?=/))?[^:]*?)(?::(?P<rank>\d+(?:_\d+)*))?")
UNITS: Final = (
    (re.compile(r".*/steptime_\w+"), "ms"),
    (re.compile(r".*/throughput_\w+"), "samples/s"),
    (re.compile(r"[nr]ccl-bw[^/]*/\w+_(?:busbw|algbw)"), "GB/s"),
    (re.compile(r"[nr]ccl-bw[^/]*/\w+_time"), "us"),
)
CODE: Final = "return_code"
USAGES: Final = ("cpu_usage", "gpu_usage")
NO_UNITS: Final = (
    "The file states no units. Those of step times (ms), throughputs and NCCL (us, GB/s) are known from the tool; "
    "every other number is as printed, without a unit."
)
ONE: Final = "One number per metric and rank: no interval can be made from one file."
LIMIT: Final = "gpu_power_limit is the limit that was set, not the power that was drawn: no power is read."
NOTHING: Final = "the tool writes null or 0 when nothing was measured"


def looks_right(document: Document) -> str | None:
    """The reason why this is a file of SuperBench, or None."""
    head, tail = text_reader.ends(document)
    if MONITOR.match(head):
        return "its lines have a time and a cpu_usage"
    if re.match(rb"\s*\{", head) and METRIC.search(head) and (NODE.search(head) or NODE.search(tail)):
        return 'it has a "node" and numbers named benchmark/metric'
    return None


def parse(document: Document) -> Reading:
    """One run per node, or one for the samples of the monitor.

    Raises:
        MalformedEvidence: no JSON, a number that is none, a time or rate below zero, no number at all.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    records = [
        (values.fields(value, f"{document.name}:[{i}]"), f"{document.name}:[{i}]")
        for i, value in enumerate(read.values)
    ]
    if MONITOR.match(text_reader.ends(document)[0]):
        _monitor(collection, records)
    else:
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


def _monitor(collection: Collection, records: list[tuple[dict[str, Json], str]]) -> None:
    run = collection.add(collect.completed("0", collection.document.name))
    for i, (record, where) in enumerate(records):
        for name, value in record.items():
            metric, _, gpu = name.partition(":")
            if metric in USAGES and value is not None:
                figure = collect.not_negative(value, "%", f"{where}.{name}")
                run.measured(metric, figure, Sample("raw", "value", 1, i, stage=gpu))
            else:
                collection.leave([metric])
                if metric == "gpu_power_limit":
                    collection.notice(LIMIT)


FORMAT: Final = Format(NAME, "SuperBench result", VERSION, looks_right, parse)
