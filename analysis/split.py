"""A randomised traffic split: what of the work follows the split, and whether the traffic was split as intended.

Live traffic gives the arms no same requests; chance makes them alike. So totals of work follow the share of each arm
and are not compared, and in their place the share itself is: with far more or fewer requests than intended the arms
were not filled by chance alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

from analysis.inputs import ComparisonPlan
from analysis.work import FAILED_REQUESTS, AuditRow

State = Literal["balanced", "mismatch", "not_recorded"]

SPLIT: Final = "traffic_split"
MISMATCH_BELOW: Final = 0.001


@dataclass(frozen=True, slots=True)
class ArmTraffic:
    """What one arm was sent. hosts: how many served it; requests: that were tried, None where a run does not say."""

    hosts: int
    runs: int
    requests: int | None


@dataclass(frozen=True, slots=True)
class Balance:
    """The traffic of both arms beside the intended share of the candidate.

    intended, observed: shares of the candidate, from 0 to 1; observed is None where requests are not recorded.
    p_value: of a share so far from the intended one by chance, exact (binomial, twice the smaller tail).
    """

    baseline: ArmTraffic
    candidate: ArmTraffic
    intended: Fraction
    observed: float | None
    p_value: float | None
    state: State
    sentence: str


def audited(plan: ComparisonPlan, rows: Iterable[AuditRow]) -> tuple[AuditRow, ...]:
    """The rows of the work audit; in a traffic split, totals of work that differ follow the split and block nothing.

    Failed requests are no work that a split hands out: they are audited as ever.
    """
    return tuple(_following(row) if plan.match == SPLIT else row for row in rows)


def _following(row: AuditRow) -> AuditRow:
    if row.role != "work" or row.setting == FAILED_REQUESTS or row.state != "differs":
        return row
    said = f"{row.setting} follows the traffic split, and is not compared."
    return replace(row, state="differs_as_declared", greatest_effect=None, blocks=False, sentence=said)


def balance(baseline: ArmTraffic, candidate: ArmTraffic, *, intended: Fraction) -> Balance:
    """Whether the candidate got the share of the requests that it was meant to get. intended: above 0, at most 1."""
    before, after = baseline.requests, candidate.requests
    if before is None or after is None or before + after == 0:
        said = "How many requests each arm was sent is not recorded, so that nobody knows how the traffic was split."
        return Balance(baseline, candidate, intended, None, None, "not_recorded", said)
    total = before + after
    observed, p_value = after / total, _two_sided(after, total, float(intended))
    said = f"The candidate was sent {after} of {total} requests, {_percent(observed)}; {_percent(intended)} was meant"
    if p_value >= MISMATCH_BELOW:
        return Balance(baseline, candidate, intended, observed, p_value, "balanced", f"{said} (p = {p_value:.2g}).")
    said = f"{said}: chance does that in fewer than 1 of 1000 splits, so that the split was another one."
    return Balance(baseline, candidate, intended, observed, p_value, "mismatch", said)


def _two_sided(count: int, total: int, share: float) -> float:
    """Twice the smaller tail of the binomial distribution, at most 1."""
    from scipy.special import bdtr, bdtrc  # noqa: PLC0415

    below = float(bdtr(count, total, share))
    above = float(bdtrc(count - 1, total, share)) if count else 1.0
    return min(1.0, 2 * min(below, above))


def _percent(share: Fraction | float) -> str:
    return f"{100 * float(share):.4g} %"
