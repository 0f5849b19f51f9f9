"""The console output of onnxruntime_perf_test.

In the file: labels with their units, the average in ms and the percentiles in s; some labels stand twice, with and
without a space. Here: one run for each session. How many inferences there were is chosen by the tool unless it was
told, so it is identity. P999 is the 99.9th percentile.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, reported, serving, text_reader, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document, Format
from analysis.evidence.reported import Meaning
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Json
from analysis.measurements import SettingSource
from analysis.reading import Reading

NAME: Final = "onnxruntime-perf-test"
VERSION: Final = 1

MARK: Final = re.compile(rb"Average inference time cost(?: total)?\s*:")
UNITS: Final = ("", "ms", "s", "%", "bytes")
AVERAGE: Final = re.compile(r"Average inference time cost(?: total)?")
PERCENTILE: Final = re.compile(r"P(\d{2})(\d?) Latency")
REPORTED: Final = {
    "Min Latency": Meaning("latency", "min", "s"),
    "Max Latency": Meaning("latency", "max", "s"),
    "Number of inferences per second": Meaning("throughput", "rate", "1/s"),
    "Session creation time cost": Meaning("session_creation_time", "value", "s"),
    "First inference time cost": Meaning("first_inference_time", "value", "ms"),
    "Peak working set size": Meaning("memory", "max", "B"),
    "Avg CPU usage": Meaning("cpu_usage", "mean", "%"),
}
SESSION: Final = "Session creation time cost"
COUNT: Final = "Total inference requests"
TOTAL: Final = "Total inference run time"
SETTINGS: Final[tuple[tuple[re.Pattern[str], str, SettingSource], ...]] = (
    (re.compile(r"Setting (\w+) to (\S+)"), "", "command line inside file"),
    (re.compile(r"setting (\w+) : (\S+)"), "", "command line inside file"),
    (re.compile(r"[Uu]sing (\w+ExecutionProvider)"), "execution_provider", "file field"),
    (re.compile(r"Evaluating (\S+) on ONNX Runtime with .*"), "model", "file field"),
)
WARM_UP: Final = "The first inference is stated apart: it is not in the average."


@dataclass(frozen=True, slots=True)
class Said:
    """What a line says: its label, its value, and the unit, "" when it names none."""

    label: str
    value: Json
    unit: str


def looks_right(document: Document) -> str | None:
    """The reason why this is an output of onnxruntime_perf_test, or None."""
    for part in text_reader.ends(document):
        if MARK.search(part):
            return 'it has "Average inference time cost"'
    return None


def parse(document: Document) -> Reading:
    """One run per session.

    Raises:
        MalformedEvidence: no run, a number that is none, a time or rate below zero.
    """
    lines, leniences = text_reader.lines(document)
    collection = Collection(document)
    for i, session in enumerate(_sessions(lines)):
        _run(collection, session, str(i))
    if not collection.runs:
        raise MalformedEvidence("no average is in it", where=document.name, code="no_runs")
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _sessions(lines: tuple[Line, ...]) -> Iterator[list[Line]]:
    """The lines of each session that has an average; what precedes a session's first label belongs to it."""
    session: list[Line] = []
    averaged = False
    for line in lines:
        found = _labelled(line.text)
        label = found.label if found else ""
        if averaged and (label == SESSION or any(p.fullmatch(line.text.strip()) for p, _, _ in SETTINGS)):
            yield session
            session, averaged = [], False
        session.append(line)
        averaged = averaged or AVERAGE.fullmatch(label) is not None
    if averaged:
        yield session


def _run(collection: Collection, lines: list[Line], key: str) -> None:
    name = collection.document.name
    run = collection.add(collect.completed(key, f"{name}:{lines[0].number}"))
    found: dict[str, tuple[Said, str]] = {}
    for line in lines:
        where, said = f"{name}:{line.number}", _labelled(line.text)
        _setting(run, line.text.strip(), where)
        if said:
            found.setdefault(said.label, (said, where))
    count, where = found.get(COUNT) or found.get("Runs") or (None, "")
    n = None
    if count:
        n = values.count(count.value, where)
        reported.calibrated(run, "inferences", count.value, where)
    for text, (said, where) in found.items():
        meaning = _meaning(text, said.unit)
        if meaning:
            reported.add(run, meaning, said.value, where, n)
        elif text == TOTAL:
            reported.lasted(run, said.value, said.unit or "s", where)
        elif text not in (COUNT, "Runs"):
            collection.leave([text])
    reported.thin_tails(collection, run.facts.where, [m.stat for m in run.measurements], n)
    collection.notice(serving.TOOL_PERCENTILES)
    if any(m.metric == "first_inference_time" for m in run.measurements):
        collection.notice(WARM_UP)


def _setting(run: Run, text: str, where: str) -> None:
    for pattern, setting, source in SETTINGS:
        said = pattern.fullmatch(text)
        if said:
            run.configured(setting or said[1], values.number_in(said[said.lastindex or 1]), where, source)


def _labelled(line: str) -> Said | None:
    """A line "Label: 1.5 ms"; the unit may be missing."""
    found = reported.labelled(line)
    value, _, unit = found[1].partition(" ") if found else ("", "", "?")
    return Said(found[0], reported.cell(value), unit.strip()) if found and unit.strip() in UNITS else None


def _meaning(label: str, unit: str) -> Meaning | None:
    if AVERAGE.fullmatch(label):
        return Meaning("latency", "mean", unit or "ms")
    percentile = PERCENTILE.fullmatch(label)
    if percentile:
        return Meaning("latency", f"p{percentile[1]}" + (f".{percentile[2]}" if percentile[2] else ""), unit or "s")
    known = REPORTED.get(label)
    if known is None or unit in ("", "bytes"):
        return known
    return Meaning(known.metric, known.stat, unit)


FORMAT: Final = Format(NAME, "onnxruntime_perf_test output", VERSION, looks_right, parse)
