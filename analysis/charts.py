"""What a chart of a comparison shows, as data: the page and the PDF draw the same specification.

One point per run by arm, in start order, with what became of the run; below them the interval of the effect and the
margin, on the effect's own axis. The rows that the points come from stand beside the chart.
"""

from dataclasses import dataclass
from typing import Literal

from analysis.claims import ConfidenceInterval, WidenedInterval
from analysis.exact import plain_decimal
from analysis.inputs import ARMS, Arm
from analysis.margin import margin_of
from analysis.results import AssessmentResult
from analysis.runs import RunPoint

BandKind = Literal["confidence_interval", "widened_interval", "margin"]
HEADER = ("run", "arm", "block", "placement", "start order", "value", "unit", "status", "reason")


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One run: x is its start order (its place in the list when starts are unknown), y its value in the axis unit."""

    label: str
    x: int
    y: float
    block: str
    placement: str
    status: str


@dataclass(frozen=True, slots=True)
class Series:
    """The runs of one arm."""

    arm: Arm
    points: tuple[ChartPoint, ...]


@dataclass(frozen=True, slots=True)
class Band:
    """A range of the effect axis. estimate: the mark inside an interval; None for the margin."""

    label: str
    kind: BandKind
    lo: float
    estimate: float | None
    hi: float


@dataclass(frozen=True, slots=True)
class ComparisonChart:
    """All that a drawing needs. neutral: the effect that is none. rows: the table beside the chart, under `header`."""

    title: str
    run_axis: str
    value_axis: str
    effect_axis: str
    neutral: float
    series: tuple[Series, ...]
    bands: tuple[Band, ...]
    margin: Band
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def comparison_chart(result: AssessmentResult) -> ComparisonChart:
    """The chart of one assessment; runs without a value are in the rows only."""
    plan, unit = result.plan, next((point.unit for point in result.runs if point.unit), "1")
    ordered = all(point.order is not None for point in result.runs)
    placed = sorted(result.runs, key=lambda p: (p.order or 0, p.label)) if ordered else list(result.runs)
    margin = margin_of(plan, unit=unit)
    ends = sorted(margin.oriented(margin.worse, margin.best))
    effect = "ratio candidate / baseline" if plan.scale == "ratio" else f"difference candidate - baseline [{unit}]"
    return ComparisonChart(
        title=f"{plan.metric} {plan.stat}, {plan.better} is better",
        run_axis="start order of the runs" if ordered else "runs, start order unknown",
        value_axis=f"{plan.metric} {plan.stat} [{unit}]",
        effect_axis=effect,
        neutral=float(plan.neutral),
        series=tuple(_series(arm, placed) for arm in ARMS),
        bands=_bands(result),
        margin=Band(f"margin {margin.said}", "margin", float(ends[0]), None, float(ends[1])),
        header=HEADER,
        rows=tuple(_row(point) for point in placed),
    )


def _series(arm: Arm, placed: list[RunPoint]) -> Series:
    points = [
        ChartPoint(point.label, x, point.value, point.block, point.placement, point.status)
        for x, point in enumerate(placed, start=1)
        if point.arm == arm and point.value is not None
    ]
    return Series(arm, tuple(points))


def _bands(result: AssessmentResult) -> tuple[Band, ...]:
    shown: list[ConfidenceInterval | WidenedInterval] = [
        interval for interval in (result.interval, result.widened, result.secondary) if interval is not None
    ]
    return tuple(_band(interval) for interval in shown)


def _band(interval: ConfidenceInterval | WidenedInterval) -> Band:
    if isinstance(interval, WidenedInterval):
        inner = interval.statistical
        label = f"widened by work differences, {inner.frame.scope}"
        return Band(label, "widened_interval", interval.lo, inner.estimate, interval.hi)
    percent = plain_decimal(100 * interval.confidence, significant=6)
    label = f"{percent}% interval, {interval.frame.scope}"
    return Band(label, "confidence_interval", interval.lo, interval.estimate, interval.hi)


def _row(point: RunPoint) -> tuple[str, ...]:
    return (
        point.label,
        point.arm,
        point.block,
        point.placement,
        "" if point.order is None else str(point.order),
        "" if point.value is None else plain_decimal(point.value, significant=10),
        point.unit,
        point.status,
        point.reason,
    )
