"""Optimum-Benchmark: `benchmark_report.json`, `benchmark.json`, and `inference_results.csv` of its first versions.

In the file: for each phase (load, forward, prefill, decode, …) the latency of every repetition with its unit, and the
tool's own statistics of them; throughput, memory and energy where they were asked for. Here: one file is one run,
because its repetitions share a process; a metric is named after its phase, `forward_latency`. The table has one row per
run, with units in the names of its columns; batch size and arm are only in its folders ("ort_cuda_o4/bs8").
"""

import re
from pathlib import PurePosixPath
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_reader, json_reader, reported, serving, text_reader, values
from analysis.evidence.collect import Collection, Run, inside, raw
from analysis.evidence.format import Document, Format
from analysis.evidence.reported import Meaning
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "optimum-benchmark"
VERSION: Final = 1

LATENCY: Final = re.compile(
    rb'"latency"\s*:\s*\{\s*(?:"_?\w+"\s*:\s*"[^"]*"\s*,\s*)*"unit"\s*:\s*"s"\s*,\s*"(?:values|count|mean)"\s*:'
)
COLUMN: Final = re.compile(
    r"(?P<phase>[a-z_]+(?:\.[a-z_]+)*)\.(?P<what>latency|throughput|\w*memory\w*|\w*energy\w*)\((?P<unit>[^)]+)\)"
)
HEADER: Final = re.compile(r"(?:^|,)[a-z_]+\.(?:latency\(s\)|throughput\(\w+/s\))(?:,|$)")
STATS: Final = {
    "mean": "mean", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99", "stdev": "std", "total": "total",
}  # fmt: skip
RELATIVE: Final = ("stdev_", "unit", "values", "count")
FOLDER: Final = re.compile(r"(?:bs|batch_size[-_=]?)(\d+)")
UNITS: Final = {"samples/s": "samples/s", "tokens/s": "tokens/s", "steps/s": "steps/s"}


def looks_right(document: Document) -> str | None:
    """The reason why this is a report of Optimum-Benchmark, or None."""
    head, _ = text_reader.ends(document)
    if LATENCY.search(head):
        return "its phases have a latency with unit s and values"
    first = text_reader.LINE_END.split(head.decode(errors="replace"))[0]
    return "its header names a phase with latency(s) or throughput" if HEADER.search(first) else None


def parse(document: Document) -> Reading:
    """One run per report, or per row of a table.

    Raises:
        MalformedEvidence: no phase, a number that is none, a time or rate that is not positive.
    """
    collection = Collection(document)
    first = text_reader.LINE_END.split(text_reader.ends(document)[0].decode(errors="replace"))[0]
    if HEADER.search(first):
        named = [cell.strip() for cell in first.split(",") if COLUMN.fullmatch(cell.strip())]
        table = csv_reader.read(document, named)
        for i, row in enumerate(table.rows):
            _row(collection, row, named, str(i))
        leniences, incomplete = table.leniences, table.incomplete
        collection.leave(c for c in table.columns if c and c not in named)
    else:
        read = json_reader.read(document)
        for record in serving.records(read.values, document.name):
            _report(collection, record)
        leniences, incomplete = read.leniences, read.incomplete
    for run in collection.runs:
        _named(run, document.name)
    return collection.reading(NAME, VERSION, leniences, incomplete=incomplete)


def _named(run: Run, name: str) -> None:
    for folder in PurePosixPath(name).parts[:-1]:
        found = FOLDER.fullmatch(folder)
        if found:
            run.configured("batch_size", Numeral(found[1]), name, "directory name")
    reported.folders(run, name)


def _row(collection: Collection, row: csv_reader.Row, columns: list[str], key: str) -> None:
    run = collection.add(collect.completed(key, row.where))
    for found in filter(None, map(COLUMN.fullmatch, columns)):
        metric = f"{found['phase'].replace('.', '_')}_{found['what']}"
        stat = "rate" if found["what"] == "throughput" else ("max" if "memory" in found["what"] else "mean")
        value, place = reported.cell(row.text(found[0])), row.place(found[0])
        reported.add(run, Meaning(metric, stat, found["unit"]), value, place)


def _report(collection: Collection, record: serving.Record) -> None:
    run = collection.add(collect.completed(record.key, record.where))
    phases, where = record.fields, record.where
    if isinstance(phases.get("report"), dict):
        where = record.place("report")
        phases = values.fields(record.fields["report"], where)
        if isinstance(record.fields.get("config"), dict):
            _config(run, "config", record.fields["config"], record.place("config"))
    for phase, value in phases.items():
        place = inside(where, phase)
        if isinstance(value, dict) and "latency" in value:
            _phase(collection, run, phase, value, place)
        else:
            collection.leave([phase])
    if not run.measurements:
        raise MalformedEvidence("no phase was measured", where=record.where, code="no_runs")


def _config(run: Run, name: str, value: Json, where: str) -> None:
    """The configuration, by its path inside the file; what describes the machine and the versions is in it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            _config(run, f"{name}.{key}", inner, f"{where}.{key}")
    else:
        run.configured(name.removeprefix("config."), value, where)


def _phase(collection: Collection, run: Run, phase: str, found: dict[str, Json], where: str) -> None:
    if found["latency"] is not None:
        place = f"{where}.latency"
        _latency(collection, run, f"{phase}_latency", values.fields(found["latency"], place), place)
    throughput = found.get("throughput")
    if throughput is not None:
        place = f"{where}.throughput"
        part = values.fields(throughput, place)
        unit = values.text(values.needed(part, "unit", f"{place}.unit"), f"{place}.unit")
        value = values.needed(part, "value", f"{place}.value")
        reported.add(run, Meaning(f"{phase}_throughput", "rate", unit), value, f"{place}.value")
    for kind, stat in (("memory", "max"), ("energy", "total")):
        if found.get(kind) is not None:
            part, place = values.fields(found[kind], f"{where}.{kind}"), f"{where}.{kind}"
            unit = values.text(values.needed(part, "unit", f"{place}.unit"), f"{place}.unit")
            for name, value in part.items():
                if value is not None and isinstance(value, Numeral):
                    metric = f"{phase}_{name}" if kind == "memory" else f"{phase}_{name}_energy"
                    reported.add(run, Meaning(metric, stat, unit), value, f"{place}.{name}")
    collection.leave(
        f"{phase}.{key}" for key, value in found.items()
        if key not in ("latency", "throughput", "memory", "energy") and value is not None
    )  # fmt: skip


def _latency(collection: Collection, run: Run, metric: str, found: dict[str, Json], where: str) -> None:
    unit = values.text(values.needed(found, "unit", f"{where}.unit"), f"{where}.unit")
    n = values.count(found["count"], f"{where}.count") if found.get("count") is not None else None
    if found.get("values") is not None:
        repetitions = values.items(found["values"], f"{where}.values")
        n = len(repetitions)
        for i, value in enumerate(repetitions):
            run.measured(metric, collect.positive(value, unit, f"{where}.values[{i}]"), raw(i))
    for key, stat in STATS.items():
        if key in found:
            reported.add(run, Meaning(metric, stat, unit), found[key], f"{where}.{key}", n)
    reported.thin_tails(collection, where, [STATS[key] for key in STATS if key in found], n)
    collection.leave(f"latency.{key}" for key in found if key not in STATS and key not in RELATIVE)


FORMAT: Final = Format(NAME, "Optimum-Benchmark report", VERSION, looks_right, parse)
