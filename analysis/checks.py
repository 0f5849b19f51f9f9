"""What should make a reader careful: order, drift, spread, counts, timer. A check never changes a number."""

import math
from collections import defaultdict
from collections.abc import Collection, Sequence

from analysis.claims import ConfidenceInterval
from analysis.design import Design, used
from analysis.inputs import ARMS, LabelledRun
from analysis.notices import Notice
from analysis.procedures import mean, two_sided_p, variance
from analysis.runs import RunPoint
from analysis.units import to_base

TIMER_RESOLUTION = "timer_resolution"
GREATEST_SPREAD_RATIO = 3


def overlap(points: Collection[RunPoint]) -> float | None:
    """How much the arms interleave in time: 1 - |2 AUC - 1|; 0 when one ran after the other, None when unknown.

    AUC is the share of pairs in which the candidate run started after the baseline run.
    """
    starts: dict[str, list[int]] = {arm: [] for arm in ARMS}
    for point in used(points):
        if point.started_ns is None:
            return None
        starts[point.arm].append(point.started_ns)
    pairs = [(b, c) for b in starts["baseline"] for c in starts["candidate"]]
    if not pairs:
        return None
    later = sum((c > b) + (c == b) / 2 for b, c in pairs) / len(pairs)
    return 1 - abs(2 * later - 1)


def drift_p(points: Collection[RunPoint]) -> float | None:
    """The p-value of a slope over start time, within arm and placement (ANCOVA); None when it cannot be tested.

    The points' values are taken on the additive scale by the caller.
    """
    groups: defaultdict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    taken = used(points)
    for point in taken:
        if point.started_ns is None or point.value is None:
            return None
        groups[point.placement, point.arm].append((point.started_ns, point.value))
    df = len(taken) - len(groups) - 1
    centred = [pair for group in groups.values() for pair in _centred(group)]
    times = math.fsum(t * t for t, _ in centred)
    if df < 1 or times == 0:
        return None
    slope = math.fsum(t * x for t, x in centred) / times
    rest = math.fsum((x - slope * t) ** 2 for t, x in centred) / df
    return two_sided_p(df, slope / math.sqrt(rest / times)) if rest > 0 else None


def _centred(group: Sequence[tuple[int, float]]) -> list[tuple[float, float]]:
    first = min(t for t, _ in group)
    times, values = [(t - first) / 1e9 for t, _ in group], [x for _, x in group]
    middle, level = mean(times), mean(values)
    return [(t - middle, x - level) for t, x in zip(times, values, strict=True)]


def of_order(design: Design, points: Collection[RunPoint], additive: Collection[RunPoint]) -> tuple[Notice, ...]:
    """Notices on start order and drift. additive: the points with values on the additive scale."""
    found, share, drift = [], overlap(points), drift_p(additive)
    if share is None:
        found.append(Notice("order_unknown", "Start times are not recorded, so order and drift cannot be checked."))
    elif share == 0:
        found.append(
            Notice("order_confounded", "One arm ran after the other: the effect may belong to the later period.")
        )
    elif share < 0.5:
        found.append(Notice("weak_overlap", f"The arms overlap little in time (overlap {share:.2g} of 1)."))
    if drift is not None and drift < 0.05:
        cure = "The blocks remove it." if design.kind == "blocked" else "Use blocks."
        found.append(Notice("drift", f"The runs drift over the session (p = {drift:.2g}). {cure}"))
    return tuple(found)


def of_layout(design: Design, additive: Collection[RunPoint]) -> tuple[Notice, ...]:
    """Notices on placements, counts, dropped blocks and spread. additive: the used points on the additive scale."""
    found = []
    if design.kind == "two_systems":
        found.append(
            Notice("one_system_per_arm", "The hardware is what varies, one system each: these two systems only.")
        )
    elif len(design.placements) == 1:
        found.append(Notice("one_placement", "All runs are on one placement; another may differ."))
    if not design.placements_verified:
        found.append(Notice("placement_not_verified", "Placements are typed or unknown, not captured."))
    if design.dropped_blocks:
        found.append(Notice("dropped_blocks", f"{len(design.dropped_blocks)} blocks with a broken run are dropped."))
    by_arm = [[p.value for p in used(additive) if p.arm == arm and p.value is not None] for arm in ARMS]
    found += of_counts(len(by_arm[0]), len(by_arm[1]))
    if min(len(values) for values in by_arm) >= 2:
        found += of_spreads(*(math.sqrt(variance(values, rounding=0.0)) for values in by_arm))
    return tuple(found)


def of_counts(baseline: int, candidate: int) -> tuple[Notice, ...]:
    """A notice when one arm has more than twice the runs of the other."""
    fewest, most = sorted((baseline, candidate))
    if most <= 2 * fewest:
        return ()
    return (Notice("unbalanced", f"{fewest} runs against {most}: add runs to the smaller arm first."),)


def of_spreads(baseline: float, candidate: float) -> tuple[Notice, ...]:
    """A notice when one arm varies much more than the other; both on the additive scale."""
    low, high = sorted((baseline, candidate))
    if high <= GREATEST_SPREAD_RATIO * low:
        return ()
    return (Notice("unequal_spread", "One arm varies more than three times as much as the other."),)


def of_interval(interval: ConfidenceInterval) -> tuple[Notice, ...]:
    """Notices on the interval itself."""
    found = []
    if interval.df < 4:
        found.append(
            Notice("small_df", f"Only {interval.df:.3g} degrees of freedom: the interval is wide and fragile.")
        )
    if interval.method.startswith("welch_min_df"):
        found.append(
            Notice("guarded_df", f"The smaller arm has {interval.units}: it limits this interval; add to it first.")
        )
    return tuple(found)


def of_timer(runs: Collection[LabelledRun], points: Collection[RunPoint]) -> tuple[Notice, ...]:
    """A notice when the recorded timer resolution exceeds half the spread of the runs of an arm.

    Raises:
        Refused: unit_mismatch, not_a_number, when the recorded resolution cannot be read.
    """
    known = [
        float(to_base(s.value, s.unit).value)
        for run in runs
        for s in run.reading.settings_of(run.run.key)
        if s.name == TIMER_RESOLUTION
    ]
    for arm in ARMS:
        values = [p.value for p in used(points) if p.arm == arm and p.unit == "s" and p.value is not None]
        if known and len(values) >= 2 and max(known) > math.sqrt(variance(values, rounding=0.0)) / 2:
            return (Notice("quantised", "The timer is coarser than half the spread of the runs; widen by it."),)
    return ()
