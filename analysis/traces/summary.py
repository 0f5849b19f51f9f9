"""What a trace shows by itself: how busy each device and stream was, and which kernels took the time."""

from dataclasses import dataclass

import numpy as np

from analysis.traces.events import DEVICE, Events, Kind
from analysis.traces.intervals import overlap


@dataclass(frozen=True, slots=True)
class Busy:
    """A device or one of its streams. Times in nanoseconds; idle is what is left of the span of the whole trace.

    hidden: communication that ran while a kernel computed, on a device; 0 for a stream.
    """

    process: str
    thread: str
    busy: int
    idle: int
    communication: int
    hidden: int
    events: int


@dataclass(frozen=True, slots=True)
class KernelTotal:
    """All runs of the kernels of one name, in nanoseconds; they may overlap."""

    name: str
    count: int
    total: int


def busy_times(events: Events) -> tuple[Busy, ...]:
    """Each device (with thread "") and, below it, each of its streams."""
    found = events.of(*DEVICE)
    if not len(found):
        return ()
    span = int(events.end.max() - events.start.min())
    lanes = np.unique(found.lane).tolist()
    devices = dict.fromkeys(found.lanes[lane].process for lane in lanes)
    rows = []
    for device in sorted(devices):
        streams = [lane for lane in lanes if found.lanes[lane].process == device]
        rows.append(_busy(found.where(np.isin(found.lane, streams)), device, "", span))
        threads = sorted(streams, key=lambda lane: found.lanes[lane].thread)
        rows += [_busy(found.where(found.lane == lane), device, found.lanes[lane].thread, span) for lane in threads]
    return tuple(rows)


def _busy(events: Events, process: str, thread: str, span: int) -> Busy:
    busy = events.busy().length
    computing, talking = events.of(Kind.KERNEL).busy(), events.of(Kind.COMMUNICATION).busy()
    hidden = 0 if thread else overlap(computing, talking)
    return Busy(process, thread, busy, span - busy, talking.length, hidden, len(events))


def kernel_totals(events: Events) -> tuple[KernelTotal, ...]:
    """The kernels by name, the longest in total first."""
    kernels = events.of(Kind.KERNEL, Kind.COMMUNICATION)
    count = np.bincount(kernels.name, minlength=len(kernels.names))
    total = np.zeros(len(kernels.names), dtype=np.int64)
    np.add.at(total, kernels.name, kernels.length)
    rows = [KernelTotal(kernels.names[at], int(count[at]), int(total[at])) for at in np.flatnonzero(count).tolist()]
    return tuple(sorted(rows, key=lambda row: (-row.total, row.name)))
