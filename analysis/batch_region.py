"""Where a service may run: the points of a sweep at which every limit is kept by what the next run would show.

A limit is met when the 95 % prediction bound of the next run keeps it, broken when even the bound of the typical run
does not, and undetermined otherwise. Choosing the best of many points then stays honest: a confidence bound of the
typical run would pass points beyond the limit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from analysis.batch_sweep import BatchSweep, SweepPoint
from analysis.errors import Refused
from analysis.notices import Refusal, as_value
from analysis.slo import FEWEST_RUNS, Outcome, SloCheck, next_run_bound, slo_check
from analysis.sweep_numbers import Quantity

State = Literal["feasible", "infeasible", "undetermined"]
Answer = Literal["met", "broken", "undetermined"]
Change = Literal["gained", "lost", "kept", "out", "uncertain"]

ANSWERS: Final[dict[Outcome, Answer]] = {"pass": "met", "fail": "broken", "not_established": "undetermined"}
CONFIDENCE: Final = 0.95
SATURATION: Final = 0.98


@dataclass(frozen=True, slots=True)
class Limit:
    """The worst value that is allowed of a quantity, in its base unit: the greatest, or the smallest throughput."""

    quantity: str
    value: float


@dataclass(frozen=True, slots=True)
class LimitAnswer:
    """One limit at one point: the check, or why there is none. decided: the bound that stands against the limit."""

    quantity: str
    limit: float
    answer: Answer
    check: SloCheck | None
    refusal: Refusal | None

    @property
    def bound(self) -> float | None:
        """The bound that decides: of the typical run where the limit is broken, else of the next run."""
        if self.check is None:
            return None
        return self.check.typical_near if self.answer == "broken" else self.check.next_run


@dataclass(frozen=True, slots=True)
class PointState:
    """One point under all limits."""

    at: float
    label: str
    runs: int
    state: State
    answers: tuple[LimitAnswer, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """The points of a sweep under limits, the least first."""

    varied: str
    limits: tuple[Limit, ...]
    points: tuple[PointState, ...]
    confidence: float

    def labels(self, state: State) -> tuple[str, ...]:
        """The points in that state."""
        return tuple(point.label for point in self.points if point.state == state)


@dataclass(frozen=True, slots=True)
class PointChange:
    """One point under two policies. A policy that did not measure it has no state there."""

    at: float
    label: str
    baseline: State | None
    candidate: State | None
    change: Change


@dataclass(frozen=True, slots=True)
class RegionChange:
    """What a candidate gains and loses against a baseline, under the same limits."""

    varied: str
    points: tuple[PointChange, ...]

    def labels(self, change: Change) -> tuple[str, ...]:
        """The points with that change."""
        return tuple(point.label for point in self.points if point.change == change)


def feasible_region(sweep: BatchSweep, limits: Sequence[Limit], *, confidence: float = CONFIDENCE) -> Region:
    """Every point of the sweep under the limits.

    Raises:
        Refused: no_limits, bad_limit, not_measured (of a quantity that the sweep does not have).
    """
    if not limits:
        raise Refused("no_limits", "Without a limit every point is feasible.", "Give a limit, such as p99=0.2.")
    names = [limit.quantity for limit in limits]
    if len(set(names)) < len(names) or not all(0 < limit.value < float("inf") for limit in limits):
        raise Refused("bad_limit", "A limit is not above zero, or stands there twice.", "Give each limit once.")
    quantities = {limit.quantity: sweep.quantity(limit.quantity) for limit in limits}
    points = tuple(_point(sweep, point, limits, quantities, confidence) for point in sweep.points)
    return Region(sweep.varied, tuple(limits), points, confidence)


def _point(
    sweep: BatchSweep, point: SweepPoint, limits: Sequence[Limit], quantities: dict[str, Quantity], confidence: float
) -> PointState:
    answers = tuple(_answer(sweep, point, limit, quantities[limit.quantity], confidence) for limit in limits)
    return PointState(point.at, point.label, len(point.runs), _together(answers), answers)


def _together(answers: Sequence[LimitAnswer]) -> State:
    seen = {answer.answer for answer in answers}
    if "broken" in seen:
        return "infeasible"
    return "feasible" if seen == {"met"} else "undetermined"


def _answer(sweep: BatchSweep, point: SweepPoint, limit: Limit, quantity: Quantity, confidence: float) -> LimitAnswer:
    try:
        check = _check(sweep, point, limit, quantity, confidence)
    except Refused as refused:
        return LimitAnswer(limit.quantity, limit.value, "undetermined", None, as_value(refused))
    answer = ANSWERS[check.outcome]
    if answer == "met" and quantity.name in ("p50", "p95", "p99") and _saturated(sweep, point, confidence):
        refusal = Refusal(
            "unstable",
            f"Requests arrive faster than {sweep.varied} {point.label} answers them: the latency grows with the run.",
            "Measure the latency at a lower rate.",
        )
        return LimitAnswer(limit.quantity, limit.value, "undetermined", check, refusal)
    return LimitAnswer(limit.quantity, limit.value, answer, check, None)


def _check(sweep: BatchSweep, point: SweepPoint, limit: Limit, quantity: Quantity, confidence: float) -> SloCheck:
    values, problem = point.values(quantity.name), point.problem(quantity.name)
    failed = [run.label for run in point.runs if run.failed]
    if failed:
        raise Refused(
            "runs_failed",
            f"{len(failed)} of {len(point.runs)} runs at {sweep.varied} {point.label} failed.",
            "Repair what failed, and run the point again.",
        )
    if len(values) < FEWEST_RUNS and problem is not None and len(point.runs) >= FEWEST_RUNS:
        raise Refused(problem.code, problem.message, problem.needs)
    if len(values) < FEWEST_RUNS:
        raise Refused(
            "too_few_runs",
            f"{len(values)} run(s) at {sweep.varied} {point.label} cannot say what the next one would do.",
            f"Run each point at least {FEWEST_RUNS} times, better 5.",
        )
    return slo_check(
        values,
        limit.value,
        better=quantity.better,
        confidence=confidence,
        unit=quantity.unit,
        scope="this placement only",
    )


def _saturated(sweep: BatchSweep, point: SweepPoint, confidence: float) -> bool:
    """Whether the rate of the latency measurement is at or above what the next run at the point may serve."""
    if sweep.offered is None:
        return False
    served = point.values("throughput") if any(one.name == "throughput" for one in sweep.quantities) else ()
    try:
        least = next_run_bound(served, confidence=confidence, better="higher")
    except Refused:
        least = min(served, default=math.inf)
    return sweep.offered >= SATURATION * least


def region_change(baseline: Region, candidate: Region) -> RegionChange:
    """What the candidate gains and loses: a point counts only where both policies are determined.

    Raises:
        Refused: limits_differ.
    """
    if (baseline.varied, set(baseline.limits)) != (candidate.varied, set(candidate.limits)):
        raise Refused(
            "limits_differ",
            f"One region is over {baseline.varied}, the other over {candidate.varied}, or their limits differ.",
            "Read both sweeps over the same setting, under the same limits.",
        )
    before = {(point.at, point.label): point for point in baseline.points}
    after = {(point.at, point.label): point for point in candidate.points}
    found = []
    for at, label in sorted({*before, *after}):
        old, new = before.get((at, label)), after.get((at, label))
        states = (old.state if old else None, new.state if new else None)
        found.append(PointChange(at, label, *states, _change(*states)))
    return RegionChange(baseline.varied, tuple(found))


def _change(before: State | None, after: State | None) -> Change:
    match before, after:
        case "infeasible", "feasible":
            return "gained"
        case "feasible", "infeasible":
            return "lost"
        case "feasible", "feasible":
            return "kept"
        case "infeasible", "infeasible":
            return "out"
    return "uncertain"
