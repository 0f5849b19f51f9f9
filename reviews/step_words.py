"""What every face says of the rows of the runs: what was cut, how each run went, its tail, and what lost runs leave."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.claims import ConfidenceInterval, WidenedInterval
from analysis.results import AssessmentResult
from analysis.runs import RunPoint
from analysis.step_report import OtherCut, RunSteps, StepReport
from reviews import printing

NO_WARMUP: Final = "0 steps"
COURSES: Final = {
    "flat": "flat",
    "warmup": "warmup, then steady",
    "slowdown": "slows down",
    "no_steady_state": "no steady state",
    "not_assessable": "too short to tell",
    "": "not checked",
}
WITHOUT: Final = ", without the allowances"
"""Of an interval beside a widened one that is not widened."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run in words. value_only: its value is shown, and enters no interval. course: how it went.

    recorded: rows that count as measured. cut: of them, those in the warmup. tail: "" when no quantile is asked for.
    """

    label: str
    arm: str
    value: str
    value_only: bool
    status: str
    recorded: str
    cut: str
    course: str
    tail: str


def run_lines(result: AssessmentResult) -> tuple[RunLine, ...]:
    """Every run, failed ones too; of a result of before the report, the cut and the course are unknown."""
    steps = {one.label: one for one in result.steps.runs} if result.steps else {}
    return tuple(
        RunLine(
            point.label,
            point.arm,
            printing.quantity(point.value, point.unit),
            point.status == "value_only",
            _status(point),
            *_of_steps(steps.get(point.label)),
        )
        for point in result.runs
    )


def brings_rows(lines: Iterable[RunLine]) -> bool:
    """Whether any run brings rows, of which something was cut or checked; else the lines say nothing of steps."""
    return any(line.recorded not in ("0", printing.NOTHING) for line in lines)


def _status(point: RunPoint) -> str:
    """What became of the run; of a partial one that is used, that it is partial."""
    if point.status == "used" and point.reason:
        return f"used: {point.reason}"
    return point.status.replace("_", " ")


def _of_steps(one: RunSteps | None) -> tuple[str, str, str, str]:
    if one is None:
        return printing.NOTHING, printing.NOTHING, printing.NOTHING, ""
    seconds = "" if one.cut_s is None or not one.cut else f", {printing.quantity(one.cut_s, 's')}"
    own = f", from step {printing.count(one.steady_from)}" if one.kind == "warmup" and one.steady_from else ""
    return printing.count(one.recorded), f"{printing.count(one.cut)}{seconds}", f"{COURSES[one.kind]}{own}", _tail(one)


def _tail(one: RunSteps) -> str:
    if one.beyond is None:
        return ""
    worth = "" if one.effective is None else f", worth {printing.significant(one.effective, 3)} independent"
    return f"{printing.significant(one.beyond, 3)}{worth}"


def facts(result: AssessmentResult) -> tuple[tuple[str, str], ...]:
    """What was cut, why nothing was checked, the effect at the longer cut, and the two answers to who is left out."""
    said = []
    if result.steps is not None:
        said.append(("Warmup cut", _cut(result.steps)))
        if result.steps.unchecked:
            said.append(("Steady state", f"Not checked. {result.steps.unchecked}"))
        if result.steps.other is not None:
            said.append(("With a longer cut", _other(result.steps.other)))
    if result.with_excluded is not None:
        said.append(("If no run were left out", with_excluded(result.with_excluded, result)))
    if result.worst_case is not None:
        said.append(("Worst case", result.worst_case.said))
    return tuple(said)


def _cut(report: StepReport) -> str:
    """The declared cut, and how much of the runs it took: the same steps are different times."""
    if report.declared == NO_WARMUP:
        return "None is declared, and nothing was cut."
    declared = f"{report.declared} declared, from the start of every run"
    runs = [one for one in report.runs if one.recorded]
    if not runs:
        return f"{declared}; no run brings rows to cut."
    took = _between([printing.count(one.cut) for one in sorted(runs, key=lambda one: one.cut)])
    known = sorted(one.cut_s for one in runs if one.cut_s is not None)
    seconds = f", {_between([printing.quantity(one, 's') for one in known])}" if len(known) == len(runs) else ""
    return f"{declared}; rows cut from a run: {took}{seconds}."


def _between(said: Sequence[str]) -> str:
    return said[0] if said[0] == said[-1] else f"{said[0]} to {said[-1]}"


def _other(other: OtherCut) -> str:
    if other.interval is not None:
        found = f"{_ends(other.interval, other.widened)}, {_behind(other.interval, other.widened)}"
    elif other.estimate is not None:
        found = f"{printing.quantity(other.estimate.value, other.estimate.frame.unit)}, without an interval"
    else:
        found = f"refused ({other.refusal.message.rstrip('.') if other.refusal else printing.NOTHING})"
    return f"With {other.cut} cut the effect would be {found}. It governs nothing."


def with_excluded(interval: ConfidenceInterval, result: AssessmentResult) -> str:
    """The effect if no run were left out; beside a widened effect, both without what widens it."""
    said = f"{_ends(interval)}, {_behind(interval)}{WITHOUT if result.allowances else ''}."
    if result.allowances and result.interval is not None:
        return f"{said} Beside {_ends(result.interval)}, of the runs used, also without them; it governs nothing."
    return f"{said} Beside the effect without them; it governs nothing."


def _ends(interval: ConfidenceInterval, wide: WidenedInterval | None = None) -> str:
    found = (interval.estimate, *((interval.lo, interval.hi) if wide is None else (wide.lo, wide.hi)))
    size, lo, hi = (printing.quantity(x, interval.frame.unit) for x in found)
    return f"{size} [{lo}, {hi}], {printing.confidence(interval.confidence)} confidence"


def _behind(interval: ConfidenceInterval, wide: WidenedInterval | None = None) -> str:
    method = interval.method if wide is None else f"{interval.method} widened"
    return f"{method}, {interval.units} {interval.frame.counted}, {interval.frame.scope}"
