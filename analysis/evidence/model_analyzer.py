"""Triton Model Analyzer tables: of the inferences, and of the GPUs.

In the file: one row per model configuration, batch and load, with the unit of a number in the name of its column.
Here: one run per row. A file of the GPUs has a row for each GPU of each configuration: rows that differ only in the GPU
are one run, and the GPU is the stage.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_blocks, csv_reader, serving
from analysis.evidence.collect import Collection, Run, Sample
from analysis.evidence.csv_reader import Row, Table
from analysis.evidence.format import Document, Format
from analysis.reading import Reading
from analysis.units import FACTORS

NAME: Final = "model-analyzer"
VERSION: Final = 1

COLUMNS: Final = ("Model", "Model Config Path", "Satisfies Constraints")
GPU: Final = "GPU UUID"
IDENTITY: Final = (GPU,)
OUTCOME: Final = "Satisfies Constraints"
NUMBER: Final = re.compile(r"(?:(?P<stat>p\d{1,2}|Avg|Max|Min) )?(?P<name>.+?) \((?P<unit>[^()]+)\)")
STATS: Final = {"Avg": "mean", "Max": "max", "Min": "min"}
METRICS: Final = {"throughput": "throughput", "gpu_power_usage": "power"}
PER_MODEL: Final = "Each row is one point of a sweep, averaged by the tool: no interval can be made from it."


def looks_right(document: Document) -> str | None:
    """The reason why this is a table of Model Analyzer, or None."""
    if csv_reader.header_in(document, COLUMNS) is None:
        return None
    return f"its header names {', '.join(COLUMNS)}"


def parse(document: Document) -> Reading:
    """One run per configuration, batch and load.

    Raises:
        MalformedEvidence: a row that is ragged, a number that is none, or a table without rows.
    """
    tables, leniences, incomplete = csv_blocks.read(document, COLUMNS)
    collection = Collection(document)
    for table in tables:
        _table(collection, table)
    if not collection.runs:
        raise MalformedEvidence("there is no row under the header", where=document.name, code="no_rows")
    collection.notice(PER_MODEL)
    return collection.reading(NAME, VERSION, leniences, incomplete=incomplete)


def _table(collection: Collection, table: Table) -> None:
    numbers = {column: found for column in table.columns if (found := NUMBER.fullmatch(column))}
    settings = [column for column in table.columns if column not in numbers]
    runs: dict[tuple[str, ...], Run] = {}
    for row in table.rows:
        same = tuple(row.text(column) for column in settings if column not in (GPU, OUTCOME))
        if same not in runs or GPU not in table.columns:
            runs[same] = collection.add(collect.completed(row.where.rpartition(":")[2], row.where))
            _settings(runs[same], row, settings)
        for column, found in numbers.items():
            _number(collection, runs[same], row, column, found)


def _settings(run: Run, row: Row, columns: list[str]) -> None:
    for column in columns:
        name = column.lower().replace(" ", "_")
        if column in (GPU, OUTCOME):
            run.identified(name, row.text(column), row.place(column))
        elif row.text(column):
            run.configured(name, row.text(column), row.place(column))


def _number(collection: Collection, run: Run, row: Row, column: str, found: re.Match[str]) -> None:
    unit, name = found["unit"], re.sub(r"\W+", "_", found["name"].lower())
    if unit not in FACTORS:
        collection.leave([column])
        return
    where, value = row.place(column), row.number(column)
    if not row.text(column):
        figure = collect.nothing(value, unit, where, serving.NOTHING_MEASURED)
    elif FACTORS[unit][0] in ("s", "1/s", "W", "J"):
        figure = collect.positive_or_nothing(value, unit, where, serving.NOTHING_MEASURED)
    else:
        figure = collect.not_negative(value, unit, where)
    stat = "rate" if name == "throughput" else STATS.get(found["stat"] or "Avg", found["stat"])
    run.measured(METRICS.get(name, name), figure, Sample("aggregate", stat, None, stage=row.text(GPU)))


FORMAT: Final = Format(NAME, "Triton Model Analyzer table", VERSION, looks_right, parse)
