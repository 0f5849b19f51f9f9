"""Tables of the times of stages in files of any format: what a reading holds of them, run by run.

A table of stages names the stages of a run in their order, each with its times. A table by name (`nsys stats`, the
statistics of rocprof) holds how often each name was called, and for how long in all: its names become stages by what
they are, as the events of a trace do.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.evidence import pytorch_trace
from analysis.evidence.nsys_stats import kind_of
from analysis.reading import Reading
from analysis.table import Table
from analysis.traces.events import Kind
from analysis.traces.stages import SOURCES
from analysis.traces.stages import STAGES as PATH
from analysis.traces.tables import StageTable
from analysis.traces.timing import Times

STAGED: Final = ("step_time", "stage_time", "layer_time", "microstep_time")
"""Which metric of a file is taken, when it holds stages of several: the first of these, else the first by name."""
NAMED: Final = ("kernel_time", "call_time", "memory_operation_time", "range_time")
API: Final = re.compile(r"_*(?:hip|cuda|cu)[A-Z]\w*|hsa_\w+")
DEVICE: Final = re.compile(r"(?:rank|core|gpu|device) ?\d+")
"""Some formats keep what a number is of in the place of a stage."""
STAGES_OF: Final = (
    "countersign-measurements", "deepspeed-text", "xprof-json", "perf-analyzer", "trtexec", "openvino-benchmark-app",
)  # fmt: skip
NAMES_OF: Final = ("nsys-stats", "rocprof")
FORMATS: Final = (*STAGES_OF, *NAMES_OF)
"""The formats that hold such tables, of stages or by name; not in every file."""


@dataclass(frozen=True, slots=True)
class RunTable:
    """The table of one run. key: of the run in its file. leniences: of reading the file."""

    key: str
    content: StageTable
    leniences: tuple[str, ...]

    @property
    def rank(self) -> str:
        """No table says of which rank it is."""
        return ""


def tables_in(reading: Reading) -> tuple[RunTable, ...]:
    """The tables of the runs that were completed; nothing of runs that name no stage, and call nothing."""
    if reading.format not in FORMATS:
        return ()
    completed = (run.key for run in reading.runs if run.status == "completed")
    found = ((key, _table(_seconds(reading.of_run(key)), reading.of_run(key))) for key in completed)
    return tuple(RunTable(key, table, reading.leniences) for key, table in found if table is not None)


def _seconds(rows: Table) -> Table:
    """The times that were measured."""
    return rows.only(unit="s", phase="measured").measured()


def _is_stage(name: str) -> bool:
    return bool(name) and DEVICE.fullmatch(name) is None


def _table(times: Table, rows: Table) -> StageTable | None:
    metrics = sorted({metric for metric, stage in times.combinations("metric", "stage") if _is_stage(stage)})
    metric = next((name for name in (*STAGED, *metrics) if name in metrics), None)
    if metric is None:
        return _by_name(_calls(times))
    found = {stage: _times(part) for stage, part in times.only(metric=metric).by("stage").items()}
    stages = {stage: times for stage, times in found.items() if _is_stage(stage) and times.size}
    marked = len(rows.only(metric=metric, phase="warmup")) > 0
    return StageTable(stages, found.get("", np.zeros(0)), {}, marked) if stages else None


def _times(rows: Table) -> Times:
    """The repetitions, in their order; without any, the tool's own mean."""
    raw = rows.only(kind="raw", stat="value")
    return raw.values if len(raw) else rows.only(kind="aggregate", stat="mean").values


def _calls(times: Table) -> Mapping[str, tuple[str, int, float]]:
    """Name -> its stage, how often it was called, and for how many seconds in all."""
    found: dict[str, tuple[str, int, float]] = {}
    for metric in NAMED:
        for row in times.only(metric=metric, stat="total"):
            if row.item and row.n is not None:
                found[row.item] = _stage(metric, row.item), row.n, row.value or 0.0
    return found


def _stage(metric: str, name: str) -> str:
    """The stage of the dependency path that a name belongs to."""
    return next(stage for stage, kinds in SOURCES if _kind(metric, name) in kinds)


def _kind(metric: str, name: str) -> Kind:
    if metric == "range_time":
        return Kind.OPERATOR
    if metric == "memory_operation_time":
        return Kind.MEMORY
    if API.fullmatch(name):
        return Kind.SYNCHRONISATION if pytorch_trace.WAIT.search(name) else Kind.LAUNCH
    return kind_of(name)


def _by_name(calls: Mapping[str, tuple[str, int, float]]) -> StageTable | None:
    """A table by name, its stages in the order of the dependency path; None when nothing is called."""
    if not calls:
        return None
    spent = dict.fromkeys(PATH, 0.0)
    for stage, _, seconds in calls.values():
        spent[stage] += seconds
    stages = {stage: np.array([seconds]) for stage, seconds in spent.items() if seconds}
    return StageTable(stages, np.zeros(0), {name: (count, seconds) for name, (_, count, seconds) in calls.items()})
