"""The graph of the tail-latency drivers and the profile of queue waits, as charts with their tables."""

from collections.abc import Iterator
from typing import Final

from analysis.charts import Axis, Cell, ChartSpec, Column, IntervalBar, Mark, Point, Role, Series, Spans
from analysis.looking import Typical
from analysis.policy_impact import LoadAnswer
from analysis.queue_waits import SHARE, ArmWaits
from analysis.tail_drivers import ArmDrivers, Edge, TailDrivers

SHIFT: Final = {"baseline": 0.15, "candidate": -0.15}
ASSOCIATION: Final = "an association in these runs, and no cause"
EDGE_COLUMNS: Final = (
    Column("arm", ""), Column("from", ""), Column("to", ""), Column("mean of all", "s"),
    Column("mean of the slowest", "s"), Column("excess", "s"), Column("excess, low", "s"), Column("excess, high", "s"),
    Column("share of the excess", ""), Column("remark", ""),
)  # fmt: skip


def drivers_chart(found: TailDrivers) -> ChartSpec:
    """The excess of each driver in the slowest: one line for each edge, and each arm a bar on it.

    The table leaves out what no arm records: the line of the edge says so.
    """
    edges = [(arm, edge) for arm in found.arms for edge in (arm.whole, *arm.edges)]
    names = [edge.driver for edge in (found.arms[0].whole, *found.arms[0].edges)]
    places = {name: float(len(names) - at) for at, name in enumerate(names)}
    recorded = {edge.driver for _, edge in edges if edge.excess is not None}
    percent = f"{found.share * 100:g} %"
    return ChartSpec(
        title="Tail-latency drivers",
        subtitle=f"excess of the slowest {percent} of {found.unit}s over all; {ASSOCIATION}",
        x=Axis("excess", "s", log=False, ticks=()),
        y=Axis("", "", log=False, ticks=tuple((places[name], _tick(name, found)) for name in names)),
        series=(),
        intervals=tuple(_bars(edges, places)),
        bands=(),
        marks=(Mark("no excess", "x", 0.0),),
        columns=EDGE_COLUMNS,
        rows=tuple(_row(arm, edge) for arm, edge in edges if edge.driver in recorded),
        spans=tuple(one for one in (_spans(arm, places) for arm in found.arms) if one.bars),
    )


def queue_chart(found: LoadAnswer) -> ChartSpec:
    """Mean and quantiles of the wait of each arm's typical run, with their intervals; a row for each run."""
    names = [number.name for number in found.arms[0].numbers if number.name != SHARE]
    places = {name: float(len(names) - at) for at, name in enumerate(names)}
    return ChartSpec(
        title="Queue wait of the typical run",
        subtitle=found.load,
        x=Axis("queue wait", "s", log=False, ticks=()),
        y=Axis("", "", log=False, ticks=tuple((place, name) for name, place in places.items())),
        series=tuple(_points(arm, places) for arm in found.arms if _points(arm, places).points),
        intervals=tuple(
            IntervalBar(arm.arm, places[name] + SHIFT[arm.arm], *ends, one.estimate, _role(arm.arm))
            for arm in found.arms
            for name, one in _of(arm, places)
            if (ends := _ends(one)) is not None
        ),
        bands=(),
        marks=(Mark("no wait", "x", 0.0),),
        columns=(
            Column("arm", ""), Column("run", ""), Column("requests", ""), *(Column(name, "s") for name in names),
            Column(SHARE, ""),
        ),
        rows=tuple(
            (arm.arm, run.label, run.requests, *(run.number(name) for name in names), run.share)
            for arm in found.arms
            for run in arm.runs
        ),
    )  # fmt: skip


def _tick(name: str, found: TailDrivers) -> str:
    """The edge as it is called; one that no arm records says so."""
    own = [edge for arm in found.arms for edge in (arm.whole, *arm.edges) if edge.driver == name]
    if all(edge.excess is None for edge in own):
        return f"{name}: not recorded"
    return f"{name} → {own[0].leads_to}" if own[0].leads_to else name


def _bars(edges: list[tuple[ArmDrivers, Edge]], places: dict[str, float]) -> Iterator[IntervalBar]:
    for arm, edge in edges:
        ends = None if edge.excess is None else _ends(edge.excess)
        if edge.excess is not None and ends is not None:
            at = places[edge.driver] + SHIFT[arm.arm]
            yield IntervalBar("interval over runs", at, *ends, edge.excess.estimate, "interval")


def _spans(arm: ArmDrivers, places: dict[str, float]) -> Spans:
    bars = tuple(
        (places[edge.driver] + SHIFT[arm.arm], min(0.0, edge.excess.estimate), max(0.0, edge.excess.estimate))
        for edge in (arm.whole, *arm.edges)
        if edge.excess is not None
    )
    return Spans(arm.arm, _role(arm.arm), bars)


def _role(arm: str) -> Role:
    return "candidate" if arm == "candidate" else "baseline"


def _ends(one: Typical) -> tuple[float, float] | None:
    return None if one.lo is None or one.hi is None else (one.lo, one.hi)


def _row(arm: ArmDrivers, edge: Edge) -> tuple[Cell, ...]:
    excess = edge.excess
    low, high = (None, None) if excess is None else (excess.lo, excess.hi)
    means = (None if one is None else one.estimate for one in (edge.everyone, edge.slowest, excess))
    share = None if edge.share is None else edge.share.estimate
    remark = edge.reason or ("" if excess is None else excess.reason)
    return arm.arm, edge.driver, edge.leads_to, *means, low, high, share, remark


def _of(arm: ArmWaits, places: dict[str, float]) -> Iterator[tuple[str, Typical]]:
    for number in arm.numbers:
        if number.name in places and number.typical is not None:
            yield number.name, number.typical


def _points(arm: ArmWaits, places: dict[str, float]) -> Series:
    """What has no interval, as points."""
    points = tuple(
        Point(one.estimate, places[name] + SHIFT[arm.arm], f"{name}: {one.reason}")
        for name, one in _of(arm, places)
        if one.lo is None
    )
    shape: Final = "circle" if arm.arm == "baseline" else "square"
    return Series(f"{arm.arm}, no interval", _role(arm.arm), shape, line=False, points=points)
