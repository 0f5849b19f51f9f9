"""Tables of serving runs, one row a case, whose cells carry their units: `463 tokens / s`, `61911 ms`.

In the file: what was varied, the rates and the mean times of the case, its work, and where its log is. Here: each row
is one run. A column that names no metric here is configuration; names and paths are identity.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_reader, reported, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.csv_reader import Row
from analysis.evidence.format import Document, Format
from analysis.evidence.reported import Meaning
from analysis.reading import Reading
from analysis.units import FACTORS

NAME: Final = "serving-cases-csv"
VERSION: Final = 1

COLUMNS: Final = ("output_throughput", "mean_ttft", "mean_tpot", "benchmark_duration")
METRICS: Final = {
    "input_throughput": ("input_throughput", "rate"), "output_throughput": ("output_throughput", "rate"),
    "mean_ttft": ("ttft", "mean"), "mean_tpot": ("tpot", "mean"),
}  # fmt: skip
WORK: Final = {"total_input_tokens": "input_tokens", "total_output_tokens": "output_tokens"}
DURATION: Final = "benchmark_duration"
IDENTITY: Final = ("case_id", "case_name", "log_path", "profiling_dir")
LEFT: Final = ("sum_kernel_ms", "kernels")
CELL: Final = re.compile(r"(\S+) (\S.*)")
ROUNDED: Final = "The cells are rounded to whole units: a rate of a few per second is known to one digit."


def looks_right(document: Document) -> str | None:
    """The reason why this is a table of serving cases, or None."""
    if csv_reader.header_in(document, COLUMNS):
        return f"its header names {', '.join(COLUMNS)}"
    return None


def parse(document: Document) -> Reading:
    """One run per row.

    Raises:
        MalformedEvidence: unknown_unit (a cell without one), unknown_unit, and those of the table and of values.
    """
    table = csv_reader.read(document, COLUMNS)
    collection = Collection(document)
    for number, row in enumerate(table.rows):
        run = collection.add(collect.completed(str(number), row.where))
        for column in row.cells:
            _cell(collection, run, row, column)
    collection.notice(ROUNDED)
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def _cell(collection: Collection, run: Run, row: Row, column: str) -> None:
    where = row.place(column)
    if column in METRICS:
        metric, stat = METRICS[column]
        number, unit = _stated(row, column)
        reported.add(run, Meaning(metric, stat, unit), reported.cell(number), where)
    elif column == DURATION:
        number, unit = _stated(row, column)
        reported.lasted(run, values.number_in(number), unit, where)
    elif column in WORK:
        reported.worked(run, WORK[column], row.number(column), where)
    elif column in IDENTITY:
        run.identified(column, row.text(column), where)
    elif column in LEFT:
        collection.leave([column])
    else:
        run.configured(column, row.number(column), where)


def _stated(row: Row, column: str) -> tuple[str, str]:
    """The number of a cell and its unit. Raises MalformedEvidence(unknown_unit)."""
    found = CELL.fullmatch(row.text(column))
    if found is None or found[2] not in FACTORS:
        message = f'"{row.text(column)[:40]}" is no number with a unit that is known here'
        raise MalformedEvidence(message, where=row.place(column), code="unknown_unit")
    return found[1], found[2]


FORMAT: Final = Format(NAME, "Table of serving cases", VERSION, looks_right, parse)
