"""Chart specifications of the usual kinds: runs of two arms by block, and intervals against a margin."""

from typing import Literal

from analysis.charts import Axis, Band, ChartSpec, Column, IntervalBar, Mark, Point, Series, Shape

BASELINE = (0.100001, 0.100299, 0.099726, 0.099113, 0.099546)
CANDIDATE = (0.108915, 0.110066, 0.111484, 0.10946, 0.10932)


def runs_by_block(*, name: str = "run", points: int = 5) -> ChartSpec:
    """Five runs of each arm; more points repeat them."""
    places = range(points)
    return ChartSpec(
        title="Step time of each run, by block",
        subtitle="5 blocks of two runs, one host",
        x=Axis("block", "", log=False, ticks=tuple((float(b), f"b{b}") for b in range(5))),
        y=Axis("step time", "s", log=False, ticks=()),
        series=(
            _series("baseline", "square", [_point(n, BASELINE, name) for n in places]),
            _series("candidate", "circle", [_point(n, CANDIDATE, name) for n in places]),
        ),
        intervals=(),
        bands=(),
        marks=(),
        columns=(Column("block", ""), Column("baseline", "s"), Column("candidate", "s"), Column("requests", "")),
        rows=tuple((f"b{b}", BASELINE[b], CANDIDATE[b] if b else None, 1200) for b in range(5)),
    )


def _series(arm: Literal["baseline", "candidate"], shape: Shape, points: list[Point]) -> Series:
    return Series(arm, arm, shape, line=False, points=tuple(points))


def _point(number: int, values: tuple[float, ...], name: str) -> Point:
    return Point(float(number % 5), values[number % 5], f"{name} {number}")


def interval_and_margin() -> ChartSpec:
    """A confidence interval, deterministic bounds, the margin and the place of no change."""
    return ChartSpec(
        title="Throughput, candidate / baseline",
        subtitle="95 % confidence, paired_log, 5 blocks, this placement only",
        x=Axis("ratio candidate / baseline", "", log=False, ticks=()),
        y=Axis("", "", log=False, ticks=((0.0, "bounds"), (1.0, "interval"))),
        series=(),
        intervals=(
            IntervalBar("interval", 1.0, 0.8971069683, 0.918962706, 0.9079690783, "interval"),
            IntervalBar("bounds", 0.0, 0.89189189, 0.92660551, None, "candidate"),
        ),
        bands=(Band("within the agreed 2 %", "x", 0.98, 1.0204081633, "margin"),),
        marks=(Mark("no change", "x", 1.0),),
        columns=(Column("what", ""), Column("low", ""), Column("high", "")),
        rows=(("interval", 0.8971069683, 0.918962706), ("bounds", "0.89189189", "0.92660551")),
    )
