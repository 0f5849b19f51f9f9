"""Where along ordered stages a difference begins: a set of stages, because one of them can rarely be shown.

Stages lie on the scale where effects add, neutral at 0. The first stage whose interval leaves 0 is established; the
stages before it are only excluded when they are shown equivalent. With fewer than five runs nothing is localised.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.errors import Refused
from analysis.multiplicity import simultaneous_confidence
from analysis.procedures import Spread, t_quantile

Ends = tuple[float, float]

FEWEST_RUNS: Final = 5
EQUIVALENCE: Final = 0.90


@dataclass(frozen=True, slots=True)
class Stage:
    """The effect on one stage. simultaneous: at the level that all stages share. ordinary: at 90 %."""

    name: str
    estimate: float
    simultaneous: Ends
    ordinary: Ends


@dataclass(frozen=True, slots=True)
class Localisation:
    """The divergence begins in one of `stages`, of which the last is established; empty when not localised."""

    stages: tuple[str, ...]
    sentence: str


def stage_of(name: str, spread: Spread, *, stages: int, confidence: float) -> Stage:
    """One of `stages` stages, whose simultaneous intervals hold together at `confidence`.

    Raises:
        Refused: no_claims.
    """
    together = simultaneous_confidence(stages, confidence=confidence)
    return Stage(name, spread.centre, ends_at(spread, together), ends_at(spread, EQUIVALENCE))


def ends_at(spread: Spread, confidence: float) -> Ends:
    """The t interval of a spread, on the scale where effects add."""
    half = t_quantile(spread.df, confidence) * spread.se
    return spread.centre - half, spread.centre + half


def divergence_set(simultaneous: Sequence[Ends], ordinary: Sequence[Ends], *, margin: float) -> tuple[int, int] | None:
    """The first and the last stage, from 1, in which the divergence may begin; None when no stage diverges.

    Args:
        margin: above 0, on the scale where effects add.
    """
    established = next((i for i, (lo, hi) in enumerate(simultaneous, 1) if lo > 0 or hi < 0), None)
    return None if established is None else (_first_open(ordinary, established, margin), established)


def _first_open(ordinary: Sequence[Ends], established: int, margin: float) -> int:
    """The first stage that is not shown equivalent, up to the established one."""
    for i, (lo, hi) in enumerate(ordinary[: established - 1], 1):
        if not (-margin < lo and hi < margin):
            return i
    return established


def first_divergence(
    stages: Sequence[Stage], *, margin: float, runs: int, cumulative: bool, counted: str = "runs"
) -> Localisation:
    """The stages in which the difference may begin, in their order.

    Args:
        margin: above 0, on the scale where effects add.
        runs: independent units behind the intervals, `counted` in words.
        cumulative: a stage holds all before it, so that a difference that persists keeps its sign to the end.

    Raises:
        Refused: not_positive (the margin).
    """
    if not 0 < margin < math.inf:
        raise Refused("not_positive", "The margin must be above 0.", "Give it on the scale where effects add.")
    if runs < FEWEST_RUNS:
        return Localisation((), f"Not localised: {runs} {counted} are a hint at best, and {FEWEST_RUNS} are needed.")
    kept = [
        stage.simultaneous if _persists(stages[i:], cumulative=cumulative) else (0.0, 0.0)
        for i, stage in enumerate(stages)
    ]
    found = divergence_set(kept, [stage.ordinary for stage in stages], margin=margin)
    if found is None:
        return Localisation((), "Not localised: no stage is shown to diverge for good.")
    named = tuple(stage.name for stage in stages[found[0] - 1 : found[1]])
    return Localisation(named, _said(named, excluded=found[0] > 1))


def _persists(later: Sequence[Stage], *, cumulative: bool) -> bool:
    """Whether the estimates keep the sign of the first one to the end, where they must."""
    return not cumulative or all(stage.estimate * later[0].estimate > 0 for stage in later)


def _said(stages: tuple[str, ...], *, excluded: bool) -> str:
    said = [f"Divergence is established at {stages[-1]}"]
    if excluded:
        said.append(f"stages before {stages[0]} are excluded")
    if len(stages) > 1:
        said.append(f"{', '.join(stages[:-1])} {'is' if len(stages) == 2 else 'are'} not yet excluded")
    return "; ".join(said) + "."


def established_again(first: Localisation, second: Localisation) -> bool:
    """Whether a second session establishes the same stage."""
    return bool(first.stages) and first.stages[-1:] == second.stages[-1:]
