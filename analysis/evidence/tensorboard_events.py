"""What TensorBoard reads: `events.out.tfevents.…`, records of the TFRecord format with a protocol buffer Event in each.

In the file: the moment in epoch s, the step, and values by their tag; the run is the folder. Here: one file is one run,
each tag a metric, each value raw at its step. A step that was written again, as a resumed training does, counts as it
was written last. Scalars are read, as `simple_value` or as a tensor of one element; images, histograms and texts are
not. The checksums of a record must hold.
"""

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, crc32c, limits, reported, steps, values, wire
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.format import Document, Format
from analysis.evidence.json_reader import CUT
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "tensorboard-events"
VERSION: Final = 2

FIRST: Final = b"brain.Event:"
WITHIN: Final = 64
LENGTH: Final = struct.Struct("<QL")
CHECKSUM: Final = struct.Struct("<L")
WALL_TIME, STEP, SUMMARY = 1, 2, 5  # of an Event
VALUE: Final = 1  # of a Summary
TAG, SIMPLE_VALUE, TENSOR = 1, 2, 8  # of a Value
DTYPE, SHAPE, CONTENT, FLOATS, DOUBLES = 1, 2, 4, 5, 6  # of a Tensor
DIMENSION: Final = 2  # of a shape
FLOAT, DOUBLE = struct.Struct("<f"), struct.Struct("<d")
KINDS: Final = {1: FLOAT, 2: DOUBLE}
NEGATIVE: Final = 1 << 63
NO_UNITS: Final = "The file has no units: values of tags are plain numbers."


@dataclass(slots=True)
class Scalars:
    """The scalars by tag and step, the last of each; how many were written again; and tags that hold no scalars."""

    found: dict[tuple[str, int], tuple[Figure, int]] = field(default_factory=dict)
    again: int = 0
    other: set[str] = field(default_factory=set)


def looks_right(document: Document) -> str | None:
    """The reason why this is an event file of TensorBoard, or None."""
    return "its first record names the version of an Event" if FIRST in document.head[:WITHIN] else None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no_runs, malformed_evidence, not_text, not_a_time, not_a_count, broken_record, too_many_rows,
            too_large.
    """
    scalars = Scalars()
    whole = True
    for number, record in enumerate(_records(document)):
        if record is None:
            whole = False
        else:
            _event(scalars, record, f"{document.name}:record {number}")
    collection = Collection(document)
    run = collection.add(collect.completed("0", document.name))
    _measure(run, scalars, document.name)
    if scalars.again:
        collection.notice(f"Steps that were written again: {scalars.again}; the last value of each is taken.")
    collection.notice(NO_UNITS)
    collection.leave(scalars.other)
    return collection.reading(NAME, VERSION, () if whole else (CUT,), incomplete=not whole)


def _records(document: Document) -> Iterator[memoryview | None]:
    """The content of each record, and None where the file is cut off."""
    content, at, count = memoryview(document.content), 0, 0
    while at < len(content):
        count += 1
        limits.refuse_many_rows(count, document.name)
        start = at + LENGTH.size
        if start > len(content):
            yield None
            return
        size, kept = LENGTH.unpack_from(content, at)
        _require_whole(content[at : at + 8], kept, document.name, at)
        end = start + size
        if end + CHECKSUM.size > len(content):
            yield None
            return
        _require_whole(content[start:end], CHECKSUM.unpack_from(content, end)[0], document.name, at)
        yield content[start:end]
        at = end + CHECKSUM.size


def _require_whole(part: memoryview, kept: int, name: str, at: int) -> None:
    """Passes when the part has the checksum that is kept with it. at: where its record begins."""
    if crc32c.masked(part) != kept:
        message = "a record has another checksum than the one that is kept with it: the bytes are damaged"
        raise MalformedEvidence(message, where=f"{name}:byte {at}", code="broken_record")


def _event(scalars: Scalars, record: memoryview, where: str) -> None:
    step, moment, summaries = 0, 0, []
    for one in wire.fields(record, where):
        if one.number == STEP:
            step = one.integer(where)
        elif one.number == WALL_TIME:
            moment = values.epoch_ns(Numeral(repr(_number(DOUBLE, one.message(where), where))), f"{where}.wall_time")
        elif one.number == SUMMARY:
            summaries.append(one.message(where))
    if step >= NEGATIVE:
        raise MalformedEvidence("a step is negative", where=f"{where}.step", code="not_a_count")
    for summary in summaries:
        for one in wire.fields(summary, where):
            if one.number == VALUE:
                _value(scalars, one.message(where), (step, moment), where)


def _value(scalars: Scalars, value: memoryview, at: tuple[int, int], where: str) -> None:
    step, moment = at
    parts = {one.number: one for one in wire.fields(value, where)}
    tag = values.text(parts[TAG].text(where), where) if TAG in parts else ""
    number = None
    if SIMPLE_VALUE in parts:
        number = _number(FLOAT, parts[SIMPLE_VALUE].message(where), where)
    elif TENSOR in parts:
        number = _scalar(parts[TENSOR].message(where), where)
    if number is None or not steps.slug(tag):
        scalars.other.add(tag or "values without a tag")
        return
    scalars.again += (tag, step) in scalars.found
    text = repr(number) if math.isfinite(number) else str(number)
    scalars.found[tag, step] = steps.figure(text, "1", f"{where}.{tag}"), moment


def _scalar(tensor: memoryview, where: str) -> float | None:
    """The one number of a tensor of no dimension, None for any other tensor."""
    parts = {one.number: one for one in wire.fields(tensor, where)}
    kind = KINDS.get(parts[DTYPE].integer(where)) if DTYPE in parts else None
    shape = parts[SHAPE].message(where) if SHAPE in parts else memoryview(b"")
    if kind is None or any(one.number == DIMENSION for one in wire.fields(shape, where)):
        return None
    for name in (CONTENT, FLOATS if kind is FLOAT else DOUBLES):
        if name in parts and len(parts[name].message(where)) == kind.size:
            return _number(kind, parts[name].message(where), where)
    return None


def _number(kind: struct.Struct, raw: memoryview, where: str) -> float:
    if len(raw) != kind.size:
        raise MalformedEvidence("a number in it has not its size", where=where)
    return float(kind.unpack(raw)[0])


def _measure(run: Run, scalars: Scalars, where: str) -> None:
    if not scalars.found:
        raise MalformedEvidence("no scalar is in it", where=where, code="no_runs")
    for (tag, step), (figure, moment) in scalars.found.items():
        run.measured(steps.slug(tag), figure, Sample("raw", "value", 1, step, moment or None))
    taken = [step for _, step in scalars.found]
    run.worked("steps", Numeral(str(max(taken) - min(taken))), where)
    reported.folders(run, where)


FORMAT: Final = Format(NAME, "TensorBoard event file", VERSION, looks_right, parse)
