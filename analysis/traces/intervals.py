"""Unions of intervals of time, in whole nanoseconds: what is busy, how long, and how long inside a window."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Union:
    """Intervals that neither touch nor overlap, in order: [start, end)."""

    start: Integers
    end: Integers

    @property
    def length(self) -> int:
        """How long all of them are together."""
        return int((self.end - self.start).sum())

    def until(self, times: Integers) -> Integers:
        """How much of the union lies before each time."""
        if not self.start.size:
            return np.zeros(times.shape, dtype=np.int64)
        before = np.concatenate([[0], np.cumsum(self.end - self.start)])
        at = np.searchsorted(self.start, times, side="right")
        last = np.maximum(at - 1, 0)
        inside = np.minimum(times, self.end[last]) - self.start[last]
        return np.where(at > 0, before[last] + inside, 0)

    def within(self, starts: Integers, ends: Integers) -> Integers:
        """How much of the union lies in each window."""
        return self.until(ends) - self.until(starts)


def union(start: Integers, length: Integers) -> Union:
    """The union of intervals in any order; those of no length add nothing."""
    some = length > 0
    start, length = start[some], length[some]
    if not start.size:
        return Union(start, start)
    order = np.argsort(start, kind="stable")
    start, end = start[order], np.maximum.accumulate((start + length)[order])
    first = np.concatenate([[True], start[1:] > end[:-1]])
    last = np.concatenate([first[1:], [True]])
    return Union(start[first], end[last])


def joined(*parts: Union) -> Union:
    """The union of unions."""
    start = np.concatenate([part.start for part in parts])
    return union(start, np.concatenate([part.end for part in parts]) - start)


def overlap(one: Union, other: Union) -> int:
    """How long both are busy at once."""
    return one.length + other.length - joined(one, other).length
