"""Which batch policy to run at which arrival rate: the cheapest one whose simulated p99 surely keeps the limit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from analysis.arrivals import Traffic
from analysis.batcher import BatchPolicy
from analysis.errors import Refused
from analysis.notices import Refusal, as_value
from analysis.simulated_tail import Effort, Server, SimulatedTail, simulate_tail

Objective = Literal["joules", "busy_seconds"]
Told = Callable[[int, int], None]

MOST_CELLS: Final = 2000
OBJECTIVES: Final[dict[Objective, str]] = {
    "joules": "joules per request",
    "busy_seconds": "seconds of a server per request, because no energy was measured",
}


@dataclass(frozen=True, slots=True)
class PolicyGrid:
    """What is tried. rates: arrivals per second. limit: of the p99, in seconds."""

    rates: tuple[float, ...]
    policies: tuple[BatchPolicy, ...]
    limit: float


@dataclass(frozen=True, slots=True)
class Tried:
    """One policy at one rate: its tail, or why there is none. keeps: the upper end of its p99 keeps the limit."""

    policy: BatchPolicy
    tail: SimulatedTail | None
    refusal: Refusal | None
    keeps: bool


@dataclass(frozen=True, slots=True)
class RateRow:
    """All policies at one rate. chosen: the cheapest that keeps the limit. lowest: the one of lowest p99."""

    rate: float
    tried: tuple[Tried, ...]
    chosen: Tried | None
    lowest: Tried | None


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where an adaptive policy changes: above `up` to the second, back below `down`. None: nothing keeps the limit.

    Between them, one step of the grid, whatever is in force stays.
    """

    up: float
    down: float
    below: BatchPolicy | None
    above: BatchPolicy | None


@dataclass(frozen=True, slots=True)
class PolicyTable:
    """The choice at each rate, the lowest rate first. objective: what is minimised."""

    rows: tuple[RateRow, ...]
    thresholds: tuple[Threshold, ...]
    objective: Objective
    limit: float
    traffic: str
    effort: Effort


def policy_table(
    server: Server, grid: PolicyGrid, traffic: Traffic, effort: Effort, told: Told | None = None
) -> PolicyTable:
    """Simulates every policy at every rate, and chooses; at a rate, all policies meet the same arrivals.

    Args:
        told: is given how many of all simulations are done, before each; it may raise to end the work.

    Raises:
        Refused: bad_policy_grid, batch_outside_sweep, too_few_replications, bad_policy, bad_traffic.
    """
    _check(grid)
    objective: Objective = "busy_seconds" if server.joules is None else "joules"
    rates, cells = sorted(set(grid.rates)), len(set(grid.rates)) * len(grid.policies)
    rows = []
    for at, rate in enumerate(rates):
        same = replace(effort, seed=effort.seed + at)
        tried = []
        for number, policy in enumerate(grid.policies):
            if told is not None:
                told(at * len(grid.policies) + number, cells)
            tried.append(_try(server, policy, traffic, rate, same, grid.limit))
        rows.append(_row(rate, tried, objective))
    return PolicyTable(tuple(rows), tuple(_thresholds(rows)), objective, grid.limit, traffic.said, effort)


def under_limit(table: PolicyTable, limit: float) -> PolicyTable:
    """The table chosen anew from the same simulations, under another limit of the p99, in seconds.

    Raises:
        Refused: bad_policy_grid, for a limit that is not above zero.
    """
    if not limit > 0:
        raise Refused("bad_policy_grid", f"The limit is {limit:g} s.", "Give a limit above zero.")
    rows = [
        _row(
            row.rate,
            [replace(one, keeps=one.tail is not None and one.tail.hi <= limit) for one in row.tried],
            table.objective,
        )
        for row in table.rows
    ]
    return replace(table, rows=tuple(rows), thresholds=tuple(_thresholds(rows)), limit=limit)


def _check(grid: PolicyGrid) -> None:
    possible = grid.rates and grid.policies and min(grid.rates) > 0 and grid.limit > 0
    if not possible or len(set(grid.rates)) * len(grid.policies) > MOST_CELLS:
        raise Refused(
            "bad_policy_grid",
            f"{len(set(grid.rates))} rates and {len(grid.policies)} policies, with a limit of {grid.limit:g} s.",
            f"Give rates and a limit above zero, and at most {MOST_CELLS} pairs of a rate and a policy.",
        )


def _try(server: Server, policy: BatchPolicy, traffic: Traffic, rate: float, effort: Effort, limit: float) -> Tried:
    try:
        tail = simulate_tail(server, policy, traffic, rate, effort)
    except Refused as refused:
        if refused.code != "unstable":
            raise
        return Tried(policy, None, as_value(refused), keeps=False)
    return Tried(policy, tail, None, keeps=tail.hi <= limit)


def _row(rate: float, tried: Sequence[Tried], objective: Objective) -> RateRow:
    keeping = [one for one in tried if one.keeps]
    served = [one for one in tried if one.tail is not None]
    return RateRow(
        rate,
        tuple(tried),
        min(keeping, key=lambda one: cost_of(one, objective), default=None),
        min(served, key=lambda one: one.tail.value if one.tail else 0.0, default=None),
    )


def cost_of(tried: Tried, objective: Objective) -> float:
    """What the policy costs per request, by the objective; 0 where nothing was simulated."""
    if tried.tail is None:
        return 0.0
    return tried.tail.busy_seconds if tried.tail.joules is None or objective != "joules" else tried.tail.joules


def _thresholds(rows: Sequence[RateRow]) -> Iterator[Threshold]:
    for at in range(len(rows) - 1):
        below, above = (row.chosen.policy if row.chosen else None for row in (rows[at], rows[at + 1]))
        if below != above:
            yield Threshold(rows[at].rate, rows[max(at - 1, 0)].rate, below, above)
