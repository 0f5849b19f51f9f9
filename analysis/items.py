"""Quality evaluations: the same items scored under both arms, compared as differences of scores.

With one run per arm the unit is the item, paired with itself, and items of one subject (a document, a family) count
together. With several seeds per arm the seeds are runs, as everywhere else. Both speak of this benchmark only.

The clustered t has the bias-reduced variance of Bell and McCaffrey (2002) and Satterthwaite's degrees of freedom for
items that agree fully inside a subject: coverage .95 or more for subjects of any size, where the usual clustered
formula falls to .14 when one subject has most items. Without subjects it is the paired t.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from analysis.claims import ConfidenceInterval, Frame, interval_of
from analysis.errors import Refused
from analysis.inputs import ARMS, Arm
from analysis.notices import named
from analysis.procedures import ROUNDING, Spread, mean

SCOPE: Final = "this benchmark"
SAME_ITEMS: Final = "Score the same items in every run of both arms, a failed answer as the score that it earns."
BY_ITEM: Final = ("items are a sample of such items", "subjects are independent of each other")


@dataclass(frozen=True, slots=True)
class Scored:
    """One item as one run of an arm scored it. subject: items that share one are not independent; "" for none."""

    item: str
    subject: str
    arm: Arm
    seed: str
    score: float


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """Candidate minus baseline on one item, over the seeds that scored it."""

    item: str
    subject: str
    difference: float


def item_effect(scores: Collection[Scored], *, confidence: float, unit: str) -> ConfidenceInterval:
    """The mean paired difference of scores over items, candidate minus baseline, by the clustered t.

    Raises:
        Refused: no_items, items_differ, duplicate_item, subjects_differ, too_few_items, too_few_subjects,
            zero_variance, not_finite.
    """
    differences = paired_items(scores)
    clustered = any(one.subject for one in differences)
    frame = Frame("difference", unit, SCOPE, "mean difference of item scores", "subjects" if clustered else "items")
    return interval_of(clustered_spread(differences), confidence=confidence, frame=frame, assumptions=BY_ITEM)


def require_same_items(scores: Collection[Scored]) -> None:
    """Passes when every run of either arm scored every item once.

    Raises:
        Refused: no_items, items_differ, duplicate_item, subjects_differ, not_finite.
    """
    _by_seed(scores)


def paired_items(scores: Collection[Scored]) -> tuple[ItemDifference, ...]:
    """One difference per item, in the order of their names; every run of either arm scored every item.

    Raises:
        Refused: no_items, items_differ, duplicate_item, subjects_differ, not_finite.
    """
    by_seed = _by_seed(scores)
    subjects = {score.item: score.subject for score in scores}
    runs = {arm: [items for (of, _), items in sorted(by_seed.items()) if of == arm] for arm in ARMS}
    return tuple(
        ItemDifference(
            item,
            subject,
            mean([items[item] for items in runs["candidate"]]) - mean([items[item] for items in runs["baseline"]]),
        )
        for item, subject in sorted(subjects.items())
    )


def clustered_spread(differences: Collection[ItemDifference]) -> Spread:
    """The mean difference with its clustered standard error; an item without a subject is a subject of its own.

    Raises:
        Refused: too_few_items, too_few_subjects, zero_variance.
    """
    values = [one.difference for one in differences]
    if len(values) < 2:
        raise Refused("too_few_items", f"{len(values)} item allows no interval.", "Evaluate more items.")
    centre = mean(values)
    clusters: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in differences:
        clusters[one.subject, "" if one.subject else one.item].append(one.difference - centre)
    if len(clusters) < 2:
        raise Refused(
            "too_few_subjects",
            "All items are of one subject, which says nothing of another.",
            "Evaluate items of several subjects, better 20.",
        )
    if max(values) - min(values) <= ROUNDING * max(abs(value) for value in values):
        raise _all_alike()
    sizes = [len(deviations) for deviations in clusters.values()]
    total = len(values)
    squares = [
        math.fsum(deviations) ** 2 / (1 - size / total)
        for size, deviations in zip(sizes, clusters.values(), strict=True)
    ]
    squared_error = math.fsum(squares) / total**2
    if squared_error == 0:
        raise _all_alike()
    return Spread(centre, math.sqrt(squared_error), _degrees(sizes), "clustered", len(clusters))


def _all_alike() -> Refused:
    return Refused(
        "zero_variance",
        "The scores differ by the same amount on every item or subject, so the spread over items is not known.",
        "Evaluate more items, or several seeds per arm.",
    )


def _degrees(sizes: Collection[int]) -> float:
    """Satterthwaite's df of the clustered variance when items agree fully inside a subject; clusters - 1 if even.

    The variance is a quadratic form with the matrix diag(q) - (q s' + s q')/N + (sum q) s s'/N^2, where s are the sizes
    and q = s^2 / (1 - s/N); df is its squared trace over the trace of its square.
    """
    total = sum(sizes)
    q = [size**2 / (1 - size / total) for size in sizes]
    share = [size / total for size in sizes]
    all_q, across = math.fsum(q), math.fsum(a * b for a, b in zip(q, share, strict=True))
    squares, square_share = math.fsum(a * a for a in q), math.fsum(b * b for b in share)
    trace = all_q - 2 * across + all_q * square_share
    diagonal = math.fsum(a * (all_q * b * b - 2 * a * b) for a, b in zip(q, share, strict=True))
    rest = 2 * squares * square_share + 2 * across**2 + (all_q * square_share) ** 2 - 4 * all_q * across * square_share
    return trace**2 / (squares + 2 * diagonal + rest)


def _by_seed(scores: Collection[Scored]) -> Mapping[tuple[Arm, str], Mapping[str, float]]:
    """The score of every item, by arm and seed; each of them has the same items."""
    found: defaultdict[tuple[Arm, str], dict[str, float]] = defaultdict(dict)
    subjects: dict[str, str] = {}
    for score in scores:
        _check_score(score, found[score.arm, score.seed], subjects)
        found[score.arm, score.seed][score.item] = score.score
        subjects[score.item] = score.subject
    if {arm for arm, _ in found} != set(ARMS):
        raise Refused("no_items", "An arm has no scored items.", "Evaluate both arms on the same items.")
    missing = sorted({item for items in found.values() for item in subjects.keys() - items.keys()})
    if missing:
        raise Refused("items_differ", _missing(found, missing, len(subjects)), SAME_ITEMS)
    return found


def _missing(found: Mapping[tuple[Arm, str], Mapping[str, float]], missing: list[str], items: int) -> str:
    """How many of the items some run lacks, which ones, and how many of them the runs of each arm lack."""
    lacks = {
        arm: {item for (of, _), has in found.items() if of == arm for item in missing if item not in has}
        for arm in ARMS
    }
    by_arm = " and ".join(f"{len(items)} in the {arm}" for arm, items in lacks.items() if items)
    return f"{len(missing)} of {items} items are not scored by every run ({by_arm}): {named(missing)}."


def _check_score(score: Scored, seen: Mapping[str, float], subjects: Mapping[str, str]) -> None:
    if not math.isfinite(score.score):
        raise Refused("not_finite", f"Item {score.item} has no finite score.", "Score it as the benchmark says.")
    if score.item in seen:
        raise Refused(
            "duplicate_item",
            f"Item {score.item} is scored twice in one run.",
            "Give every item one score in a run, and repeated runs their own seed.",
        )
    if subjects.get(score.item, score.subject) != score.subject:
        raise Refused("subjects_differ", f"Item {score.item} has two subjects.", "Give every item one subject.")
