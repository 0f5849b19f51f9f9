"""Which points of a sweep are worth running, whatever the limits: those that no other point beats in everything."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from analysis.batch_sweep import BatchSweep, SweepPoint
from analysis.errors import Refused
from analysis.notices import named
from analysis.procedures import ROUNDING, mean, t_quantile, variance
from analysis.sweep_numbers import Quantity

Standing = Literal["front", "not_separated", "dominated"]

OBJECTIVES: Final = ("throughput", "p99", "energy")
FEWEST_FOR_INTERVAL: Final = 2


@dataclass(frozen=True, slots=True)
class Objective:
    """A quantity at a point: the typical run, and its two-sided interval, None with a single run."""

    quantity: str
    typical: float
    lo: float | None
    hi: float | None


@dataclass(frozen=True, slots=True)
class FrontPoint:
    """front: no other point is better in every objective. not_separated: one is, but by less than the runs tell apart.

    dominated: some point, `by`, is better in every objective, beyond the simultaneous intervals.
    """

    at: float
    label: str
    standing: Standing
    by: str
    objectives: tuple[Objective, ...]


@dataclass(frozen=True, slots=True)
class Front:
    """confidence: of all intervals together. left_out: points that lack an objective."""

    objectives: tuple[str, ...]
    points: tuple[FrontPoint, ...]
    confidence: float
    left_out: tuple[str, ...]


def pareto_front(sweep: BatchSweep, *, of: Sequence[str] = OBJECTIVES, confidence: float = 0.95) -> Front:
    """How the points stand to each other in these quantities, as far as they were measured.

    Raises:
        Refused: too_few_objectives.
    """
    known = {one.name: one for one in sweep.quantities}
    chosen = [known[name] for name in of if name in known and _measured(sweep, name) > 1]
    if len(chosen) < 2:
        raise Refused(
            "too_few_objectives",
            f"Only {named([one.name for one in chosen]) or 'nothing'} was measured at two points.",
            "Measure throughput with p99 or energy in the same runs.",
        )
    whole = [point for point in sweep.points if all(point.shown(one.name) for one in chosen)]
    level = 1 - (1 - confidence) / (len(whole) * len(chosen))
    found = {point.label: _objectives(point, chosen, level) for point in whole}
    better = {one.name: one.better for one in chosen}
    points = tuple(
        FrontPoint(point.at, point.label, *_standing(point, found, better), found[point.label]) for point in whole
    )
    left_out = tuple(point.label for point in sweep.points if point not in whole)
    return Front(tuple(better), points, confidence, left_out)


def _measured(sweep: BatchSweep, name: str) -> int:
    return sum(bool(point.shown(name)) for point in sweep.points)


def _objectives(point: SweepPoint, chosen: Sequence[Quantity], level: float) -> tuple[Objective, ...]:
    return tuple(_objective(point, one.name, level) for one in chosen)


def _objective(point: SweepPoint, name: str, level: float) -> Objective:
    """From the runs of which something may be concluded; else only the typical value of those that show one."""
    values = point.values(name)
    logs = [math.log(value) for value in values or point.shown(name)]
    centre = mean(logs)
    if len(values) < FEWEST_FOR_INTERVAL:
        return Objective(name, math.exp(centre), None, None)
    half = math.sqrt(variance(logs, rounding=ROUNDING * max(abs(x) for x in logs)) / len(logs))
    half *= t_quantile(len(logs) - 1, level)
    return Objective(name, math.exp(centre), math.exp(centre - half), math.exp(centre + half))


def _standing(
    point: SweepPoint, found: Mapping[str, tuple[Objective, ...]], better: Mapping[str, str]
) -> tuple[Standing, str]:
    mine = found[point.label]
    beaten = ""
    for label, theirs in found.items():
        pairs = list(zip(mine, theirs, strict=True))
        if label == point.label or not all(_beats(b.typical, a.typical, better[a.quantity]) for a, b in pairs):
            continue
        if all(_apart(a, b, better[a.quantity]) for a, b in pairs):
            return "dominated", label
        beaten = beaten or label
    return ("not_separated", beaten) if beaten else ("front", "")


def _beats(theirs: float, mine: float, better: str) -> bool:
    return theirs > mine if better == "higher" else theirs < mine


def _apart(mine: Objective, theirs: Objective, better: str) -> bool:
    """Whether their interval lies wholly on the better side of mine."""
    if mine.lo is None or mine.hi is None or theirs.lo is None or theirs.hi is None:
        return False
    return theirs.lo > mine.hi if better == "higher" else theirs.hi < mine.lo
