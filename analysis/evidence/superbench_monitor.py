"""Samples of the SuperBench monitor, JSON Lines.

In the file: a record for each sample, with a local time and flat names such as `gpu_usage:0`. Here: the file is one
run, each GPU a stage. `gpu_power_limit` is a limit and no draw: it is configuration. Not read: networks, error counts.
"""

import re
from typing import Final

from analysis.evidence import json_reader, telemetry, text_reader, values
from analysis.evidence.collect import Collection
from analysis.evidence.format import Document, Format
from analysis.evidence.telemetry import Monitor
from analysis.evidence.values import Json
from analysis.reading import Reading

NAME: Final = "superbench-monitor"
VERSION: Final = 1

TIME: Final = re.compile(rb'"time"\s*:\s*"\d{4}-')
USAGE: Final = re.compile(rb'"gpu_usage:\d+"\s*:')
FIELD: Final = re.compile(r"(gpu_\w+):(\d+)")
READ: Final = {
    "gpu_usage": ("gpu_utilization", "%"),
    "gpu_temperature": ("gpu_temperature", "1"),
    "gpu_mem_used": ("memory_used", "B"),
    "gpu_power": ("power", "W"),
}
LIMITS: Final = {"gpu_power_limit": "W", "gpu_mem_total": "B"}
LIMIT: Final = "gpu_power_limit is the limit, not the power drawn: it is configuration."


def looks_right(document: Document) -> str | None:
    """The reason why this is a log of the SuperBench monitor, or None."""
    head, _ = text_reader.ends(document)
    return 'its records have "time" and "gpu_usage:0"' if TIME.search(head) and USAGE.search(head) else None


def parse(document: Document) -> Reading:
    """One run, or one for each time that the clock goes back.

    Raises:
        MalformedEvidence: missing (a time), not_a_time, no_runs, and those of JSON and of values.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    monitor, said = Monitor(collection), dict[str, tuple[Json, str, str]]()
    for i, entry in enumerate(read.values):
        where = f"{document.name}:[{i}]"
        _record(monitor, values.fields(entry, where), said, where)
    monitor.finish()
    for run in monitor.runs:
        for name, (value, unit, place) in said.items():
            run.configured(name, value, place, unit=unit)
    if any(name.startswith("gpu_power_limit") for name in said):
        collection.notice(LIMIT)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _record(monitor: Monitor, record: dict[str, Json], said: dict[str, tuple[Json, str, str]], where: str) -> None:
    place = f"{where}.time"
    at = telemetry.local_ns(values.text(values.needed(record, "time", place), place), place)
    by_gpu: dict[str, list[tuple[str, Json]]] = {}
    for key, value in record.items():
        field = FIELD.fullmatch(key)
        if field and field[1] in READ:
            by_gpu.setdefault(f"gpu{field[2]}", []).append((key, value))
        elif field and field[1] in LIMITS:
            said.setdefault(key, (value, LIMITS[field[1]], f"{where}.{key}"))
        elif key != "time":
            monitor.collection.leave([field[1] if field else key])
    for stage, fields in by_gpu.items():
        run, sample = monitor.sample(stage, at, where)
        for key, value in fields:
            metric, unit = READ[key.partition(":")[0]]
            run.measured(metric, telemetry.sampled(value, unit, f"{where}.{key}"), sample)


FORMAT: Final = Format(NAME, "SuperBench monitor", VERSION, looks_right, parse)
