"""Profiles of JAX and TensorFlow as they are written: `*.xplane.pb`, a protocol buffer XSpace.

In the file: planes (a host, a device) of lines (a thread, "XLA Ops", "Steps") of events, whose names stand in a table
of the plane; offsets and durations in picoseconds from the start of the line in nanoseconds. Here: one file is one run,
read like the trace that the tools make of it (chrome-trace); times are rounded to whole nanoseconds.
"""

import itertools
from collections import Counter
from collections.abc import Mapping
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import chrome_trace, collect, limits, profiles, trace_reading, values, wire
from analysis.evidence.collect import Collection
from analysis.evidence.format import Document, Format
from analysis.reading import Reading
from analysis.traces.events import Kind, Lane

NAME: Final = "jax-xplane"
VERSION: Final = 1

PLANES: Final = 1  # of the space
PLANE_NAME: Final = 2  # of a plane
LINES: Final = 3
NAMES: Final = 4
KEY: Final = 1  # of an entry of the table of names
VALUE: Final = 2
EVENT_NAME: Final = 2  # of such a value
LINE_NAME: Final = 2  # of a line
STARTED_NS: Final = 3
EVENTS: Final = 4
NAME_ID: Final = 1  # of an event
OFFSET_PS: Final = 2
LENGTH_PS: Final = 3
FIRST: Final = 1000
"""Of a space or a plane, so many fields are looked through for a name."""
PREFIXES: Final = ("/host:", "/device:")


def looks_right(document: Document) -> str | None:
    """The reason why this is a profile of JAX or TensorFlow, or None."""
    try:
        for plane in itertools.islice(wire.fields(memoryview(document.searched()), document.name), FIRST):
            name = _plane_name(plane, document.name) if plane.number == PLANES else ""
            if name.startswith(PREFIXES):
                return f"it is a protocol buffer with a plane called {name}"
    except MalformedEvidence:
        pass
    return None


def _plane_name(plane: wire.Field, where: str) -> str:
    first = itertools.islice(wire.fields(plane.message(where), where), FIRST)
    return next((field.text(where) for field in first if field.number == PLANE_NAME), "")


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: malformed_evidence, too_many_rows, not_text, not_a_time, missing, no_runs.
    """
    collection = Collection(document)
    run = collection.add(collect.completed("0", document.name))
    found, left = executions(document)
    trace_reading.measure(collection, run, found.events(), f"{document.name}:planes")
    trace_reading.left_out(collection, {}, left)
    return collection.reading(NAME, VERSION, (), incomplete=False)


def executions(document: Document) -> tuple[profiles.Executions, Counter[str]]:
    """What was executed, and how many events of each line are of no kind. Raises what parse raises, but no_runs."""
    found, left = profiles.Executions(), Counter[str]()
    for at, plane in enumerate(wire.fields(memoryview(document.content), document.name)):
        if plane.number == PLANES:
            _plane(plane, found, left, f"{document.name}:planes[{at}]")
    return found, left


def _plane(plane: wire.Field, found: profiles.Executions, left: Counter[str], where: str) -> None:
    """Add the events of a plane; `left` counts those that are of no kind, by line."""
    parts = list(wire.fields(plane.message(where), where))
    called = _plane_name(plane, where)
    names = dict(_name(part.message(where), where) for part in parts if part.number == NAMES)
    for part in parts:
        if part.number == LINES:
            _line(part.message(where), called, names, found, left, where)


def _name(entry: memoryview, where: str) -> tuple[int, str]:
    """The number and the name of an entry of the table of names."""
    key, name = 0, ""
    for field in wire.fields(entry, where):
        if field.number == KEY:
            key = field.integer(where)
        elif field.number == VALUE:
            inner = wire.fields(field.message(where), where)
            name = next((one.text(where) for one in inner if one.number == EVENT_NAME), "")
    return key, values.text(name, where)


def _line(
    line: memoryview, plane: str, names: Mapping[int, str], found: profiles.Executions, left: Counter[str], where: str
) -> None:
    parts = list(wire.fields(line, where))
    called = next((part.text(where) for part in parts if part.number == LINE_NAME), "")
    started = next((part.integer(where) for part in parts if part.number == STARTED_NS), 0)
    lane = Lane(plane, called)
    for part in parts:
        if part.number != EVENTS:
            continue
        event = {f.number: f.integer(where) for f in wire.fields(part.message(where), where) if f.number <= LENGTH_PS}
        if event.get(NAME_ID, 0) not in names:
            raise MalformedEvidence(f"an event of {called} has no name", where=where, code="missing")
        name = names[event.get(NAME_ID, 0)]
        kind = chrome_trace.kind_of("", name, lane)
        start = started + _nanoseconds(event.get(OFFSET_PS, 0))
        if kind == Kind.OTHER:
            left[called] += 1
        else:
            end = start + _nanoseconds(event.get(LENGTH_PS, 0))
            found.add(profiles.checked(start, end, where), kind, name, lane)
        limits.refuse_many_rows(len(found.rows), where)


def _nanoseconds(picoseconds: int) -> int:
    return (picoseconds + 500) // 1000


FORMAT: Final = Format(NAME, "XPlane profile of JAX or TensorFlow", VERSION, looks_right, parse)
