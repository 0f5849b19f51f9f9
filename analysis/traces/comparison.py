"""Where traces of two arms part: in structure, in work, or in time only. A description of traces, and no verdict.

One trace is one run, however many steps it holds: nothing here is an interval. One trace of each arm is held against
the steps of the baseline; of several the times are only described here, and `analysis.trace_answer` has the intervals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from analysis.errors import Refused
from analysis.traces.events import Events
from analysis.traces.sequence import Parting, ShortNames, kernels, operators, partings, pooled, renamed
from analysis.traces.stages import Windows, windows
from analysis.traces.timing import (
    FEWEST_STEPS,
    KernelDifference,
    Run,
    StageDifference,
    divergence_set,
    kernel_differences,
    stage_differences,
    step_difference,
)

Divergence = Literal["structure", "work", "time", "none"]

WARMED_UP: Final = 4
"""From how many steps on the first one is left out: it is often long."""
DESCRIPTION: Final = "One trace of each arm describes two runs: this is no verdict, and says nothing of other runs."
HIDDEN: Final = "Work of a device comes first: what the host does meanwhile is not counted as a stage of the step."


@dataclass(frozen=True, slots=True)
class TraceComparison:
    """Where two traces part.

    divergence: the first kind that is found: structure before work before time.
    found: the stages in which the difference in time may begin, of which the last stands apart; excluded: those before.
    lanes: for the operators and each stream, where they part; stages: below the whole step; steps: how many were used.
    renamed: names of the baseline and of the candidate that differ by the vendor of a library only: no divergence.
    """

    divergence: Divergence
    sentence: str
    found: tuple[str, ...]
    excluded: tuple[str, ...]
    lanes: tuple[Parting, ...]
    step: StageDifference
    stages: tuple[StageDifference, ...]
    kernels: tuple[KernelDifference, ...]
    steps: tuple[int, int]
    notices: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...] = ()


def compare(baseline: Events, candidate: Events) -> TraceComparison:
    """Where two traces part. Raises what compare_runs raises."""
    return compare_runs((baseline,), (candidate,))


def compare_runs(baseline: Sequence[Events], candidate: Sequence[Events]) -> TraceComparison:
    """Where the traces of two arms part, each of a run of its own.

    Raises:
        Refused: no_events, steps_differ.
    """
    read = [[_windows(events, arm) for events in of_arm] for arm, of_arm in _arms(baseline, candidate)]
    _require_alike(read)
    ours, theirs = (
        [(events, used(steps)) for events, steps in zip(of_arm, known, strict=True)]
        for of_arm, known in zip((baseline, candidate), read, strict=True)
    )
    known = ShortNames(), ShortNames()
    lanes = _lanes((ours, theirs), known)
    stages = stage_differences(ours, theirs)
    several = max(len(ours), len(theirs)) > 1
    found, excluded = divergence_set(stages)
    steps = tuple(sum(len(steps.names) for _, steps in arm) for arm in (ours, theirs))
    divergence, sentence = _first(lanes, found, excluded, steps=None if several else min(steps))
    return TraceComparison(
        divergence=divergence,
        sentence=sentence,
        found=found,
        excluded=excluded,
        lanes=tuple(lanes),
        step=step_difference(ours, theirs),
        stages=stages,
        kernels=kernel_differences(ours, theirs, known[0]),
        steps=(steps[0], steps[1]),
        notices=tuple(_notices(read, (ours, theirs), lanes)),
        renamed=renamed(known),
    )


def _arms(baseline: Sequence[Events], candidate: Sequence[Events]) -> Iterator[tuple[str, Sequence[Events]]]:
    yield "baseline", baseline
    yield "candidate", candidate


def _windows(events: Events, arm: str) -> Windows:
    if not len(events):
        raise Refused("no_events", f"The {arm} holds no timed event.", "Record a trace that covers at least one step.")
    return windows(events)


def _require_alike(arms: Sequence[Sequence[Windows]]) -> None:
    """Passes when all traces mark steps, or none does."""
    marks = [{steps.are_steps for steps in arm} for arm in arms]
    if len(set().union(*marks)) > 1:
        without = "baseline" if False in marks[0] else "candidate"
        raise Refused(
            "steps_differ",
            f"A trace of the {without} marks no steps, and another trace does.",
            "Record all traces with the same schedule of the profiler.",
        )


def _lanes(arms: tuple[Sequence[Run], Sequence[Run]], known: tuple[ShortNames, ShortNames]) -> list[Parting]:
    """Where the operators part, then the kernels of each stream."""
    return [
        parted
        for what in (operators, kernels)
        for parted in partings(
            pooled(what(*run, known[0]) for run in arms[0]), pooled(what(*run, known[1]) for run in arms[1]), known
        )
    ]


def used(steps: Windows) -> Windows:
    """The steps without the first, when enough others are left."""
    if len(steps.names) < WARMED_UP:
        return steps
    return Windows(steps.names[1:], steps.numbers[1:], steps.start[1:], steps.end[1:], steps.are_steps)


def _first(
    lanes: Sequence[Parting], found: tuple[str, ...], excluded: tuple[str, ...], *, steps: int | None
) -> tuple[Divergence, str]:
    """The first divergence, and the sentence that says it. steps: of the shorter trace; None of several runs."""
    for what, divergence in (("names", "structure"), ("shapes", "work")):
        parted = next((lane for lane in lanes if lane.what == what), None)
        if parted is not None:
            kind: Divergence = "structure" if divergence == "structure" else "work"
            return kind, _parted(parted, kind)
    if found:
        return "time", _in_time(found, excluded)
    if steps is None:
        return "none", "The traces run the same names in the same order."
    if steps < FEWEST_STEPS:
        return "none", (
            "The traces run the same names in the same order. Whether their times differ is not judged: that takes"
            f" {FEWEST_STEPS} steps of each, to know the noise between them."
        )
    return "none", "No stage stands apart from the steps of the baseline: what differs may be noise."


def _parted(lane: Parting, kind: Divergence) -> str:
    ours, theirs = (text or "nothing more" for text in (lane.baseline, lane.candidate))
    what = "do not run the same" if kind == "structure" else "run the same names on different shapes"
    return (
        f"The traces {what}: in the {lane.lane} they part at place {lane.at} of a step, where the baseline has {ours}"
        f" and the candidate {theirs}. Steps of the candidate that run what no step of the baseline runs:"
        f" {lane.steps[1]}; the other way round: {lane.steps[0]}."
    )


def _in_time(found: tuple[str, ...], excluded: tuple[str, ...]) -> str:
    said = f"The traces run the same, and part in time: {found[-1]} stands apart from every step of the baseline"
    if excluded:
        said += f"; excluded, as alike, {'is' if len(excluded) == 1 else 'are'} {', '.join(excluded)}"
    if len(found) > 1:
        said += f"; not excluded {'is' if len(found) == 2 else 'are'} {', '.join(found[:-1])}"
    return f"{said}."


def _notices(
    read: Sequence[Sequence[Windows]], arms: Sequence[Sequence[Run]], lanes: Sequence[Parting]
) -> Iterator[str]:
    if all(len(arm) == 1 for arm in arms):
        yield DESCRIPTION
    for name, known, kept in zip(("baseline", "candidate"), read, arms, strict=True):
        yield from _steps_said(name, known, [steps for _, steps in kept])
    for lane in lanes:
        for arm, variants in zip(("baseline", "candidate"), lane.variants, strict=True):
            if variants > 1:
                yield f"Steps of the {arm} differ among themselves in the {lane.lane}: {variants} sequences."
    yield HIDDEN


def _steps_said(arm: str, known: Sequence[Windows], kept: Sequence[Windows]) -> Iterator[str]:
    """Which steps of an arm are left out, and that it marks none."""
    cut = [steps.names[0] for steps, left in zip(known, kept, strict=True) if len(left.names) < len(steps.names)]
    if cut and len(known) == 1:
        yield f"The first step of the {arm}, {cut[0]}, is left out: it is often long."
    elif cut:
        yield f"The first step of {len(cut)} of {len(known)} traces of the {arm} is left out: it is often long."
    if not kept[0].are_steps:
        whole = "the whole trace is compared as one" if len(kept) == 1 else "each whole trace is one step"
        yield f"The {arm} marks no steps: {whole}."
