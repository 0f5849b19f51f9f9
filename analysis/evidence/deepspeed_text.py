"""The wall clock breakdown of DeepSpeed: `time (ms) | fwd_microstep: 193.65 | bwd_microstep: 329.25 | …`.

In the file: lines of stages, of micro steps and of steps, without a number of the step. Here: the file is one run; each
stage is raw, `step_time` or `microstep_time` with the stage's name, indexed by its place. The older names (forward,
backward) and the newer (fwd, bwd) are one. Samples per second of the timer are `throughput`.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, steps, text_reader, training_step_log, values
from analysis.evidence.collect import Collection, Run, Sample
from analysis.evidence.format import Document, Format
from analysis.reading import Reading

NAME: Final = "deepspeed-text"
VERSION: Final = 1

MARK: Final = b"time (ms) |"
STAGES: Final = re.compile(
    r"time \(ms\) \|(.*\b(?:fwd|forward|bwd|backward)(?:_microstep)?: .*|.*\boptimizer_\w+: .*)$"
)
PAIR: Final = re.compile(r"(\w+): (\S+)")
RATE: Final = re.compile(r"\b(?:Curr)?SamplesPerSec=([^\s,]+)")
LONG: Final = {"fwd": "forward", "bwd": "backward"}
MICRO: Final = "_microstep"
BRIEF: Final = "shorter than the log can print"
PLACES: Final = "The log does not number the steps: index is the place of the line, from 0."


def looks_right(document: Document) -> str | None:
    """The reason why this is a breakdown of DeepSpeed, or None."""
    if not text_reader.has_line(document, MARK, STAGES) or training_step_log.looks_right(document):
        return None
    if text_reader.holds(document, *training_step_log.MLPERF):
        return None
    return "it has lines of forward and backward times as DeepSpeed prints them"


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no_runs, and those of values.
    """
    lines, leniences = text_reader.lines(document)
    collection = Collection(document)
    run = collection.add(collect.completed("0", document.name))
    seen: dict[tuple[str, str], int] = {}
    for line in lines:
        where = f"{document.name}:{line.number}"
        if stages := STAGES.search(line.text):
            for name, value in PAIR.findall(stages[1]):
                _stage(run, seen, name, value, f"{where}.{name}")
        elif rate := RATE.search(line.text):
            index = seen[RATES] = seen.get(RATES, -1) + 1
            run.measured("throughput", steps.figure(rate[1], "samples/s", where), collect.raw(index))
    if not any(m.stage for m in run.measurements):
        raise MalformedEvidence("no stage was timed", where=document.name, code="no_runs")
    collection.notice(PLACES)
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


RATES: Final = ("throughput", "")


def _stage(run: Run, seen: dict[tuple[str, str], int], name: str, value: str, where: str) -> None:
    metric = "microstep_time" if name.endswith(MICRO) else "step_time"
    first, _, rest = name.removesuffix(MICRO).partition("_")
    stage = LONG.get(first, first) + (f"_{rest}" if rest else "")
    index = seen[metric, stage] = seen.get((metric, stage), -1) + 1
    figure = collect.positive_or_nothing(values.number_in(value), "ms", where, BRIEF)
    run.measured(metric, figure, Sample("raw", "value", 1, index, stage=stage))


FORMAT: Final = Format(NAME, "DeepSpeed breakdown of steps", VERSION, looks_right, parse)
