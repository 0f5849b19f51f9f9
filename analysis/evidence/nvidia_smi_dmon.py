"""Samples of `nvidia-smi dmon` and `nvidia-smi pmon`.

In the file: two lines that begin with #, the names and the units, again after every so many rows; a row for each GPU,
or for each process on it. Times are there only with `-o DT`; `-` is no value. Here: the file is one run, each GPU a
stage, `gpu0`, or each process on it, `gpu0 pid 11345`. Columns are found by their names. Not read: encoders, counters.
"""

from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import blocks, nvidia_smi_dmon_blocks, text_reader
from analysis.evidence.collect import Collection
from analysis.evidence.format import Document, Format
from analysis.evidence.nvidia_smi_dmon_fields import NAMES, READ, UNITS, Header, figure, header, moment, stage
from analysis.evidence.telemetry import Monitor
from analysis.reading import Reading

NAME: Final = "nvidia-smi-dmon"
VERSION: Final = 1


def looks_right(document: Document) -> str | None:
    """The reason why this is a log of dmon or pmon, or None."""
    head = text_reader.bare(text_reader.ends(document)[0].decode(errors="replace"))
    if NAMES.search(head) and UNITS.search(head):
        return "two of its lines name the columns and units of dmon"
    return None


def parse(document: Document) -> Reading:
    """One run, or one for each time that the clock goes back.

    Raises:
        MalformedEvidence: no_header, no_runs, ragged_row, unit_mismatch, and those of telemetry and of values.
    """
    return blocks.whole_or(document, lambda: nvidia_smi_dmon_blocks.parse(document, NAME, VERSION), by_row)


def by_row(document: Document) -> Reading:
    """What `parse` gives, of a file that is held in memory."""
    lines, leniences = text_reader.lines(document)
    collection = Collection(document)
    monitor, names, found = Monitor(collection), tuple[str, ...](), None
    for line in lines:
        where = f"{document.name}:{line.number}"
        if NAMES.match(line.text):
            names = tuple(line.text.lstrip("# ").split())
        elif UNITS.match(line.text):
            found = header(collection, names, tuple(line.text.lstrip("#").split()), where)
        elif line.text.strip() and found is not None:
            _row(monitor, found, line.text, where)
    if found is None:
        raise MalformedEvidence("no lines name the columns and units", where=document.name, code="no_header")
    monitor.finish()
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _row(monitor: Monitor, columns: Header, text: str, where: str) -> None:
    cells = text.split(maxsplit=len(columns.names) - 1)
    if len(cells) != len(columns.names):
        message = f"the row has {len(cells)} cells, and the header {len(columns.names)}"
        raise MalformedEvidence(message, where=where, code="ragged_row")
    row = dict(zip(columns.names, cells, strict=True))
    run, sample = monitor.sample(stage(row, f"{where}.gpu"), moment(row, where), where)
    if row.get("pid", "-") != "-" and not sample.index:
        run.identified(f"process {row['pid']}", row.get("command", "").strip(), f"{where}.command")
    for name in columns.names:
        if name in READ:
            run.measured(READ[name][0], figure(name, row[name], f"{where}.{name}"), sample)


FORMAT: Final = Format(NAME, "nvidia-smi dmon and pmon", VERSION, looks_right, parse, streams=True)
