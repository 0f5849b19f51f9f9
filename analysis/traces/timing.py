"""How the times of traces differ: stage by stage against the noise of the baseline itself, and by kernel.

One trace of each arm is held against the steps of the baseline; several are one number each, the mean over their steps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.traces.events import Events
from analysis.traces.intervals import Integers
from analysis.traces.sequence import ShortNames
from analysis.traces.stages import STAGES, Windows, stage_times
from analysis.traces.summary import kernel_totals

Judged = Literal["apart", "alike", "open"]
Run = tuple[Events, Windows]
Arm = Sequence[Run]
Times = NDArray[np.float64]

FEWEST_STEPS: Final = 3
SECONDS: Final = 1e-9


@dataclass(frozen=True, slots=True)
class StageDifference:
    """A stage of the steps, in seconds per step.

    baseline, candidate: the medians over the steps, or over the runs when an arm has several. ratio: candidate over
        baseline; None where the baseline is 0.
    noise: the shortest and the longest step (or run) of the baseline over its median; None with fewer than three.
    judged: "apart" when every step of the candidate is outside all steps of the baseline, on one side; "alike" when the
        median of the candidate lies among them; "open" otherwise, with fewer than three steps, and of several runs.
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


def step_difference(baseline: Arm, candidate: Arm) -> StageDifference:
    """The steps as a whole."""
    ours, theirs = ([steps.length for _, steps in arm] for arm in (baseline, candidate))
    return difference("whole step", *_numbers(ours, theirs), judging=_judging(baseline, candidate))


def stage_differences(baseline: Arm, candidate: Arm) -> tuple[StageDifference, ...]:
    """Every stage that any trace knows, in the order of the dependency path."""
    ours, theirs = ([stage_times(*run) for run in arm] for arm in (baseline, candidate))
    known = {stage for times in (*ours, *theirs) for stage in times}
    judging = _judging(baseline, candidate)
    return tuple(
        difference(stage, *_numbers(_of(stage, ours, baseline), _of(stage, theirs, candidate)), judging=judging)
        for stage in STAGES
        if stage in known
    )


def _of(stage: str, times: Sequence[Mapping[str, Integers]], arm: Arm) -> list[Integers]:
    """The times of a stage in the steps of each run; nothing in a run that does not know it."""
    none = (np.zeros_like(steps.start) for _, steps in arm)
    return [known.get(stage, nothing) for known, nothing in zip(times, none, strict=True)]


def _judging(*arms: Arm) -> bool:
    return all(len(arm) == 1 for arm in arms)


def _numbers(ours: Sequence[Integers], theirs: Sequence[Integers]) -> tuple[Times, Times]:
    """The steps of one run of each arm, else the mean of every run over its steps."""
    if len(ours) == len(theirs) == 1:
        return ours[0].astype(np.float64), theirs[0].astype(np.float64)
    return np.array([times.mean() for times in ours]), np.array([times.mean() for times in theirs])


def difference(stage: str, ours: Times, theirs: Times, *, judging: bool, unit: float = SECONDS) -> StageDifference:
    """The numbers of two arms against each other. unit: of the numbers, in seconds."""
    usual, other = float(np.median(ours)), float(np.median(theirs))
    ratio, noise = (other / usual if usual else None), None
    if usual and ours.size >= FEWEST_STEPS:
        noise = float(ours.min()) / usual, float(ours.max()) / usual
    judged = _judged(ours, theirs) if judging else "open"
    return StageDifference(stage, usual * unit, other * unit, ratio, noise, judged)


def _judged(ours: Times, theirs: Times) -> Judged:
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
    """The kernels of all traces by normalised name, the one that changes the time of a step most first."""
    ours, theirs = _of_runs(baseline, names), _of_runs(candidate, names)
    rows = []
    for name in {**ours, **theirs}:
        (count, seconds), (other_count, other_seconds) = ours.get(name, (0.0, 0.0)), theirs.get(name, (0.0, 0.0))
        rows.append(KernelDifference(name, count, other_count, seconds, other_seconds))
    return tuple(sorted(rows, key=lambda row: (-abs(row.candidate - row.baseline), row.name)))


PerStep = dict[str, tuple[float, float]]


def _of_runs(arm: Arm, names: ShortNames) -> PerStep:
    """The mean over the runs of what the kernels of each name take in a step."""
    found: PerStep = {}
    for run in arm:
        for name, (count, seconds) in _per_step(*run, names).items():
            other_count, other_seconds = found.get(name, (0.0, 0.0))
            found[name] = other_count + count / len(arm), other_seconds + seconds / len(arm)
    return found


def _per_step(events: Events, steps: Windows, names: ShortNames) -> PerStep:
    """How often the kernels of each name began in a step, and for how many seconds they ran, on average."""
    at = np.searchsorted(steps.start, events.start, side="right") - 1
    inside = (at >= 0) & (events.start < steps.end[at])
    found: PerStep = {}
    for row in kernel_totals(events.where(inside)):
        count, seconds = found.get(names.of(row.name), (0.0, 0.0))
        share = 1 / len(steps.names)
        found[names.of(row.name)] = count + row.count * share, seconds + row.total * SECONDS * share
    return found
