"""Reports of AMD's monitors as JSON: `rocm-smi --json`, and `amd-smi metric --json`, also several one after the other.

rocm-smi: an object with a card each, whose fields are those of its text. amd-smi: a list of GPUs, or an object that
holds it as `gpu_data`; a number has its unit beside it, or none.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import telemetry, values
from analysis.evidence.collect import Figure, inside
from analysis.evidence.telemetry import Monitor
from analysis.evidence.values import Json

CARDS: Final = re.compile(rb'^\s*\{\s*"card\d+"\s*:\s*\{', re.MULTILINE)
GPUS: Final = re.compile(rb'\{\s*"gpu"\s*:\s*\d+\s*,')
FIELDS: Final = re.compile(rb'"(?:(?:average_|current_)?socket_power|gfx_activity|used_vram)"\s*:')
CARD: Final = re.compile(r"card(\d+)")
READ: Final = {
    ("power", "socket_power"): ("power", "W"),
    ("power", "average_socket_power"): ("power", "W"),
    ("power", "current_socket_power"): ("power", "W"),
    ("energy", "total_energy_consumption"): ("energy_counter", "J"),
    ("usage", "gfx_activity"): ("gpu_utilization", "%"),
    ("usage", "umc_activity"): ("memory_utilization", "%"),
    ("mem_usage", "used_vram"): ("memory_used", "MB"),
    ("temperature", "edge"): ("gpu_temperature", "1"),
    ("temperature", "hotspot"): ("hotspot_temperature", "1"),
    ("temperature", "mem"): ("memory_temperature", "1"),
}
DEGREES: Final = ("C", "°C")
Report = tuple[int, dict[str, str], str]


def of_rocm(head: bytes) -> bool:
    """Whether a file that begins like this may be JSON of rocm-smi."""
    return CARDS.search(head) is not None


def of_amd(head: bytes) -> bool:
    """Whether a file that begins like this is JSON of amd-smi."""
    return GPUS.search(head) is not None and FIELDS.search(head) is not None


def cards(found: tuple[Json, ...], where: str) -> Iterator[Report]:
    """The number of each card, its fields as texts, and its place. Raises MalformedEvidence as values."""
    for i, value in enumerate(found):
        place = f"{where}:" if len(found) == 1 else f"{where}:[{i}]."
        for name, card in values.fields(value, place).items():
            if number := CARD.fullmatch(name):
                fields = values.fields(card, f"{place}{name}")
                texts = {key: values.written(one) for key, one in fields.items()}
                yield telemetry.whole(number[1], f"{place}{name}"), texts, f"{place}{name}"


def measure(monitor: Monitor, found: tuple[Json, ...], where: str) -> None:
    """Add the reports of amd-smi.

    Raises:
        MalformedEvidence: missing, unknown_unit, and those of values.
    """
    for i, value in enumerate(found):
        reports, place = value, f"{where}:" if len(found) == 1 else f"{where}:[{i}]"
        if isinstance(value, dict) and "gpu_data" in value:
            reports, place = value["gpu_data"], inside(place, "gpu_data")
        for j, one in enumerate(reports if isinstance(reports, list) else [reports]):
            spot = f"{place}[{j}]"
            _gpu(monitor, values.fields(one, spot), spot)


def _gpu(monitor: Monitor, report: Mapping[str, Json], where: str) -> None:
    """One report of a GPU. Of several names of its power, the first that has a number counts."""
    number = values.count(values.needed(report, "gpu", f"{where}.gpu"), f"{where}.gpu")
    figures: dict[str, Figure] = {}
    for group, fields in report.items():
        for name, value in (fields if isinstance(fields, dict) else {}).items():
            known = READ.get((group, name))
            if known is None:
                monitor.collection.leave([f"{group}.{name}"])
                continue
            figure = _figure(value, known[1], f"{where}.{group}.{name}")
            if known[0] not in figures or figures[known[0]].value is None:
                figures[known[0]] = figure
    run, sample = monitor.sample(f"gpu{number}", None, where)
    for metric, figure in figures.items():
        run.measured(metric, figure, sample)


def _figure(value: Json, unit: str, where: str) -> Figure:
    """The number, in the unit that stands beside it, else in that of the documentation."""
    if isinstance(value, dict):
        stated = value.get("unit", unit)
        if not isinstance(stated, str):
            raise MalformedEvidence("the unit is no text", where=f"{where}.unit", code="unknown_unit")
        unit = "1" if stated in DEGREES else stated
        value = value.get("value")
    plain = values.number_in(value) if isinstance(value, str) else value
    return telemetry.sampled("" if plain is None else plain, unit, where)
