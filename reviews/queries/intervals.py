"""The one interval of a frozen result as pages print it, and a result's numbers as one line of text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reviews import printing

Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ShownInterval:
    """What the tag `interval` takes; numbers are the decimal text of the result. replicates: "3 blocks"."""

    estimate: str
    low: str
    high: str
    level: str
    method: str
    replicates: str
    scope: str


def shown(result: Result) -> ShownInterval | None:
    """The interval that governs: the widened one where there is one. None when the result has none."""
    statistical = result["interval"]
    if statistical is None:
        return None
    governing = result["widened"] or statistical
    return ShownInterval(
        estimate=statistical["estimate"],
        low=governing["lo"],
        high=governing["hi"],
        level=statistical["confidence"],
        method=governing["method"],
        replicates=f"{statistical['units']} {statistical['counted']}",
        scope=statistical["scope"],
    )


def in_numbers(result: Result) -> str:
    """A result as one line: "1.041 [1.036, 1.047]", or its outcome in words."""
    interval = shown(result)
    if interval is None:
        return str(result["outcome"]).replace("_", " ")
    return f"{printing.significant(interval.estimate)} {printing.range_of(interval.low, interval.high)}"
