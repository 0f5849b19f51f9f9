"""Tables of XProf (the TensorBoard profiler) as JSON: lists of DataTables {cols, rows, p}.

In the file: for every step the time of computation and that of waiting for input, in ms, averaged over the cores;
summaries as properties in text. Here: one file is one run, and each row one step. Tables of operations, and texts, are
not read. The profiles that are no tables, `op_profile` and `pod_viewer`, are read in xprof_profiles.
"""

import re
from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, text_reader, values, xprof_profiles
from analysis.evidence.collect import Collection, Figure, Run, Sample, aggregate
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "xprof-json"
VERSION: Final = 1

BEGINNING: Final = re.compile(rb'\s*\[?\s*\{\s*"cols"\s*:\s*\[\s*\{\s*"(?:id|label|type)"')
ROWS: Final = re.compile(rb'"rows"\s*:')
STEP: Final = "stepnum"
STAGES: Final = {
    "noninfeedTimeMs": "compute", "computeTimeMs": "compute",
    "infeedTimeMs": "input readiness", "inputTimeMs": "input readiness",
}  # fmt: skip
CONFIGURATION: Final = ("device_type", "device_core_count", "host_count")
OF_STEPS: Final = {
    "steptime_ms_average": "mean", "steptime_ms_minimum": "min", "steptime_ms_maximum": "max",
    "steptime_ms_standard_deviation": "std",
}  # fmt: skip
PERCENT: Final = re.compile(r"(\w+)_percent(?:_(average|minimum|maximum|standard_deviation))?")
STATS: Final = {"average": "mean", "minimum": "min", "maximum": "max", "standard_deviation": "std", None: "mean"}
AVERAGED: Final = "Stages are the tool's averages over the cores; the time of a step is their sum, computed here."


def looks_right(document: Document) -> str | None:
    """The reason why this is a list of tables of XProf, or None."""
    head, tail = text_reader.ends(document)
    if BEGINNING.match(head) and (ROWS.search(head) or ROWS.search(tail)):
        return 'it lists tables with "cols" and "rows"'
    if xprof_profiles.TREE.search(head) and xprof_profiles.NODE.search(head):
        return "it is a tree of operations by category or program"
    return "it has podStatsSequence" if xprof_profiles.MAP.search(head + tail) else None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: malformed_json, not_an_object, not_a_list, no_runs, lengths_differ, and those of values.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    where = f"{document.name}:"
    run = collection.add(collect.completed("0", document.name))
    whole = read.values[0] if len(read.values) == 1 and isinstance(read.values[0], list) else list(read.values)
    for at, entry in enumerate(whole):
        table = values.fields(entry, f"{where}[{at}]")
        if "podStatsSequence" in table:
            xprof_profiles.steps(collection, run, table, where)
        elif any(tree in table for tree in xprof_profiles.TREES):
            xprof_profiles.operations(collection, run, table, where)
        else:
            steps = _steps(collection, run, table, f"{where}[{at}]") if "cols" in table else 0
            _properties(collection, run, table.get("p"), steps, f"{where}[{at}].p")
    if not run.measurements:
        message = "nothing in it holds times of steps or of operations, or shares"
        raise MalformedEvidence(message, where=document.name, code="no_runs")
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _steps(collection: Collection, run: Run, table: dict[str, Json], where: str) -> int:
    """Add the times of each step; returns how many there are."""
    columns = [values.fields(column, f"{where}.cols") for column in values.items(table["cols"], f"{where}.cols")]
    names = [values.written(column.get("id")) for column in columns]
    rows = values.items(table.get("rows", []), f"{where}.rows")
    staged = [name for name in names if name in STAGES]
    if STEP not in names or not staged or not rows:
        collection.leave(names)
        return 0
    for index, row in enumerate(rows):
        place = f"{where}.rows[{index}]"
        cells = values.items(values.fields(row, place).get("c"), f"{place}.c")
        if len(cells) != len(names):
            message = f"the row has {len(cells)} cells, and the table {len(names)} columns"
            raise MalformedEvidence(message, where=place, code="lengths_differ")
        found = {name: values.fields(cell, place).get("v") for name, cell in zip(names, cells, strict=True)}
        _step(run, index, {name: found[name] for name in staged}, place)
    collection.notice(AVERAGED)
    collection.leave(name for name in names if name not in (STEP, *STAGES))
    run.worked("steps", Numeral(str(len(rows))), f"{where}.rows")
    return len(rows)


def _step(run: Run, index: int, cells: dict[str, Json], where: str) -> None:
    for column, cell in cells.items():
        values.not_negative(cell, f"{where}.{column}")
    whole = sum(Fraction(values.numeral(cell, where).text) for cell in cells.values())
    seconds = float(whole / 1000)
    total = Figure(seconds or None, "s", str(float(whole)), "ms", where, "" if seconds else "the step took no time")
    run.measured("step_time", total, Sample("raw", "value", 1, index))
    for column, cell in cells.items():
        figure = collect.not_negative(cell, "ms", f"{where}.{column}")
        run.measured("step_time", figure, Sample("raw", "value", 1, index, stage=STAGES[column]))


def _properties(collection: Collection, run: Run, found: Json, steps: int, where: str) -> None:
    """Add the summaries of a table, which are numbers in text, perhaps with a sign of per cent."""
    for key, value in (found if isinstance(found, dict) else {}).items():
        place, number = f"{where}.{key}", values.number_in(values.written(value).removesuffix("%"))
        share = PERCENT.fullmatch(key)
        if key in CONFIGURATION:
            run.configured(key, value, place)
        elif not isinstance(number, Numeral) or not (key in OF_STEPS or share):
            collection.leave([key])
        elif share:
            sample = aggregate(STATS[share[2]], steps or None)
            run.measured(f"{share[1]}_share", collect.not_negative(number, "%", place), sample)
        elif OF_STEPS[key] == "std":
            run.measured("step_time", collect.not_negative(number, "ms", place), aggregate("std", steps or None))
        else:
            figure = collect.positive_or_nothing(number, "ms", place, "the tool measured no step")
            run.measured("step_time", figure, aggregate(OF_STEPS[key], steps or None))


FORMAT: Final = Format(NAME, "XProf tables and profiles", VERSION, looks_right, parse)
