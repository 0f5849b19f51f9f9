"""Tokens per second of a device against those of one user, with what the runs leave open of both."""

from collections.abc import Iterator

from analysis.batch_charts import STANDINGS
from analysis.batch_front import FrontPoint
from analysis.charts import Axis, Cell, ChartSpec, Column, Point, Series
from analysis.interactivity import Interactivity


def interactivity_chart(found: Interactivity) -> ChartSpec:
    """The points by standing, the intervals of both rates by their ends."""
    points, varied = found.front.points, found.rates.varied
    series = []
    for standing, role, shape in STANDINGS:
        places = tuple(Point(*_middle(point), point.label) for point in points if point.standing == standing)
        if places:
            series.append(Series(standing.replace("_", " "), role, shape, line=False, points=places))
    ends = tuple(end for point in points for end in _ends(point))
    if ends:
        series.append(Series("ends of the intervals", "interval", "cross", line=False, points=ends))
    per = "a device" if found.devices > 1 else "the server"
    return ChartSpec(
        title=f"Output tokens per second of {per} against those of one user",
        subtitle=f"higher is better on both axes; one user: {found.per_user}",
        x=Axis("tokens per second of one user", "1/s", log=False, ticks=()),
        y=Axis(f"output tokens per second of {per}", "1/s", log=False, ticks=()),
        series=tuple(series),
        intervals=(),
        bands=(),
        marks=(),
        columns=(
            Column(varied, ""), Column("runs", ""), Column("standing", ""), Column("beaten by", ""),
            Column("one user", "1/s"), Column("at least", "1/s"), Column("at most", "1/s"),
            Column(per, "1/s"), Column("at least", "1/s"), Column("at most", "1/s"),
        ),
        rows=tuple(_row(point, found) for point in points),
    )  # fmt: skip


def _middle(point: FrontPoint) -> tuple[float, float]:
    user, device = point.objectives
    return user.typical, device.typical


def _ends(point: FrontPoint) -> Iterator[Point]:
    """The four ends of the two intervals, where there are any."""
    user, device = point.objectives
    said = f"{point.label}, end of the interval"
    yield from (Point(end, device.typical, said) for end in (user.lo, user.hi) if end is not None)
    yield from (Point(user.typical, end, said) for end in (device.lo, device.hi) if end is not None)


def _row(point: FrontPoint, found: Interactivity) -> tuple[Cell, ...]:
    runs = next(len(one.runs) for one in found.rates.points if one.label == point.label)
    rates = [cell for one in point.objectives for cell in (one.typical, one.lo, one.hi)]
    return (point.label, runs, point.standing.replace("_", " "), point.by, *rates)
