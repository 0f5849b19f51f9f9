"""What each step of a trace launches, waits for and copies, and how unevenly its devices are busy."""

import re
from collections.abc import Collection, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.traces.events import DEVICE, Events, Kind
from analysis.traces.intervals import Integers
from analysis.traces.stages import Windows, device_times, kernels_of

FALLBACK: Final = re.compile(r"fall[ _-]?back", re.IGNORECASE)
"""In the name of an operator that runs elsewhere than where it was mapped to, as profilers write it."""

Numbers = NDArray[np.float64]


def began(events: Events, steps: Windows) -> Integers:
    """How many of the events began in each step."""
    starts = np.sort(events.start)
    return np.searchsorted(starts, steps.end) - np.searchsorted(starts, steps.start)


def at_once(events: Events, steps: Windows) -> Integers:
    """The most of the events that ran at the same moment, in each step; one that ends as another begins is over."""
    time = np.concatenate([events.start, events.end])
    change = np.concatenate([np.ones(len(events), dtype=np.int64), -np.ones(len(events), dtype=np.int64)])
    order = np.lexsort((change, time))
    time, running = time[order], np.cumsum(change[order])
    found = np.zeros(steps.start.shape, dtype=np.int64)
    for at, (start, end) in enumerate(zip(steps.start.tolist(), steps.end.tolist(), strict=True)):
        first, last = np.searchsorted(time, [start, end])
        before = int(running[first - 1]) if first else 0
        found[at] = max(before, int(running[first:last].max(initial=0)))
    return found


def moved(memory: Events, octets: Integers, steps: Windows) -> Integers:
    """How many bytes the copies and fills that began in each step move."""
    order = np.argsort(memory.start, kind="stable")
    starts, before = memory.start[order], np.concatenate([[0], np.cumsum(octets[order])])
    found: Integers = before[np.searchsorted(starts, steps.end)] - before[np.searchsorted(starts, steps.start)]
    return found


def work_of(events: Events, steps: Windows) -> Mapping[str, Numbers]:
    """By name what each step does, times in nanoseconds; only what the trace can tell."""
    launches, memory = events.of(Kind.LAUNCH), events.of(Kind.MEMORY)
    found: dict[str, Integers] = {}
    busy = device_times(events, steps)
    if busy is not None:
        found["kernels"] = kernels_of(events, steps)
        found["time without work of a device"] = steps.length - busy
    if len(launches):
        found["launch calls"] = began(launches, steps)
        found["host time in launch calls"] = launches.busy().within(steps.start, steps.end)
    if busy is not None:
        found["copies and fills of memory"] = began(memory, steps)
        found["time in copies and fills"] = memory.busy().within(steps.start, steps.end)
        found["copies and fills at once"] = at_once(memory, steps)
        if memory.octets is not None and (memory.octets >= 0).all():
            found["bytes copied and filled"] = moved(memory, memory.octets, steps)
    return {name: values.astype(np.float64) for name, values in found.items()}


def imbalance(events: Events, steps: Windows) -> tuple[Numbers | None, str]:
    """Time of the busiest device less the mean of the devices in each step; of streams where there is one device.

    With None comes why there is none.
    """
    found = events.of(*DEVICE)
    lanes = np.unique(found.lane).tolist()
    devices = sorted({found.lanes[lane].process for lane in lanes})
    if len(devices) > 1:
        parts = [[lane for lane in lanes if found.lanes[lane].process == device] for device in devices]
    else:
        parts = [[lane] for lane in lanes]
    if len(parts) < 2:
        return None, "the trace holds one stream of one device" if parts else "the trace holds no work of a device"
    busy = np.stack(
        [found.where(np.isin(found.lane, part)).busy().within(steps.start, steps.end) for part in parts]
    ).astype(np.float64)
    return busy.max(axis=0) - busy.mean(axis=0), ""


def reaching(events: Events) -> tuple[frozenset[str], frozenset[str]]:
    """The operators by name: those of which a call launches work of a device, and those of which none does."""
    operators, launches = events.of(Kind.OPERATOR), events.of(Kind.LAUNCH)
    reached: set[int] = set()
    for lane in np.unique(operators.lane).tolist():
        own = operators.where(operators.lane == lane)
        starts = np.sort(launches.start[launches.lane == lane])
        inside = np.searchsorted(starts, own.end) > np.searchsorted(starts, own.start)
        reached |= set(own.name[inside].tolist())
    names = {code: operators.names[code] for code in np.unique(operators.name).tolist()}
    yes = frozenset(names[code] for code in reached)
    return yes, frozenset(names.values()) - yes


def fallbacks(events: Events, steps: Windows, moved: Collection[str]) -> tuple[Numbers | None, str]:
    """Time in operators that say that they fall back, or whose name is among `moved`, in each step.

    With None comes why there is none.
    """
    operators = events.of(Kind.OPERATOR)
    if not len(operators):
        return None, "the trace holds no operators of the host"
    meant = [code for code in np.unique(operators.name).tolist() if _falls_back(operators.names[code], moved)]
    busy = operators.where(np.isin(operators.name, meant)).busy()
    return busy.within(steps.start, steps.end).astype(np.float64), ""


def _falls_back(name: str, moved: Collection[str]) -> bool:
    return name in moved or FALLBACK.search(name) is not None
