"""A rollout judged by its hosts: is the effect beyond a limit, within it, or not known yet?

The unit is the host: all its runs of an arm make one value. Looks are many and their number is open, and a later look
adds runs to hosts that an earlier one saw. So the error is spent over the looks, 6 / (pi k)^2 of it at look k, which
sums to all of it: whatever was added in between, and however often one looks, the intervals of all looks cover the
effect together in the share `CONFIDENCE` of rollouts.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from analysis.errors import Refused
from analysis.inputs import ARMS, Arm, Better
from analysis.procedures import Spread, mean, paired, t_quantile, welch

Answer = Literal["continue", "abort", "hold"]

CONFIDENCE: Final = 0.95
FEWEST_HOSTS: Final = 2


@dataclass(frozen=True, slots=True)
class HostRun:
    """One run of live traffic on one host. host: "" where nobody says; all such runs are of one host."""

    arm: Arm
    host: str
    value: float


@dataclass(frozen=True, slots=True)
class HostInterval:
    """Candidate over baseline, as a ratio, over hosts; it holds at every look.

    confidence: of this look alone. method: "welch" over hosts of one arm each, "paired" over hosts that serve both.
    """

    estimate: float
    low: float
    high: float
    confidence: float
    look: int
    baseline_hosts: int
    candidate_hosts: int
    method: str


@dataclass(frozen=True, slots=True)
class ThresholdAnswer:
    """What a look says of one limit. interval: None where there is none; the sentence then says why."""

    answer: Answer
    sentence: str
    interval: HostInterval | None


def level_of(look: int) -> float:
    """The confidence of look number `look`, from 1, when all looks together have `CONFIDENCE`."""
    return 1 - (1 - CONFIDENCE) * 6 / (math.pi * look) ** 2


def judge(runs: Collection[HostRun], *, better: Better, limit: Fraction, look: int) -> ThresholdAnswer:
    """Whether the rollout goes on (within the limit), is aborted (beyond it) or holds (not known yet).

    limit: the worst acceptable ratio, candidate over baseline.
    """
    try:
        found = interval_of(runs, look)
    except Refused as refused:
        return ThresholdAnswer("hold", f"{refused.message} {refused.needs}", None)
    beyond = found.low > limit if better == "lower" else found.high < limit
    within = found.high <= limit if better == "lower" else found.low >= limit
    answer: Answer = "abort" if beyond else "continue" if within else "hold"
    return ThresholdAnswer(answer, _sentence(found, limit, answer), found)


def interval_of(runs: Collection[HostRun], look: int) -> HostInterval:
    """The interval of the ratio at that look.

    Raises:
        Refused: no_logarithm, too_few_hosts, hosts_in_both_arms, zero_variance, unbounded.
    """
    if any(run.value <= 0 for run in runs):
        raise Refused(
            "no_logarithm", "A value is not positive, so that there is no ratio.", "Leave the metric out of thresholds."
        )
    values = {arm: _by_host(runs, arm) for arm in ARMS}
    spread = _spread(values["baseline"], values["candidate"])
    level = level_of(look)
    half = t_quantile(spread.df, level) * spread.se
    if abs(spread.centre) + half > math.log(1e300):
        raise Refused("unbounded", "The interval is too wide to be printed.", "Add hosts.")
    return HostInterval(
        estimate=math.exp(spread.centre),
        low=math.exp(spread.centre - half),
        high=math.exp(spread.centre + half),
        confidence=level,
        look=look,
        baseline_hosts=len(values["baseline"]),
        candidate_hosts=len(values["candidate"]),
        method="paired" if spread.method == "paired" else "welch",
    )


def _by_host(runs: Collection[HostRun], arm: Arm) -> Mapping[str, float]:
    """Host -> the mean logarithm of its runs of the arm."""
    found: dict[str, list[float]] = {}
    for run in runs:
        if run.arm == arm:
            found.setdefault(run.host, []).append(math.log(run.value))
    return {host: mean(logs) for host, logs in sorted(found.items())}


def _spread(baseline: Mapping[str, float], candidate: Mapping[str, float]) -> Spread:
    both = baseline.keys() & candidate.keys()
    if min(len(baseline), len(candidate)) < FEWEST_HOSTS:
        raise Refused(
            "too_few_hosts",
            f"{len(baseline)} baseline and {len(candidate)} candidate hosts allow no interval, whatever ran on them.",
            "Observe each arm on at least 2 hosts, better 5.",
        )
    if not both:
        return welch(list(baseline.values()), list(candidate.values()))
    if both != baseline.keys() or both != candidate.keys():
        raise Refused(
            "hosts_in_both_arms",
            f"{len(both)} hosts served both arms, and others only one.",
            "Split the traffic of every host, or give each host one arm.",
        )
    return paired([(baseline[host], candidate[host]) for host in sorted(both)])


def _sentence(found: HostInterval, limit: Fraction, answer: Answer) -> str:
    hosts = (
        f"{found.baseline_hosts} hosts that serve both arms"
        if found.method == "paired"
        else f"{found.baseline_hosts} baseline and {found.candidate_hosts} candidate hosts"
    )
    stands = {"abort": "is beyond", "continue": "is within", "hold": "reaches over"}[answer]
    return (
        f"Candidate over baseline is between {found.low:.4g} and {found.high:.4g} (look {found.look}, {hosts}; "
        f"{100 * CONFIDENCE:g} % over all looks), which {stands} the limit of {float(limit):g}."
    )
