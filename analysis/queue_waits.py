"""How long the requests of each run waited in a queue, and which share of their time that is.

Of a run: the mean and the quantiles by nearest rank, each quantile with the order statistics around it, which speak of
that run alone. Over runs: Student's t. The share is the sum of the waits over the sum of the times from arrival to
answer, of the requests that have both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.errors import Refused
from analysis.inputs import ComparisonPlan, LabelledRun
from analysis.looking import Typical, completed, typical
from analysis.quantile import CONFIDENCE, fewest_requests, nearest_rank, order_statistic_interval
from analysis.request_times import LATENCIES, WAITS, Column, beside, first_recorded, rows_of, whole_of
from analysis.table import Floats

QUANTILES: Final[Mapping[str, Fraction]] = {
    "p50": Fraction(1, 2), "p95": Fraction(95, 100), "p99": Fraction(99, 100),
}  # fmt: skip
MEAN: Final = "mean"
SHARE: Final = "share of the latency"
NUMBERS: Final = (MEAN, *QUANTILES, SHARE)
NO_LATENCY: Final = "no latency of the same requests is recorded"
LONGER: Final = "a request waited longer than its latency, so the latency does not hold the wait"
TOOL_ONLY: Final = "only the tool's own mean is recorded"
NEEDS: Final = (
    "Measure when each request arrives and when its service starts: attach results with queue_wait, queue_time or"
    " server_queue of each request."
)


@dataclass(frozen=True, slots=True)
class WaitQuantile:
    """A quantile of one run with its order-statistic interval. value: None where the run has too few requests.

    lo, hi: None where no request reaches that far.
    """

    stat: str
    value: float | None
    lo: float | None
    hi: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class RunWaits:
    """One run. metric: under which the wait stands in the file, "" when it is not recorded; then all is None.

    requests: behind the numbers. share: None where `share_reason` says why.
    """

    label: str
    metric: str
    requests: int | None
    mean: float | None
    quantiles: tuple[WaitQuantile, ...]
    share: float | None
    share_reason: str

    def number(self, name: str) -> float | None:
        """One of NUMBERS."""
        if name == MEAN:
            return self.mean
        return self.share if name == SHARE else next((q.value for q in self.quantiles if q.stat == name), None)


@dataclass(frozen=True, slots=True)
class ArmNumber:
    """A number of the typical run of an arm; None where not every run has it."""

    name: str
    typical: Typical | None


@dataclass(frozen=True, slots=True)
class ArmWaits:
    """The queue waits of an arm."""

    arm: str
    runs: tuple[RunWaits, ...]
    numbers: tuple[ArmNumber, ...]

    @property
    def recorded(self) -> bool:
        """Whether any run records a wait."""
        return any(run.metric for run in self.runs)

    def by_run(self, name: str) -> Mapping[str, float | None]:
        """One of NUMBERS of each run, by its label."""
        return {run.label: run.number(name) for run in self.runs}


def waits_of(arm: str, runs: Sequence[LabelledRun], plan: ComparisonPlan) -> ArmWaits:
    """The queue waits of an arm's completed runs.

    Raises:
        Refused: no_runs.
    """
    kept = completed(runs)
    if not kept:
        raise Refused("no_runs", f"No {arm} run is left.", f"Attach at least two completed {arm} runs.")
    each = tuple(_of_run(run, plan) for run in kept)
    return ArmWaits(arm, each, tuple(ArmNumber(name, _over(each, name, plan)) for name in NUMBERS))


def require_recorded(arms: Sequence[ArmWaits]) -> None:
    """Passes when some run records a queue wait.

    Raises:
        Refused: no_queue_wait.
    """
    if not any(arm.recorded for arm in arms):
        count = sum(len(arm.runs) for arm in arms)
        raise Refused("no_queue_wait", f"A queue wait is not recorded in any of {count} runs.", NEEDS)


def _over(runs: Sequence[RunWaits], name: str, plan: ComparisonPlan) -> Typical | None:
    known = [value for run in runs if (value := run.number(name)) is not None]
    return typical(known, plan.confidence) if len(known) == len(runs) else None


def _of_run(run: LabelledRun, plan: ComparisonPlan) -> RunWaits:
    found = first_recorded(run, WAITS, plan)
    if found is None:
        return _of_tool(run, plan)
    share, reason = _share(run, found, plan)
    quantiles = tuple(_quantile(found.values, stat, p) for stat, p in QUANTILES.items())
    mean = float(found.values.mean())
    return RunWaits(run.label, found.metric, int(found.values.size), mean, quantiles, share, reason)


def _quantile(waits: Floats, stat: str, p: Fraction) -> WaitQuantile:
    fewest = fewest_requests(p)
    if waits.size < fewest:
        return WaitQuantile(stat, None, None, None, f"{waits.size} requests; {stat} needs {fewest}")
    try:
        found = order_statistic_interval([waits.tolist()], p, confidence=CONFIDENCE, side="two_sided", unit="s")
    except Refused as refused:
        return WaitQuantile(stat, nearest_rank(waits, p), None, None, refused.message)
    return WaitQuantile(stat, found.value, found.lo, found.hi, "")


def _share(run: LabelledRun, wait: Column, plan: ComparisonPlan) -> tuple[float | None, str]:
    latency = first_recorded(run, LATENCIES, plan)
    if latency is None:
        return None, NO_LATENCY
    waits, latencies = beside(wait, latency)
    whole = whole_of(wait, waits, latencies)
    if not whole.sum():
        return None, NO_LATENCY
    if (waits > whole).any():
        return None, LONGER
    return float(waits.sum() / whole.sum()), ""


def _of_tool(run: LabelledRun, plan: ComparisonPlan) -> RunWaits:
    """What the tool computed: a mean at most, and none when a warmup is to be cut."""
    nothing = tuple(WaitQuantile(stat, None, None, None, "not recorded") for stat in QUANTILES)
    for metric in WAITS:
        rows = rows_of(run, metric).only(kind="aggregate", stat="mean", phase="measured", stage="").measured()
        if len(rows) == 1 and not plan.warmup_steps:
            quantiles = tuple(WaitQuantile(stat, None, None, None, TOOL_ONLY) for stat in QUANTILES)
            only = rows[0]
            return RunWaits(run.label, metric, only.n, only.value, quantiles, None, TOOL_ONLY)
    return RunWaits(run.label, "", None, None, nothing, None, "not recorded")
