"""The timed events of a trace by column, and what kind of work each of them is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from analysis.traces.intervals import Integers, Union, union

Codes = NDArray[np.int32]
Kinds = NDArray[np.uint8]


class Kind(IntEnum):
    """What an event is: a step, work of the host, or work of a device. Others are not kept."""

    OTHER = 0
    STEP = 1
    INPUT = 2
    OPERATOR = 3
    LAUNCH = 4
    SYNCHRONISATION = 5
    HOST_COMMUNICATION = 6
    KERNEL = 7
    COMMUNICATION = 8
    MEMORY = 9


DEVICE = (Kind.KERNEL, Kind.COMMUNICATION, Kind.MEMORY)


@dataclass(frozen=True, slots=True)
class Lane:
    """Where events run one after the other: a thread of the host, or a stream of a device."""

    process: str
    thread: str


@dataclass(frozen=True, slots=True)
class Events:
    """Events by column, in the order of their start, the longer first.

    start, length: nanoseconds; start counts from origin_ns on the clock of the file.
    name, lane, shape: codes into names, lanes and shapes; the shape "" is "not recorded".
    octets: how many bytes an event moves, -1 for "not recorded"; None where no event records them.
    """

    start: Integers
    length: Integers
    kind: Kinds
    name: Codes
    lane: Codes
    shape: Codes
    names: Sequence[str]
    lanes: Sequence[Lane]
    shapes: Sequence[str]
    origin_ns: int = 0
    octets: Integers | None = None

    def __len__(self) -> int:
        return int(self.start.size)

    def where(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> "Events":
        """The events at which a mask is true, or those at some places."""
        return replace(
            self,
            start=self.start[which],
            length=self.length[which],
            kind=self.kind[which],
            name=self.name[which],
            lane=self.lane[which],
            shape=self.shape[which],
            octets=None if self.octets is None else self.octets[which],
        )

    def of(self, *kinds: Kind) -> "Events":
        """The events of these kinds."""
        return self.where(np.isin(self.kind, kinds))

    def busy(self) -> Union:
        """The time in which any of them runs."""
        return union(self.start, self.length)

    @property
    def end(self) -> Integers:
        """When each of them ends."""
        return self.start + self.length


def in_order(events: Events, kept: NDArray[np.bool_] | None = None) -> Events:
    """The events (or those at which a mask is true) by start, the longer first: an operator before those inside it."""
    places = np.arange(len(events)) if kept is None else np.flatnonzero(kept)
    return events.where(places[np.lexsort((-events.length[places], events.start[places]))])
