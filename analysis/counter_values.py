"""Counters as runs record them, and the work by which totals are divided.

Counters are those of the whole measured run: no warmup is cut from them, because the recorded work has none cut from
it either.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.inputs import AssessmentRequest, ComparisonPlan, LabelledRun, Scale
from analysis.notices import named
from analysis.part_effects import Layout, Values
from analysis.run_values import rows_by_run, run_value
from analysis.table import Table

CYCLES: Final = "cycles"


@dataclass(frozen=True, slots=True)
class Source:
    """From which metric a counter is read. per_work: divided by the work of the run."""

    metric: str
    stat: str
    unit: str
    per_work: bool
    scale: Scale


def _share(metric: str) -> Source:
    """A share lies between 0 and 1 and may be 0, so that its effect is a difference."""
    return Source(metric, "mean", "1", per_work=False, scale="difference")


SOURCES: Final[Mapping[str, Source]] = {
    "clock": Source("clock", "mean", "1/s", per_work=False, scale="ratio"),
    "cycles_per_work": Source(CYCLES, "total", "1", per_work=True, scale="ratio"),
    "dram_bytes_per_work": Source("dram_bytes", "total", "B", per_work=True, scale="ratio"),
    "flops_per_work": Source("flops", "total", "1", per_work=True, scale="ratio"),
    "idle_gap_share": _share("idle_gap_share"),
    "low_precision_share": _share("low_precision_share"),
    "memory_stall_share": _share("memory_stall_share"),
    "queue_wait": Source("queue_wait", "mean", "s", per_work=False, scale="ratio"),
    "throttle_share": _share("throttle_share"),
}
Rows = Mapping[str, Mapping[str, Table]]
"""Rows by metric and run."""
METRICS: Final = frozenset(source.metric for source in SOURCES.values())


def recorded(request: AssessmentRequest) -> Rows:
    """The rows of every metric of a counter that any run holds, by metric and run."""
    readings = {id(run.reading): run.reading for run in request.runs}.values()
    known = METRICS & {metric for reading in readings for metric in reading.measurements.words("metric").known}
    found = {metric: rows_by_run(request, metric) for metric in sorted(known)}
    return {metric: rows for metric, rows in found.items() if any(_whole(part) for part in rows.values())}


def _whole(rows: Table) -> Table:
    return rows.only(phase="measured", stage="")


@dataclass(frozen=True, slots=True)
class Work:
    """The work of every used run, in one unit of work, by label."""

    name: str
    of_run: Values


def values_of(rows: Mapping[str, Table], source: Source, layout: Layout, work: Work | Refused | None) -> Values:
    """The counter of every used run. Raises Refused, also the reason why there is no work to divide by."""
    if isinstance(work, Refused):
        raise work
    found = {}
    for point in layout.points:
        value = _value(point.label, rows[point.label], source, layout.plan)
        found[point.label] = value if work is None else value / work.of_run[point.label]
    return found


def _value(label: str, rows: Table, source: Source, plan: ComparisonPlan) -> float:
    scale: Scale = "ratio" if source.scale == "ratio" else "proportion"
    read = replace(
        plan,
        metric=source.metric,
        stat=source.stat,
        scale=scale,
        warmup_steps=0,
        warmup_seconds=None,
        minimum_requests=0,
        stages="exclusive",
    )
    try:
        found = run_value(rows, read)
    except Refused as refused:
        raise Refused(refused.code, f"Run {label}: {refused.message}", refused.needs) from refused
    if found.unit != source.unit:
        raise Refused(
            "unit_mismatch", f"Run {label}: {source.metric} is in {found.unit}.", f"Record it in {source.unit}."
        )
    return found.value


def work_or_why(request: AssessmentRequest, layout: Layout) -> Work | Refused:
    try:
        return work_of(request, layout)
    except Refused as refused:
        return refused


def work_of(request: AssessmentRequest, layout: Layout) -> Work:
    """The work that the plan names, or the only one that every used run records.

    Raises:
        Refused: no_work, ambiguous_work.
    """
    wanted = layout.plan.unit_of_work
    labels = {point.label for point in layout.points}
    told = {run.label: _told(run) for run in request.runs if run.label in labels}
    shared = sorted(set.intersection(*(set(words) for words in told.values())))
    names = [name for name in shared if name == wanted] if wanted else shared
    if not names:
        raise Refused(
            "no_work",
            f"Not every run records {wanted or 'its work'} as one number above 0.",
            "Record the same work in every run, for example requests_completed.",
        )
    if len(names) > 1:
        raise Refused(
            "ambiguous_work",
            f"The runs record several kinds of work: {named(names)}.",
            "Say in the plan by which of them counters are divided (unit_of_work).",
        )
    return Work(names[0], {label: words[names[0]] for label, words in told.items()})


def _told(run: LabelledRun) -> Mapping[str, float]:
    """The work that one run records, by name, where that is one number above 0."""
    said: dict[str, set[float]] = {}
    for setting in run.reading.settings_of(run.run.key):
        if setting.role == "work":
            said.setdefault(setting.name, set()).add(_number(setting.value))
    return {name: found for name, values in said.items() for found in values if len(values) == 1 and found > 0}


def _number(text: str) -> float:
    try:
        return float(parse_exact(text))
    except Refused:
        return 0.0
