"""One number per run. Steps and requests are reduced here, and never enter an interval as independent units.

A value comes from the raw rows of the run, after the warmup cut, or from the tool's own aggregate with the same
statistic. Quantiles are by nearest rank, never interpolated, and need ten requests beyond them.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from analysis.errors import Refused
from analysis.failures import why_failed
from analysis.inputs import Arm, AssessmentRequest, ComparisonPlan, LabelledRun
from analysis.measurements import Measurement
from analysis.notices import Notice, Refusal, as_value, named
from analysis.quantile import fewest_requests, nearest_rank, quantile_of
from analysis.steady import precision_of_mean

Status = Literal["used", "failed", "partial", "excluded", "dropped_with_block", "no_value"]
Computed = Literal["ours", "tool", ""]

UNBIASED_TAIL: Final = 100
FROM_RAW: Final = ("value", "mean", "min", "max", "total")


@dataclass(frozen=True, slots=True)
class RunPoint:
    """What became of one run.

    order: 1 for the run that started first, None when starts are unknown. value: in `unit`, a base unit, or None.
    n_inner: steps or requests behind the value. left_out: rows after the warmup that hold no value.
    computed: by us from raw rows, or by the tool.
    problem: why the value cannot be used, when there is such a reason; reason: the same for people, for every status.
    """

    label: str
    arm: Arm
    block: str
    placement: str
    placement_verified: bool
    order: int | None
    started_ns: int | None
    value: float | None
    unit: str
    n_inner: int | None
    left_out: int
    computed: Computed
    status: Status
    reason: str
    problem: Refusal | None


@dataclass(frozen=True, slots=True)
class RunValue:
    """The number of one run, in `unit`. n_inner, left_out, computed: as in RunPoint."""

    value: float
    unit: str
    n_inner: int | None
    left_out: int
    computed: Computed


def run_value(rows: Sequence[Measurement], plan: ComparisonPlan) -> RunValue:
    """The number of one run, from its rows of the plan's metric.

    Raises:
        Refused: not_measured, aggregate_only, ambiguous_value, mixed_units, tail_too_small, too_few_requests,
            not_positive, not_a_proportion.
    """
    measured = [m for m in rows if m.phase == "measured" and m.stage == ""]
    raw = _after_warmup([m for m in measured if m.kind == "raw"], plan.warmup_steps)
    from_raw = any(m.value is not None for m in raw) and (plan.stat in FROM_RAW or quantile_of(plan.stat) is not None)
    found = _from_raw(raw, plan.stat) if from_raw else _from_aggregate(measured, plan)
    _check_size(found, plan)
    if plan.scale == "ratio" and found.value <= 0:
        raise Refused("not_positive", f"{plan.metric} is {found.value:g}.", "A ratio needs positive values.")
    if plan.scale == "proportion" and not 0 <= found.value <= 1:
        raise Refused("not_a_proportion", f"{plan.metric} is {found.value:g}.", "A proportion lies between 0 and 1.")
    return found


def _after_warmup(raw: Sequence[Measurement], warmup_steps: int) -> list[Measurement]:
    return [m for i, m in enumerate(raw) if (i if m.index is None else m.index) >= warmup_steps]


def _from_raw(raw: Sequence[Measurement], stat: str) -> RunValue:
    values = [m.value for m in raw if m.value is not None]
    units = {m.unit for m in raw}
    if len(units) > 1:
        raise Refused("mixed_units", f"One run holds values in {named(sorted(units))}.", "Use one unit per metric.")
    return RunValue(_reduce(values, stat), units.pop(), len(values), len(raw) - len(values), "ours")


def _reduce(values: Sequence[float], stat: str) -> float:
    p = quantile_of(stat)
    if p is not None:
        return nearest_rank(values, p)
    if stat == "value" and len(values) > 1:
        raise Refused("ambiguous_value", f"One run holds {len(values)} values.", "Choose a statistic, such as mean.")
    if stat in ("min", "max"):
        return min(values) if stat == "min" else max(values)
    return math.fsum(values) / (1 if stat == "total" else len(values))


def _from_aggregate(measured: Sequence[Measurement], plan: ComparisonPlan) -> RunValue:
    alike = ("p50", "median") if plan.stat in ("p50", "median") else (plan.stat,)
    named_so = [m for m in measured if m.kind == "aggregate" and m.stat in alike]
    usable = {(m.value, m.unit, m.n) for m in named_so if m.value is not None}
    if not usable:
        raise _not_measured(measured, plan)
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


def _not_measured(measured: Sequence[Measurement], plan: ComparisonPlan) -> Refused:
    reasons = sorted({m.reason for m in measured if m.reason and m.value is None})
    stats = sorted({m.stat for m in measured if m.value is not None})
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


def read_points(request: AssessmentRequest) -> tuple[RunPoint, ...]:
    """Every run of the request, by label, with its value or why there is none."""
    rows = _rows_by_run(request)
    order = _start_order(request.runs)
    points = [
        _point(run, rows[id(run.reading), run.run.key], order.get(run.label), request.plan) for run in request.runs
    ]
    return tuple(sorted(points, key=lambda point: point.label))


def _rows_by_run(request: AssessmentRequest) -> Mapping[tuple[int, str], list[Measurement]]:
    rows: defaultdict[tuple[int, str], list[Measurement]] = defaultdict(list)
    for reading in {id(run.reading): run.reading for run in request.runs}.values():
        for m in reading.measurements:
            if m.metric == request.plan.metric:
                rows[id(reading), m.run].append(m)
    return rows


def raw_values(request: AssessmentRequest) -> Mapping[str, list[float]]:
    """The raw values of every run, by label, after the warmup cut."""
    rows, found = _rows_by_run(request), {}
    for run in request.runs:
        measured = [m for m in rows[id(run.reading), run.run.key] if m.phase == "measured" and m.stage == ""]
        raw = _after_warmup([m for m in measured if m.kind == "raw"], request.plan.warmup_steps)
        found[run.label] = [m.value for m in raw if m.value is not None]
    return found


def _start_order(runs: Collection[LabelledRun]) -> Mapping[str, int]:
    started = sorted((run.run.started_ns, run.label) for run in runs if run.run.started_ns is not None)
    return {label: i for i, (_, label) in enumerate(started, start=1)}


def _point(run: LabelledRun, rows: Sequence[Measurement], order: int | None, plan: ComparisonPlan) -> RunPoint:
    point = RunPoint(
        run.label, run.arm, run.block, run.placement, run.placement_verified, order, run.run.started_ns,
        None, "", None, 0, "", "used", "", None,
    )  # fmt: skip
    failed = why_failed(run)
    if failed and not run.excluded:
        return replace(point, status="failed", reason=failed)
    try:
        found = run_value(rows, plan)
    except Refused as refused:
        problem = Refused(refused.code, f"Run {run.label}: {refused.message}", refused.needs)
        point = replace(point, status="no_value", reason=refused.message, problem=as_value(problem))
    else:
        point = replace(
            point,
            value=found.value,
            unit=found.unit,
            n_inner=found.n_inner,
            left_out=found.left_out,
            computed=found.computed,
        )
    return _set_apart(run, point, plan)


def _set_apart(run: LabelledRun, point: RunPoint, plan: ComparisonPlan) -> RunPoint:
    """An excluded run keeps its value for the comparison with and without it; a short partial run loses it."""
    if run.excluded:
        return replace(point, status="excluded", reason=run.excluded)
    reached = plan.minimum_requests > 0 and (point.n_inner or 0) >= plan.minimum_requests
    if run.run.status == "partial" and not reached:
        why = run.run.reason or "the run did not finish"
        return replace(point, status="partial", reason=f"partial run: {why}", problem=None)
    return point


def require_values(points: Collection[RunPoint]) -> None:
    """Passes when every run that is to be used has a value of one unit, computed in one way.

    Raises:
        Refused: the problem of the first run without a value; mixed_units; mixed_computation.
    """
    for point in points:
        if point.status == "no_value" and point.problem is not None:
            raise Refused(point.problem.code, point.problem.message, point.problem.needs)
    used = [point for point in points if point.status == "used"]
    units = sorted({point.unit for point in used})
    if len(units) > 1:
        raise Refused("mixed_units", f"The runs hold values in {named(units)}.", "Compare runs in one unit.")


def require_alike_quantiles(points: Collection[RunPoint], stat: str) -> None:
    """Passes unless quantiles were computed in two ways, or from so unequal numbers of requests that they are biased.

    The tool's are mostly interpolated; a tail of few requests is biased, which cancels only between equal counts.

    Raises:
        Refused: mixed_computation, unequal_requests.
    """
    p, used = quantile_of(stat), [point for point in points if point.status == "used"]
    if p is None:
        return
    by_tool = [point.label for point in used if point.computed == "tool"]
    ours = [point.label for point in used if point.computed == "ours"]
    if by_tool and ours:
        raise Refused(
            "mixed_computation",
            f"{stat} is the tool's own in {named(by_tool)}, and computed here in {named(ours)}.",
            "Attach raw requests for all runs, or for none.",
        )
    counts = [point.n_inner for point in used if point.n_inner is not None]
    if (
        counts
        and max(counts) > 2 * min(counts)
        and min(counts) * min(p, 1 - p) < UNBIASED_TAIL
        and fewest_requests(p) > 1
    ):
        raise Refused(
            "unequal_requests",
            f"The runs have {min(counts)} to {max(counts)} requests: their {stat} is biased differently.",
            "Measure about as many requests in every run, or ten times more.",
        )


def notices(points: Collection[RunPoint], stat: str) -> tuple[Notice, ...]:
    """What a reader should know of the values that are used, and of the runs that are not."""
    found = []
    reported = [point.label for point in points if point.status == "used" and point.computed == "tool"]
    if reported:
        found.append(Notice("as_reported_by_the_tool", f"{stat} as reported by the tool in {named(reported)}."))
    without = [f"{point.label} ({point.left_out})" for point in points if point.left_out]
    if without:
        found.append(Notice("rows_without_value", f"Requests or steps without a value, by run: {named(without)}."))
    for status, code in (("excluded", "excluded_runs"), ("partial", "partial_runs")):
        left_out = [f"{point.label} ({point.reason})" for point in points if point.status == status]
        if left_out:
            found.append(Notice(code, f"Not used: {named(left_out)}."))
    return tuple(found)


def within_precision(request: AssessmentRequest) -> tuple[Notice, ...]:
    """For an arm of one run with raw steps: how well that run knows its own mean, and no more."""
    raw, found = raw_values(request), []
    for run in request.runs:
        alone = sum(other.arm == run.arm and not other.excluded for other in request.runs) == 1
        if alone and not run.excluded and request.plan.stat == "mean":
            precision = precision_of_mean(raw[run.label])
            if precision is not None:
                found.append(
                    Notice(
                        "single_run_within_precision",
                        f"The mean of {run.label} is known to ±{100 * precision:.2g} % within that run; this says "
                        "nothing about another run.",
                    )
                )
    return tuple(found)
