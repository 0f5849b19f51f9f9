"""Abort thresholds asked on everything that was observed in a rollout, host by host: continue, abort or hold.

An abort needs nothing but harm that is established. To go on, a threshold needs more: an observation of the present
stage, usable, and traffic that was split as it was meant.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Final

from analysis import hosts, split
from analysis.hosts import Answer, HostInterval, HostRun
from analysis.inputs import ARMS, Arm, Better
from reviews.policies.contract import Contract, ThresholdFacts
from reviews.policies.numbers import fraction
from reviews.sections import AbortThreshold

BY_HOST: Final = frozenset(
    {
        "ambiguous_design",
        "arm_confounded_with_placement",
        "too_few_blocks",
        "too_few_for_anytime",
        "too_few_runs",
        "unequal_arms",
        "zero_variance",
    }
)
"""Refusals of an interval over runs and blocks, which do not matter where the host is the unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficFacts:
    """One run of an observation. requests: that were tried, None where the file does not say."""

    arm: Arm
    host: str
    requests: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenFacts:
    """An assessed observation of the rollout. runs: those with a value. share_percent: None for that of the stage.

    refusal_code, refusal: why the assessment gives no verdict, "" when it does.
    """

    comparison: str
    outcome: str
    refusal_code: str
    refusal: str
    runs: tuple[HostRun, ...]
    traffic: tuple[TrafficFacts, ...]
    share_percent: Fraction | None
    at: datetime

    @property
    def is_usable(self) -> bool:
        """Whether its runs can be compared host by host: the same work, and values that are alike."""
        return self.outcome in ("verdict", "withheld") or (self.outcome == "refused" and self.refusal_code in BY_HOST)


@dataclass(frozen=True, slots=True)
class Judged:
    """What an abort threshold says now. interval: None where there is none; balances: of each look, the first first."""

    threshold: AbortThreshold
    answer: Answer
    sentence: str
    interval: HostInterval | None
    balances: tuple[split.Balance, ...]

    @property
    def facts(self) -> ThresholdFacts:
        """As the rules read it."""
        bound = self.threshold
        return ThresholdFacts(
            comparison=bound.comparison,
            metric=bound.metric,
            stat=bound.stat,
            answer=self.answer,
            sentence=self.sentence,
        )


def judged(contract: Contract, better: Mapping[str, Better], seen: Iterable[SeenFacts]) -> tuple[Judged, ...]:
    """Every threshold of the contract, asked now. better: comparison -> the direction in which its metric improves."""
    ordered = sorted(seen, key=lambda one: one.at)
    return tuple(_judged(contract, threshold, better, ordered) for threshold in contract.rollout.abort_thresholds)


def _judged(
    contract: Contract, threshold: AbortThreshold, better: Mapping[str, Better], ordered: Iterable[SeenFacts]
) -> Judged:
    seen = [one for one in ordered if one.comparison == threshold.comparison]
    balances = tuple(_balance(contract, one) for one in seen)
    found = _asked(threshold, better[threshold.comparison], seen)
    held = tuple(_why_hold(contract, seen, balances))
    if held and found.answer != "abort":
        return Judged(threshold, "hold", " ".join(held), found.interval, balances)
    return Judged(threshold, found.answer, found.sentence, found.interval, balances)


def _asked(threshold: AbortThreshold, better: Better, seen: list[SeenFacts]) -> hosts.ThresholdAnswer:
    """What the hosts say, whatever else speaks for holding."""
    lost = [one for one in seen if one.outcome == "failed_to_serve"]
    if lost:
        return hosts.ThresholdAnswer("abort", f"The candidate failed to serve on {lost[0].at:%Y-%m-%d}.", None)
    fit = [one for one in seen if one.is_usable]
    if not fit:
        return hosts.ThresholdAnswer("hold", "Nothing was observed in this rollout.", None)
    limit = fraction(threshold.limit, f"The limit on {threshold.metric}")
    runs = [run for one in fit for run in one.runs]
    return hosts.judge(runs, better=better, limit=limit, look=len(seen))


def _why_hold(contract: Contract, seen: list[SeenFacts], balances: tuple[split.Balance, ...]) -> Iterator[str]:
    """What keeps a threshold from letting the rollout go on, however good its interval is."""
    if not seen:
        yield "Nothing was observed in this rollout."
        return
    last = seen[-1]
    if last.at < contract.stage_began_at:
        yield f"Nothing was observed in stage {contract.stage} yet."
    if not last.is_usable:
        yield f"The observation of {last.at:%Y-%m-%d} cannot be used: {last.refusal}"
    yield from (one.sentence for one in balances if one.state != "balanced")


def _balance(contract: Contract, seen: SeenFacts) -> split.Balance:
    stage = contract.rollout.stages[contract.stage_at(seen.at) - 1]
    meant = seen.share_percent
    if meant is None:
        meant = fraction(stage.percent, "The scope of a rollout stage")
    traffic = {arm: _traffic(seen, arm) for arm in ARMS}
    return split.balance(traffic["baseline"], traffic["candidate"], intended=meant / 100)


def _traffic(seen: SeenFacts, arm: Arm) -> split.ArmTraffic:
    rows = [one for one in seen.traffic if one.arm == arm]
    counts = [one.requests for one in rows]
    known = None if not counts or None in counts else sum(count for count in counts if count is not None)
    return split.ArmTraffic(hosts=len({one.host for one in rows}), runs=len(rows), requests=known)
