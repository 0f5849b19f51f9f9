"""What a trace gives as evidence: the time of each step, split over stages, and how many kernels began in it.

The steps of one trace are raw values of one run, because they share a process. The events are no measurements.
"""

from collections.abc import Mapping
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import values
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.values import Numeral
from analysis.traces.events import DEVICE, Events
from analysis.traces.intervals import Integers
from analysis.traces.stages import Windows, device_times, kernels_of, stage_times, windows

ONE_PROCESS: Final = "The steps of a trace share one process: however many they are, they are one run."
NO_STEPS: Final = "The trace marks no steps: it is read as one repetition, from its first event to its last."
PROFILED: Final = "A profiler slows down what it records: compare only traces of the same profiler settings."
FIRST_IS_LONG: Final = 1.5
LONGEST_NAME: Final = 60
MOST_KINDS: Final = 20


def measure(collection: Collection, run: Run, events: Events, where: str) -> None:
    """Add what the events of one run give.

    Raises:
        MalformedEvidence: no_runs, when no event has a time.
    """
    if not len(events):
        raise MalformedEvidence("no event in it has a time", where=where, code="no_runs")
    steps = windows(events)
    if not (steps.length > 0).all():
        raise MalformedEvidence("its events last no time", where=where, code="no_runs")
    metric = "step_time" if steps.are_steps else "trace_time"
    _times(run, metric, "", steps.length, steps, where)
    for stage, times in stage_times(events, steps).items():
        _times(run, metric, stage, times, steps, where)
    busy = device_times(events, steps)
    if busy is not None:
        _times(run, "device_busy_time", "", busy, steps, where)
        for at, count in enumerate(kernels_of(events, steps).tolist()):
            figure = Figure(float(count), "1", str(count), "1", _place(where, steps, at), "")
            run.measured("kernels", figure, _sample(steps, at, ""))
    if steps.are_steps:
        run.worked("steps", Numeral(str(len(steps.names))), where)
    _say(collection, events, steps)


def _times(run: Run, metric: str, stage: str, times: Integers, steps: Windows, where: str) -> None:
    for at, nano in enumerate(times.tolist()):
        figure = Figure(nano / 10**9, "s", str(nano), "ns", _place(where, steps, at), "")
        run.measured(metric, figure, _sample(steps, at, stage))


def _sample(steps: Windows, at: int, stage: str) -> Sample:
    index = steps.numbers[at] if steps.are_steps else None
    return Sample("raw", "value", 1, index, int(steps.start[at]) + steps.origin_ns, "measured", stage)


def _place(where: str, steps: Windows, at: int) -> str:
    return f"{where} ({_shown(steps.names[at])})"


def _shown(name: str) -> str:
    """A name as it may stand in a sentence: storable, and not endless."""
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return values.UNSTORABLE.sub("?", short)


def _say(collection: Collection, events: Events, steps: Windows) -> None:
    collection.notice(ONE_PROCESS if steps.are_steps else NO_STEPS)
    collection.notice(PROFILED)
    lengths = steps.length
    if lengths.size > 2 and lengths[0] > FIRST_IS_LONG * sorted(lengths[1:].tolist())[(lengths.size - 1) // 2]:
        first = f"The first step, {_shown(steps.names[0])}, took {lengths[0] / 10**9:.6g} s"
        others = f"more than {FIRST_IS_LONG} times as long as the middle one of the others"
        collection.notice(f"{first}, {others}: it may be warm-up.")
    if not len(events.of(*DEVICE)):
        collection.notice("The trace holds no work of a device: it shows the host only.")


def left_out(collection: Collection, unplaced: Mapping[str, int], unread: Mapping[str, int]) -> None:
    """Say which events are not read, and how many."""
    for why, count in unplaced.items():
        collection.notice(f"Events not read, because they {why}: {count}.")
    listed = sorted(unread.items(), key=lambda one: -one[1])
    collection.leave(f"events of {_shown(cat)} ({count})" for cat, count in listed[:MOST_KINDS])
    if len(listed) > MOST_KINDS:
        collection.leave([f"events of {len(listed) - MOST_KINDS} more kinds"])
