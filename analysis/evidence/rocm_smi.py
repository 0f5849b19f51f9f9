"""What `rocm-smi` and `amd-smi` report of power and use: text, `--csv` or `--json`.

In the file: lines `GPU[0] : Average Graphics Package Power (W): 12.0`, or a table with a row for each device; a time
is there only where `amd-smi` writes one. Either writes JSON too (smi_json). Here: the file is one run, each device a
stage, `gpu0`; reports one after the other are samples. Units are in the names of rocm-smi, those of its documentation
for amd-smi. Not read: all else.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import csv_reader, json_reader, smi_json, telemetry, text_reader, values
from analysis.evidence.collect import Collection, Figure
from analysis.evidence.csv_reader import Row
from analysis.evidence.format import Document, Format
from analysis.evidence.telemetry import Monitor
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "rocm-smi"
VERSION: Final = 1

MARK: Final = b"GPU["
LINE: Final = re.compile(r"\bGPU\[(\d+)\]\s*: (.+?)\s*:\s*(\S.*?)\s*$")
CARD: Final = re.compile(r"(?:card|gpu)?(\d+)")
POWERS: Final = (
    "Average Graphics Package Power (W)",
    "Current Socket Graphics Package Power (W)",
    "Socket Power (W)",
)
READ: Final = {
    **dict.fromkeys(POWERS, ("power", "W")),
    **dict.fromkeys(("socket_power", "average_socket_power", "current_socket_power", "power_usage"), ("power", "W")),
    **dict.fromkeys(("GPU use (%)", "gfx_activity", "gfx"), ("gpu_utilization", "%")),
    "GPU Memory Allocated (VRAM%)": ("memory_utilization", "%"),
    "VRAM Total Used Memory (B)": ("memory_used", "B"),
    "Temperature (Sensor edge) (C)": ("gpu_temperature", "1"),
    "edge_temperature": ("gpu_temperature", "1"),
    "Temperature (Sensor memory) (C)": ("memory_temperature", "1"),
}
MORE: Final = {
    "edge": ("gpu_temperature", "1"),
    "hotspot": ("hotspot_temperature", "1"),
    "hotspot_temperature": ("hotspot_temperature", "1"),
    "memory_temperature": ("memory_temperature", "1"),
    "umc_activity": ("memory_utilization", "%"),
    "used_vram": ("memory_used", "MB"),
    "total_energy_consumption": ("energy_counter", "J"),
}
"""Columns of amd-smi whose names are too plain to know its tables by."""
CONFIGURATION: Final = ("Card series", "Card Series", "Card model", "Card Model", "Max Graphics Package Power (W)")
UNIT: Final = re.compile(r"(.*?)\s*(?:W|%|°?C|MB)?")
SECONDS: Final = re.compile(r"\d{9,11}(?:\.\d+)?")
DOCUMENTED: Final = "Units are those of the documentation of amd-smi: the file has none."


def looks_right(document: Document) -> str | None:
    """The reason why this is a report of rocm-smi or amd-smi, or None."""
    if text_reader.has_line(document, MARK, LINE):
        return "it has lines GPU[0] as rocm-smi prints them"
    if csv_reader.header_like(document, _is_table):
        return "its header names a device and fields of rocm-smi or amd-smi"
    head, _ = text_reader.ends(document)
    if smi_json.of_rocm(head) and any(f'"{name}"'.encode() in head for name in READ):
        return "it has cards with fields of rocm-smi"
    return "it has GPUs with fields of amd-smi" if smi_json.of_amd(head) else None


def _is_table(cells: list[str]) -> bool:
    return ("device" in cells or "gpu" in cells) and any(cell in READ for cell in cells)


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no_runs, not_a_time, and those of the table and of values.
    """
    collection = Collection(document)
    monitor, incomplete = Monitor(collection), False
    header = csv_reader.header_like(document, _is_table)
    head, _ = text_reader.ends(document)
    if smi_json.of_rocm(head) or smi_json.of_amd(head):
        read = json_reader.read(document)
        leniences, incomplete = read.leniences, read.incomplete
        if smi_json.of_rocm(head):
            for number, fields, where in smi_json.cards(read.values, document.name):
                _report(monitor, number, fields, None, where)
        else:
            smi_json.measure(monitor, read.values, document.name)
    elif header:
        table = csv_reader.read(document, header)
        leniences, incomplete = table.leniences, table.incomplete
        for row in table.rows:
            _row(monitor, row)
        if "gpu" in header:
            collection.notice(DOCUMENTED)
    else:
        lines, leniences = text_reader.lines(document)
        _text(monitor, [(f"{document.name}:{line.number}", line.text) for line in lines])
    monitor.finish()
    return collection.reading(NAME, VERSION, leniences, incomplete=incomplete)


def _row(monitor: Monitor, row: Row) -> None:
    """The report of one device. Of several names of its power, the first that has a number counts."""
    key = "device" if "device" in row.cells else "gpu"
    fields = {name: row.text(name) for name in row.cells if name not in (key, "timestamp")}
    card = CARD.fullmatch(row.text(key))
    if card is None:
        raise MalformedEvidence("the cell is no device", where=row.place(key), code="not_a_count")
    at = _moment(monitor, row.text("timestamp"), row.place("timestamp"))
    _report(monitor, telemetry.whole(card[1], row.place(key)), fields, at, row.where)


def _text(monitor: Monitor, lines: list[tuple[str, str]]) -> None:
    """Reports as text: a field of a device that stands again begins its next sample."""
    devices: dict[int, tuple[dict[str, str], str]] = {}
    for where, text in lines:
        if (line := LINE.search(text)) is None:
            continue
        number = telemetry.whole(line[1], where)
        fields, first = devices.setdefault(number, ({}, where))
        if line[2] in fields:
            _report(monitor, number, fields, None, first)
            fields, _ = devices[number] = {}, where
        fields[line[2]] = line[3]
    for number, (fields, first) in devices.items():
        _report(monitor, number, fields, None, first)


def _report(monitor: Monitor, number: int, fields: dict[str, str], at: int | None, where: str) -> None:
    run, sample = monitor.sample(f"gpu{number}", at, where)
    found: dict[str, Figure] = {}
    for name, cell in fields.items():
        if name in CONFIGURATION:
            if not sample.index:
                run.configured(f"gpu{number}.{name}", cell, where)
        elif name in READ or name in MORE:
            metric, unit = READ.get(name) or MORE[name]
            bare = UNIT.fullmatch(cell)
            figure = telemetry.sampled(values.number_in(bare[1] if bare else cell), unit, f"{where}.{name}")
            if metric not in found or found[metric].value is None:
                found[metric] = figure
        else:
            monitor.collection.leave([name])
    for metric, figure in found.items():
        run.measured(metric, figure, sample)


def _moment(monitor: Monitor, written: str, where: str) -> int | None:
    """When a row was sampled: epoch seconds or a local time."""
    if not written or telemetry.ABSENT.fullmatch(written):
        return None
    if SECONDS.fullmatch(written):
        monitor.zoned = True
        return values.epoch_ns(Numeral(written), where)
    return telemetry.local_ns(written, where)


FORMAT: Final = Format(NAME, "rocm-smi and amd-smi", VERSION, looks_right, parse)
