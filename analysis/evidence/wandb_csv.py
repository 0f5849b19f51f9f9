"""Tables exported from Weights & Biases: the chart of a metric, the table of runs, the history of a run.

A chart has the steps in its first column and, for each run, a value with its minimum and maximum inside a bucket of
steps. The table of runs has a row for each run with its settings and its last values. A history, as the API gives it,
is sparse: the rows of one `_step` are one step. Units are in no file. Here: a run is a run; a value of a step is raw.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_reader, steps, values
from analysis.evidence.collect import VALUE, Collection, Run, Sample
from analysis.evidence.csv_reader import Row
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json, Numeral
from analysis.measurements import FileRun, Status
from analysis.reading import Reading

NAME: Final = "wandb-csv"
VERSION: Final = 1

OF_RUNS: Final = ("Name", "State", "Created")
OF_HISTORY: Final = (("_step", "_timestamp"), ("_step", "_runtime"))
UNTOLD: Final = ("_step", "_timestamp", "_runtime")
LOW, HIGH = "__MIN", "__MAX"
BETWEEN: Final = " - "
IDENTITY: Final = (
    "Name",
    "ID",
    "Notes",
    "User",
    "Tags",
    "Created",
    "Updated",
    "End Time",
    "Hostname",
    "Sweep",
    "Group",
)
STATES: Final[dict[str, Status]] = {"finished": "completed", "running": "partial"}
SUMMARY: Final = re.compile(r".*/.*|.*(?:loss|accuracy|perplexity).*", re.IGNORECASE)
POWER: Final = re.compile(r"system[./]gpu\.(\d+)\.powerWatts")
NOT_SEEN: Final = "no run of the chart has a value"
BUCKETS: Final = (
    "A point of {} is a mean of a bucket of steps: its minimum and maximum are inside that, not between runs."
)
LAST: Final = "The table holds the last value of each metric of a run, not the best: columns read as metrics are {}."
COALESCED: Final = "The rows of one _step are one step: of a number that stands in several, the first counts."


def looks_right(document: Document) -> str | None:
    """The reason why this is an export of Weights & Biases, or None."""
    if csv_reader.header_like(document, _is_chart):
        return f"its header has columns with {LOW} and {HIGH}"
    for columns in (OF_RUNS, *OF_HISTORY):
        if csv_reader.header_in(document, columns):
            return f"its header names {', '.join(columns)}"
    return None


def _is_chart(cells: list[str]) -> bool:
    return any(cell + LOW in cells and cell + HIGH in cells for cell in cells[1:])


def parse(document: Document) -> Reading:
    """The runs of the export.

    Raises:
        MalformedEvidence: repeated_run, no_runs, and those of the table and of values.
    """
    collection = Collection(document)
    chart = csv_reader.header_like(document, _is_chart)
    if chart:
        table = csv_reader.read(document, chart)
        _chart(collection, table.rows, chart)
    elif csv_reader.header_in(document, OF_RUNS):
        table = csv_reader.read(document, OF_RUNS)
        _runs(collection, table.rows, table.columns)
    else:
        table = csv_reader.read(document, OF_HISTORY[0][:1])
        _history(collection, table.rows, table.columns)
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def _chart(collection: Collection, rows: tuple[Row, ...], columns: list[str]) -> None:
    """A run for each name in the header, in the order of the header."""
    axis, runs, bucketed = columns[0], dict[str, Run](), set[str]()
    where = collection.document.name
    for column in columns[1:]:
        if column.endswith((LOW, HIGH)):
            continue
        name, between, metric = column.rpartition(BETWEEN)
        if not between:
            collection.leave([column])
            continue
        if name not in runs:
            runs[name] = collection.add(collect.completed(values.text(name, where), where))
        for row in rows:
            if row.text(column):
                sample = _place(row, axis)
                runs[name].measured(steps.slug(metric) or "value", _value(row, column), sample)
                ends = {row.text(column), row.text(column + LOW), row.text(column + HIGH)}
                bucketed |= {metric} if len(ends) > 1 else set()
    if not any(run.measurements for run in runs.values()):
        raise MalformedEvidence(NOT_SEEN, where=where, code="no_runs")
    for metric in sorted(bucketed):
        collection.notice(BUCKETS.format(metric))


def _place(row: Row, axis: str) -> Sample:
    """Where on the axis a point is: at a step, when the axis counts."""
    number = row.number(axis)
    counts = isinstance(number, Numeral) and values.finite(number, row.place(axis)).is_integer()
    return collect.raw(values.count(number, row.place(axis))) if counts else VALUE


def _value(row: Row, column: str, unit: str = "1") -> collect.Figure:
    return steps.figure(values.written(row.number(column)), unit, row.place(column))


def _runs(collection: Collection, rows: tuple[Row, ...], columns: tuple[str, ...]) -> None:
    """A run for each row."""
    taken, keys = set[str](), set[str]()
    for row in rows:
        run = collection.add(_facts(row, _key(row, keys)))
        runtime = row.number("Runtime")
        if runtime != "":
            run.lasted(runtime, row.place("Runtime"))
        for column in columns:
            cell = row.text(column)
            if not cell or column in ("State", "Runtime"):
                continue
            if column in IDENTITY:
                run.identified(column, cell, row.place(column))
            elif SUMMARY.fullmatch(column) and _is_number(cell) and steps.slug(column):
                taken.add(column)
                run.measured(steps.slug(column), _value(row, column), VALUE)
            else:
                run.configured(column, cell, row.place(column))
    collection.notice(LAST.format(", ".join(sorted(taken)) or "none"))


def _key(row: Row, keys: set[str]) -> str:
    """The name of the run; where another has it, its line beside it."""
    key = row.text("Name")
    while not key or key in keys:
        key = f"{key} ({row.where.rpartition(':')[2]})".strip()
    keys.add(key)
    return key


def _facts(row: Row, key: str) -> FileRun:
    """The run, and what became of it."""
    state = row.text("State")
    status = STATES.get(state, "failed")
    reason = "" if status == "completed" else f"its state is {state or 'not said'}"
    return FileRun(values.text(key, row.where), status, reason, None, None, None, None, row.where)


def _is_number(cell: str) -> bool:
    return isinstance(values.number_in(cell), Numeral) or steps.NO_NUMBER.fullmatch(cell) is not None


def _history(collection: Collection, rows: tuple[Row, ...], columns: tuple[str, ...]) -> None:
    """One run; each number of a step is taken from the first row of that step that has it."""
    run = collection.add(collect.completed("0", collection.document.name))
    counted: list[int] = []
    seen: set[tuple[int, str]] = set()
    for row, column in _cells(rows, columns):
        place = row.place("_step")
        step = values.count(row.number("_step"), place)
        counted.append(step)
        if not _is_number(row.text(column)) or not steps.slug(column):
            collection.leave([column])
        elif (step, column) not in seen:
            seen.add((step, column))
            power = POWER.fullmatch(column)
            stage = f"gpu{power[1]}" if power else ""
            sample = Sample("raw", "value", 1, step, _moment(row), stage=stage)
            run.measured("power" if power else steps.slug(column), _value(row, column, "W" if power else "1"), sample)
    if not run.measurements:
        raise MalformedEvidence("no step has a number", where=collection.document.name, code="no_runs")
    run.worked("steps", Numeral(str(max(counted) - min(counted) + 1)), collection.document.name)
    if len({row.text("_step") for row in rows}) < len(rows):
        collection.notice(COALESCED)


def _cells(rows: Iterable[Row], columns: tuple[str, ...]) -> Iterator[tuple[Row, str]]:
    """The cells of a history that hold something."""
    own = [column for column in columns if column and column not in UNTOLD]
    for row in rows:
        for column in own:
            if row.text(column) and row.text(column).lower() != "nan":
                yield row, column


def _moment(row: Row) -> int | None:
    """When the row was logged."""
    at: Json = row.number("_timestamp")
    return None if at == "" else values.epoch_ns(at, row.place("_timestamp"))


FORMAT: Final = Format(NAME, "Weights & Biases export", VERSION, looks_right, parse)
