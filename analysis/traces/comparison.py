"""Where two traces part: in structure, in work, or in time only. A description of two traces, and no verdict.

One trace is one run, however many steps it holds: nothing here is an interval, and nothing holds for another run. The
noise that a difference in time is held against is that between the steps of the baseline itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from analysis.errors import Refused
from analysis.traces.events import Events
from analysis.traces.sequence import Parting, ShortNames, kernels, operators, partings
from analysis.traces.stages import Windows, windows
from analysis.traces.timing import (
    FEWEST_STEPS,
    KernelDifference,
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


def compare(baseline: Events, candidate: Events) -> TraceComparison:
    """Where the traces part.

    Raises:
        Refused: no_events, steps_differ.
    """
    before, after = _windows(baseline, "baseline"), _windows(candidate, "candidate")
    if before.are_steps != after.are_steps:
        message = f"The {'candidate' if before.are_steps else 'baseline'} marks no steps, and the other trace does."
        raise Refused("steps_differ", message, "Record both traces with the same schedule of the profiler.")
    ours, theirs = (baseline, _used(before)), (candidate, _used(after))
    names = ShortNames()
    lanes = [
        *partings(operators(*ours, names), operators(*theirs, names)),
        *partings(kernels(*ours, names), kernels(*theirs, names)),
    ]
    stages = stage_differences(ours, theirs)
    found, excluded = divergence_set(stages)
    divergence, sentence = _first(lanes, found, excluded, judged=_are_enough(ours[1], theirs[1]))
    return TraceComparison(
        divergence=divergence,
        sentence=sentence,
        found=found,
        excluded=excluded,
        lanes=tuple(lanes),
        step=step_difference(ours[1], theirs[1]),
        stages=stages,
        kernels=kernel_differences(ours, theirs, names),
        steps=(len(ours[1].names), len(theirs[1].names)),
        notices=tuple(_notices((before, after), (ours[1], theirs[1]), lanes)),
    )


def _windows(events: Events, arm: str) -> Windows:
    if not len(events):
        raise Refused("no_events", f"The {arm} holds no timed event.", "Record a trace that covers at least one step.")
    return windows(events)


def _used(steps: Windows) -> Windows:
    """The steps without the first, when enough others are left."""
    if len(steps.names) < WARMED_UP:
        return steps
    return Windows(steps.names[1:], steps.numbers[1:], steps.start[1:], steps.end[1:], steps.are_steps)


def _are_enough(*used: Windows) -> bool:
    return min(len(steps.names) for steps in used) >= FEWEST_STEPS


def _first(
    lanes: Sequence[Parting], found: tuple[str, ...], excluded: tuple[str, ...], *, judged: bool
) -> tuple[Divergence, str]:
    """The first divergence, and the sentence that says it."""
    for what, divergence in (("names", "structure"), ("shapes", "work")):
        parted = next((lane for lane in lanes if lane.what == what), None)
        if parted is not None:
            kind: Divergence = "structure" if divergence == "structure" else "work"
            return kind, _parted(parted, kind)
    if found:
        return "time", _in_time(found, excluded)
    if not judged:
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


def _notices(before: tuple[Windows, Windows], used: tuple[Windows, Windows], lanes: Sequence[Parting]) -> Iterator[str]:
    yield DESCRIPTION
    for arm, (all_of_them, kept) in zip(("baseline", "candidate"), zip(before, used, strict=True), strict=True):
        if len(kept.names) < len(all_of_them.names):
            yield f"The first step of the {arm}, {all_of_them.names[0]}, is left out: it is often long."
        if not kept.are_steps:
            yield f"The {arm} marks no steps: the whole trace is compared as one."
    for lane in lanes:
        for arm, variants in zip(("baseline", "candidate"), lane.variants, strict=True):
            if variants > 1:
                yield f"Steps of the {arm} differ among themselves in the {lane.lane}: {variants} sequences."
    yield HIDDEN
