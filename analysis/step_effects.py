"""What a change of operators (such as fusing them) does to the steps of traces, with the runs as units.

Kernels, launch calls, gaps and bursts of memory per step stand beside the time of a step and its p95. They are
numbers beside each other: none of them is named as the cause of another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Final

import numpy as np

from analysis.errors import Refused
from analysis.inputs import Scale
from analysis.looking import Change, Values, changes_of
from analysis.notices import Refusal, as_value
from analysis.part_effects import Layout
from analysis.parts import Basis
from analysis.quantile import fewest_requests, nearest_rank
from analysis.tail_drivers import (
    FALLBACK,
    IMBALANCE,
    SERVICE,
    SLOWEST_STEPS,
    WAIT,
    TailDrivers,
    UnitTimes,
    arm_drivers,
    graph,
)
from analysis.traced_runs import Arms, TracedRun, layout_of_traces
from analysis.traces.comparison import TraceComparison, used
from analysis.traces.stages import windows
from analysis.traces.step_work import fallbacks, imbalance, reaching, work_of
from analysis.traces.timeline import NANO

STEP: Final = "time of a step"
P95: Final = "p95 of the time of a step"
TAIL: Final = Fraction(95, 100)
UNITS: Final = {
    **dict.fromkeys(("kernels", "launch calls", "copies and fills of memory", "copies and fills at once"), "1"),
    "bytes copied and filled": "B",
}
"""Of the numbers that are no times."""
ONE_EACH: Final = Refusal(
    "too_few_runs", "One trace of each arm shows no interval.", "Record at least two runs of each arm, better five."
)


@dataclass(frozen=True, slots=True)
class StepNumber:
    """A number per step: the mean over the runs of each arm, in `unit`, and its change where there is an interval.

    None: a run of the arm does not tell it.
    """

    name: str
    unit: str
    baseline: float | None
    candidate: float | None
    change: Change | None


@dataclass(frozen=True, slots=True)
class StepEffects:
    """The steps of both arms. gone: kernels that only the baseline runs; new: that only the candidate runs.

    moved: operators that launch work of a device in one arm, and never in the other: (name, the arm without).
    """

    numbers: tuple[StepNumber, ...]
    gone: tuple[str, ...]
    new: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]
    basis: Basis | None
    refusal: Refusal | None


def step_effects(arms: Arms, described: TraceComparison) -> StepEffects:
    """What the steps of two arms do. described: where their traces part."""
    by_run = {run.label: _numbers(run) for run in chain(*arms.values())}
    names = tuple(dict.fromkeys(chain.from_iterable(by_run.values())))
    values: dict[str, Values] = {name: {label: found.get(name) for label, found in by_run.items()} for name in names}
    gone, new = _kernels(described)
    layout = _layout(arms)
    made = None if isinstance(layout, Refusal) else changes_of(layout, [_asked(name, values[name]) for name in names])
    changes = {} if made is None else {change.name: change for change in made.changes}
    return StepEffects(
        numbers=tuple(_number(name, values[name], arms, changes.get(name)) for name in names),
        gone=gone,
        new=new,
        moved=tuple((name, arm) for arm, held in _moved(arms).items() for name in sorted(held)),
        basis=None if made is None else made.basis,
        refusal=layout if isinstance(layout, Refusal) else None,
    )


def step_drivers(arms: Arms, *, share: float = SLOWEST_STEPS, confidence: float = 0.95) -> TailDrivers | Refusal:
    """The tail-latency drivers of the steps; why there are none, for traces of too few steps."""
    moved = _moved(arms)
    times = {arm: [_times(run, moved[arm]) for run in runs] for arm, runs in arms.items()}
    try:
        found = [arm_drivers(arm, held, "step", share=share, confidence=confidence) for arm, held in times.items()]
    except Refused as refused:
        return as_value(refused)
    layout = _layout(arms)
    why = Refused(layout.code, layout.message, layout.needs) if isinstance(layout, Refusal) else layout
    return graph(found, [run for held in times.values() for run in held], why, "step", share)


def _layout(arms: Arms) -> Layout | Refusal:
    if all(len(runs) == 1 for runs in arms.values()):
        return ONE_EACH
    try:
        return layout_of_traces(arms)
    except Refused as refused:
        return as_value(refused)


def _numbers(run: TracedRun) -> Mapping[str, float | None]:
    """The mean over the steps of a run, times in seconds; the quantile where there are enough steps."""
    steps = used(windows(run.events))
    whole = steps.length.astype(np.float64) * NANO
    enough = whole.size >= fewest_requests(TAIL)
    found: dict[str, float | None] = {
        STEP: float(whole.mean()), P95: nearest_rank(whole, TAIL) if enough else None
    }  # fmt: skip
    for name, values in work_of(run.events, steps).items():
        found[name] = float(values.mean()) * (1 if name in UNITS else NANO)
    return found


def _unit(name: str) -> str:
    return UNITS.get(name, "s")


def _asked(name: str, values: Values) -> tuple[str, Values, Scale, str]:
    known = [value for value in values.values() if value is not None]
    scale: Scale = "ratio" if min(known, default=0) > 0 else "difference"
    return name, values, scale, "1" if scale == "ratio" else _unit(name)


def _number(name: str, values: Values, arms: Arms, change: Change | None) -> StepNumber:
    means = [_mean([values[run.label] for run in runs]) for runs in arms.values()]
    return StepNumber(name, _unit(name), means[0], means[1], change)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def _kernels(described: TraceComparison) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kernels of one arm only; what is only renamed by the vendor of a library is in neither."""
    renamed = {name for pair in described.renamed for name in pair}
    rows = [row for row in described.kernels if row.name not in renamed]
    gone = tuple(row.name for row in rows if row.baseline_count and not row.candidate_count)
    return gone, tuple(row.name for row in rows if row.candidate_count and not row.baseline_count)


def _moved(arms: Arms) -> Mapping[str, frozenset[str]]:
    """By arm the operators that launch work of a device in the other arm, and never in this one."""
    reached: dict[str, set[str]] = {arm: set() for arm in arms}
    silent: dict[str, set[str]] = {arm: set() for arm in arms}
    for arm, runs in arms.items():
        for run in runs:
            yes, no = reaching(run.events)
            reached[arm] |= yes
            silent[arm] |= no
    ours, theirs = arms
    return {
        ours: frozenset((silent[ours] - reached[ours]) & reached[theirs]),
        theirs: frozenset((silent[theirs] - reached[theirs]) & reached[ours]),
    }


def _times(run: TracedRun, moved: frozenset[str]) -> UnitTimes:
    steps = used(windows(run.events))
    absent = {WAIT: "a trace of steps records no arrivals", SERVICE: "a step is service as a whole"}
    parts = {}
    for name, (values, why) in (
        (IMBALANCE, imbalance(run.events, steps)),
        (FALLBACK, fallbacks(run.events, steps, moved)),
    ):
        if values is None:
            absent[name] = why
        else:
            parts[name] = values * NANO
    return UnitTimes(run.label, steps.length.astype(np.float64) * NANO, parts, absent)
