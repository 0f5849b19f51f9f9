"""trtexec: its log, `--exportTimes` and `--exportProfile`; and the table that a wrapper makes of its logs.

In `--exportTimes`: one object per inference, in ms. Only the durations are read: in files of 2021 the labels of the
moments are swapped, and six digits of a late moment lose microseconds. In `--exportProfile`: one object per layer,
after one with the count of inferences. Several lists one after the other are several runs; the batch size is in none of
them. Layer names change between builds, where the engine fuses other layers.
"""

import re
from collections.abc import Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, reported, text_reader, trtexec_log, trtexec_summary, values
from analysis.evidence.collect import Collection, Run, Sample, inside, raw
from analysis.evidence.format import Document, Format
from analysis.evidence.reported import Meaning
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "trtexec"
VERSION: Final = 1

TIMES: Final = re.compile(rb'\s*\[\s*\{[^{}]*"(?:startComputeMs|computeMs)"\s*:')
PROFILE: Final = re.compile(rb'\s*\[\s*\{\s*"count"\s*:\s*\d+\s*\}')
LOG: Final = re.compile(r"&&&& (?:RUNNING|PASSED|FAILED) TensorRT\.trtexec|GPU Compute Time: min = ")
DURATIONS: Final = {
    "latencyMs": "latency", "computeMs": "gpu_compute_time", "inMs": "h2d_latency", "outMs": "d2h_latency",
    "endToEndMs": "e2e_latency",
}  # fmt: skip
OF_LAYER: Final = {"averageMs": "mean", "medianMs": "median", "timeMs": "total"}
NO_BATCH: Final = "The batch size is not in the file: state it for each of its runs."
NO_TRANSFER: Final = "the tool writes 0 when nothing was transferred or measured"
LAYERS: Final = "Layer names change between builds of an engine: compare layers by their order and kind."


def looks_right(document: Document) -> str | None:
    """The reason why trtexec wrote this, or None."""
    head, tail = text_reader.ends(document)
    if TIMES.match(head):
        return "its items have startComputeMs or computeMs"
    if PROFILE.match(head):
        return 'its first item is {"count": …}'
    if trtexec_summary.looks_right(head):
        return "it is a table of batch sizes made of logs of trtexec"
    for part in (head, tail):
        if LOG.search(part.decode(errors="replace")):
            return "it has a status line or a performance summary of trtexec"
    return None


def parse(document: Document) -> Reading:
    """One run per list, or per run in the log.

    Raises:
        MalformedEvidence: no run, a time that is none or below zero.
    """
    collection = Collection(document)
    head, _ = text_reader.ends(document)
    if not head.lstrip().startswith((b"[{", b"[\n", b"[ ", b"[\r")):
        if trtexec_summary.looks_right(head):
            leniences, cut = trtexec_summary.read(collection, document), False
        else:
            lines, leniences = text_reader.lines(document)
            trtexec_log.read(collection, lines)
            cut = bool(collection.runs) and collection.runs[-1].facts.status == "partial"
        if not collection.runs:
            raise MalformedEvidence("no run of trtexec is in it", where=document.name, code="no_runs")
        return collection.reading(NAME, VERSION, leniences, incomplete=cut)
    read = json_reader.read(document)
    lists = read.values if all(isinstance(value, list) for value in read.values) else ()
    for i, value in enumerate(lists):
        where = f"{document.name}:" if len(lists) == 1 else f"{document.name}:[{i}]"
        _list(collection, values.items(value, where), where, str(i))
    if not collection.runs:
        raise MalformedEvidence("there is no list of inferences or layers in it", where=document.name, code="no_runs")
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _list(collection: Collection, items: list[Json], where: str, key: str) -> None:
    if not items:
        raise MalformedEvidence("the list is empty", where=where, code="no_runs")
    run = collection.add(collect.completed(key, where))
    first = values.fields(items[0], f"{where}[0]")
    if "count" in first:
        _layers(collection, run, items, where)
    else:
        _inferences(collection, run, items, where)
    reported.folders(run, collection.document.name)


def _inferences(collection: Collection, run: Run, items: list[Json], where: str) -> None:
    for i, item in enumerate(items):
        spot = f"{where}[{i}]"
        inference = values.fields(item, spot)
        if not any(name in inference for name in DURATIONS):
            values.needed(inference, "latencyMs", inside(spot, "latencyMs"))
        for name, metric in DURATIONS.items():
            if name in inference:
                place = inside(spot, name)
                figure = collect.positive_or_nothing(inference[name], "ms", place, NO_TRANSFER)
                run.measured(metric, figure, raw(i))
        collection.leave(name for name in inference if name not in DURATIONS)
    reported.calibrated(run, "inferences", Numeral(str(len(items))), where)
    collection.notice(NO_BATCH)


def _layers(collection: Collection, run: Run, items: list[Json], where: str) -> None:
    count = values.fields(items[0], f"{where}[0]")["count"]
    n = values.count(count, f"{where}[0].count")
    reported.calibrated(run, "inferences", count, f"{where}[0].count")
    for place, layer in _fields(items[1:], where):
        name = values.text(values.needed(layer, "name", f"{place}.name"), f"{place}.name")
        for key, stat in OF_LAYER.items():
            if key in layer:
                figure = reported.figure(Meaning("layer_time", stat, "ms"), layer[key], f"{place}.{key}")
                run.measured("layer_time", figure, Sample("aggregate", stat, n, stage=name))
        collection.leave(key for key in layer if key not in (*OF_LAYER, "name"))
    collection.notice(LAYERS)
    collection.notice(NO_BATCH)


def _fields(items: list[Json], where: str) -> Iterator[tuple[str, dict[str, Json]]]:
    for i, item in enumerate(items, start=1):
        yield f"{where}[{i}]", values.fields(item, f"{where}[{i}]")


FORMAT: Final = Format(NAME, "TensorRT trtexec log, times or profile", VERSION, looks_right, parse)
