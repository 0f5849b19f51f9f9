"""What the steps of the runs say of the warmup that the plan declares. It warns, and never moves the cut by itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.notices import Notice, named
from analysis.steady import FEWEST_MSER_BATCHES, MSER_BATCH, RunShape, classify_run

SHARE_OF_RUNS: Final = 0.2
FEWEST_STEPS: Final = FEWEST_MSER_BATCHES * MSER_BATCH


@dataclass(frozen=True, slots=True)
class RunSeries:
    """The steps of one run in order, from before any cut: greater values are worse.

    at: where each step begins in the unit of the warmup: its number, or ns on the clock of the run; 0 where that
        is not known. declared: where the declared warmup ends.
    """

    values: Sequence[float] | NDArray[np.float64]
    at: Sequence[int] | NDArray[np.int64] | NDArray[np.float64]
    declared: int


@dataclass(frozen=True, slots=True)
class WarmupCheck:
    """The declared cut against what the runs show.

    other_cut: where a second cut for both arms ends, to show the effect with beside the declared one; None when that
        holds. A run that never becomes steady has no cut.
    shapes: of the runs that are long enough, by label, as a whole. too_short: the labels of the rest.
    """

    other_cut: int | None
    shapes: Mapping[str, RunShape]
    too_short: tuple[str, ...]
    notices: tuple[Notice, ...]


def check_warmup(runs: Mapping[str, RunSeries], *, in_words: Callable[[int], str]) -> WarmupCheck:
    """What the steps of the runs, by label, say of the declared cut; in_words: a cut as people read it.

    Nothing is said of runs of which none is long enough to be assessed: a benchmark of five repetitions is no series.

    Notices: warmup_longer_than_declared, no_steady_state, steady_state_not_assessable, inconsistent.
    """
    shapes = {label: classify_run(run.values) for label, run in runs.items() if len(run.values) >= FEWEST_STEPS}
    too_short = tuple(label for label in runs if label not in shapes)
    beyond = [
        int(runs[label].at[shape.cut.steps])
        for label, shape in shapes.items()
        if shape.cut.steps and not shape.cut.at_limit and runs[label].at[shape.cut.steps] > runs[label].declared
    ]
    other = max(beyond) if len(beyond) > SHARE_OF_RUNS * len(shapes) else None
    longer = () if other is None else (_longer(in_words(other), in_words(next(iter(runs.values())).declared)),)
    return WarmupCheck(other, shapes, too_short, (*longer, *_notices(shapes, too_short)) if shapes else ())


def _longer(lasts: str, declared: str) -> Notice:
    return Notice(
        "warmup_longer_than_declared",
        f"The warmup lasts up to {lasts} in more than a fifth of the runs, longer than the declared {declared}.",
    )


def _notices(shapes: Mapping[str, RunShape], too_short: tuple[str, ...]) -> tuple[Notice, ...]:
    found = []
    unsteady = [label for label, shape in shapes.items() if shape.kind == "no_steady_state"]
    if unsteady:
        found.append(Notice("no_steady_state", f"Not steady to the end: {named(unsteady)}."))
    unknown = [*(label for label, shape in shapes.items() if shape.kind == "not_assessable"), *too_short]
    if unknown:
        found.append(Notice("steady_state_not_assessable", f"Too short to tell whether steady: {named(unknown)}."))
    kinds = sorted({shape.kind.replace("_", " ") for shape in shapes.values() if shape.kind != "not_assessable"})
    if len(kinds) > 1:
        found.append(Notice("inconsistent", f"The runs differ in how they go: {named(kinds)}."))
    return tuple(found)
