"""A time difference split into parts that add up exactly in every run. It is bookkeeping, and no cause.

ln(time) = ln(work) + ln(cycles per work) - ln(clock), where the clock is the cycles over the time; and the time of a
run is the sum of its exclusive stages.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.errors import Refused
from analysis.procedures import Spread, mean, paired, welch

Procedure = Callable[[Sequence[float], Sequence[float]], Spread]

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

    scale: str
    whole: Part
    parts: tuple[Part, ...]


def decompose_time(baseline: Sequence[RunTime], candidate: Sequence[RunTime], *, blocked: bool) -> Decomposition:
    """The log time ratio as work, cycles per work and clock.

    Args:
        blocked: the runs of both arms are in the order of their blocks.

    Raises:
        Refused: too_few_runs, too_few_blocks, not_positive, broken_blocks.
    """
    before, after = [_logs(run) for run in baseline], [_logs(run) for run in candidate]
    return _decomposed("ratio", (TIME, "work", "cycles per work", "clock"), before, after, blocked=blocked)


def _logs(run: RunTime) -> tuple[float, ...]:
    if not all(0 < value < math.inf for value in (run.seconds, run.work, run.cycles)):
        raise Refused("not_positive", "A time, a work or a cycle count is not above 0.", "Leave out what was not run.")
    work, cycles, seconds = math.log(run.work), math.log(run.cycles), math.log(run.seconds)
    return seconds, work, cycles - work, seconds - cycles


def decompose_stages(
    names: Sequence[str], baseline: Sequence[Sequence[float]], candidate: Sequence[Sequence[float]], *, blocked: bool
) -> Decomposition:
    """The time difference as a sum over exclusive stages, in the unit of the times.

    Args:
        baseline, candidate: one row per run, one time per stage.

    Raises:
        Refused: too_few_runs, too_few_blocks, broken_blocks, missing_stages.
    """
    if any(len(row) != len(names) for row in (*baseline, *candidate)):
        raise Refused("missing_stages", "A run lacks the time of a stage.", "Give every stage of every run.")
    before, after = ([(math.fsum(row), *row) for row in arm] for arm in (baseline, candidate))
    return _decomposed("difference", (TIME, *names), before, after, blocked=blocked)


def _decomposed(
    scale: str,
    names: Sequence[str],
    baseline: Sequence[Sequence[float]],
    candidate: Sequence[Sequence[float]],
    *,
    blocked: bool,
) -> Decomposition:
    if blocked and len(baseline) != len(candidate):
        raise Refused("broken_blocks", "The arms differ in their runs, so blocks are broken.", "Drop them whole.")
    procedure = _by_block if blocked else welch
    whole, *parts = (
        _part(name, [row[i] for row in baseline], [row[i] for row in candidate], procedure)
        for i, name in enumerate(names)
    )
    return Decomposition(scale, whole, tuple(parts))


def _by_block(baseline: Sequence[float], candidate: Sequence[float]) -> Spread:
    return paired(list(zip(baseline, candidate, strict=True)))


def _part(name: str, baseline: Sequence[float], candidate: Sequence[float], procedure: Procedure) -> Part:
    try:
        spread = procedure(baseline, candidate)
    except Refused as refused:
        if refused.code != "zero_variance":
            raise
        return Part(name, mean(candidate) - mean(baseline), None)
    return Part(name, spread.centre, spread)
