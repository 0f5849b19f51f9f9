"""What the raw rows of the runs say beside their number: what was cut, how each run went, and what lies in its tail.

A report warns and never changes a number. Failed runs are not in it; excluded and partial ones are, with their cut, but
only runs that were to be used are checked for warmup and steadiness.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from analysis import tails, warmup
from analysis.claims import ConfidenceInterval, EffectEstimate, WidenedInterval
from analysis.errors import Refused
from analysis.inputs import AssessmentRequest, ComparisonPlan
from analysis.metering import energy_metric
from analysis.notices import Notice, Refusal
from analysis.quantile import quantile_of
from analysis.run_values import rows_by_run
from analysis.runs import WITHOUT, RunPoint
from analysis.series import (
    Clock,
    after_warmup,
    begins,
    clock_of,
    cut_in_words,
    end_of_warmup,
    in_order,
    raw_rows,
    with_warmup,
)
from analysis.served import GOODPUT
from analysis.steady import RunClass
from analysis.table import NONE, Table
from analysis.tails import Estimability, Tail
from analysis.warmup import FEWEST_STEPS, RunSeries, WarmupCheck

NS: Final = 10**9
CHECKED: Final = ("used", *WITHOUT)
NO_ROWS: Final = "No run brings its steps or requests."
NO_ORDER: Final = "The requests are not recorded in order of their starts."
TOO_FEW: Final = f"No run has the {FEWEST_STEPS} steps in order that a check needs."


@dataclass(frozen=True, slots=True)
class RunSteps:
    """The raw rows of one run: steps, repetitions or requests.

    recorded: rows that count as measured. cut: of them, those in the declared warmup. cut_s: the warmup in seconds of
        the run's own clock, None without one. clock: what that is.
    kind: how the run went, "" when that was not checked. steady_from: the number of the first step after the run's own
        warmup, None when that is not known, or half of the run did not suffice. independent: steps after it.
    beyond: rows beyond the quantile of the plan, None when it names none. effective: the same in independent rows, None
        when they are not known to be in order. estimability: what so many rows allow, "" without a quantile.
    """

    label: str
    recorded: int
    cut: int
    cut_s: float | None
    clock: Clock
    kind: RunClass | Literal[""]
    steady_from: int | None
    independent: int | None
    beyond: float | None
    effective: float | None
    estimability: Estimability | Literal[""]


@dataclass(frozen=True, slots=True)
class OtherCut:
    """The effect with another warmup, `cut` in words, of both arms. It stands beside the effect and governs nothing.

    widened: the interval with the allowances that it has at this cut, when there are any.
    """

    cut: str
    estimate: EffectEstimate | None
    interval: ConfidenceInterval | None
    refusal: Refusal | None
    widened: WidenedInterval | None = None


@dataclass(frozen=True, slots=True)
class StepReport:
    """declared: the warmup of the plan, in words. unchecked: why no run was checked for warmup, "" when some were.

    needed_steps, needed_seconds: the warmup that the runs ask for, in the unit of the plan's, when that is too short;
        other: the effect with it.
    """

    declared: str
    unchecked: str
    runs: tuple[RunSteps, ...]
    needed_steps: int | None
    needed_seconds: Fraction | None
    other: OtherCut | None


@dataclass(frozen=True, slots=True)
class _Rows:
    """The raw rows of one run: of whatever phase, those that count as measured, and those that the warmup leaves.

    left: None when the warmup cannot be told. ordered: known to be in order of their starts.
    """

    raw: Table
    measured: Table
    left: Table | None
    ordered: bool


def is_of_steps(plan: ComparisonPlan) -> bool:
    """Whether the numbers of runs come from steps or requests: not from scores of items, a goodput or metered power."""
    metered = plan.metering is not None and energy_metric(plan.metric) is not None
    return plan.unit == "run" and plan.metric != GOODPUT and not metered


def report(request: AssessmentRequest, points: Collection[RunPoint]) -> tuple[StepReport, tuple[Notice, ...]]:
    """What the rows of the runs say, with the notices on it; the points are those of the request."""
    plan, by_label = request.plan, rows_by_run(request, request.plan.metric)
    rows = {p.label: _rows(by_label[p.label], plan) for p in points if p.status != "failed"}
    asked = [p.label for p in points if p.status in CHECKED]
    series = {label: _series(rows[label], plan) for label in asked if rows[label].ordered}
    check = warmup.check_warmup(series, in_words=lambda end: cut_in_words(with_warmup(plan, end)))
    found = {label: _tail(rows[label], plan) for label in asked}
    tailed = {label: tail for label, tail in found.items() if tail is not None}
    runs = tuple(_run_steps(label, one, plan, check, tailed.get(label)) for label, one in rows.items())
    needed = None if check.other_cut is None else with_warmup(plan, check.other_cut)
    said = StepReport(
        cut_in_words(plan),
        _unchecked(rows.values(), check),
        runs,
        None if needed is None or needed.warmup_seconds is not None else needed.warmup_steps,
        needed.warmup_seconds if needed else None,
        None,
    )
    return said, (*check.notices, *tails.notices_of(tailed, plan.stat))


def _rows(of_run: Table, plan: ComparisonPlan) -> _Rows:
    measured = raw_rows(of_run)
    try:
        left = after_warmup(of_run, plan)
    except Refused:
        left = None
    ordered = len(measured) > 0 and in_order(measured, plan.metric)
    return _Rows(of_run.only(stage="", kind="raw"), measured, left, ordered)


def _series(rows: _Rows, plan: ComparisonPlan) -> RunSeries:
    """The measured steps with values; of a metric of which more is better, its negative."""
    values = rows.measured.values
    at = _numbers(rows) if plan.warmup_seconds is None else _begins(rows, plan)
    missing = np.isnan(values)
    if missing.any():
        values, at = values[~missing], np.asarray(at)[~missing]
    return RunSeries(-values if plan.better == "higher" else values, at, end_of_warmup(plan))


def _numbers(rows: _Rows) -> Sequence[int] | NDArray[np.int64]:
    """The numbers of the measured steps, their places when the file has none."""
    index = rows.measured.number("index")
    return range(index.size) if (index == NONE).any() else index


def _begins(rows: _Rows, plan: ComparisonPlan) -> NDArray[np.float64]:
    """When the measured steps began, in ns on the clock of the run, 0 where that is not known."""
    since = begins(rows.raw, plan.metric)
    if since is None:
        return np.zeros(len(rows.measured))
    measured = rows.raw.codes("phase") == rows.raw.words("phase").code_of("measured")
    return np.asarray(np.nan_to_num(since[measured]))


def _tail(rows: _Rows, plan: ComparisonPlan) -> Tail | None:
    """The tail of the rows that the warmup leaves; None when the plan names no quantile, or the run has no rows."""
    p = quantile_of(plan.stat)
    if p is None or rows.left is None:
        return None
    values = rows.left.measured().values
    return tails.tail_of(values, p, in_order=rows.ordered) if values.size else None


def _run_steps(label: str, rows: _Rows, plan: ComparisonPlan, check: WarmupCheck, tail: Tail | None) -> RunSteps:
    shape = check.shapes.get(label)
    return RunSteps(
        label,
        recorded=len(rows.measured),
        cut=len(rows.measured) - len(rows.left) if rows.left is not None else 0,
        cut_s=_cut_s(rows, plan),
        clock=clock_of(rows.raw, plan.metric),
        kind=shape.kind if shape else "not_assessable" if check.shapes and label in check.too_short else "",
        steady_from=_steady_from(rows, shape.cut.steps) if shape and not shape.cut.at_limit else None,
        independent=int(shape.independent_steps) if shape else None,
        beyond=tail.beyond if tail else None,
        effective=round(tail.effective, 1) if tail and tail.effective is not None else None,
        estimability=tail.estimability if tail else "",
    )


def _steady_from(rows: _Rows, step: int) -> int:
    """The number of that step among those that have a value."""
    return int(np.asarray(_numbers(rows))[~np.isnan(rows.measured.values)][step])


def _cut_s(rows: _Rows, plan: ComparisonPlan) -> float | None:
    """When the first row that is left started, in seconds of the run's clock, to the microsecond."""
    clock, left = clock_of(rows.raw, plan.metric), rows.left
    if not clock or left is None or not len(left):
        return None
    if len(left) == len(rows.measured):
        return 0.0
    if clock == "starts":
        return round(int(left.number("started_ns").min() - rows.raw.number("started_ns").min()) / NS, 6)
    before = float(rows.raw.values.sum() - left.values.sum())
    return None if np.isnan(before) else round(before, 6)


def _unchecked(rows: Collection[_Rows], check: WarmupCheck) -> str:
    if check.shapes:
        return ""
    if not any(len(one.measured) for one in rows):
        return NO_ROWS
    return TOO_FEW if any(one.ordered for one in rows) else NO_ORDER
