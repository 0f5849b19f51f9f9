"""Reports of `nsys stats` (Nsight Systems), as CSV (`-f csv`) or as the console prints them.

In the file: times in ns, by the name of a kernel, a call, an operation on memory or a range; or, of the report
cuda_gpu_trace, each execution on the device. Here: one file is one run. Summaries stay aggregates, n being the
executions behind them; executions become stages and totals by name.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_reader, profiles, pytorch_trace, text_reader, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.csv_reader import Row, Table
from analysis.evidence.format import Document, Format
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Numeral
from analysis.reading import Reading
from analysis.traces.events import Kind, Lane

NAME: Final = "nsys-stats"
VERSION: Final = 1

TOTAL: Final = "Total Time (ns)"
SUMMARY: Final = re.compile(r'[ "]*Time ?\(%\)[ ",;\t]+Total Time \(ns\)')
SUMMARY_BYTES: Final = re.compile(rb"^%b" % SUMMARY.pattern.encode(), re.MULTILINE)
EXECUTIONS: Final = ("Start (ns)", "Duration (ns)", "Device", "Strm", "Name")
COUNTS: Final = ("Instances", "Num Calls", "Count")
STATS: Final[Mapping[str, tuple[str, ...]]] = {
    "total": (TOTAL,), "mean": ("Avg (ns)", "Average (ns)", "Average"), "median": ("Med (ns)", "Median (ns)"),
    "min": ("Min (ns)", "Minimum (ns)", "Minimum"), "max": ("Max (ns)", "Maximum (ns)", "Maximum"),
    "std": ("StdDev (ns)", "StdDev"),
}  # fmt: skip
NAMES: Final = {"Range": "range_time", "Operation": "memory_operation_time", "Name": "kernel_time"}
CALLS: Final = "call_time"
SUMMED: Final = "The tool's summaries by name: there is nothing raw in them. The total over all names is computed here."
NO_STEP: Final = "Which part of the program was profiled is not in the file: say it as work."


@dataclass(frozen=True, slots=True)
class Report:
    """One table of the file."""

    columns: tuple[str, ...]
    rows: list[Row]


def looks_right(document: Document) -> str | None:
    """The reason why this is a report of nsys stats, or None."""
    head, _ = text_reader.ends(document)
    if SUMMARY_BYTES.search(head):
        return 'a header names "Time (%)" and "Total Time (ns)"'
    if csv_reader.header_in(document, EXECUTIONS):
        return f"its header names {', '.join(EXECUTIONS)}"
    return None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no_header, no_rows, ragged_row, missing, and those of values.
    """
    collection = Collection(document)
    run = collection.add(collect.completed("0", document.name))
    if csv_reader.header_in(document, EXECUTIONS):
        return _executions(collection, run)
    lines, leniences = text_reader.lines(document)
    reports = list(_reports(lines, document.name))
    if not any(report.rows for report in reports):
        code = "no_rows" if reports else "no_header"
        raise MalformedEvidence("there is no report with a row in it", where=document.name, code=code)
    for report in reports:
        if report.rows:
            _summary(collection, run, report)
    collection.notice(SUMMED)
    collection.notice(NO_STEP)
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _reports(lines: tuple[Line, ...], name: str) -> Iterator[Report]:
    """The tables one after the other; a blank line ends a table."""
    columns: tuple[str, ...] = ()
    spans: list[tuple[int, int]] = []
    rows: list[Row] = []
    for line in lines:
        if SUMMARY.match(line.text):
            columns, spans, rows = _cells(line.text, []), [], []
            yield Report(columns, rows)
        elif not line.text.strip():
            columns = ()
        elif columns and set(line.text) <= {"-", " "}:
            spans = [found.span() for found in re.finditer("-+", line.text)]
        elif columns:
            cells = _cells(line.text, spans)
            if len(cells) != len(columns):
                message = f"the row has {len(cells)} cells, and the header {len(columns)}"
                raise MalformedEvidence(message, where=f"{name}:{line.number}", code="ragged_row")
            rows.append(Row(dict(zip(columns, cells, strict=True)), f"{name}:{line.number}", ","))


def _cells(text: str, spans: list[tuple[int, int]]) -> tuple[str, ...]:
    """The cells of a line of CSV, or of the console: there the last column goes on to the end of the line."""
    if spans:
        ends = [*(end for _, end in spans[:-1]), len(text)]
        return tuple(text[start:end].strip() for (start, _), end in zip(spans, ends, strict=True))
    if re.search(r"\S\s{2,}\S", text) and "," not in text:
        return tuple(re.split(r"\s{2,}", text.strip()))
    return tuple(cell.strip() for cell in next(csv.reader([text])))


def _summary(collection: Collection, run: Run, report: Report) -> None:
    named = next((column for column in NAMES if column in report.columns), None)
    counted = next((column for column in COUNTS if column in report.columns), None)
    if named is None or counted is None:
        raise MalformedEvidence("no column counts or names the rows", where=report.rows[0].where, code="missing")
    metric = CALLS if counted == "Num Calls" else NAMES[named]
    stats = {
        column: (stat, counted) for stat, columns in STATS.items() for column in columns if column in report.columns
    }
    for row in report.rows:
        profiles.summarised(run, row, metric, values.text(row.text(named), row.place(named)), stats)
    profiles.whole(run, f"all_{metric}", report.rows, TOTAL, counted)
    read = {*stats, counted, named, "Time (%)", "Time(%)"}
    collection.leave(column for column in report.columns if column not in read)


def _executions(collection: Collection, run: Run) -> Reading:
    table = csv_reader.read(collection.document, EXECUTIONS)
    profiles.measure(collection, run, _executed(table).events(), f"{collection.document.name}:rows")
    collection.leave(column for column in table.columns if column not in EXECUTIONS)
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def executions(document: Document) -> profiles.Executions | None:
    """What was executed, when the file is such a report and no summary. Raises what parse raises, but no_runs."""
    if not csv_reader.header_in(document, EXECUTIONS):
        return None
    return _executed(csv_reader.read(document, EXECUTIONS))


def _executed(table: Table) -> profiles.Executions:
    """Each execution on the device: a kernel has a grid, all else moves or sets memory."""
    found = profiles.Executions()
    for row in table.rows:
        start, length = (Fraction(values.numeral(row.number(c), row.place(c)).text) for c in EXECUTIONS[:2])
        first, last = (Numeral(str(int(time))) for time in (start, start + length))
        name = values.text(row.text("Name"), row.place("Name"))
        found.add(
            profiles.span(first, last, row.place("Start (ns)")),
            kind_of(name),
            name,
            Lane(row.text("Device"), row.text("Strm")),
        )
    return found


@lru_cache(maxsize=10_000)
def kind_of(name: str) -> Kind:
    """What an execution on the device is, by its name."""
    if re.search(r"\bmem(?:cpy|set)\b", name, re.IGNORECASE):
        return Kind.MEMORY
    return Kind.COMMUNICATION if pytorch_trace.COLLECTIVE.search(name) else Kind.KERNEL


FORMAT: Final = Format(NAME, "Nsight Systems report", VERSION, looks_right, parse)
