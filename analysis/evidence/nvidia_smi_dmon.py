"""Samples of `nvidia-smi dmon` and `nvidia-smi pmon`.

In the file: two lines that begin with #, the names and the units, again after every so many rows; a row for each GPU,
or for each process on it. Times are there only with `-o DT`; `-` is no value. Here: the file is one run, each GPU a
stage, `gpu0`, or each process on it, `gpu0 pid 11345`. Columns are found by their names. Not read: encoders, counters.
"""

import re
from dataclasses import dataclass
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import telemetry, text_reader, values
from analysis.evidence.collect import Collection
from analysis.evidence.format import Document, Format
from analysis.evidence.telemetry import Monitor
from analysis.reading import Reading

NAME: Final = "nvidia-smi-dmon"
VERSION: Final = 1

NAMES: Final = re.compile(r"^#\s*(?:Date\s+)?(?:Time\s+)?gpu\s+\S.*$", re.MULTILINE)
UNITS: Final = re.compile(r"^#.*\bIdx\b.*$", re.MULTILINE)
READ: Final = {
    "pwr": ("power", "W"),
    "sm": ("sm_utilization", "%"),
    "mem": ("memory_utilization", "%"),
    "pclk": ("sm_clock", "MHz"),
    "mclk": ("memory_clock", "MHz"),
    "gtemp": ("gpu_temperature", "C"),
    "temp": ("gpu_temperature", "C"),
    "mtemp": ("memory_temperature", "C"),
}
PLACE: Final = ("Date", "Time", "gpu", "pid", "type", "command")
DAY: Final = re.compile(r"(\d{4})(\d\d)(\d\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Header:
    """The columns and their units, as the two lines name them."""

    names: tuple[str, ...]
    units: tuple[str, ...]


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
    lines, leniences = text_reader.lines(document)
    collection = Collection(document)
    monitor, names, header = Monitor(collection), tuple[str, ...](), None
    for line in lines:
        where = f"{document.name}:{line.number}"
        if NAMES.match(line.text):
            names = tuple(line.text.lstrip("# ").split())
        elif UNITS.match(line.text):
            header = _header(collection, names, tuple(line.text.lstrip("#").split()), where)
        elif line.text.strip() and header is not None:
            _row(monitor, header, line.text, where)
    if header is None:
        raise MalformedEvidence("no lines name the columns and units", where=document.name, code="no_header")
    monitor.finish()
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _header(collection: Collection, names: tuple[str, ...], units: tuple[str, ...], where: str) -> Header:
    if len(names) != len(units):
        message = f"there are {len(names)} names of columns and {len(units)} units"
        raise MalformedEvidence(message, where=where, code="ragged_row")
    for name, unit in zip(names, units, strict=True):
        if name in READ and unit != READ[name][1]:
            message = f"{name} is in {READ[name][1]}, not in {unit}"
            raise MalformedEvidence(message, where=where, code="unit_mismatch")
    collection.leave(name for name in names if name not in READ and name not in PLACE)
    return Header(names, units)


def _row(monitor: Monitor, header: Header, text: str, where: str) -> None:
    cells = text.split(maxsplit=len(header.names) - 1)
    if len(cells) != len(header.names):
        message = f"the row has {len(cells)} cells, and the header {len(header.names)}"
        raise MalformedEvidence(message, where=where, code="ragged_row")
    row = dict(zip(header.names, cells, strict=True))
    run, sample = monitor.sample(_stage(row, f"{where}.gpu"), _moment(row, where), where)
    if row.get("pid", "-") != "-" and not sample.index:
        run.identified(f"process {row['pid']}", row.get("command", "").strip(), f"{where}.command")
    for name in header.names:
        if name in READ:
            metric, unit = READ[name]
            known = "1" if unit == "C" else unit
            figure = telemetry.sampled(values.number_in(row[name]), known, f"{where}.{name}")
            run.measured(metric, figure, sample)


def _stage(row: dict[str, str], where: str) -> str:
    gpu = f"gpu{telemetry.whole(row['gpu'], where)}"
    return gpu if row.get("pid", "-") == "-" else f"{gpu} pid {row['pid']}"


def _moment(row: dict[str, str], where: str) -> int | None:
    """When the row was sampled; None without a date, because a time of day may wrap."""
    if "Date" not in row or "Time" not in row:
        return None
    day = DAY.fullmatch(row["Date"])
    return telemetry.local_ns("-".join(day.groups() if day else ()) + f" {row['Time']}", f"{where}.Date")


FORMAT: Final = Format(NAME, "nvidia-smi dmon and pmon", VERSION, looks_right, parse)
