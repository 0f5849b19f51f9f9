"""The steps of a trace, and the time of each step split over stages that exclude each other.

A stage is what goes on at a moment. Work of a device comes first: what the host does meanwhile is hidden behind it, and
does not lengthen the step. What is left of a step when nothing goes on is outside the stages.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.traces.events import DEVICE, Events, Kind
from analysis.traces.intervals import Integers, joined, union

STAGES: Final = (
    "input readiness", "host operators", "host launch", "compute", "communication", "memory", "synchronisation",
)  # fmt: skip
"""In the order of the dependency path."""
SOURCES: Final[tuple[tuple[str, tuple[Kind, ...]], ...]] = (
    ("compute", (Kind.KERNEL,)),
    ("communication", (Kind.COMMUNICATION, Kind.HOST_COMMUNICATION)),
    ("memory", (Kind.MEMORY,)),
    ("input readiness", (Kind.INPUT,)),
    ("synchronisation", (Kind.SYNCHRONISATION,)),
    ("host launch", (Kind.LAUNCH,)),
    ("host operators", (Kind.OPERATOR,)),
)
"""Which stage a moment belongs to when several things go on: the first of these."""
STEP_NUMBER: Final = re.compile(r"(\d+)$")


@dataclass(frozen=True, slots=True)
class Windows:
    """The repetitions inside one trace: the steps, or the whole trace when it marks none.

    names: as in the file. start, end: from origin_ns on the clock of the file.
    """

    names: tuple[str, ...]
    numbers: tuple[int, ...]
    start: Integers
    end: Integers
    are_steps: bool
    origin_ns: int = 0

    @property
    def length(self) -> Integers:
        """How long each of them took."""
        return self.end - self.start


def windows(events: Events) -> Windows:
    """The steps that one lane marks, in their order, or the whole trace. There must be an event."""
    steps = events.of(Kind.STEP)
    steps = steps.where((steps.length > 0) & (steps.lane == steps.lane[:1]))
    if len(steps):
        names = tuple(steps.names[code] for code in steps.name)
        found = [STEP_NUMBER.search(name) for name in names]
        numbers = tuple(int(match[1]) if match else at for at, match in enumerate(found))
        if len(set(numbers)) < len(numbers) or max(numbers) >= 2**31:
            numbers = tuple(range(len(names)))
        return Windows(names, numbers, steps.start, steps.end, are_steps=True, origin_ns=events.origin_ns)
    start, end = events.start.min(keepdims=True), events.end.max(keepdims=True)
    return Windows(("the whole trace",), (0,), start, end, are_steps=False, origin_ns=events.origin_ns)


def stage_times(events: Events, steps: Windows) -> Mapping[str, Integers]:
    """The exclusive time of each stage in each step, in nanoseconds; only stages that the trace knows, in order."""
    times: dict[str, Integers] = {}
    nothing = np.zeros(0, dtype=np.int64)
    before, spent = union(nothing, nothing), np.zeros(steps.start.shape, dtype=np.int64)
    for stage, kinds in SOURCES:
        found = events.of(*kinds)
        if len(found):
            before = joined(before, found.busy())
            together = before.within(steps.start, steps.end)
            times[stage] = together - spent
            spent = together
    return {stage: times[stage] for stage in STAGES if stage in times}


def device_times(events: Events, steps: Windows) -> Integers | None:
    """How long any device was busy in each step, or None when the trace holds no work of a device."""
    found = events.of(*DEVICE)
    return found.busy().within(steps.start, steps.end) if len(found) else None


def kernels_of(events: Events, steps: Windows) -> Integers:
    """How many kernels began in each step."""
    starts = np.sort(events.of(Kind.KERNEL, Kind.COMMUNICATION).start)
    return np.searchsorted(starts, steps.end) - np.searchsorted(starts, steps.start)
