"""pyperf (earlier perf) JSON.

In the file: benchmarks with runs; a run is a process, with its values and warmups. Here: one run per process, its
values raw, its warmups of phase warmup. Processes that only calibrated are no runs. Metadata that stand beside the runs
are configuration, those inside a run are identity: they differ from process to process.
"""

import re
from collections.abc import Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, text_reader, values
from analysis.evidence.collect import Collection, Figure, Run, Sample, inside
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json
from analysis.measurements import Phase
from analysis.reading import Reading

NAME: Final = "pyperf"
VERSION: Final = 1

START: Final = re.compile(rb'"benchmarks"\s*:\s*\[\s*\{')
RUNS: Final = re.compile(rb'"runs"\s*:\s*\[')
MARK: Final = re.compile(rb'"(?:py)?perf_version"\s*:')

METRICS: Final = {"second": ("wall_time", "s"), "byte": ("memory", "B"), "integer": ("count", "1")}
IDENTITY: Final = (
    "boot_time", "cpu_freq", "cpu_temp", "date", "duration", "hostname", "load_avg_1min", "loops", "mem_max_rss",
    "python_executable", "runnable_threads", "uptime",
)  # fmt: skip
CALIBRATIONS: Final = "{count} processes only calibrated the number of loops: they are no runs."


def looks_right(document: Document) -> str | None:
    """The reason why this is a pyperf result, or None."""
    head, tail = text_reader.ends(document)
    if START.search(head) and RUNS.search(head) and (MARK.search(head) or MARK.search(tail)):
        return 'its benchmarks have "runs", and it names the version of perf'
    return None


def parse(document: Document) -> Reading:
    """One run per process.

    Raises:
        MalformedEvidence: no JSON, an unknown unit, a value that is no number or a time that is not positive.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    whole, where = values.fields(read.only(document.name), document.name), f"{document.name}:"
    place = inside(where, "benchmarks")
    common = values.fields(whole.get("metadata", {}), inside(where, "metadata"))
    calibrations = 0
    for i, entry in enumerate(values.items(values.needed(whole, "benchmarks", place), place)):
        calibrations += _benchmark(collection, values.fields(entry, f"{place}[{i}]"), common, f"{place}[{i}]")
    if not collection.runs:
        raise MalformedEvidence("no process measured anything", where=document.name, code="no_runs")
    if calibrations:
        collection.notice(CALIBRATIONS.format(count=calibrations))
    collection.leave(key for key in whole if key not in ("benchmarks", "metadata", "version"))
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _benchmark(collection: Collection, entry: dict[str, Json], common: dict[str, Json], where: str) -> int:
    """Add the runs of one benchmark; the number of processes that only calibrated."""
    metadata = common | values.fields(entry.get("metadata", {}), f"{where}.metadata")
    unit = values.text(metadata.get("unit", "second"), f"{where}.metadata.unit")
    if unit not in METRICS:
        message = f'"{unit}" is no unit of pyperf; known are {", ".join(METRICS)}'
        raise MalformedEvidence(message, where=f"{where}.metadata.unit", code="unknown_unit")
    runs = values.items(values.needed(entry, "runs", f"{where}.runs"), f"{where}.runs")
    calibrations = 0
    for i, item in enumerate(runs):
        spot = f"{where}.runs[{i}]"
        process = values.fields(item, spot)
        if not process.get("values"):
            calibrations += 1
            continue
        run = collection.add(collect.completed(spot.removeprefix(f"{collection.document.name}:"), spot))
        for key, value in metadata.items():
            _stated(run, key, value, f"{where}.metadata.{key}")
        for key, value in values.fields(process.get("metadata", {}), f"{spot}.metadata").items():
            run.identified(key if key not in metadata else f"run.{key}", value, f"{spot}.metadata.{key}")
        for metric, figure, sample in _figures(process, METRICS[unit], spot):
            run.measured(metric, figure, sample)
    return calibrations


def _stated(run: Run, key: str, value: Json, where: str) -> None:
    if key in IDENTITY:
        run.identified(key, value, where)
    else:
        run.configured("benchmark" if key == "name" else key, value, where)


def _figures(process: dict[str, Json], measured: tuple[str, str], where: str) -> Iterator[tuple[str, Figure, Sample]]:
    metric, unit = measured
    for i, pair in enumerate(values.items(process.get("warmups", []), f"{where}.warmups")):
        place = f"{where}.warmups[{i}]"
        parts = values.items(pair, place)
        if len(parts) != 2:
            raise MalformedEvidence("a warmup is loops and a value", where=place, code="lengths_differ")
        yield metric, _figure(parts[1], unit, f"{place}[1]"), _sample(i, "warmup")
    for i, value in enumerate(values.items(process["values"], f"{where}.values")):
        yield metric, _figure(value, unit, f"{where}.values[{i}]"), _sample(i, "measured")


def _sample(index: int, phase: Phase) -> Sample:
    return Sample("raw", "value", 1, index, None, phase)


def _figure(value: Json, unit: str, where: str) -> Figure:
    return collect.positive(value, unit, where) if unit == "s" else collect.not_negative(value, unit, where)


FORMAT: Final = Format(NAME, "pyperf result", VERSION, looks_right, parse)
