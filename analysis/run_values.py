"""One number per run. Steps and requests are reduced here, and never enter an interval as independent units.

A value comes from the raw rows of the run, after the warmup cut, or from the tool's own aggregate with the same
statistic. Quantiles are by nearest rank, never interpolated, and need ten requests beyond them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from analysis.errors import Refused
from analysis.inputs import AssessmentRequest, ComparisonPlan
from analysis.notices import named
from analysis.quantile import fewest_requests, nearest_rank, quantile_of
from analysis.table import NONE, Floats, Table

Computed = Literal["ours", "tool", ""]

FROM_RAW: Final = ("value", "mean", "min", "max", "total")
ADDITIVE: Final = ("value", "mean", "total")


@dataclass(frozen=True, slots=True)
class RunValue:
    """The number of one run, in `unit`. n_inner, left_out, computed: as in RunPoint."""

    value: float
    unit: str
    n_inner: int | None
    left_out: int
    computed: Computed


def run_value(rows: Table, plan: ComparisonPlan) -> RunValue:
    """The number of one run, from its rows of the plan's metric.

    Raises:
        Refused: not_measured, aggregate_only, ambiguous_value, mixed_units, tail_too_small, too_few_requests,
            not_positive, not_a_proportion, stages_do_not_add.
    """
    found = _sum_of_stages(rows, plan) if plan.stages == "summed" else _of_one(_whole(rows), plan)
    return _checked(found, plan)


def stage_value(rows: Table, plan: ComparisonPlan) -> RunValue:
    """The number of one stage of one run, from the rows of that stage. Raises as `run_value`."""
    return _checked(_of_one(rows, plan), plan)


def _whole(rows: Table) -> Table:
    return rows.only(phase="measured", stage="")


def _checked(found: RunValue, plan: ComparisonPlan) -> RunValue:
    _check_size(found, plan)
    if plan.scale == "ratio" and found.value <= 0:
        raise Refused("not_positive", f"{plan.metric} is {found.value:g}.", "A ratio needs positive values.")
    if plan.scale == "proportion" and not 0 <= found.value <= 1:
        raise Refused("not_a_proportion", f"{plan.metric} is {found.value:g}.", "A proportion lies between 0 and 1.")
    return found


def _of_one(whole: Table, plan: ComparisonPlan) -> RunValue:
    raw = after_warmup(whole.only(kind="raw"), plan.warmup_steps)
    measured = _measured(raw)
    from_raw = measured.size > 0 and (plan.stat in FROM_RAW or quantile_of(plan.stat) is not None)
    return _from_raw(raw, measured, plan.stat) if from_raw else _from_aggregate(whole, plan)


def by_stage(rows: Table) -> Mapping[str, Table]:
    """The rows of each stage of one run, in the order in which the stages first appear."""
    return {stage: part for stage, part in rows.only(phase="measured").by("stage").items() if stage}


def add_up(stat: str) -> bool:
    """Whether the parts of a run have this statistic add up to that of the run."""
    return stat in ADDITIVE


def _sum_of_stages(rows: Table, plan: ComparisonPlan) -> RunValue:
    """The sum of the run's exclusive stages, as the plan asks for it."""
    if not add_up(plan.stat):
        raise Refused(
            "stages_do_not_add",
            f"The {plan.stat} of stages does not add up to the {plan.stat} of the run.",
            f"Compare {', '.join(ADDITIVE)}, or measure the whole run.",
        )
    found = [stage_value(part, plan) for part in by_stage(rows).values()]
    if not found:
        raise Refused("not_measured", f"The run has no stages of {plan.metric}.", "Attach runs that record them.")
    units = sorted({one.unit for one in found})
    if len(units) > 1:
        raise Refused("mixed_units", f"One run holds values in {named(units)}.", "Use one unit per metric.")
    counts = {one.n_inner for one in found}
    computed = {one.computed for one in found}
    return RunValue(
        math.fsum(one.value for one in found),
        units[0],
        counts.pop() if len(counts) == 1 else None,
        sum(one.left_out for one in found),
        computed.pop() if len(computed) == 1 else "ours",
    )


