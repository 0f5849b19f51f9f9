"""The fields of a query of nvidia-smi: what a column is, and what a cell of it says."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn

from analysis.errors import MalformedEvidence
from analysis.evidence import telemetry, values
from analysis.evidence.collect import Collection, Figure
from analysis.evidence.csv_reader import Row

QUERY: Final = re.compile(r"[a-z][\w-]*(?:\.\w+)+ \[[^\]]+\]")
COLUMN: Final = re.compile(r"(.*?) ?(?:\[([^\]]*)\])?")
READ: Final = {
    "power.draw": "power",
    "power.draw.average": "power_average",
    "power.draw.instant": "power_instant",
    "utilization.gpu": "gpu_utilization",
    "utilization.memory": "memory_utilization",
    "memory.used": "memory_used",
    "clocks.sm": "sm_clock",
    "clocks.current.sm": "sm_clock",
    "clocks.mem": "memory_clock",
    "clocks.current.memory": "memory_clock",
    "temperature.gpu": "gpu_temperature",
    "temperature.memory": "memory_temperature",
}
UNITS: Final = {
    **dict.fromkeys(("power", "power_average", "power_instant"), "W"),
    **dict.fromkeys(("gpu_utilization", "memory_utilization"), "%"),
    **dict.fromkeys(("sm_clock", "memory_clock"), "MHz"),
    **dict.fromkeys(("gpu_temperature", "memory_temperature"), "1"),
    "memory_used": "MiB",
}
INSTEAD: Final = ("power.draw.instant", "power.draw.average")
DEVICE: Final = ("index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "serial", "gpu_serial")
CONFIGURATION: Final = (
    "name", "gpu_name", "driver_version", "vbios_version", "count", "persistence_mode", "compute_mode", "power.limit",
    "enforced.power.limit", "power.management", "clocks.max.sm", "clocks.applications.graphics", "memory.total",
    "mig.mode.current", "ecc.mode.current",
)  # fmt: skip
REASONS: Final = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")
CALM: Final = re.compile(r"0x0*[01]?|not active|\[.*\]|n/a|", re.IGNORECASE)
AVERAGED: Final = "power.draw is a mean over 1 s on Ampere and later (not GA100), instantaneous before: within 5 W."
AGAIN: Final = "the header stands again between the rows: passed over"
MESSAGE: Final = re.compile(
    r"Unable to determine the device handle|Failed to |NVIDIA-SMI has failed|No devices were found"
)
BETWEEN: Final = "messages of nvidia-smi stand between the rows: passed over"
ONE_GPU: Final = "The rows do not say which GPU they are of: they are taken as of one. Query index as well."


@dataclass(frozen=True, slots=True)
class Sampled:
    """A column that is measured."""

    column: str
    metric: str
    unit: str

    def figure(self, cell: str, where: str, delimiter: str) -> Figure:
        """The sample of a cell, with or without its unit beside it."""
        bare = Row({self.column: cell.removesuffix(self.unit) if self.unit else cell}, where, delimiter)
        return telemetry.sampled(bare.number(self.column), self.unit, where)


def is_query(cells: list[str]) -> bool:
    """Whether these are the names of a query."""
    plain = {name_of(cell) for cell in cells}
    asked = any(QUERY.fullmatch(cell) for cell in cells) and bool(plain & {*READ, *CONFIGURATION})
    return asked or (cells[:2] == ["timestamp", "name"] and bool(plain & set(READ)))


def name_of(cell: str) -> str:
    """The name of a column without its unit."""
    found = COLUMN.fullmatch(cell)
    return found[1] if found else cell


def sampled(fields: dict[str, str]) -> list[Sampled]:
    """The columns that are measured. Without `power.draw`, what is queried in its place is the power."""
    power = next((name for name in INSTEAD if name in fields), "") if "power.draw" not in fields else ""
    found = []
    for name, column in fields.items():
        metric = "power" if name and name == power else READ.get(name)
        if metric is not None:
            written = COLUMN.fullmatch(column)
            found.append(Sampled(column, metric, (written[2] if written else None) or UNITS[metric]))
    return found


def device(name: str, cell: str, where: str) -> str:
    """The GPU that a cell names, "" when it names none."""
    if telemetry.ABSENT.fullmatch(cell):
        return ""
    return f"gpu{cell}" if name == "index" else values.text(cell, where)


def refuse_unnamed(where: str) -> NoReturn:
    """Raises MalformedEvidence(missing): of a row in the same moment as the row before."""
    message = "two rows of one moment do not say which GPU they are of"
    raise MalformedEvidence(message, where=where, code="missing")


def remark(collection: Collection, fields: dict[str, str], throttled: dict[str, int]) -> None:
    """Say what the columns and their values tell of the whole log."""
    if fields.keys().isdisjoint(DEVICE):
        collection.notice(ONE_GPU)
    if not fields.keys().isdisjoint(("power.draw", *INSTEAD)):
        collection.notice(AVERAGED)
    if throttled:
        reasons = ", ".join(f"{reason} ({times} samples)" for reason, times in throttled.items())
        collection.notice(f"Clocks were held back: {reasons}.")
    collection.leave(name for name in fields if name not in (*READ, *CONFIGURATION, *DEVICE, *REASONS, "timestamp"))


def is_message(cells: Sequence[str]) -> bool:
    """Whether nvidia-smi said something in the place of a sample."""
    return bool(cells) and MESSAGE.match(cells[0]) is not None


@dataclass(slots=True)
class Messages:
    """What nvidia-smi said in the place of a sample, by its line."""

    said: dict[int, str] = field(default_factory=dict)

    def passed_over(self, line: int, cells: Sequence[str]) -> bool:
        """Whether the cells of a line are a message; it is kept."""
        found = is_message(cells)
        if found:
            self.said[line] = ", ".join(cells)
        return found

    def remark(self, collection: Collection) -> None:
        """Say how often there was one instead of a sample, and the first."""
        if self.said:
            line, text = next(iter(self.said.items()))
            times = f"nvidia-smi wrote a message and no sample {len(self.said)} times"
            collection.notice(f"{times}; the first, in line {line}: {text}"[:300])
