"""Kernel metrics of Nsight Compute, `ncu --csv`: one row for each kernel and metric.

In the file: every value has its unit in a column of its own, which may differ from row to row; lines of the profiler
and of the program stand before the header; rows of rules have no metric, and only they have all columns. Here: one file
is one run, and each kernel (by its ID) one raw value of each metric. Kernels are replayed with locked clocks: their
durations are not those of a benchmark.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_reader, values
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.csv_reader import Row
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json
from analysis.reading import Reading
from analysis.units import FACTORS

NAME: Final = "ncu"
VERSION: Final = 1

COLUMNS: Final = ("ID", "Process ID", "Process Name", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value")
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
READ: Final = (*COLUMNS, *CONFIGURATION, "Host Name", "Section Name")
NOT_MEASURED: Final = "the profiler measured nothing"
NOT_A_WORD: Final = re.compile(r"[^a-z0-9]+")


def looks_right(document: Document) -> str | None:
    """The reason why this is an export of Nsight Compute, or None."""
    if csv_reader.header_in(document, COLUMNS):
        return f"its header names {', '.join(COLUMNS)}"
    return None


def parse(document: Document) -> Reading:
    """One run with its kernels.

    Raises:
        MalformedEvidence: no_header, no_rows, no_runs, contradiction, and those of values.
    """
    table = csv_reader.read(document, COLUMNS, short_rows=True)
    collection = Collection(document)
    run = collection.add(collect.completed("0", document.name))
    for column in CONFIGURATION:
        _state(run, table.rows, column)
    known: dict[tuple[int, str], str] = {}
    for row in table.rows:
        if row.text("Metric Name"):
            _metric(collection, run, row, known)
    if not run.measurements:
        raise MalformedEvidence("no row holds a number of a metric", where=document.name, code="no_runs")
    collection.notice(REPLAYED)
    collection.leave(column for column in table.columns if column not in READ)
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def _state(run: Run, rows: tuple[Row, ...], column: str) -> None:
    stated = dict.fromkeys(row.text(column) for row in rows if row.text(column))
    if stated:
        run.configured(column.lower().replace(" ", "_"), "; ".join(stated), rows[0].place(column))


def _metric(collection: Collection, run: Run, row: Row, known: dict[tuple[int, str], str]) -> None:
    """Add one value; the same metric of a kernel may stand in several sections, with one value."""
    name, unit = values.text(row.text("Metric Name"), row.place("Metric Name")), row.text("Metric Unit")
    value = row.number("Metric Value")
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
    run.measured(metric_of(name), _figure(value, unit, row.place("Metric Value")), sample)


def metric_of(name: str) -> str:
    """The name of a metric as ours: in lower case with underscores."""
    return "replayed_kernel_time" if name == "Duration" else NOT_A_WORD.sub("_", name.lower()).strip("_")


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
