"""How the times of two traces differ: stage by stage against the noise of the baseline's own steps, and by kernel."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from analysis.traces.events import Events
from analysis.traces.intervals import Integers
from analysis.traces.sequence import ShortNames
from analysis.traces.stages import STAGES, Windows, stage_times
from analysis.traces.summary import kernel_totals

Judged = Literal["apart", "alike", "open"]
Arm = tuple[Events, Windows]

FEWEST_STEPS: Final = 3
SECONDS: Final = 1e-9


@dataclass(frozen=True, slots=True)
class StageDifference:
    """A stage of the steps, in seconds per step.

    baseline, candidate: the medians over the steps. ratio: candidate over baseline; None where the baseline is 0.
    noise: the shortest and the longest step of the baseline over its median; None with fewer than three steps.
    judged: "apart" when every step of the candidate is outside all steps of the baseline, on one side; "alike" when the
        median of the candidate lies among them; "open" otherwise, and with fewer than three steps.
    """

    stage: str
    baseline: float
    candidate: float
    ratio: float | None
    noise: tuple[float, float] | None
    judged: Judged


@dataclass(frozen=True, slots=True)
class KernelDifference:
    """The kernels of one normalised name, per step: how often they ran, and seconds in total."""

    name: str
    baseline_count: float
    candidate_count: float
    baseline: float
    candidate: float


def step_difference(baseline: Windows, candidate: Windows) -> StageDifference:
    """The steps as a whole."""
    return _difference("whole step", baseline.length, candidate.length)


def stage_differences(baseline: Arm, candidate: Arm) -> tuple[StageDifference, ...]:
    """Every stage that either trace knows, in the order of the dependency path."""
    ours, theirs = stage_times(*baseline), stage_times(*candidate)
    none, nothing = (np.zeros_like(steps.start) for _, steps in (baseline, candidate))
    return tuple(
        _difference(stage, ours.get(stage, none), theirs.get(stage, nothing))
        for stage in STAGES
        if stage in ours or stage in theirs
    )


def _difference(stage: str, ours: Integers, theirs: Integers) -> StageDifference:
    usual, other = float(np.median(ours)), float(np.median(theirs))
    ratio, noise = (other / usual if usual else None), None
    if usual and ours.size >= FEWEST_STEPS:
        noise = float(ours.min()) / usual, float(ours.max()) / usual
    return StageDifference(stage, usual * SECONDS, other * SECONDS, ratio, noise, _judged(ours, theirs))


def _judged(ours: Integers, theirs: Integers) -> Judged:
    if min(ours.size, theirs.size) < FEWEST_STEPS:
        return "open"
    if theirs.min() > ours.max() or theirs.max() < ours.min():
        return "apart"
    return "alike" if ours.min() <= np.median(theirs) <= ours.max() else "open"


def divergence_set(stages: Sequence[StageDifference]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stages in which the difference may begin, the last of which stands apart, and those before that are excluded.

    Both are empty when no stage stands apart.
    """
    judged = [stage.judged for stage in stages]
    if "apart" not in judged:
        return (), ()
    last = judged.index("apart")
    first = next(at for at, how in enumerate(judged) if how != "alike")
    names = [stage.stage for stage in stages]
    return tuple(names[first : last + 1]), tuple(names[:first])


def kernel_differences(baseline: Arm, candidate: Arm, names: ShortNames) -> tuple[KernelDifference, ...]:
    """The kernels of both traces by normalised name, the one that changes the time of a step most first."""
    ours, theirs = _per_step(*baseline, names), _per_step(*candidate, names)
    rows = []
    for name in {**ours, **theirs}:
        (count, seconds), (other_count, other_seconds) = ours.get(name, (0.0, 0.0)), theirs.get(name, (0.0, 0.0))
        rows.append(KernelDifference(name, count, other_count, seconds, other_seconds))
    return tuple(sorted(rows, key=lambda row: (-abs(row.candidate - row.baseline), row.name)))


def _per_step(events: Events, steps: Windows, names: ShortNames) -> dict[str, tuple[float, float]]:
    """How often the kernels of each name began in a step, and for how many seconds they ran, on average."""
    at = np.searchsorted(steps.start, events.start, side="right") - 1
    inside = (at >= 0) & (events.start < steps.end[at])
    found: dict[str, tuple[float, float]] = {}
    for row in kernel_totals(events.where(inside)):
        count, seconds = found.get(names.of(row.name), (0.0, 0.0))
        share = 1 / len(steps.names)
        found[names.of(row.name)] = count + row.count * share, seconds + row.total * SECONDS * share
    return found
