"""Golden values of Megatron-LM: `{"lm loss": {"start_step": 1, "end_step": 50, "step_interval": 5, "values": {…}}}`.

In the file: metrics by step; "nan" where a resumed run has no such step. Older files have a list of values, and a mean
iteration time. Here: the file is one run, each value is raw; index counts the steps done before. The names of the file
and of its folders hold the settings: they are not read.
"""

import re
from collections.abc import Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, megatron_moe, steps, text_reader, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "megatron-golden"
VERSION: Final = 1

SERIES: Final = re.compile(rb'\{\s*"start_step"\s*:')
INTERVAL: Final = re.compile(rb'"step_interval"\s*:')
METRICS: Final = {
    "lm loss": ("loss", "1"),
    "iteration-time": ("step_time", "s"),
    "iteration_time": ("step_time", "s"),
    "mem-allocated-bytes": ("memory_allocated", "B"),
    "mem-max-allocated-bytes": ("memory_max_allocated", "B"),
}
MEANS: Final = ("iteration_timing_avg",)
NOT_TAKEN: Final = "the file says {}: the run has no value of this step"
SETTINGS: Final = "The file does not say how the run was made: state it, or read it off the names of the file."


def looks_right(document: Document) -> str | None:
    """The reason why this is a file of golden values, or None."""
    head, _ = text_reader.ends(document)
    if SERIES.search(head) and INTERVAL.search(head):
        return 'it has metrics with "start_step" and "step_interval"'
    return "it has baselines of MoE layers" if megatron_moe.looks_right(head) else None


def parse(document: Document) -> Reading:
    """One run; of the baselines of MoE layers, one for each case.

    Raises:
        MalformedEvidence: several_files, no_runs, not_a_count, lengths_differ, and those of JSON and of values.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    whole = values.fields(read.only(document.name), document.name)
    if whole and megatron_moe.looks_right(text_reader.ends(document)[0]):
        megatron_moe.read(collection, whole)
    else:
        _run(collection, whole)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _run(collection: Collection, whole: dict[str, Json]) -> None:
    document = collection.document
    run = collection.add(collect.completed("0", document.name))
    taken: list[int] = []
    for name, value in whole.items():
        where = f"{document.name}:{name}"
        if name in MEANS:
            run.measured("step_time", collect.positive(value, "s", where), collect.aggregate("mean", None))
        elif isinstance(value, dict):
            taken.extend(_series(run, name, value, where))
        else:
            collection.leave([name])
    if not run.measurements:
        raise MalformedEvidence("no metric is in it", where=document.name, code="no_runs")
    if taken:
        run.worked("steps", Numeral(str(max(taken) - min(taken) + 1)), document.name)
    collection.notice(SETTINGS)
    steps.remark_slow_start(collection, run, "step_time")


def _series(run: Run, name: str, series: dict[str, Json], where: str) -> Iterator[int]:
    """Add the values of one metric; the steps that have one."""
    start = values.count(values.needed(series, "start_step", f"{where}.start_step"), f"{where}.start_step")
    metric, unit = METRICS.get(name, (steps.slug(name) or "value", "1"))
    for step, value, spot in _values(series, start, where):
        if isinstance(value, str) or value is None:
            figure = collect.nothing(value, unit, spot, NOT_TAKEN.format(values.written(value)))
        else:
            figure = steps.signed(value, unit, spot)
            yield step
        run.measured(metric, figure, collect.raw(step - min(start, 1)))


def _values(series: dict[str, Json], start: int, where: str) -> Iterator[tuple[int, Json, str]]:
    """The steps and their values, from an object by step or from a list."""
    place = f"{where}.values"
    found = values.needed(series, "values", place)
    if isinstance(found, list):
        spot = f"{where}.step_interval"
        interval = values.count(values.needed(series, "step_interval", spot), spot)
        for i, value in enumerate(found):
            yield start + i * interval, value, f"{place}[{i}]"
        return
    for written, value in values.fields(found, place).items():
        step = values.count(values.number_in(written), f"{place}.{written}")
        if step < start:
            raise MalformedEvidence(f"the series starts at {start}", where=f"{place}.{written}", code="not_a_count")
        yield step, value, f"{place}.{written}"


FORMAT: Final = Format(NAME, "Megatron golden values", VERSION, looks_right, parse)
