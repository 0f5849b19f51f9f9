"""The power of a plan over runs per arm: the chance of establishing an effect, drawn and as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.charts import Axis, ChartSpec, Column, Mark, Point, Role, Series, Shape
from analysis.errors import Refused
from analysis.planning import power_two_sample, runs_for_power

NEARLY_SURE: Final = 0.95
MOST_POINTS: Final = 24
MOST_SHOWN: Final = 1000
LOOKS: Final[tuple[tuple[Role, Shape], ...]] = (
    ("candidate", "diamond"), ("baseline", "circle"), ("interval", "square"), ("reference", "cross"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Curve:
    """A true effect, on logs, and the spread of run values that it is to be told from."""

    name: str
    effect: float
    sd: float


def power_chart(curves: Sequence[Curve], *, runs: int | None, wanted: float, confidence: float) -> ChartSpec:
    """Power against runs per arm, from 2 to where the slowest curve is nearly sure, or to the runs of the plan.

    Args:
        runs: per arm of the plan, marked, or None. wanted: the power that is marked.

    Raises:
        Refused: not_positive, not_a_probability.
    """
    sizes = _sizes(max([*(_enough(one, confidence) for one in curves), runs or 2]), runs)
    powers = [
        [power_two_sample(size, effect=one.effect, sd=one.sd, confidence=confidence) for size in sizes]
        for one in curves
    ]
    marks = [Mark(f"power {wanted:g}", "y", wanted)]
    if runs is not None:
        marks.append(Mark("runs per arm of the plan", "x", runs))
    return ChartSpec(
        title="Power over runs per arm",
        subtitle="the chance that independent arms establish a true effect",
        x=Axis("runs per arm", "", log=sizes[-1] > 10 * sizes[0], ticks=()),
        y=Axis("power", "", log=False, ticks=()),
        series=tuple(
            Series(one.name, role, shape, line=True, points=_points(one, sizes, values))
            for one, values, (role, shape) in zip(curves, powers, LOOKS, strict=False)
        ),
        intervals=(),
        bands=(),
        marks=tuple(marks),
        columns=(Column("runs per arm", ""), *(Column(one.name, "") for one in curves)),
        rows=tuple((size, *(values[at] for values in powers)) for at, size in enumerate(sizes)),
    )


def _points(curve: Curve, sizes: Sequence[int], values: Sequence[float]) -> tuple[Point, ...]:
    pairs = zip(sizes, values, strict=True)
    return tuple(Point(float(size), value, f"{curve.name}, {size} runs per arm") for size, value in pairs)


def _enough(curve: Curve, confidence: float) -> int:
    try:
        return min(MOST_SHOWN, runs_for_power(NEARLY_SURE, effect=curve.effect, sd=curve.sd, confidence=confidence))
    except Refused as refused:
        if refused.code != "out_of_reach":
            raise
        return MOST_SHOWN


def _sizes(most: int, runs: int | None) -> list[int]:
    """From 2 on, every size while they are few, then in equal ratios; the runs of the plan among them."""
    ratio = (max(most, 3) / 2) ** (1 / (MOST_POINTS - 1))
    found = {round(2 * ratio**step) for step in range(MOST_POINTS)}
    return sorted(found | ({runs} if runs is not None else set()))
