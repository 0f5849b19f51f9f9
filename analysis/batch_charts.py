"""The curves of a sweep: each run, the typical run, and the bound of the next one, against the limit."""

import math
from collections.abc import Sequence
from typing import Final

from analysis.batch_front import Front, Standing
from analysis.batch_region import Region
from analysis.batch_sweep import TIMES, BatchSweep, SweepPoint
from analysis.charts import Axis, Cell, ChartSpec, Column, Mark, Point, Role, Series, Shape
from analysis.errors import Refused
from analysis.procedures import mean
from analysis.slo import FEWEST_RUNS, next_run_bound
from analysis.sweep_numbers import Quantity

TAILS: Final = ("p50", "p95", "p99")
WIDE: Final = 20
"""From this spread of values on, the axis is logarithmic."""
STANDINGS: Final[tuple[tuple[Standing, Role, Shape], ...]] = (
    ("front", "candidate", "diamond"), ("not_separated", "baseline", "circle"), ("dominated", "baseline", "cross"),
)  # fmt: skip
SHAPES: Final[tuple[Shape, ...]] = ("square", "diamond", "circle")


def curves(sweep: BatchSweep, region: Region | None) -> dict[str, ChartSpec]:
    """A chart for each thing that was measured, by name: throughput, latency, power, energy, temperature."""
    known = {one.name: one for one in sweep.quantities}
    latency = [known[name] for name in TAILS if name in known]
    found = {"latency": _curve(sweep, latency, region)} if latency else {}
    for name in ("throughput", "power", "energy", "temperature"):
        if name in known:
            found[name] = _curve(sweep, [known[name]], region)
    order = ("throughput", "latency", "power", "energy", "temperature")
    return {name: found[name] for name in order if name in found and any(s.points for s in found[name].series)}


def typical(point: SweepPoint, quantity: str) -> float | None:
    """The geometric mean of the runs that show the quantity."""
    values = [value for value in point.shown(quantity) if value > 0]
    return math.exp(mean([math.log(value) for value in values])) if values else None


def next_run(point: SweepPoint, quantity: Quantity, confidence: float = 0.95) -> float | None:
    """The bound of the next run on the worse side; None with fewer than three usable runs, or without spread."""
    values = point.values(quantity.name)
    if len(values) < FEWEST_RUNS:
        return None
    try:
        return next_run_bound(values, confidence=confidence, better=quantity.better)
    except Refused:
        return None


def _curve(sweep: BatchSweep, quantities: Sequence[Quantity], region: Region | None) -> ChartSpec:
    last = quantities[-1]
    unit = "" if last.unit == "1" else last.unit
    what = last.metric if len(quantities) > 1 else f"{last.metric} {last.stat}"
    names = tuple(one.name for one in quantities)
    heads = [Column(f"{one.name}, typical run", unit) for one in quantities]
    return ChartSpec(
        title=f"{what} over {sweep.varied}",
        subtitle=f"{last.better} is better",
        x=_across(sweep),
        y=Axis(what, unit, log=_spread(sweep, names) > WIDE, ticks=()),
        series=tuple(one for one in _series(sweep, quantities, region) if one.points),
        intervals=(),
        bands=(),
        marks=tuple(_marks(region, names)),
        columns=(Column(sweep.varied, ""), Column("runs", ""), *heads, Column(f"{last.name}, next run, 95 %", unit)),
        rows=tuple(_row(point, quantities) for point in sweep.points),
    )


def _spread(sweep: BatchSweep, names: Sequence[str]) -> float:
    """The greatest value over the least, 1 where one of them is not above zero."""
    values = [value for point in sweep.points for name in names for value in point.shown(name)]
    return max(values) / min(values) if values and min(values) > 0 else 1.0


def _across(sweep: BatchSweep) -> Axis:
    log = sweep.points[0].at > 0
    places = {point.at: point.label.partition(TIMES)[0] for point in sweep.points}
    return Axis(sweep.axes[0], "", log=log, ticks=tuple(places.items()))


def _series(sweep: BatchSweep, quantities: Sequence[Quantity], region: Region | None) -> list[Series]:
    last, one_line = quantities[-1], len(sweep.axes) == 1
    runs = [Point(p.at, v, f"{p.label}, one run") for p in sweep.points for v in p.shown(last.name)]
    found = [Series(f"{last.name} of each run", "baseline", "circle", line=False, points=tuple(runs))]
    for one, shape in zip(quantities, SHAPES, strict=False):
        found.append(Series(f"{one.name}, typical run", "candidate", shape, line=one_line, points=_line(sweep, one)))
    bounds = [(point, next_run(point, last)) for point in sweep.points]
    shown = tuple(Point(p.at, bound, f"{p.label}, next run") for p, bound in bounds if bound is not None)
    found.append(Series(f"{last.name}, bound of the next run", "interval", "cross", line=one_line, points=shown))
    if region is not None:
        found.append(Series("feasible", "reference", "square", line=False, points=_feasible(sweep, last, region)))
    return found


def _line(sweep: BatchSweep, quantity: Quantity) -> tuple[Point, ...]:
    values = [(point, typical(point, quantity.name)) for point in sweep.points]
    return tuple(Point(point.at, value, f"{point.label}, typical run") for point, value in values if value is not None)


def _feasible(sweep: BatchSweep, quantity: Quantity, region: Region) -> tuple[Point, ...]:
    labels = region.labels("feasible")
    values = [(point, typical(point, quantity.name)) for point in sweep.points if point.label in labels]
    return tuple(Point(point.at, value, f"{point.label}, feasible") for point, value in values if value is not None)


def _marks(region: Region | None, names: Sequence[str]) -> list[Mark]:
    if region is None:
        return []
    return [Mark(f"limit of {one.quantity}", "y", one.value) for one in region.limits if one.quantity in names]


def _row(point: SweepPoint, quantities: Sequence[Quantity]) -> tuple[Cell, ...]:
    values = [typical(point, one.name) for one in quantities]
    return (point.label, len(point.runs), *values, next_run(point, quantities[-1]))


def front_chart(sweep: BatchSweep, front: Front) -> ChartSpec:
    """The first two objectives of the front against each other, by standing."""
    across, up = (sweep.quantity(name) for name in front.objectives[:2])
    series = []
    for standing, role, shape in STANDINGS:
        mine = [point for point in front.points if point.standing == standing]
        places = tuple(Point(p.objectives[0].typical, p.objectives[1].typical, p.label) for p in mine)
        if places:
            series.append(Series(standing.replace("_", " "), role, shape, line=False, points=places))
    heads = [
        Column(f"{one.quantity}, typical run", sweep.quantity(one.quantity).unit) for one in front.points[0].objectives
    ]
    return ChartSpec(
        title=f"{up.name} against {across.name}: which {sweep.varied} no other one beats",
        subtitle="front, not separated, dominated",
        x=Axis(across.name, across.unit, log=False, ticks=()),
        y=Axis(up.name, up.unit, log=False, ticks=()),
        series=tuple(series),
        intervals=(),
        bands=(),
        marks=(),
        columns=(Column(sweep.varied, ""), Column("standing", ""), Column("beaten by", ""), *heads),
        rows=tuple(
            (p.label, p.standing.replace("_", " "), p.by, *(one.typical for one in p.objectives)) for p in front.points
        ),
    )
