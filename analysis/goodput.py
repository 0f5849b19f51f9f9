"""Goodput: the highest offered rate at which enough requests keep a service level, read from a sweep of rates.

It is a rate that was tried, never one between two; and it is comparable only with a goodput at the same service level.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from analysis.errors import Refused
from analysis.notices import Notice
from analysis.service_level import ServiceLevel, require_level
from analysis.table import Floats


@dataclass(frozen=True, slots=True)
class RatePoint:
    """One rate of a sweep, in requests per second: how many requests were offered, and how many kept the level."""

    rate: Fraction
    kept: int
    offered: int


@dataclass(frozen=True, slots=True)
class Goodput:
    """The highest rate tried that kept the level. broken_at: the next rate tried, which did not; None if none was."""

    rate: Fraction
    broken_at: Fraction | None
    level: ServiceLevel
    notices: tuple[Notice, ...]


def kept(requests: Mapping[str, Floats], level: ServiceLevel) -> int:
    """How many requests kept every limit of the level; one that failed, or lacks a value, kept none.

    Args:
        requests: by metric one value per request, NaN where it has none; all of one length.

    Raises:
        Refused: bad_service_level.
    """
    require_level(level)
    return int(np.logical_and.reduce([requests[name] <= float(limit) for name, limit in level.limits.items()]).sum())


def goodput(sweep: Sequence[RatePoint], level: ServiceLevel) -> Goodput:
    """The goodput of one run of a sweep of rates.

    Raises:
        Refused: bad_service_level, bad_sweep (a rate twice, no request offered), no_goodput (no rate kept the level).
    """
    require_level(level)
    points = sorted(sweep, key=lambda point: point.rate)
    if len({point.rate for point in points}) < len(points) or any(not _possible(point) for point in points):
        raise Refused(
            "bad_sweep",
            "A rate is not positive or stands twice, or keeps more requests than were offered.",
            "Give every rate once, with the requests offered and those that kept the level.",
        )
    held = [point.kept >= level.share * point.offered for point in points]
    if not any(held):
        raise Refused("no_goodput", f"No rate tried served {level.said}.", "Try lower rates.")
    last = max(number for number, one in enumerate(held) if one)
    broken_at = points[last + 1].rate if last + 1 < len(points) else None
    return Goodput(points[last].rate, broken_at, level, _notices(held[:last], broken_at))


def _possible(point: RatePoint) -> bool:
    return point.rate > 0 and 0 <= point.kept <= point.offered and point.offered > 0


def _notices(below: Sequence[bool], broken_at: Fraction | None) -> tuple[Notice, ...]:
    found = []
    if broken_at is None:
        found.append(Notice("sweep_too_short", "The highest rate tried kept the level: the goodput may be higher."))
    if not all(below):
        found.append(Notice("not_monotone", "A lower rate broke the level and a higher one kept it: repeat the sweep."))
    return tuple(found)


def require_same_level(baseline: ServiceLevel, candidate: ServiceLevel) -> None:
    """Passes when two goodputs can be compared.

    Raises:
        Refused: service_level_differs.
    """
    if (dict(baseline.limits), baseline.share) != (dict(candidate.limits), candidate.share):
        raise Refused(
            "service_level_differs",
            f"One goodput is of {baseline.said}, the other of {candidate.said}.",
            "Read both sweeps at the same service level.",
        )
