"""Trace events gathered into columns: times in whole nanoseconds, exactly; what has no place in time is left out."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from analysis.evidence.trace_event import Args, Event
from analysis.traces.events import Codes, Events, Kind, Kinds, Lane, in_order
from analysis.traces.intervals import Integers

LONGEST_US: Final = 30 * 24 * 3600 * 10**6
"""A longer duration is an overflow of the profiler, and no time."""
LATEST_US: Final = 9 * 10**15
STAMPED_US: Final = 10**9
"""Where all other events are later than this, one at time 0 was never stamped."""
LONGEST_NUMBER: Final = 18
"""Digits of a number of bytes; a longer one is no number of bytes."""
NO_TIME: Final = "have no time"
NO_LENGTH: Final = "have no duration, or one that is negative or an overflow"
NOT_STAMPED: Final = "are at time 0, where all others are later by far"
NOT_PAIRED: Final = "lack their beginning or their end"

Place = tuple[object, object]
KindOf = Callable[[str, str, Lane], Kind]


@dataclass(frozen=True, slots=True)
class Part:
    """The columns of one batch; times in nanoseconds, where `timed`."""

    start: Integers
    length: Integers
    timed: NDArray[np.bool_]
    cat: Codes
    name: Codes
    lane: Codes
    shape: Codes
    octets: Integers


@dataclass(frozen=True, slots=True)
class Gathered:
    """The events, and how many were left out: `unplaced` by the reason, `unread` by category."""

    events: Events
    unplaced: Mapping[str, int]
    unread: Mapping[str, int]


@dataclass(slots=True)
class Columns:
    """The events of a file, a batch at a time."""

    names: dict[object, int] = field(default_factory=lambda: defaultdict(count().__next__))
    cats: dict[object, int] = field(default_factory=lambda: defaultdict(count().__next__))
    lanes: dict[Place, int] = field(default_factory=lambda: defaultdict(count().__next__))
    shapes: dict[bytes, int] = field(default_factory=lambda: defaultdict(count(1).__next__, {b"": 0}))
    processes: dict[object, str] = field(default_factory=dict)
    threads: dict[Place, str] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    ends: list[Event] = field(default_factory=list)

    def add(self, batch: Sequence[Event]) -> None:
        """Gather a batch."""
        self._timed([event for event in batch if event.ph == "X"])
        for event in batch:
            if event.ph == "M":
                self._label(event)
            elif event.ph == "B" or event.ph == "E":
                self.ends.append(event)

    def _timed(self, events: Sequence[Event]) -> None:
        names, cats, lanes, shapes = self.names, self.cats, self.lanes, self.shapes
        start, placed = nanoseconds([event.ts for event in events], -LATEST_US, LATEST_US)
        length, lasting = nanoseconds([event.dur for event in events], 0, LONGEST_US)
        self.parts.append(
            Part(
                start,
                np.where(lasting, length, -1),
                placed,
                np.array([cats[event.cat] for event in events], dtype=np.int32),
                np.array([names[event.name] for event in events], dtype=np.int32),
                np.array([lanes[event.pid, event.tid] for event in events], dtype=np.int32),
                np.array([shapes[bytes(e.args.dims)] if type(e.args) is Args else 0 for e in events], dtype=np.int32),
                np.array([_octets(e.args.octets) if type(e.args) is Args else -1 for e in events], dtype=np.int64),
            )
        )

    def _label(self, event: Event) -> None:
        """Keep what a process or thread is called."""
        if isinstance(event.args, Args) and (name := _plain(event.args.name)):
            if event.name == "process_name":
                self.processes[event.pid] = name
            elif event.name == "thread_name":
                self.threads[event.pid, event.tid] = name

    def _paired(self) -> int:
        """Gather the events that are written as a beginning and an end; returns how many lack the other."""
        begun: dict[Place, list[tuple[Decimal, Event]]] = {}
        whole, alone = [], 0
        timed = [(time, event) for event in self.ends if (time := _exactly(event.ts)) is not None]
        for time, event in sorted(timed, key=lambda one: one[0]):
            stack = begun.setdefault((event.pid, event.tid), [])
            if event.ph == "B":
                stack.append((time, event))
            elif stack:
                start, first = stack.pop()
                whole.append(msgspec.structs.replace(first, ph="X", ts=start, dur=time - start))
            else:
                alone += 1
        self._timed(whole)
        return alone + sum(map(len, begun.values()))

    def gathered(self, kind_of: KindOf, *, named: bool) -> Gathered:
        """The events that are read, in order of their start; when no kind is known, all of them.

        named: the kind depends on the lane, and the lane is called by its labels.
        """
        alone = self._paired()
        part = _whole(self.parts)
        lanes = [self._lane(place, named=named) for place in self.lanes]
        names, cats = _texts(self.names), _texts(self.cats)
        asked = part.lane if named else np.zeros_like(part.lane)
        kind = _kinds(
            (part.cat, part.name, asked), lambda cat, name, lane: kind_of(cats[cat], names[name], lanes[lane])
        )
        read = kind != Kind.OTHER
        if not read.any():
            read[:] = True
        unread = np.bincount(part.cat[~read], minlength=1).tolist()
        unstamped = read & part.timed & (kind >= Kind.LAUNCH) & _unstamped(part)
        keep = read & part.timed & (part.length >= 0) & ~unstamped
        unplaced = {
            NO_TIME: int((read & ~part.timed).sum()),
            NO_LENGTH: int((read & part.timed & (part.length < 0)).sum()),
            NOT_STAMPED: int(unstamped.sum()),
            NOT_PAIRED: alone,
        }
        origin = int(part.start[keep].min()) if keep.any() else 0
        shapes, recoded = _spaceless(self.shapes)
        columns = part.start - origin, part.length, kind, part.name, part.lane, recoded[part.shape]
        octets = part.octets if (part.octets >= 0).any() else None
        events = Events(*columns, names, lanes, shapes, origin, octets)
        return Gathered(
            in_order(events, keep),
            {why: n for why, n in unplaced.items() if n},
            {cats[at] or "no category": n for at, n in enumerate(unread) if n},
        )

    def _lane(self, place: Place, *, named: bool) -> Lane:
        process, thread = place
        if not named:
            return Lane(_text(process), _text(thread))
        called = f"{self.processes[process]} ({_text(process)})" if process in self.processes else _text(process)
        return Lane(called, self.threads.get(place, _text(thread)))


def _whole(parts: list[Part]) -> Part:
    """All parts as one; a column of the parts is let go before the next one is joined."""
    columns = [_columns(part) for part in parts]
    parts.clear()
    return Part(*(np.concatenate([column.pop() for column in columns]) for _ in range(len(Part.__slots__))))


def _columns(part: Part) -> list[NDArray[Any]]:
    """The columns of a part, the last one first."""
    return [part.octets, part.shape, part.lane, part.name, part.cat, part.timed, part.length, part.start]


def _octets(raw: msgspec.Raw) -> int:
    """The whole number of bytes that a raw JSON value states; -1 when it states none."""
    text = bytes(raw)
    return int(text) if text.isdigit() and len(text) < LONGEST_NUMBER else -1


def _unstamped(part: Part) -> NDArray[np.bool_]:
    """The events at time 0, where all others are stamped."""
    others = part.start[part.timed & (part.start != 0)]
    stamped = bool(others.size) and int(others.min()) >= STAMPED_US * 1000
    return np.equal(part.start, 0) & stamped


def _kinds(columns: tuple[Codes, Codes, Codes], kind_of: Callable[[int, int, int], Kind]) -> Kinds:
    """The kind of every event; asked once for each category, name and lane that occur together."""
    shape = tuple(int(column.max(initial=0)) + 1 for column in columns)
    keys = np.ravel_multi_index(columns, shape)
    found, where = np.unique(keys, return_inverse=True)
    asked = np.stack(np.unravel_index(found, shape), axis=1).tolist()
    return np.array([kind_of(*key) for key in asked], dtype=np.uint8)[where]


def nanoseconds(times: Sequence[object], low: int, high: int) -> tuple[Integers, NDArray[np.bool_]]:
    """Microseconds as whole nanoseconds, and which of them are times between the two ends."""
    if Decimal in set(map(type, times)):
        exact = [
            int((time * 1000).to_integral_value()) if isinstance(time, Decimal) and _between(time, low, high) else None
            for time in times
        ]
        placed = np.array([time is not None for time in exact], dtype=np.bool_)
        return np.array([time or 0 for time in exact], dtype=np.int64), placed
    found = _floats(times)
    placed = (found >= low) & (found <= high)
    whole = np.floor(np.where(placed, found, 0))
    part = np.rint(np.where(placed, found - whole, 0) * 1000)
    return whole.astype(np.int64) * 1000 + part.astype(np.int64), placed


def _floats(times: Sequence[object]) -> NDArray[np.float64]:
    """The times as floats; a whole number beyond all of them is no time."""
    try:
        return np.array(times, dtype=np.float64)
    except OverflowError:
        near = [math.nan if isinstance(time, int) and abs(time) > LATEST_US else time for time in times]
        return np.array(near, dtype=np.float64)


def _between(time: Decimal, low: int, high: int) -> bool:
    return time.is_finite() and low <= time <= high


def _exactly(time: object) -> Decimal | None:
    """The time as it was read, by float or not: a beginning and its end may have been read in two ways."""
    found = Decimal(time) if isinstance(time, int | float | Decimal) else None
    return found if found is not None and found.is_finite() else None


def _spaceless(shapes: Iterable[bytes]) -> tuple[list[str], Codes]:
    """The shapes without blanks, each once, and the place of every code among them."""
    known: dict[str, int] = {}
    texts = ["".join(shape.decode().split()) for shape in shapes]
    codes = [known.setdefault(text, len(known)) for text in texts]
    return list(known), np.array(codes, dtype=np.int32)


def _texts(words: Iterable[object]) -> list[str]:
    return [_text(word) for word in words]


def _text(word: object) -> str:
    return "" if word is None else str(word)


def _plain(raw: msgspec.Raw) -> str:
    """The text that a raw JSON string holds; "" when it is none."""
    try:
        return msgspec.json.decode(raw, type=str)
    except msgspec.DecodeError:
        return ""
