"""The columns of `nvidia-smi dmon` and `pmon`: what they are, and what a cell of them says."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import telemetry, values
from analysis.evidence.collect import Collection, Figure

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


def header(collection: Collection, names: tuple[str, ...], units: tuple[str, ...], where: str) -> Header:
    """The header of two lines. Raises MalformedEvidence: ragged_row, unit_mismatch."""
    if len(names) != len(units):
        message = f"there are {len(names)} names of columns and {len(units)} units"
        raise MalformedEvidence(message, where=where, code="ragged_row")
    for name, unit in zip(names, units, strict=True):
        if name in READ and unit != READ[name][1]:
            message = f"{name} is in {READ[name][1]}, not in {unit}"
            raise MalformedEvidence(message, where=where, code="unit_mismatch")
    collection.leave(name for name in names if name not in READ and name not in PLACE)
    return Header(names, units)


def stage(row: Mapping[str, str], where: str) -> str:
    """The GPU of a row, or the process on it."""
    gpu = f"gpu{telemetry.whole(row['gpu'], where)}"
    return gpu if row.get("pid", "-") == "-" else f"{gpu} pid {row['pid']}"


def moment(row: Mapping[str, str], where: str) -> int | None:
    """When the row was sampled; None without a date, because a time of day may wrap."""
    if "Date" not in row or "Time" not in row:
        return None
    day = DAY.fullmatch(row["Date"])
    return telemetry.local_ns("-".join(day.groups() if day else ()) + f" {row['Time']}", f"{where}.Date")


def figure(name: str, cell: str, where: str) -> Figure:
    """The sample of a cell. where: of the cell."""
    return telemetry.sampled(values.number_in(cell), unit(name), where)


def unit(name: str) -> str:
    """The unit of a column that is read, as it is kept."""
    return "1" if READ[name][1] == "C" else READ[name][1]
