"""Kernel metrics of Nsight Compute, `ncu --csv`: a row for each kernel and metric, or (`--page raw`) for each kernel.

In the file: every value has its unit in a column of its own, which may differ from row to row; lines of the profiler
and of the program stand before the header; rows of rules have no metric, and only they have all columns. Here: one file
is one run, and each kernel (by its ID) one raw value of each metric. Kernels are replayed with locked clocks: their
durations are not those of a benchmark.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_reader, values
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.csv_reader import Row, Table
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json
from analysis.reading import Reading
from analysis.units import FACTORS

NAME: Final = "ncu"
VERSION: Final = 1

KERNEL: Final = ("ID", "Process ID", "Process Name", "Kernel Name")
METRIC: Final = ("Metric Name", "Metric Unit", "Metric Value")
ABOUT: Final = (*KERNEL, "Host Name", "Kernel Time", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC")
UNITS: Final[Mapping[str, str]] = {
    "hz": "Hz", "Khz": "kHz", "Mhz": "MHz", "Ghz": "GHz",
    "nsecond": "ns", "usecond": "us", "msecond": "ms", "second": "s",
    "byte": "B", "Kbyte": "kB", "Mbyte": "MB", "Gbyte": "GB", "%": "%",
    "byte/second": "1/s", "Kbyte/second": "kB/s", "Mbyte/second": "MB/s", "Gbyte/second": "GB/s",
    "Tbyte/second": "TB/s",
}  # fmt: skip
CONFIGURATION: Final = ("Process Name", "Device", "CC")
REPLAYED: Final = (
    "Kernels are replayed, with clocks locked to their base unless told otherwise: durations are not comparable with"
    " those of other tools."
)
READ: Final = (*KERNEL, *METRIC, *CONFIGURATION, "Host Name", "Section Name")
TIMES: Final = ("Duration", "gpu__time_duration.sum")
NOT_MEASURED: Final = "the profiler measured nothing"
NOT_A_WORD: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Value:
    """One value of one metric of a kernel."""

    row: Row
    name: str
    unit: str
    column: str


def looks_right(document: Document) -> str | None:
    """The reason why this is an export of Nsight Compute, or None."""
    return f"its header names {', '.join(KERNEL)}" if csv_reader.header_in(document, KERNEL) else None


def parse(document: Document) -> Reading:
    """One run with its kernels.

    Raises:
        MalformedEvidence: no_header, no_rows, no_runs, contradiction, and those of values.
    """
    table = csv_reader.read(document, KERNEL, short_rows=True)
    collection = Collection(document)
    run = collection.add(collect.completed("0", document.name))
    for column in CONFIGURATION:
        _state(run, table.rows, column)
    known: dict[tuple[int, str], str] = {}
    in_rows = set(METRIC) <= set(table.columns)
    for value in _in_rows(table) if in_rows else _in_columns(table):
        _metric(collection, run, value, known)
    if not run.measurements:
        raise MalformedEvidence("no row holds a number of a metric", where=document.name, code="no_runs")
    collection.notice(REPLAYED)
    unread = table.columns if in_rows else ABOUT
    collection.leave(column for column in unread if column in table.columns and column not in READ)
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def _in_rows(table: Table) -> Iterator[Value]:
    """A row for each kernel and metric; those of rules name none."""
    for row in table.rows:
        if row.text("Metric Name"):
            name = values.text(row.text("Metric Name"), row.place("Metric Name"))
            yield Value(row, name, row.text("Metric Unit"), "Metric Value")


def _in_columns(table: Table) -> Iterator[Value]:
    """A row for each kernel and a column for each metric (`--page raw`); the first row holds the units."""
    units = table.rows[0] if not table.rows[0].text("ID") else None
    for row in table.rows[units is not None :]:
        for column in table.columns:
            if column not in ABOUT:
                yield Value(row, column, units.text(column) if units else "", column)


def _state(run: Run, rows: tuple[Row, ...], column: str) -> None:
    stated = dict.fromkeys(row.text(column) for row in rows if row.text(column))
    if stated:
        run.configured(column.lower().replace(" ", "_"), "; ".join(stated), rows[0].place(column))


def _metric(collection: Collection, run: Run, found: Value, known: dict[tuple[int, str], str]) -> None:
    """Add one value; the same metric of a kernel may stand in several sections, with one value."""
    row, name, unit = found.row, found.name, found.unit
    value = row.number(found.column)
    if isinstance(value, str) or unit_of(unit) is None:
        collection.leave([f"{name} (no number)" if isinstance(value, str) else f"{name} (in {unit})"])
        return
    index, stated = values.count(row.number("ID"), row.place("ID")), values.written(value)
    before = known.get((index, name))
    if before is not None:
        if before != stated:
            message = f"{name} of the kernel is {stated} here and {before} above"
            raise MalformedEvidence(message, where=row.where, code="contradiction")
        return
    known[index, name] = stated
    sample = Sample("raw", "value", 1, index, item=row.text("Kernel Name"))
    run.measured(metric_of(name), _figure(value, unit, row.place(found.column)), sample)


def metric_of(name: str) -> str:
    """The name of a metric as ours: in lower case with underscores."""
    return "replayed_kernel_time" if name in TIMES else NOT_A_WORD.sub("_", name.lower()).strip("_")


def unit_of(unit: str) -> str | None:
    """The unit as ours; "1" for all that is counted, None for rates that are none of those known."""
    over, _, below = unit.partition("/")
    if unit in UNITS or below.startswith("s"):
        return UNITS.get(unit)
    return UNITS.get(over, over if over and over in FACTORS else "1")


def _figure(value: Json, unit: str, where: str) -> Figure:
    ours = unit_of(unit) or "1"
    if FACTORS[ours][0] in ("s", "1/s"):
        figure = collect.positive_or_nothing(value, ours, where, NOT_MEASURED)
    else:
        figure = collect.not_negative(value, ours, where)
    return replace(figure, original_unit=unit)


FORMAT: Final = Format(NAME, "Nsight Compute metrics", VERSION, looks_right, parse)
