"""All that is said of a sweep under limits, and of a candidate against it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from analysis.batch_front import Front, pareto_front
from analysis.batch_region import Region, RegionChange, feasible_region, region_change
from analysis.batch_sweep import BatchSweep, read_sweep
from analysis.batcher import BatchPolicy
from analysis.errors import Refused
from analysis.inputs import LabelledRun
from analysis.interactivity import Interactivity, interactivity
from analysis.notices import Refusal, as_value
from analysis.policy_table import PolicyGrid, PolicyTable, Told, policy_table
from analysis.service_fit import SHARES, ServiceFit, efficiency_batch, service_fit
from analysis.sweep_server import server_of
from reviews.batch_policy.asking import Asked

Found = TypeVar("Found")
TAIL: Final = "p99"


@dataclass(frozen=True, slots=True)
class EfficiencyBatch:
    """The batch that reaches a share of the greatest throughput."""

    share: float
    batch: float


@dataclass(frozen=True, slots=True)
class PolicyReport:
    """A part is None where it was not asked for, or where `refusals` says by its name why there is none."""

    sweep: BatchSweep
    region: Region | None
    front: Front | None
    interactivity: Interactivity | None
    fit: ServiceFit | None
    efficiency: tuple[EfficiencyBatch, ...]
    table: PolicyTable | None
    refusals: dict[str, Refusal]


@dataclass(frozen=True, slots=True)
class Compared:
    """A baseline and a candidate under the same limits. change: None where there are no limits."""

    baseline: PolicyReport
    candidate: PolicyReport
    change: RegionChange | None


def report_of(runs: Sequence[LabelledRun], asked: Asked, told: Told | None = None) -> PolicyReport:
    """The report of a sweep.

    Args:
        told: hears how far the simulation is; it may raise to end it.

    Raises:
        Refused: no_sweep, ambiguous_sweep, mixed_units; bad_limit, not_measured (of a limit).
    """
    sweep = read_sweep(runs, asked.plan)
    region = feasible_region(sweep, asked.limits) if asked.limits else None
    refusals: dict[str, Refusal] = {}
    fit = _tried("efficiency", refusals, lambda: service_fit(server_of(sweep).seconds))
    table = None
    if asked.simulation is not None:
        table = _tried("table", refusals, lambda: simulated(sweep, asked, told))
    return PolicyReport(
        sweep,
        region,
        _tried("front", refusals, lambda: pareto_front(sweep)),
        _tried("interactivity", refusals, lambda: interactivity(sweep)) if sweep.in_flight else None,
        fit,
        tuple(EfficiencyBatch(share, efficiency_batch(fit, share)) for share in SHARES) if fit else (),
        table,
        refusals,
    )


def compared(baseline: PolicyReport, candidate: PolicyReport) -> Compared:
    """What the candidate gains and loses.

    Raises:
        Refused: limits_differ.
    """
    before, after = baseline.region, candidate.region
    change = region_change(before, after) if before is not None and after is not None else None
    return Compared(baseline, candidate, change)


def simulated(sweep: BatchSweep, asked: Asked, told: Told | None) -> PolicyTable:
    """The policy table of a sweep.

    Raises:
        Refused: batches_in_flight and what the simulation refuses; no_limits without a limit of p99.
    """
    wish = asked.simulation
    server_of(sweep)
    limit = next((limit.value for limit in asked.limits if limit.quantity == TAIL), None)
    if wish is None or limit is None:
        raise Refused("no_limits", "A policy is chosen under a limit of p99.", "Give one, such as p99=100ms.")
    server = server_of(sweep, servers=wish.servers, idle_watts=wish.idle_watts)
    sizes = wish.sizes or tuple(cost.size for cost in server.seconds.costs)
    policies = tuple(BatchPolicy(size, wait) for size in sizes for wait in (wish.waits if size > 1 else wish.waits[:1]))
    return policy_table(server, PolicyGrid(wish.rates, policies, limit), wish.traffic, wish.effort, told)


def _tried(name: str, refusals: dict[str, Refusal], make: Callable[[], Found]) -> Found | None:
    try:
        return make()
    except Refused as refused:
        refusals[name] = as_value(refused)
        return None
