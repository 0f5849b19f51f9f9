"""Samples of `dcgmi dmon -e …`.

In the file: a line of short names of fields that begins with `#Entity`, a line `ID`, and a row for each entity at each
sample, without a time; `N/A` is no value. Here: the file is one run, each entity a stage, `gpu0` or `gpu-i 3`. The unit
of a short name is that of its field in DCGM. Not read: names that are not known here.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, telemetry, text_reader, values
from analysis.evidence.collect import Collection, Figure
from analysis.evidence.format import Document, Format
from analysis.evidence.telemetry import Monitor
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "dcgmi-dmon"
VERSION: Final = 1

ENTITY: Final = re.compile(r"^#\s*Entity\b(.*)$", re.MULTILINE)
ID: Final = re.compile(r"^\s*(?:ID|Id)\b.*$", re.MULTILINE)
ROW: Final = re.compile(r"^\s*([A-Z]\w*(?:-\w+)?)\s+(\d+)\s+(.*)$")
READ: Final = {
    "POWER": ("power", "W"),
    "GPUTL": ("gpu_utilization", "%"),
    "MCUTL": ("memory_utilization", "%"),
    "SMCLK": ("sm_clock", "MHz"),
    "MMCLK": ("memory_clock", "MHz"),
    "TMPTR": ("gpu_temperature", "1"),
    "GRACT": ("graphics_activity", "ratio"),
    "SMACT": ("sm_activity", "ratio"),
    "SMOCC": ("sm_occupancy", "ratio"),
    "TENSO": ("tensor_activity", "ratio"),
    "DRAMA": ("dram_activity", "ratio"),
}
ENERGY: Final = "TOTEC"
NO_RATIO: Final = "{} is no ratio between 0 and 1: the unit is not known"


def looks_right(document: Document) -> str | None:
    """The reason why this is a log of dcgmi dmon, or None."""
    head = text_reader.bare(text_reader.ends(document)[0].decode(errors="replace"))
    return "its first lines are #Entity and ID" if ENTITY.search(head) and ID.search(head) else None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no_header, no_runs, ragged_row, and those of values.
    """
    lines, leniences = text_reader.lines(document)
    collection = Collection(document)
    monitor, names = Monitor(collection), list[str]()
    for line in lines:
        where = f"{document.name}:{line.number}"
        if header := ENTITY.match(line.text):
            names = header[1].split()
            collection.leave(name for name in names if name not in READ and name != ENERGY)
        elif names and (row := ROW.match(line.text)):
            _row(monitor, names, row, where)
    if not names:
        raise MalformedEvidence("no line names the fields", where=document.name, code="no_header")
    monitor.finish()
    if ENERGY in names:
        for run in monitor.runs:
            run.configured("counter_unit", "1 mJ", document.name)
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _row(monitor: Monitor, names: list[str], row: re.Match[str], where: str) -> None:
    cells = row[3].split()
    if len(cells) != len(names):
        message = f"the row has {len(cells)} values, and the header {len(names)} names"
        raise MalformedEvidence(message, where=where, code="ragged_row")
    number = telemetry.whole(row[2], where)
    stage = f"gpu{number}" if row[1] == "GPU" else f"{row[1].lower()} {number}"
    run, sample = monitor.sample(stage, None, where)
    for name, cell in zip(names, cells, strict=True):
        spot, value = f"{where}.{name}", values.number_in(cell)
        if name == ENERGY:
            run.measured("energy_counter", _counted(value, spot), sample)
        elif name in READ:
            metric, unit = READ[name]
            run.measured(metric, _sampled(value, unit, spot), sample)


def _counted(value: Json, where: str) -> Figure:
    """A reading of the energy counter, in its counts of 1 mJ."""
    if isinstance(value, Numeral):
        values.count(value, where)
    return telemetry.sampled(value, "1", where)


def _sampled(value: Json, unit: str, where: str) -> Figure:
    figure = telemetry.sampled(value, "1" if unit == "ratio" else unit, where)
    if unit == "ratio" and figure.value is not None and figure.value > 1:
        return collect.nothing(value, "1", where, NO_RATIO.format(figure.original))
    return figure


FORMAT: Final = Format(NAME, "dcgmi dmon", VERSION, looks_right, parse)
