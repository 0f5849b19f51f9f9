"""NVBench `--json` and `--csv`.

In the file: a state for each point of the axes and each device, with mean times in s and their noise, the standard
deviation as a part of the mean; JSON writes numbers as text. Here: one run per state, all numbers aggregates; the
spread is noise x mean. A state that was skipped is a failed run. In the CSV two columns are named Noise: each is of the
time in front of it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_blocks, csv_reader, json_reader, text_reader, values
from analysis.evidence.collect import Collection, Figure, Run, aggregate, inside
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "nvbench"
VERSION: Final = 1

KEYS: Final = tuple(
    re.compile(rb'"' + key + rb'"\s*:') for key in (b"devices", b"sm_version", b"benchmarks", b"states")
)
COLUMNS: Final = ("Benchmark", "Device", "Device Name", "Skipped")

TIMES: Final = {"CPU Time": "cpu_time", "GPU Time": "gpu_time", "Batch GPU": "gpu_time_batched"}
RATES: Final = {"Elem/s": "throughput", "GlobalMem BW": "memory_bandwidth"}
COUNTS: Final = {"Samples": ("cpu_time", "gpu_time", "throughput", "memory_bandwidth"), "Batch": ("gpu_time_batched",)}
SHARES: Final = {"BWPeak": "memory_bandwidth_of_peak"}
NOISE: Final = "Noise"
UNIT: Final = re.compile(r"(?P<name>.+?) \((?:sec|elem/sec|bytes/sec|bytes|%)\)(?: \(\d+\))?")
AGAIN: Final = re.compile(r"(?P<name>.+) \(\d+\)")
SKIPPED: Final = "the state was skipped"
NO_TIME: Final = "no time was measured"


@dataclass(frozen=True, slots=True)
class State:
    """One point: its settings, and its numbers by their short names, in the order of the file."""

    key: str
    settings: dict[str, tuple[Json, str]]
    numbers: list[tuple[str, Json, str]]
    skipped: str
    where: str


def looks_right(document: Document) -> str | None:
    """The reason why this is a result of NVBench, or None."""
    head, tail = text_reader.ends(document)
    if re.match(rb"\s*\{", head):
        found = all(key.search(head) or key.search(tail) for key in KEYS)
        return 'it has "devices" with an "sm_version", and "benchmarks" with "states"' if found else None
    return f"its header names {', '.join(COLUMNS)}" if csv_reader.header_in(document, COLUMNS) else None


def parse(document: Document) -> Reading:
    """One run per state.

    Raises:
        MalformedEvidence: no JSON and no table, a time that is no number or below zero, no state at all.
    """
    collection = Collection(document)
    if re.match(rb"\s*\{", text_reader.ends(document)[0]):
        read = json_reader.read(document)
        whole = values.fields(read.only(document.name), document.name)
        states, leniences, incomplete = (
            list(_in_json(collection, whole, f"{document.name}:")),
            read.leniences,
            read.incomplete,
        )
    else:
        tables, leniences, incomplete = csv_blocks.read(document, COLUMNS)
        states = [_in_row(row) for table in tables for row in table.rows]
    if not states:
        raise MalformedEvidence("no state was measured", where=document.name, code="no_runs")
    for state in states:
        _run(collection, state)
    return collection.reading(NAME, VERSION, leniences, incomplete=incomplete)


def _in_row(row: csv_reader.Row) -> State:
    settings: dict[str, tuple[Json, str]] = {}
    numbers: list[tuple[str, Json, str]] = []
    for column in row.cells:
        found = UNIT.fullmatch(column) or AGAIN.fullmatch(column)
        name, cell = (found["name"] if found else column), row.number(column)
        if cell == "" or column == "Skipped":
            continue
        if name in (*TIMES, *RATES, *COUNTS, *SHARES, NOISE):
            numbers.append((name, _share(cell), row.place(column)))
        else:
            settings[SETTING.get(name, name)] = (cell, row.place(column))
    skipped = SKIPPED if row.text("Skipped").lower() == "yes" else ""
    return State(row.where.rpartition(":")[2], settings, numbers, skipped, row.where)


SETTING: Final = {"Benchmark": "benchmark", "Device": "device", "Device Name": "device_name"}


def _share(cell: Json) -> Json:
    """A cell "1.5%" as the number 0.015; any other as it is."""
    if isinstance(cell, str) and cell.endswith("%") and isinstance(part := values.number_in(cell[:-1]), Numeral):
        return Numeral(f"{part.text}e-2") if "e" not in part.text.lower() else cell
    return cell


def _in_json(collection: Collection, whole: dict[str, Json], where: str) -> Iterator[State]:
    devices: dict[str, Json] = {}
    for i, item in enumerate(values.items(whole.get("devices", []), inside(where, "devices"))):
        device = values.fields(item, f"{where}devices[{i}]")
        devices[values.written(device.get("id"))] = device.get("name")
    place = inside(where, "benchmarks")
    for i, item in enumerate(values.items(values.needed(whole, "benchmarks", place), place)):
        spot = f"{place}[{i}]"
        benchmark = values.fields(item, spot)
        states = values.needed(benchmark, "states", f"{spot}.states")
        listed = list(states.items()) if isinstance(states, dict) else list(_named(states, f"{spot}.states"))
        for name, state in listed:
            yield _state(values.fields(state, f"{spot}.states[{name}]"), benchmark, devices, f"{spot}.states[{name}]")
    collection.leave(key for key in whole if key not in ("devices", "benchmarks"))


def _named(states: Json, where: str) -> Iterator[tuple[str, Json]]:
    for i, state in enumerate(values.items(states, where)):
        yield str(i), state


def _state(state: dict[str, Json], benchmark: dict[str, Json], devices: dict[str, Json], where: str) -> State:
    settings: dict[str, tuple[Json, str]] = {"benchmark": (benchmark.get("name"), where)}
    if "device" in state:
        device = values.written(state["device"])
        settings["device"] = (state["device"], f"{where}.device")
        settings["device_name"] = (devices.get(device), f"{where}.device")
    axes = state.get("axis_values")
    for name, value in _valued(axes, f"{where}.axis_values"):
        settings[name] = (value, f"{where}.axis_values.{name}")
    numbers = []
    for name, value, place in _summaries(state.get("summaries"), f"{where}.summaries"):
        if name in (*TIMES, *RATES, *COUNTS, *SHARES, NOISE):
            numbers.append((name, value, place))
        else:
            settings[name] = (value, place)
    reason = values.written(state.get("skip_reason", "no reason is given"))
    skipped = f"{SKIPPED}: {reason}"[:300] if state.get("is_skipped") is True else ""
    return State(where.partition(":")[2], settings, numbers, skipped, where)


def _valued(axes: Json, where: str) -> Iterator[tuple[str, Json]]:
    """The values of the axes: an object by name, or a list with a name in each."""
    if isinstance(axes, dict):
        for name, entry in axes.items():
            yield name, _value(entry, f"{where}.{name}")
    elif isinstance(axes, list):
        for i, entry in enumerate(axes):
            fields = values.fields(entry, f"{where}[{i}]")
            yield values.written(fields.get("name", str(i))), _value(entry, f"{where}[{i}]")


def _value(entry: Json, where: str) -> Json:
    """The value of {"type": "float64", "value": "0.5"}: a number, written as text."""
    value = values.needed(values.fields(entry, where), "value", f"{where}.value")
    return values.number_in(value) if isinstance(value, str) else value


def _summaries(summaries: Json, where: str) -> Iterator[tuple[str, Json, str]]:
    """Short name, value and place of each summary, as files of 2021 and of today have them."""
    if isinstance(summaries, dict):
        for title, entry in summaries.items():
            place = f"{where}.{title}"
            fields = values.fields(entry, place)
            name = _value(fields["short_name"], f"{place}.short_name") if "short_name" in fields else title
            yield values.written(name), _value(fields.get("value"), f"{place}.value"), place
    elif isinstance(summaries, list):
        for i, entry in enumerate(summaries):
            place = f"{where}[{i}]"
            fields = values.fields(entry, place)
            data = values.items(fields.get("data", []), f"{place}.data")
            if len(data) == 1 and "hide" not in fields:
                yield values.written(fields.get("name", fields.get("tag"))), _value(data[0], f"{place}.data[0]"), place


def _run(collection: Collection, state: State) -> None:
    if state.skipped:
        run = collection.add(collect.failed(state.key, state.where, state.skipped))
    else:
        run = collection.add(collect.completed(state.key, state.where))
    for name, (value, where) in state.settings.items():
        run.configured(name, value, where)
    if state.skipped:
        run.measured("gpu_time", collect.nothing(None, "s", state.where, state.skipped), aggregate("mean", None))
        return
    counts = {
        metric: values.count(value, where)
        for name, value, where in state.numbers
        if name in COUNTS
        for metric in COUNTS[name]
    }
    _numbers(run, state, counts)


def _numbers(run: Run, state: State, counts: dict[str, int]) -> None:
    last: tuple[str, Json, str] | None = None
    for name, value, where in state.numbers:
        if name in TIMES:
            figure = collect.positive_or_nothing(value, "s", where, NO_TIME)
            run.measured(TIMES[name], figure, aggregate("mean", counts.get(TIMES[name])))
            last = (TIMES[name], value, where)
        elif name in RATES:
            figure = collect.positive_or_nothing(value, "1/s", where, NO_TIME)
            run.measured(RATES[name], figure, aggregate("rate", counts.get(RATES[name])))
        elif name in SHARES:
            run.measured(SHARES[name], collect.not_negative(value, "1", where), aggregate("mean", None))
        elif name == NOISE and last is not None:
            metric, mean, _ = last
            run.measured(metric, _spread(value, mean, where), aggregate("std", counts.get(metric)))


def _spread(noise: Json, mean: Json, where: str) -> Figure:
    """The standard deviation; NVBench writes inf for the noise of a single sample."""
    if isinstance(noise, str) and noise.lower().rstrip("%") in ("inf", "nan", "-nan"):
        return collect.nothing(noise, "s", where, "the noise of a single sample is not known")
    values.not_negative(noise, where)
    share, centre = (Fraction(values.numeral(part, where).text) for part in (noise, mean))
    return collect.computed(share * centre, "s", f"{values.written(noise)} x {values.written(mean)}", where)


FORMAT: Final = Format(NAME, "NVBench result", VERSION, looks_right, parse)
