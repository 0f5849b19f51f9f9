"""What the steps of the runs say of the warmup that the plan declares. It warns, and never moves the cut by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.notices import Notice, named
from analysis.steady import FEWEST_MSER_BATCHES, MSER_BATCH, RunShape, classify_run

SHARE_OF_RUNS: Final = 0.2


@dataclass(frozen=True, slots=True)
class WarmupCheck:
    """The declared cut against what the runs show, all counted in steps.

    other_cut: a second cut for both arms, to show the effect with beside the declared one; None when that holds. A run
    that never becomes steady has no cut.
    shapes: of the runs that are long enough, by label, as a whole. too_short: the labels of the rest.
    """

    declared: int
    other_cut: int | None
    shapes: Mapping[str, RunShape]
    too_short: tuple[str, ...]
    notices: tuple[Notice, ...]


def check_warmup(steps: Mapping[str, Sequence[float] | NDArray[np.float64]], *, declared: int) -> WarmupCheck:
    """What the step times of the runs, by label, say of the declared cut.

    Notices: warmup_longer_than_declared, no_steady_state, steady_state_not_assessable, inconsistent.
    """
    fewest = FEWEST_MSER_BATCHES * MSER_BATCH
    shapes = {label: classify_run(series) for label, series in steps.items() if len(series) >= fewest}
    too_short = tuple(label for label in steps if label not in shapes)
    beyond = [s.cut.steps for s in shapes.values() if s.cut.steps > declared and not s.cut.at_limit]
    other = max(beyond) if len(beyond) > SHARE_OF_RUNS * len(shapes) else None
    return WarmupCheck(declared, other, shapes, too_short, _notices(shapes, too_short, other, declared))


def _notices(
    shapes: Mapping[str, RunShape], too_short: tuple[str, ...], other: int | None, declared: int
) -> tuple[Notice, ...]:
    found = []
    if other is not None:
        found.append(
            Notice(
                "warmup_longer_than_declared",
                f"The warmup lasts up to {other} steps in more than a fifth of the runs, and {declared} are declared: "
                "compare the effect with both cuts.",
            )
        )
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
