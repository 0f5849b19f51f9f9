"""What became of every run: its number, or why it has none, and whether the numbers may be compared."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Final, Literal

from analysis.errors import Refused
from analysis.failures import why_failed
from analysis.inputs import Arm, AssessmentRequest, ComparisonPlan, LabelledRun
from analysis.notices import Notice, Refusal, as_value, named
from analysis.per_unit import per_unit, value_per_unit
from analysis.quantile import fewest_requests, quantile_of
from analysis.run_energy import RunEnergy
from analysis.run_values import Computed, RunValue, raw_values, require_size, rows_by_run, value_of
from analysis.served import GOODPUT, goodput_value, requests_of
from analysis.steady import precision_of_mean

Status = Literal["used", "failed", "partial", "excluded", "dropped_with_block", "value_only", "no_value"]

UNBIASED_TAIL: Final = 100
WITHOUT: Final = ("no_value", "value_only")
"""Without a value that can enter an effect, though the run was to be used."""


@dataclass(frozen=True, slots=True)
class RunPoint:
    """What became of one run.

    order: 1 for the run that started first, None when starts are unknown. value: in `unit`, a base unit, or None.
    n_inner: steps or requests behind the value. left_out: rows after the warmup that hold no value.
    computed: by us from raw rows, or by the tool.
    status: "value_only" has a quantile of too few requests: it is shown, and enters no interval.
    problem: why the value cannot be used, when there is such a reason; reason: the same for people, for every status,
        and of a used run that it is a partial one.
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


def read_points(
    request: AssessmentRequest, energies: Mapping[str, RunEnergy] = MappingProxyType({})
) -> tuple[RunPoint, ...]:
    """Every run of the request, by label, with its value or why there is none.

    energies: of runs, by label, whose value is not in their rows but follows from their power.
    """
    order = _start_order(request.runs)
    points = [_point(run, number, order.get(run.label), request.plan) for run, number in _numbers(request, energies)]
    return tuple(sorted(points, key=lambda point: point.label))


@dataclass(frozen=True, slots=True)
class _Number:
    """How the number of a run is found. counts: it rests on steps or requests, of which it needs enough."""

    found: Callable[[], RunValue]
    counts: bool


def _numbers(request: AssessmentRequest, energies: Mapping[str, RunEnergy]) -> Iterator[tuple[LabelledRun, _Number]]:
    """Every run, with its power, its requests against the service level, or its rows of the metric."""
    plan = request.plan
    if plan.metric == GOODPUT:
        requests = requests_of(request)
        for run in request.runs:
            yield run, _Number(partial(goodput_value, run, requests[run.label], plan), counts=True)
        return
    parts = per_unit(request)
    rows = rows_by_run(request, parts.whole if parts else plan.metric)
    for run in request.runs:
        energy = energies.get(run.label)
        if parts is not None:
            yield run, _Number(partial(value_per_unit, run, rows[run.label], plan, parts), counts=False)
        elif energy is None:
            yield run, _Number(partial(value_of, rows[run.label], plan), counts=True)
        else:
            yield run, _Number(energy.run_value, counts=False)


def _start_order(runs: Collection[LabelledRun]) -> Mapping[str, int]:
    started = sorted((run.run.started_ns, run.label) for run in runs if run.run.started_ns is not None)
    return {label: i for i, (_, label) in enumerate(started, start=1)}


def _point(run: LabelledRun, number: _Number, order: int | None, plan: ComparisonPlan) -> RunPoint:
    point = RunPoint(
        run.label, run.arm, run.block, run.placement, run.placement_verified, order, run.run.started_ns,
        None, "", None, 0, "", "used", "", None,
    )  # fmt: skip
    failed = why_failed(run)
    if failed and not run.excluded:
        return replace(point, status="failed", reason=failed)
    try:
        found = number.found()
        shown = replace(
            point,
            value=found.value,
            unit=found.unit,
            n_inner=found.n_inner,
            left_out=found.left_out,
            computed=found.computed,
        )
        point = _of_enough(shown, found, plan) if number.counts else shown
    except Refused as refused:
        if refused.code == "no_goodput" and not run.excluded:
            return replace(point, status="failed", reason=refused.message)
        point = _with_problem(replace(point, status="no_value"), refused)
    return _set_apart(run, point, plan)


def _of_enough(point: RunPoint, found: RunValue, plan: ComparisonPlan) -> RunPoint:
    """The point; one whose tail is too small keeps its value to be shown. Raises Refused: as `require_size`."""
    try:
        require_size(found, plan)
    except Refused as refused:
        if refused.code == "tail_too_small" and found.n_inner is not None:
            return _with_problem(replace(point, status="value_only"), refused)
        raise
    return point


def _with_problem(point: RunPoint, refused: Refused) -> RunPoint:
    problem = Refused(refused.code, f"Run {point.label}: {refused.message}", refused.needs)
    return replace(point, reason=refused.message, problem=as_value(problem))


def _set_apart(run: LabelledRun, point: RunPoint, plan: ComparisonPlan) -> RunPoint:
    """An excluded run keeps its value for the comparison with and without it, if it can enter one at all."""
    if run.excluded:
        value = None if point.status == "value_only" else point.value
        return replace(point, status="excluded", reason=run.excluded, value=value)
    if run.run.status != "partial":
        return point
    why = f"partial run: {run.run.reason or 'the run did not finish'}"
    if plan.minimum_requests == 0 or (point.n_inner or 0) < plan.minimum_requests:
        return replace(point, status="partial", reason=why, problem=None)
    return replace(point, reason=why) if point.status == "used" else point


def require_values(points: Collection[RunPoint]) -> None:
    """Passes when every run that is to be used has a value of one unit, computed in one way.

    Raises:
        Refused: the problem of the first run without a value; mixed_units; mixed_computation.
    """
    for point in points:
        if point.status in WITHOUT and point.problem is not None:
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
    kept = [f"{point.label} ({point.reason})" for point in points if point.status == "used" and point.reason]
    if kept:
        found.append(Notice("partial_runs_used", f"Used, with as many steps or requests as planned: {named(kept)}."))
    return tuple(found)


def within_precision(request: AssessmentRequest) -> tuple[Notice, ...]:
    """For an arm of one run with raw steps: how well that run knows its own mean, and no more."""
    found = []
    for run in request.runs:
        alone = sum(other.arm == run.arm and not other.excluded for other in request.runs) == 1
        if alone and not run.excluded and request.plan.stat == "mean":
            precision = precision_of_mean(raw_values(request, (run.label,))[run.label])
            if precision is not None:
                found.append(
                    Notice(
                        "single_run_within_precision",
                        f"The mean of {run.label} is known to ±{100 * precision:.2g} % within that run; this says "
                        "nothing about another run.",
                    )
                )
    return tuple(found)
