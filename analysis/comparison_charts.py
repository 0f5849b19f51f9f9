"""The two charts of a comparison: every run as a point, and the effect's intervals against the margin."""

from typing import Final

from analysis.charts import Axis, Band, Cell, ChartSpec, Column, IntervalBar, Mark, Point, Role, Series, Shape
from analysis.claims import ConfidenceInterval, WidenedInterval
from analysis.exact import plain_decimal
from analysis.inputs import ARMS, Arm, ComparisonPlan, has_margin
from analysis.margin import margin_of
from analysis.results import AssessmentResult
from analysis.runs import RunPoint

SHAPES: Final[dict[Arm, Shape]] = {"baseline": "square", "candidate": "circle"}


def runs_chart(result: AssessmentResult) -> ChartSpec | None:
    """One point per run: by block when blocked, else in start order; None when no run has a value.

    Runs without a value, and why, are in the rows.
    """
    if all(point.value is None for point in result.runs):
        return None
    plan, unit = result.plan, _unit(result)
    axis, places = _run_axis(result)
    columns = ("run", "arm", "block", "placement", "start order", "value", "status", "reason")
    return ChartSpec(
        title=f"{plan.what} of each {'sweep' if result.sweeps else 'run'}",
        subtitle=f"{plan.better} is better",
        x=axis,
        y=Axis(f"{plan.metric} {plan.stat}", _shown(unit), log=False, ticks=()),
        series=tuple(_series(arm, result.runs, places) for arm in ARMS),
        intervals=(),
        bands=(),
        marks=(),
        columns=tuple(Column(label, _shown(unit) if label == "value" else "") for label in columns),
        rows=tuple(_row(point) for point in sorted(result.runs, key=lambda p: (places[p.label], p.arm))),
    )


def effect_chart(result: AssessmentResult) -> ChartSpec | None:
    """The intervals of the effect against the margin and the place of no effect; None when there is no interval.

    At a look that was not declared the plain interval is drawn too, in another colour and named as not valid.
    """
    fixed = result.equivalence.governing if result.equivalence else None
    valid = [found for found in (result.secondary, fixed, result.interval, result.widened) if found is not None]
    if not valid and result.single_look is None:
        return None
    plan, unit = result.plan, "" if result.plan.scale == "ratio" else _shown(_unit(result))
    struck = () if result.single_look is None else (_struck(result.single_look, at=-1.0),)
    bars = (*struck, *(_bar(interval, float(at)) for at, interval in enumerate(valid)))
    what = "ratio candidate / baseline" if plan.scale == "ratio" else "difference candidate - baseline"
    return ChartSpec(
        title=f"{plan.what}, candidate against baseline",
        subtitle=f"{plan.better} is better",
        x=Axis(what, unit, log=False, ticks=()),
        y=Axis("", "", log=False, ticks=tuple((bar.at, bar.name) for bar in bars)),
        series=(),
        intervals=bars,
        bands=_margin_band(plan, _unit(result)),
        marks=(Mark("no change", "x", float(plan.neutral)),),
        columns=(Column("what", ""), Column("low", unit), Column("estimate", unit), Column("high", unit)),
        rows=tuple((bar.name, bar.low, bar.estimate, bar.high) for bar in bars),
    )


def _unit(result: AssessmentResult) -> str:
    return next((point.unit for point in result.runs if point.unit), "1")


def _shown(unit: str) -> str:
    return "" if unit == "1" else unit


def _run_axis(result: AssessmentResult) -> tuple[Axis, dict[str, float]]:
    """The axis of the runs, and the place of each run on it."""
    points = result.runs
    if result.design is not None and result.design.kind == "blocked":
        blocks = sorted({point.block for point in points})
        ticks = tuple((float(at), block or "no block") for at, block in enumerate(blocks))
        return Axis("block", "", log=False, ticks=ticks), {p.label: float(blocks.index(p.block)) for p in points}
    if all(point.order is not None for point in points):
        return Axis("start order", "", log=False, ticks=()), {p.label: float(p.order or 0) for p in points}
    listed = {point.label: float(at) for at, point in enumerate(points, start=1)}
    return Axis("run, start order unknown", "", log=False, ticks=()), listed


def _series(arm: Arm, points: tuple[RunPoint, ...], places: dict[str, float]) -> Series:
    role: Role = arm
    return Series(
        arm,
        role,
        SHAPES[arm],
        line=False,
        points=tuple(
            Point(places[point.label], point.value, _label(point))
            for point in points
            if point.arm == arm and point.value is not None
        ),
    )


def _label(point: RunPoint) -> str:
    return point.label if point.status == "used" else f"{point.label} ({point.status.replace('_', ' ')})"


def _row(point: RunPoint) -> tuple[Cell, ...]:
    return (
        point.label, point.arm, point.block, point.placement, point.order, point.value, point.status, point.reason,
    )  # fmt: skip


def _bar(interval: ConfidenceInterval | WidenedInterval, at: float) -> IntervalBar:
    if isinstance(interval, WidenedInterval):
        percent = plain_decimal(100 * interval.statistical.confidence, significant=4)
        name = f"{percent} % interval, widened by allowances"
        return IntervalBar(name, at, interval.lo, interval.hi, interval.statistical.estimate, "interval")
    percent = plain_decimal(100 * interval.confidence, significant=4)
    name = f"{percent} % interval, {interval.frame.scope}"
    return IntervalBar(name, at, interval.lo, interval.hi, interval.estimate, "interval")


def _struck(interval: ConfidenceInterval, *, at: float) -> IntervalBar:
    percent = plain_decimal(100 * interval.confidence, significant=4)
    name = f"plain {percent} %: not valid"
    return IntervalBar(name, at, interval.lo, interval.hi, interval.estimate, "reference")


def _margin_band(plan: ComparisonPlan, unit: str) -> tuple[Band, ...]:
    if not has_margin(plan):
        return ()
    margin = margin_of(plan, unit=unit)
    lo, hi = sorted(margin.oriented(margin.worse, margin.best))
    return (Band(f"within {margin.said}", "x", float(lo), float(hi), "margin"),)