def after_warmup(raw: Table, warmup_steps: int) -> Table:
    """The raw rows from step `warmup_steps` on; a row without an index counts by its place."""
    if not warmup_steps:
        return raw
    index = raw.number("index")
    return raw.where(np.where(index == NONE, np.arange(index.size), index) >= warmup_steps)


def rows_by_run(request: AssessmentRequest, metric: str) -> Mapping[str, Table]:
    """The rows of one metric of every run of the request, by the run's label."""
    readings = {id(run.reading): run.reading for run in request.runs}
    parts = {key: reading.measurements.only(metric=metric).by("run") for key, reading in readings.items()}
    nothing = Table.of(())
    return {run.label: parts[id(run.reading)].get(run.run.key, nothing) for run in request.runs}


def raw_values(request: AssessmentRequest) -> Mapping[str, Floats]:
    """The raw values of every run, by label, after the warmup cut and without the rows that hold none."""
    warmup = request.plan.warmup_steps
    return {
        label: _measured(after_warmup(rows.only(phase="measured", stage="", kind="raw"), warmup))
        for label, rows in rows_by_run(request, request.plan.metric).items()
    }


def _measured(rows: Table) -> Floats:
    values = rows.values
    missing = np.isnan(values)
    return values[~missing] if missing.any() else values


def _from_raw(raw: Table, measured: Floats, stat: str) -> RunValue:
    units = raw.distinct("unit")
    if len(units) > 1:
        raise Refused("mixed_units", f"One run holds values in {named(units)}.", "Use one unit per metric.")
    return RunValue(_reduce(measured, stat), units[0], measured.size, len(raw) - measured.size, "ours")


def _reduce(values: Floats, stat: str) -> float:
    p = quantile_of(stat)
    if p is not None:
        return nearest_rank(values, p)
    if stat == "value" and values.size > 1:
        raise Refused("ambiguous_value", f"One run holds {values.size} values.", "Choose a statistic, such as mean.")
    if stat in ("min", "max"):
        return float(values.min() if stat == "min" else values.max())
    return float(values.sum() if stat == "total" else values.mean())


def _from_aggregate(rows: Table, plan: ComparisonPlan) -> RunValue:
    alike = ("p50", "median") if plan.stat in ("p50", "median") else (plan.stat,)
    found = [m for m in rows.only(kind="aggregate") if m.stat in alike]
    usable = {(m.value, m.unit, m.n) for m in found if m.value is not None}
    if not usable:
        raise _not_measured(rows, plan)
    if len(usable) > 1:
        raise Refused(
            "ambiguous_value",
            f"One run reports {plan.metric} {plan.stat} {len(usable)} times, differently.",
            "Attach a file that reports it once.",
        )
    if plan.warmup_steps:
        raise Refused(
            "aggregate_only",
            f"The plan cuts {plan.warmup_steps} warmup steps, and the file holds only the tool's own {plan.stat}.",
            "Attach the raw steps or requests.",
        )
    value, unit, n = usable.pop()
    return RunValue(float(value or 0), unit, n, 0, "tool")


def _not_measured(rows: Table, plan: ComparisonPlan) -> Refused:
    reasons = [why for why in rows.not_measured().distinct("reason") if why]
    stats = rows.measured().distinct("stat")
    why = f" ({named(reasons)})" if reasons else f"; the file has {named(stats)}" if stats else ""
    return Refused("not_measured", f"{plan.metric} {plan.stat} was not measured{why}.", "Attach runs that measure it.")


def _check_size(found: RunValue, plan: ComparisonPlan) -> None:
    p, n = quantile_of(plan.stat), found.n_inner
    fewest = max(plan.minimum_requests, fewest_requests(p) if p is not None else 0)
    if p is not None and fewest > 1 and (n is None or n < fewest):
        raise Refused(
            "tail_too_small",
            f"{plan.stat} of {'an unknown number of' if n is None else n} requests; it needs {fewest}.",
            f"Measure at least {fewest} requests in every run.",
        )
    if n is not None and n < fewest:
        raise Refused("too_few_requests", f"A run has {n} requests.", f"Measure at least {fewest} in every run.")
