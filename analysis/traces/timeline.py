"""One step of a trace as a picture shows it: when the host and each device were busy at what, and when idle.

What is closer together than the picture can show is drawn as one; the times beside it are exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.traces.events import DEVICE, Events, Kind
from analysis.traces.intervals import Union, joined, union
from analysis.traces.stages import Windows

MOST_SEGMENTS: Final = 240
"""Of a lane; what lies closer together than this part of the longer step is drawn as one."""
MOST_DEVICES: Final = 2
NANO: Final = 1e-9
ON_HOST: Final = (Kind.INPUT, Kind.OPERATOR, Kind.LAUNCH, Kind.HOST_COMMUNICATION)


@dataclass(frozen=True, slots=True)
class TimelineLane:
    """What one part did in the step. where: "host", or "device 1". busy: in seconds, exact.

    segments: (begin, end) in seconds from the begin of the step, as they are drawn.
    """

    where: str
    what: str
    busy: float
    segments: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The middle step of a run. length: in seconds. devices: how many the run has; the first ones are shown."""

    run: str
    step: str
    length: float
    devices: int
    lanes: tuple[TimelineLane, ...]


def middle(steps: Windows) -> int:
    """The place of the step of middle length."""
    return int(np.argsort(steps.length, kind="stable")[(len(steps.names) - 1) // 2])


def resolution(*lengths: int) -> int:
    """The gap, in nanoseconds, below which two segments are drawn as one."""
    return max(1, max(lengths) // MOST_SEGMENTS)


def timeline(run: str, events: Events, steps: Windows, gap: int) -> Timeline:
    """The middle step. gap: what `resolution` gives for the steps that are shown side by side."""
    at = middle(steps)
    start, end = int(steps.start[at]), int(steps.end[at])
    devices = sorted({events.lanes[lane].process for lane in np.unique(events.of(*DEVICE).lane).tolist()})
    drawn = [
        TimelineLane(where, what, busy.length * NANO, _segments(busy, start, gap))
        for where, what, busy in _lanes(events, (start, end), devices[:MOST_DEVICES])
    ]
    return Timeline(run, steps.names[at], (end - start) * NANO, len(devices), tuple(drawn))


def _lanes(events: Events, window: tuple[int, int], devices: list[str]) -> Iterator[tuple[str, str, Union]]:
    """Where, what, and when in the window; of the host only what the trace knows."""
    for what, kinds in (("work", ON_HOST), ("waits", (Kind.SYNCHRONISATION,))):
        found = events.of(*kinds)
        if len(found):
            yield "host", what, inside(found.busy(), *window)
    for number, device in enumerate(devices, 1):
        ours = events.where(np.array([lane.process == device for lane in events.lanes])[events.lane])
        compute, talk, memory = (
            inside(ours.of(kind).busy(), *window) for kind in (Kind.KERNEL, Kind.COMMUNICATION, Kind.MEMORY)
        )
        yield f"device {number}", "compute", compute
        yield f"device {number}", "communication", talk
        yield f"device {number}", "memory", memory
        yield f"device {number}", "overlap", both(compute, joined(talk, memory), *window)
        yield f"device {number}", "idle", outside(joined(compute, talk, memory), *window)


def inside(busy: Union, start: int, end: int) -> Union:
    """The part of a union that lies in a window."""
    first, last = np.clip(busy.start, start, end), np.clip(busy.end, start, end)
    some = last > first
    return Union(first[some], last[some])


def outside(busy: Union, start: int, end: int) -> Union:
    """The rest of the window. The union must lie in it."""
    return inside(Union(np.concatenate([[start], busy.end]), np.concatenate([busy.start, [end]])), start, end)


def both(one: Union, other: Union, start: int, end: int) -> Union:
    """When both are busy at once. Both must lie in the window."""
    return outside(joined(outside(one, start, end), outside(other, start, end)), start, end)


def _segments(busy: Union, start: int, gap: int) -> tuple[tuple[float, float], ...]:
    drawn = union(busy.start, busy.end - busy.start + gap)
    begin, end = (drawn.start - start) * NANO, (drawn.end - gap - start) * NANO
    return tuple(zip(begin.tolist(), end.tolist(), strict=True))
