"""The JSON lines of DLLogger: `DLLL {"timestamp": …, "type": "LOG", "step": [0, 1], "data": {"train.loss": 7.1}}`."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.evidence import dllogger_lines, json_reader, steps, values
from analysis.evidence.collect import Collection, Figure, Run
from analysis.evidence.steps import Entry, Said
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Json
from analysis.units import FACTORS

MARK: Final = b"DLLL {"
STEP: Final = re.compile(r'^DLLL \{.*"type": ?"LOG".*"step": ?\[\d+, ?\d+')
WHOLE: Final = re.compile(r"\}\s*$")
PREFIX: Final = "DLLL "
PARAMETER: Final = "PARAMETER"
DEPTH: Final = 2  # epoch and iteration


def entries(collection: Collection, lines: tuple[Line, ...]) -> list[Entry]:
    """One entry for each iteration. Epochs number their iterations anew: they are counted on."""
    found: list[Entry] = []
    units: dict[str, str] = {}
    epoch, done, last = -1, 0, 0
    for record, where in _records(collection, lines):
        if record.get("type") == "METADATA":
            units[values.written(record.get("metric"))] = _unit(record.get("metadata"))
            continue
        step, data = record.get("step"), record.get("data")
        if not isinstance(step, list) or not isinstance(data, dict):
            continue
        if len(step) < DEPTH:
            collection.leave([f"{name} of {'an epoch' if step else 'the run'}" for name in data])
            continue
        first, iteration = (values.count(step[i], f"{where}.step") for i in range(DEPTH))
        if first > epoch >= 0 and iteration <= last:
            done += last
        epoch, last = first, iteration
        figures = _figures(collection, data, units, where)
        found.append(Entry(done + iteration, "train", figures, where, at=_at(record, where)))
    return found


def _unit(metadata: Json) -> str:
    unit = metadata.get("unit") if isinstance(metadata, dict) else None
    return unit if isinstance(unit, str) else ""


def _records(collection: Collection, lines: tuple[Line, ...]) -> Iterator[tuple[dict[str, Json], str]]:
    for line in lines:
        if line.text.startswith(PREFIX):
            where = f"{collection.document.name}:{line.number}"
            value, _ = json_reader.value_at_start(line.text[len(PREFIX) :], where)
            yield values.fields(value, where), where


def _at(record: dict[str, Json], where: str) -> int | None:
    stamp = record.get("timestamp")
    return values.epoch_ns(values.number_in(stamp), f"{where}.timestamp") if isinstance(stamp, str) else None


def _figures(collection: Collection, data: dict[str, Json], units: dict[str, str], where: str) -> dict[str, Figure]:
    found = {}
    for name, value in data.items():
        stated = units.get(name, "")
        unit = dllogger_lines.UNITS.get(stated, stated)
        if unit not in FACTORS or not steps.slug(name) or isinstance(value, list | dict | bool) or value is None:
            collection.leave([name])
            continue
        found[steps.slug(name)] = steps.figure(values.written(value), unit, f"{where}.{name}")
    return found


def stated(collection: Collection, lines: tuple[Line, ...]) -> Said:
    """The parameters that the log begins with."""
    said: dict[str, dict[str, str]] = {}
    for record, where in _records(collection, lines):
        data = record.get("data")
        if record.get("step") == PARAMETER and isinstance(data, dict):
            for name, value in data.items():
                said.setdefault(name, {}).setdefault(values.written(value), where)
    return said


def tell(collection: Collection, run: Run, part: list[Entry], said: Said) -> None:
    """Work, settings and remarks of a run."""
    dllogger_lines.tell(collection, run, part, said)
