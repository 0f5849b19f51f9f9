"""Samples of `nvidia-smi --query-gpu=… --format=csv`.

In the file: a row for each GPU at each sample; units in the header and, unless `nounits` was asked, in the cells; the
time is local and has no zone. Here: the file is one run, and another begins where the clock goes back; each GPU is a
stage, `gpu0` by its index or else its uuid. Columns that do not change are configuration. Not read: all others.
"""

from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import blocks, csv_reader, nvidia_smi_blocks, steps, telemetry
from analysis.evidence.collect import Collection, Run, Sample
from analysis.evidence.csv_reader import Row
from analysis.evidence.format import Document, Format
from analysis.evidence.nvidia_smi_fields import (
    AGAIN,
    BETWEEN,
    CALM,
    CONFIGURATION,
    DEVICE,
    REASONS,
    Messages,
    device,
    is_query,
    name_of,
    refuse_unnamed,
    remark,
    sampled,
)
from analysis.evidence.telemetry import Monitor
from analysis.reading import Reading

NAME: Final = "nvidia-smi"
VERSION: Final = 1


def looks_right(document: Document) -> str | None:
    """The reason why this is a log of nvidia-smi, or None."""
    if csv_reader.header_like(document, is_query):
        return "its header names fields of nvidia-smi"
    return None


def parse(document: Document) -> Reading:
    """The runs of the log.

    Raises:
        MalformedEvidence: no_header, no_runs (nothing that is read here was queried), not_a_time, missing (rows of
            several GPUs that do not say of which), and those of the table and of values.
    """
    return blocks.whole_or(document, lambda: nvidia_smi_blocks.parse(document, NAME, VERSION), by_row)


def by_row(document: Document) -> Reading:
    """What `parse` gives, of a file that is held in memory."""
    header = csv_reader.header_like(document, is_query)
    if header is None:
        raise MalformedEvidence("no line names the fields of a query", where=document.name, code="no_header")
    messages = Messages()
    table = csv_reader.read(document, header, passed_over=messages.passed_over)
    collection = Collection(document)
    fields = {name_of(column): column for column in table.columns}
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
    remark(collection, fields, throttled)
    messages.remark(collection)
    needed = {AGAIN: len(rows) < len(table.rows), BETWEEN: bool(messages.said)}
    leniences = table.leniences + tuple(words for words, was in needed.items() if was)
    return collection.reading(NAME, VERSION, leniences, incomplete=table.incomplete)


def _stage(row: Row, fields: dict[str, str]) -> str:
    """The GPU of a row."""
    for name in DEVICE:
        named = device(name, row.text(fields[name]), row.place(fields[name])) if name in fields else ""
        if named:
            return named
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
        refuse_unnamed(row.where)
    last["at"] = at


def _measure(run: Run, row: Row, fields: dict[str, str], sample: Sample) -> None:
    """The samples of one row."""
    for one in sampled(fields):
        run.measured(one.metric, one.figure(row.text(one.column), row.place(one.column), row.delimiter), sample)


FORMAT: Final = Format(NAME, "nvidia-smi samples", VERSION, looks_right, parse, streams=True)
