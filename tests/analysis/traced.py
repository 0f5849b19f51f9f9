"""Traces made by hand: events as (kind, name, start, length) in nanoseconds, and what else is told."""

from collections.abc import Iterable

import numpy as np

from analysis.traces.events import DEVICE, Events, Kind, Lane, in_order

Made = tuple[Kind, str, int, int]
HOST = Lane("100", "main")


def lane_of(kind: Kind) -> Lane:
    """Stream 7 of device 0 for what a device does, else the main thread."""
    return Lane("0", "7") if kind in DEVICE else HOST


def events(made: Iterable[Made], *, shapes: Iterable[str] = (), lanes: Iterable[Lane] = ()) -> Events:
    """The events in order. shapes, lanes: one for each, where the usual one is not meant."""
    rows = list(made)
    said = list(shapes) or [""] * len(rows)
    places = list(lanes) or [lane_of(kind) for kind, *_ in rows]
    names, known, where = ([*dict.fromkeys(words)] for words in ([name for _, name, *_ in rows], said, places))
    return in_order(
        Events(
            start=np.array([row[2] for row in rows], dtype=np.int64),
            length=np.array([row[3] for row in rows], dtype=np.int64),
            kind=np.array([row[0] for row in rows], dtype=np.uint8),
            name=np.array([names.index(row[1]) for row in rows], dtype=np.int32),
            lane=np.array([where.index(place) for place in places], dtype=np.int32),
            shape=np.array([known.index(shape) for shape in said], dtype=np.int32),
            names=names,  # type: ignore[arg-type]
            lanes=where,  # type: ignore[arg-type]
            shapes=known,  # type: ignore[arg-type]
        )
    )


def steps(count: int, *, every: int = 100, inside: Iterable[Made] = (), grow: int = 0) -> list[Made]:
    """Steps one after the other, each with these events; lengths of the events grow by `grow` from step to step."""
    found: list[Made] = []
    for at in range(count):
        found.append((Kind.STEP, f"ProfilerStep#{10 + at}", at * every, every))
        found += [(kind, name, at * every + start, length + at * grow) for kind, name, start, length in inside]
    return found
