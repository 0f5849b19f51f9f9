"""What the rows of a run say of its work beyond what its file states: window, load achieved, log cadence, step names.

Two kinds. What was done in another way is judged like a setting: how often steps were logged, which stages a sum is
made of, by which tool the number was measured. What follows from the speed of the run is described and never judged:
its window, and the load that it achieved.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Final

import numpy as np

from analysis.exact import plain_decimal
from analysis.inputs import ARMS, AssessmentRequest, ComparisonPlan, LabelledRun
from analysis.offered_load import achieved_rate, load_of, seconds_of
from analysis.table import NONE, Table
from analysis.told import Word

TOOLS: Final[Mapping[str, str]] = {
    "vllm-bench-serve-text": "vllm-bench-serve",
    "lm-eval-samples": "lm-eval-results",
    "lighteval-details": "lighteval-results",
    "nsys-sqlite": "nsys-stats",
    "rocpd": "rocprof",
}
"""Formats of one tool, whose numbers mean the same, by the name under which they count as one."""
MOST_NAMES: Final = 6
OFFERED_LOAD: Final = "offered_load"

Facts = Mapping[str, Mapping[str, Word]]


def facts_of(request: AssessmentRequest) -> Facts:
    """By label and name, what follows from the rows of every run."""
    return {run.label: {**dict(_facts(run, request.plan)), **_tool(run, request)} for run in request.runs}


def _tool(run: LabelledRun, request: AssessmentRequest) -> Mapping[str, Word]:
    """By which tool the run was measured, when the arms were measured by different ones."""
    by_arm = [{tool_of(one) for one in request.runs if one.arm == arm and not one.excluded} for arm in ARMS]
    if by_arm[0] == by_arm[1] or not all(by_arm):
        return {}
    return {"measured_by": Word(tool_of(run), source="the format of the file")}


def tool_of(run: LabelledRun) -> str:
    """The tool that wrote the file of the run, by the name of its format."""
    return TOOLS.get(run.reading.format, run.reading.format)


def _facts(run: LabelledRun, plan: ComparisonPlan) -> Iterator[tuple[str, Word]]:
    rows = run.reading.of_run(run.run.key).only(metric=plan.metric, phase="measured")
    raw = rows.only(kind="raw")
    file = run.run.where.partition(":")[0]
    window = seconds_of(run)
    if window is not None:
        said = f"{plain_decimal(window, significant=4)} s"
        yield "observation_window", Word(said, source=f"computed from the times in {file}", follows=True)
    rate = achieved_rate(run)
    if rate is not None:
        said = f"{plain_decimal(rate, significant=4)}/s"
        yield "request_rate_achieved", Word(said, source=f"computed from {file}: requests / window", follows=True)
    load = load_of(run)
    if load is not None:
        yield OFFERED_LOAD, Word(load, source=f"computed from {file}: requests, rate, window, waits", follows=True)
    cadence = _steps_between(run, raw)
    if cadence is not None:
        yield "steps_between_rows", Word(str(cadence), source=f"computed from the steps in {file}")
    names = tuple(name for name in raw.distinct("stage") if name)
    if names:
        judged = plan.stages == "summed"
        yield "stage_names", Word(_listed(names), source=f"computed from the stages in {file}", follows=not judged)


def _steps_between(run: LabelledRun, raw: Table) -> int | None:
    """Every how many steps a row was logged, mostly; None for rows that are no numbered steps."""
    counted = any(s.name == "steps" and s.role == "work" for s in run.reading.settings_of(run.run.key))
    index = raw.number("index")
    index = np.unique(index[index != NONE])
    if not counted or index.size < 2:
        return None
    gaps, times = np.unique(np.diff(index), return_counts=True)
    return int(gaps[times.argmax()])


def _listed(names: tuple[str, ...]) -> str:
    """All names, or the first of many with a digest of them all, so that other names are another value."""
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    digest = sha256("\n".join(names).encode()).hexdigest()[:8]
    return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more ({digest})"
