"""Logs of training that print a line for each step or interval: Megatron, torchtitan, modded-nanogpt, DLLogger.

In the file: lines of steps between the lines of everything else that was printed, perhaps by many ranks. Here: one log
is one run; where the steps begin anew, another begins. A step is raw; where a line is the mean of an interval, n is
its steps. `index` counts the steps done before, so that the first step has index 0 and a warmup cut of 1 leaves it out.
"""

import re
from collections.abc import Callable
from types import ModuleType
from typing import Final, NamedTuple

from analysis.errors import MalformedEvidence
from analysis.evidence import (
    dllogger_json_lines,
    dllogger_lines,
    megatron_lines,
    nanogpt_lines,
    steps,
    text_reader,
    torchtitan_lines,
)
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document, Format
from analysis.evidence.steps import Entry, Said
from analysis.evidence.text_reader import Line
from analysis.reading import Reading

NAME: Final = "training-step-log"
VERSION: Final = 2
CUT: Final = "the last line is cut off: it was left out"
MLPERF: Final = (b":::MLL", b":::MLP", b"MLPerf: ")


class Writer(NamedTuple):
    """One program that writes such logs.

    mark: bytes that stand in each of its lines of a step. step: such a line. whole: how one ends that is not cut off.
    """

    title: str
    mark: bytes
    step: re.Pattern[str]
    whole: re.Pattern[str]
    entries: Callable[[Collection, tuple[Line, ...]], list[Entry]]
    stated: Callable[[Collection, tuple[Line, ...]], Said]
    tell: Callable[[Collection, Run, list[Entry], Said], None]


def _writer(title: str, module: ModuleType) -> Writer:
    return Writer(title, module.MARK, module.STEP, module.WHOLE, module.entries, module.stated, module.tell)


WRITERS: Final = (
    _writer("Megatron", megatron_lines),
    _writer("torchtitan", torchtitan_lines),
    _writer("modded-nanogpt", nanogpt_lines),
    _writer("DLLogger", dllogger_lines),
    _writer("DLLogger (JSON)", dllogger_json_lines),
)


def writers_of(document: Document) -> tuple[Writer, ...]:
    """The programs whose lines of steps the file has, wherever they stand. Never raises."""
    return tuple(one for one in WRITERS if text_reader.has_line(document, one.mark, one.step))


def looks_right(document: Document) -> str | None:
    """The reason why this is a log of training steps, or None."""
    if text_reader.holds(document, *MLPERF):
        return None
    found = writers_of(document)
    return f"it has steps as {' and '.join(one.title for one in found)} prints them" if found else None


def parse(document: Document) -> Reading:
    """The runs of the log.

    Raises:
        MalformedEvidence: no_steps, several_files (lines of two programs), and those of values.
    """
    lines, leniences = text_reader.lines(document)
    found = writers_of(document)
    if len(found) > 1:
        message = f"it has steps of {' and '.join(one.title for one in found)}"
        raise MalformedEvidence(message, where=document.name, code="several_files")
    collection = Collection(document)
    writer, last = found[0] if found else WRITERS[0], lines[-1].text
    cut = writer.step.search(last) is not None and writer.whole.search(last) is None
    entries = writer.entries(collection, lines[:-1] if cut else lines)
    if not any(entry.figures for entry in entries):
        raise MalformedEvidence("no line of a step is in it", where=document.name, code="no_runs")
    said = writer.stated(collection, lines)
    for run, part in steps.add_runs(collection, entries):
        writer.tell(collection, run, part, said)
    return collection.reading(NAME, VERSION, (*leniences, *((CUT,) if cut else ())), incomplete=cut)


FORMAT: Final = Format(NAME, "Log of training steps", VERSION, looks_right, parse)
