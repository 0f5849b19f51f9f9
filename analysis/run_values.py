"""One number per run. Steps and requests are reduced here, and never enter an interval as independent units.

A value comes from the raw rows of the run, after the warmup cut, or from the tool's own aggregate with the same
statistic. Quantiles are by nearest rank, never interpolated, and need ten requests beyond them.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

import numpy as np

from analysis.errors import Refused
from analysis.inputs import AssessmentRequest, ComparisonPlan
from analysis.notices import named
from analysis.quantile import CONFIDENCE, fewest_requests, nearest_rank, quantile_of, require_upper_statement
from analysis.series import after_warmup, cut_in_words, cuts, raw_rows
from analysis.table import Floats, Table

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
        Refused: not_measured, aggregate_only, ambiguous_value, mixed_units, not_positive, not_a_proportion,
            no_run_clock; tail_too_small, quantile_not_estimable and too_few_requests, as `require_size`.
    """
    found = value_of(rows, plan)
    require_size(found, plan)
    return found


def value_of(rows: Table, plan: ComparisonPlan) -> RunValue:
    """The number of one run, of however few requests.

    Raises:
        Refused: as `run_value`, but for the size; stages_do_not_add.
    """
    return _on_scale(_sum_of_stages(rows, plan) if plan.stages == "summed" else _of_one(rows, plan, ""), plan)


def stage_value(rows: Table, plan: ComparisonPlan, stage: str) -> RunValue:
    """The number of one stage of one run, from all rows of the run. Raises as `run_value`."""
    found = _on_scale(_of_one(rows, plan, stage), plan)
    require_size(found, plan)
    return found


def stages_of(rows: Table) -> tuple[str, ...]:
    """The measured stages of one run, in the order in which they first appear."""
    return tuple(stage for stage, part in rows.by("stage").items() if stage and len(part.only(phase="measured")))


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
    found = [stage_value(rows, plan, stage) for stage in stages_of(rows)]
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


def _of_one(rows: Table, plan: ComparisonPlan, stage: str) -> RunValue:
    raw = after_warmup(rows, plan, stage)
    measured = _measured(raw)
    from_raw = measured.size > 0 and (plan.stat in FROM_RAW or quantile_of(plan.stat) is not None)
    if from_raw:
        return _from_raw(raw, measured, plan.stat)
    if not measured.size and len(raw_rows(rows, stage).measured()):
        raise Refused(
            "not_measured",
            f"A warmup of {cut_in_words(plan)} leaves nothing of {plan.metric}{f' in {stage}' if stage else ''}.",
            "Declare a shorter warmup, or attach longer runs.",
        )
    return _from_aggregate(rows.only(phase="measured", stage=stage), plan)


def _on_scale(found: RunValue, plan: ComparisonPlan) -> RunValue:
    if plan.scale == "ratio" and found.value <= 0:
        raise Refused("not_positive", f"{plan.metric} is {found.value:g}.", "A ratio needs positive values.")
    if plan.scale == "proportion" and not 0 <= found.value <= 1:
        raise Refused("not_a_proportion", f"{plan.metric} is {found.value:g}.", "A proportion lies between 0 and 1.")
    return found


def rows_by_run(request: AssessmentRequest, metric: str) -> Mapping[str, Table]:
    """The rows of one metric of every run of the request, by the run's label."""
    readings = {id(run.reading): run.reading for run in request.runs}
    parts = {key: reading.measurements.only(metric=metric).by("run") for key, reading in readings.items()}
    nothing = Table.of(())
    return {run.label: parts[id(run.reading)].get(run.run.key, nothing) for run in request.runs}


def raw_values(request: AssessmentRequest, labels: Collection[str]) -> Mapping[str, Floats]:
    """The raw values of these runs, by label, after the warmup cut and without the rows that hold none.

    Raises:
        Refused: no_run_clock.
    """
    rows = rows_by_run(request, request.plan.metric)
    return {label: _measured(after_warmup(rows[label], request.plan)) for label in labels}


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
    if cuts(plan):
        raise Refused(
            "aggregate_only",
            f"The plan cuts a warmup of {cut_in_words(plan)}, and the file holds only the tool's own {plan.stat}.",
            "Attach the raw steps or requests.",
        )
    value, unit, n = usable.pop()
    return RunValue(float(value or 0), unit, n, 0, "tool")


def _not_measured(rows: Table, plan: ComparisonPlan) -> Refused:
    reasons = [why for why in rows.not_measured().distinct("reason") if why]
    stats = rows.measured().distinct("stat")
    why = f" ({named(reasons)})" if reasons else f"; the file has {named(stats)}" if stats else ""
    return Refused("not_measured", f"{plan.metric} {plan.stat} was not measured{why}.", "Attach runs that measure it.")


def require_size(found: RunValue, plan: ComparisonPlan) -> None:
    """Passes when the value rests on as many steps or requests as the plan and its statistic need.

    Raises:
        Refused: tail_too_small (the value may be shown, without an interval), quantile_not_estimable (it may not),
            too_few_requests.
    """
    p, n = quantile_of(plan.stat), found.n_inner
    fewest = max(plan.minimum_requests, fewest_requests(p) if p is not None else 0)
    if p is not None and fewest > 1 and (n is None or n < fewest):
        if n is not None and p != Fraction(1, 2):
            require_upper_statement(n, p, confidence=CONFIDENCE)
        raise Refused(
            "tail_too_small",
            f"{plan.stat} of {'an unknown number of' if n is None else n} requests; it needs {fewest}.",
            f"Measure at least {fewest} requests in every run.",
        )
    if n is not None and n < fewest:
        raise Refused("too_few_requests", f"A run has {n} requests.", f"Measure at least {fewest} in every run.")
