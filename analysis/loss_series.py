"""Losses by step of both arms: the first step at which they differ, and the steps at which they are no number.

Equal means the same number, as it was logged. What differs among the baseline's own runs differs by itself: it is said
beside the difference of the arms, because a loss that no two runs share says nothing of the change.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

import numpy as np

from analysis.inputs import ARMS, AssessmentRequest, LabelledRun
from analysis.notices import Notice, named
from analysis.table import NONE, Floats, Integers

LOSS: Final = "loss"
MOST_RUNS: Final = 8
"""So many runs of an arm are held against those of the other."""


@dataclass(frozen=True, slots=True)
class Series:
    """The losses of one run by step, counted from 0; NaN where the file says that it was no number."""

    label: str
    steps: Integers
    values: Floats


@dataclass(frozen=True, slots=True)
class Parted:
    """The first step that two runs share and at which their losses differ. before: how many before it are equal."""

    step: int
    before: int
    labels: tuple[str, str]
    values: tuple[float, float]

    @property
    def relative(self) -> float:
        """How far they are apart, over the smaller size."""
        one, other = self.values
        return abs(one - other) / min(abs(one), abs(other)) if one and other else np.inf


def notices(request: AssessmentRequest, labels: Sequence[str]) -> tuple[Notice, ...]:
    """What the losses of the runs of these labels say, when both arms record them by step."""
    arms = [[_series(run) for run in request.runs if run.label in labels and run.arm == arm] for arm in ARMS]
    ours, theirs = ([one for one in arm if one is not None] for arm in arms)
    return (*_no_numbers([*ours, *theirs]), *_differ(ours[:MOST_RUNS], theirs[:MOST_RUNS]))


def _series(run: LabelledRun) -> Series | None:
    """The losses of a run; None when it has none by step."""
    rows = run.reading.of_run(run.run.key).only(metric=LOSS, kind="raw", stat="value", phase="measured")
    rows = rows.where(rows.number("index") != NONE)
    if not len(rows):
        return None
    steps, at = np.unique(rows.number("index"), return_index=True)
    return Series(run.label, steps, rows.values[at])


def first_difference(one: Series, other: Series) -> Parted | None:
    """Where two runs part; None when they are equal at every step that both have a number of."""
    steps, at, there = np.intersect1d(one.steps, other.steps, assume_unique=True, return_indices=True)
    ours, theirs = one.values[at], other.values[there]
    known = ~np.isnan(ours) & ~np.isnan(theirs)
    differing = np.flatnonzero(known & (ours != theirs))
    if not differing.size:
        return None
    first = int(differing[0])
    values = float(ours[first]), float(theirs[first])
    return Parted(int(steps[first]), int(known[:first].sum()), (one.label, other.label), values)


def _earliest(pairs: Iterator[tuple[Series, Series]]) -> Parted | None:
    found = [parted for pair in pairs if (parted := first_difference(*pair)) is not None]
    return min(found, key=lambda parted: parted.step, default=None)


def _differ(ours: Sequence[Series], theirs: Sequence[Series]) -> Iterator[Notice]:
    parted = _earliest(iter(product(ours, theirs)))
    if parted is None:
        return
    said = (
        f"The losses of {parted.labels[0]} and {parted.labels[1]} "
        f"{'are equal in the first ' + _steps(parted.before) + ', and ' if parted.before else ''}differ at step "
        f"{parted.step + 1}: {parted.values[0]:.7g} and {parted.values[1]:.7g}, {parted.relative:.2g} apart relatively."
    )
    itself = _earliest(iter(combinations(ours, 2)))
    if itself is not None and itself.step <= parted.step:
        said += f" The baseline's own runs {itself.labels[0]} and {itself.labels[1]} differ at step {itself.step + 1}."
    if not parted.before:
        said += " They start apart: nothing later can be laid to the change alone."
    yield Notice("losses_differ", said)


def _steps(count: int) -> str:
    return f"{count} steps" if count > 1 else "step"


def _no_numbers(series: Sequence[Series]) -> Iterator[Notice]:
    counts: Mapping[str, int] = {one.label: int(np.isnan(one.values).sum()) for one in series}
    lost = [f"{one.label} ({counts[one.label]} of {one.values.size})" for one in series if counts[one.label]]
    if lost:
        yield Notice(
            "losses_not_numbers",
            f"At some steps the loss is no number (NaN or infinite), in {named(lost)}: such steps are in no value.",
        )
