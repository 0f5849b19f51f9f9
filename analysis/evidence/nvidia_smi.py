"""Samples of `nvidia-smi --query-gpu=… --format=csv`.

In the file: a row for each GPU at each sample; units in the header and, unless `nounits` was asked, in the cells; the
time is local and has no zone. Here: the file is one run, and another begins where the clock goes back; each GPU is a
stage, `gpu0` by its index or else its uuid. Columns that do not change are configuration. Not read: all others.
"""

import re
from dataclasses import replace
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import csv_reader, steps, telemetry, values
from analysis.evidence.collect import Collection, Run, Sample
from analysis.evidence.csv_reader import Row
from analysis.evidence.format import Document, Format
from analysis.evidence.telemetry import Monitor
from analysis.evidence.values import Json
from analysis.reading import Reading

NAME: Final = "nvidia-smi"
VERSION: Final = 1

QUERY: Final = re.compile(r"[a-z][\w-]*(?:\.\w+)+ \[[^\]]+\]")
COLUMN: Final = re.compile(r"(.*?) ?(?:\[([^\]]*)\])?")
READ: Final = {
    "power.draw": "power",
    "power.draw.average": "power_average",
    "power.draw.instant": "power_instant",
    "utilization.gpu": "gpu_utilization",
    "utilization.memory": "memory_utilization",
    "memory.used": "memory_used",
    "clocks.sm": "sm_clock",
    "clocks.current.sm": "sm_clock",
    "clocks.mem": "memory_clock",
    "clocks.current.memory": "memory_clock",
    "temperature.gpu": "gpu_temperature",
    "temperature.memory": "memory_temperature",
}
UNITS: Final = {
    **dict.fromkeys(("power", "power_average", "power_instant"), "W"),
    **dict.fromkeys(("gpu_utilization", "memory_utilization"), "%"),
    **dict.fromkeys(("sm_clock", "memory_clock"), "MHz"),
    **dict.fromkeys(("gpu_temperature", "memory_temperature"), "1"),
    "memory_used": "MiB",
}
INSTEAD: Final = ("power.draw.instant", "power.draw.average")
DEVICE: Final = ("index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "serial", "gpu_serial")
CONFIGURATION: Final = (
    "name", "gpu_name", "driver_version", "vbios_version", "count", "persistence_mode", "compute_mode", "power.limit",
    "enforced.power.limit", "power.management", "clocks.max.sm", "clocks.applications.graphics", "memory.total",
    "mig.mode.current", "ecc.mode.current",
)  # fmt: skip
REASONS: Final = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")
CALM: Final = re.compile(r"0x0*[01]?|not active|\[.*\]|n/a|", re.IGNORECASE)
AVERAGED: Final = "power.draw is a mean over 1 s on Ampere and later (not GA100), instantaneous before: within 5 W."
AGAIN: Final = "the header stands again between the rows: passed over"
ONE_GPU: Final = "The rows do not say which GPU they are of: they are taken as of one. Query index as well."


def looks_right(document: Document) -> str | None:
    """The reason why this is a log of nvidia-smi, or None."""
    if csv_reader.header_like(document, _is_query):
        return "its header names fields of nvidia-smi"
    return None


def _is_query(cells: list[str]) -> bool:
    plain = {_name(cell) for cell in cells}
    asked = any(QUERY.fullmatch(cell) for cell in cells) and bool(plain & {*READ, *CONFIGURATION})
    return asked or (cells[:2] == ["timestamp", "name"] and bool(plain & set(READ)))


def _name(cell: str) -> str:
    found = COLUMN.fullmatch(cell)
    return found[1] if found else cell


def parse(document: Document) -> Reading:
    """The runs of the log.

    Raises:
        MalformedEvidence: no_header, no_runs (nothing that is read here was queried), not_a_time, missing (rows of
            several GPUs that do not say of which), and those of the table and of values.
    """
    header = csv_reader.header_like(document, _is_query)
    if header is None:
        raise MalformedEvidence("no line names the fields of a query", where=document.name, code="no_header")
    table = csv_reader.read(document, header)
    collection = Collection(document)
    fields = {_name(column): column for column in table.columns}
    monitor, said = Monitor(collection), dict[str, dict[str, str]]()
    throttled, last = dict[str, int](), dict[str, int]()
    rows = [row for row in table.rows if tuple(row.cells.values()) != table.columns]
    for row in rows:
        stage, at = _stage(row, fields), _moment(row, fields)
        _refuse_unnamed(row, fields, last, at)
        run, sample = monitor.sample(stage, at, row.where)
        _measure(run, row, fields, sample)
        for name in CONFIGURATION:
            if name in fields and not telemetry.ABSENT.fullmatch(row.text(fields[name])):
                said.setdefault(name, {}).setdefault(row.text(fields[name]), row.place(fields[name]))
        for name in REASONS:
            if name in fields and not CALM.fullmatch(row.text(fields[name])):
                throttled[row.text(fields[name])] = throttled.get(row.text(fields[name]), 0) + 1
    monitor.finish()
    for run in monitor.runs:
        steps.say(run, said)
    _remark(collection, fields, throttled)
    leniences = table.leniences + ((AGAIN,) if len(rows) < len(table.rows) else ())
    return collection.reading(NAME, VERSION, leniences, incomplete=table.incomplete)


def _stage(row: Row, fields: dict[str, str]) -> str:
    """The GPU of a row."""
    for name in DEVICE:
        written = row.text(fields[name]) if name in fields else ""
        if not telemetry.ABSENT.fullmatch(written):
            return f"gpu{written}" if name == "index" else values.text(written, row.place(fields[name]))
    return "gpu0"


def _moment(row: Row, fields: dict[str, str]) -> int | None:
    if "timestamp" not in fields:
        return None
    return telemetry.local_ns(row.text(fields["timestamp"]), row.place(fields["timestamp"]))


def _refuse_unnamed(row: Row, fields: dict[str, str], last: dict[str, int], at: int | None) -> None:
    """Nothing; or missing, when several GPUs were sampled at once and no column says which."""
    if not fields.keys().isdisjoint(DEVICE) or at is None:
        return
    if last.get("at") == at:
        message = "two rows of one moment do not say which GPU they are of"
        raise MalformedEvidence(message, where=row.where, code="missing")
    last["at"] = at


def _measure(run: Run, row: Row, fields: dict[str, str], sample: Sample) -> None:
    """The samples of one row. Without `power.draw`, what is queried in its place is the power."""
    power = next((name for name in INSTEAD if name in fields), "") if "power.draw" not in fields else ""
    for name, column in fields.items():
        metric = "power" if name == power else READ.get(name)
        if metric is not None:
            found = COLUMN.fullmatch(column)
            unit = (found[2] if found else None) or UNITS[metric]
            figure = telemetry.sampled(_number(row, column, unit), unit, row.place(column))
            run.measured(metric, figure, sample)


def _number(row: Row, column: str, unit: str) -> Json:
    """The number of a cell, with or without its unit beside it."""
    bare = replace(row, cells={column: row.text(column).removesuffix(unit)} if unit else row.cells)
    return bare.number(column)


def _remark(collection: Collection, fields: dict[str, str], throttled: dict[str, int]) -> None:
    if fields.keys().isdisjoint(DEVICE):
        collection.notice(ONE_GPU)
    if not fields.keys().isdisjoint(("power.draw", *INSTEAD)):
        collection.notice(AVERAGED)
    if throttled:
        reasons = ", ".join(f"{reason} ({times} samples)" for reason, times in throttled.items())
        collection.notice(f"Clocks were held back: {reasons}.")
    collection.leave(name for name in fields if name not in (*READ, *CONFIGURATION, *DEVICE, *REASONS, "timestamp"))


FORMAT: Final = Format(NAME, "nvidia-smi samples", VERSION, looks_right, parse)
