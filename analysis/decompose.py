"""A time difference split into parts that add up exactly in every run. It is bookkeeping, and no cause.

ln(time) = ln(work) + ln(cycles per work) - ln(clock), where the clock is the cycles over the time; and the time of a
run is the sum of its exclusive stages.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from analysis.errors import Refused
from analysis.procedures import Spread, mean, paired, welch

Change = Callable[[Sequence[float], Sequence[float]], tuple[float, Spread | None]]
"""Candidate against baseline: the centre, and its spread, None when the values do not vary between runs."""

TIME: Final = "time"


@dataclass(frozen=True, slots=True)
class RunTime:
    """What one run took: seconds, units of work, and clock cycles, all above 0."""

    seconds: float
    work: float
    cycles: float


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a difference. change: candidate against baseline, as it adds to the whole.

    spread: its run-level spread, None when the part does not vary between runs.
    """

    name: str
    change: float
    spread: Spread | None


@dataclass(frozen=True, slots=True)
class Decomposition:
    """The whole difference, and parts that sum to it. scale: ratio when on logs, else difference."""

    scale: Literal["ratio", "difference"]
    whole: Part
    parts: tuple[Part, ...]


def between_arms(baseline: Sequence[float], candidate: Sequence[float]) -> tuple[float, Spread | None]:
    """The change between independent runs. Raises Refused: too_few_runs."""
    return varying(lambda: welch(baseline, candidate), lambda: mean(candidate) - mean(baseline))


def between_blocks(baseline: Sequence[float], candidate: Sequence[float]) -> tuple[float, Spread | None]:
    """The change inside blocks; both arms are in the order of their blocks. Raises Refused: too_few_blocks."""
    if len(baseline) != len(candidate):
        raise Refused("broken_blocks", "The arms differ in their runs, so blocks are broken.", "Drop them whole.")
    pairs = list(zip(baseline, candidate, strict=True))
    return varying(lambda: paired(pairs), lambda: mean(candidate) - mean(baseline))


def varying(spread: Callable[[], Spread], centre: Callable[[], float]) -> tuple[float, Spread | None]:
    """The centre with its spread, or alone where the values do not vary. Raises Refused for any other reason."""
    try:
        found = spread()
    except Refused as refused:
        if refused.code != "zero_variance":
            raise
        return centre(), None
    return found.centre, found


def decompose_time(baseline: Sequence[RunTime], candidate: Sequence[RunTime], *, change: Change) -> Decomposition:
    """The log time ratio as work, cycles per work and clock.

    Args:
        change: how the design compares the arms, `between_arms` for independent runs.

    Raises:
        Refused: not_positive, and those of `change`.
    """
    before, after = [_logs(run) for run in baseline], [_logs(run) for run in candidate]
    return _decomposed("ratio", (TIME, "work", "cycles per work", "clock"), (before, after), change)


def _logs(run: RunTime) -> tuple[float, ...]:
    if not all(0 < value < math.inf for value in (run.seconds, run.work, run.cycles)):
        raise Refused("not_positive", "A time, a work or a cycle count is not above 0.", "Leave out what was not run.")
    work, cycles, seconds = math.log(run.work), math.log(run.cycles), math.log(run.seconds)
    return seconds, work, cycles - work, seconds - cycles


def decompose_stages(
    names: Sequence[str], baseline: Sequence[Sequence[float]], candidate: Sequence[Sequence[float]], *, change: Change
) -> Decomposition:
    """The time difference as a sum over exclusive stages, in the unit of the times.

    Args:
        baseline, candidate: one row per run, one time per stage.
        change: how the design compares the arms, `between_arms` for independent runs.

    Raises:
        Refused: missing_stages, and those of `change`.
    """
    if any(len(row) != len(names) for row in (*baseline, *candidate)):
        raise Refused("missing_stages", "A run lacks the time of a stage.", "Give every stage of every run.")
    before, after = ([(math.fsum(row), *row) for row in arm] for arm in (baseline, candidate))
    return _decomposed("difference", (TIME, *names), (before, after), change)


def _decomposed(
    scale: Literal["ratio", "difference"],
    names: Sequence[str],
    arms: tuple[Sequence[Sequence[float]], Sequence[Sequence[float]]],
    change: Change,
) -> Decomposition:
    whole, *parts = (
        Part(name, *change([row[i] for row in arms[0]], [row[i] for row in arms[1]])) for i, name in enumerate(names)
    )
    return Decomposition(scale, whole, tuple(parts))
