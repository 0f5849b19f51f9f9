"""Scalars downloaded from TensorBoard as CSV: `Wall time,Step,Value`.

In the file: the moment, the step and the value of one tag of one run. Here: one run; the value is raw, at its step and
moment. Run and tag are only in the file name, `run-<run>-tag-<tag>.csv`, and are taken from there. TensorBoard thins a
series to 1000 points: a hole is no missing step.
"""

import re
from pathlib import PurePosixPath
from typing import Final

from analysis.evidence import csv_reader, steps, values
from analysis.evidence.collect import Collection
from analysis.evidence.csv_reader import Row
from analysis.evidence.format import Document, Format
from analysis.evidence.steps import Entry
from analysis.reading import Reading

NAME: Final = "tensorboard-csv"
VERSION: Final = 1

COLUMNS: Final = ("Wall time", "Step", "Value")
FROM_NAME: Final = re.compile(r"(?:run-(?P<run>.+?)-)?tag-(?P<tag>.+)", re.DOTALL)
UNNAMED: Final = "Run and tag are not in the file, and its name does not say them: the metric is called value."
POINTS: Final = 1000
THINNED: Final = "TensorBoard thins a series to 1000 points by default: a hole between steps is no missing step."


def looks_right(document: Document) -> str | None:
    """The reason why this is a series of TensorBoard, or None."""
    cells = csv_reader.header_like(document, lambda cells: cells == list(COLUMNS))
    return f"its header is {','.join(COLUMNS)}" if cells else None


def parse(document: Document) -> Reading:
    """One run, or one for each time that the steps begin anew.

    Raises:
        MalformedEvidence: those of the table and of values.
    """
    table = csv_reader.read(document, COLUMNS)
    collection = Collection(document)
    named = FROM_NAME.fullmatch(PurePosixPath(document.name).stem)
    metric = (steps.slug(named["tag"]) if named else "") or "value"
    for run, part in steps.add_runs(collection, [_entry(row, metric) for row in table.rows]):
        steps.work_of(run, part)
        if named:
            run.identified("tag", named["tag"], document.name, "file name")
            if named["run"]:
                run.identified("run", named["run"], document.name, "file name")
    if named is None:
        collection.notice(UNNAMED)
    if len(table.rows) >= POINTS:
        collection.notice(THINNED)
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def _entry(row: Row, metric: str) -> Entry:
    step = values.count(row.number("Step"), row.place("Step"))
    at = values.epoch_ns(row.number("Wall time"), row.place("Wall time"))
    figure = steps.figure(values.written(row.number("Value")), "1", row.place("Value"))
    return Entry(step, "train", {metric: figure}, row.where, {}, 0, at)


FORMAT: Final = Format(NAME, "TensorBoard scalars", VERSION, looks_right, parse)
