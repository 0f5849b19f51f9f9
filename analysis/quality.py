"""The runs of a quality evaluation, taken apart into their scored items, and the effect that is read from them.

With one run per arm every item is paired with itself. Several runs per arm are seeds, and seeds are runs: their scores
go through the design of the runs, after it is sure that all of them scored the same items.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from analysis import checks, items
from analysis.claims import ConfidenceInterval, EffectEstimate, Frame
from analysis.design import ONE_PLACEMENT, Design, used
from analysis.effect import EffectResult, effect_interval, without_a_look
from analysis.errors import Refused
from analysis.inputs import ARMS, AssessmentRequest, ComparisonPlan
from analysis.items import Scored
from analysis.notices import Notice, Refusal, as_value, named
from analysis.run_values import rows_by_run
from analysis.runs import RunPoint

ONE_BENCHMARK: Final = Notice("one_benchmark", "Scores speak of this benchmark, and of no other task.")


def design_of_items(points: Collection[RunPoint], layout: Design) -> Design:
    """The layout of a quality evaluation: items with one run per arm, else seeds in the layout that they have."""
    if _one_each(points):
        systems = f" on {layout.scope}" if layout.kind == "two_systems" else ""
        return replace(layout, kind="items", scope=f"{items.SCOPE}{systems}", counted="items")
    on = "" if layout.scope == ONE_PLACEMENT else f" on {layout.scope}"
    return replace(layout, scope=f"{items.SCOPE}{on}", counted=layout.counted.replace("runs per arm", "seeds per arm"))


def _one_each(points: Collection[RunPoint]) -> bool:
    return all(sum(point.arm == arm for point in used(points)) == 1 for arm in ARMS)


def item_scores(request: AssessmentRequest, points: Collection[RunPoint]) -> tuple[Scored, ...]:
    """Every scored item of the used runs.

    Raises:
        Refused: item_not_named, item_without_score.
    """
    rows, found = rows_by_run(request, request.plan.metric), []
    for point in used(points):
        part = rows[point.label].only(phase="measured", stage="", kind="raw")
        unnamed = len(part.only(item=""))
        if unnamed or not len(part):
            raise Refused(
                "item_not_named",
                f"Run {point.label} has {unnamed or 'no'} scores without the name of an item.",
                'Attach a file that names the "item" of every score.',
            )
        empty = part.not_measured().distinct("item")
        if empty:
            raise Refused(
                "item_without_score",
                f"{len(empty)} items have no score in run {point.label}: {named(empty)}.",
                items.SAME_ITEMS,
            )
        item, subject = part.words("item"), part.words("subject")
        found += [
            Scored(item.known[i], subject.known[s], point.arm, point.label, value)
            for i, s, value in zip(item.codes.tolist(), subject.codes.tolist(), part.values.tolist(), strict=True)
        ]
    return tuple(found)


def effect_of_items(request: AssessmentRequest, points: Collection[RunPoint], design: Design) -> EffectResult:
    """The effect on the scores, over items or over seeds.

    Raises:
        Refused: what `item_scores` refuses; items_differ, duplicate_item, subjects_differ.
    """
    plan, scores = request.plan, item_scores(request, points)
    items.require_same_items(scores)
    if design.kind != "items":
        seeds = effect_interval(points, design, plan)
        return replace(seeds, notices=(*seeds.notices, ONE_BENCHMARK))
    return _over_items(scores, points, plan, design)


def _over_items(
    scores: Collection[Scored], points: Collection[RunPoint], plan: ComparisonPlan, design: Design
) -> EffectResult:
    taken = used(points)
    unit, said = taken[0].unit, [*checks.of_layout(design, taken), *checks.of_order(design, points, taken)]
    values = {point.arm: point.value or 0.0 for point in taken}
    found: ConfidenceInterval | Refusal
    try:
        level = plan.level if plan.look <= plan.looks else plan.confidence
        found = items.item_effect(scores, confidence=level, unit=unit)
    except Refused as refused:
        found = as_value(refused)
    frame = Frame(plan.scale, unit, design.scope, _estimand(plan), "items")
    single_look = None
    if isinstance(found, ConfidenceInterval):
        found = replace(found, frame=replace(frame, counted=found.frame.counted))
        said += checks.of_interval(found)
        if plan.look > plan.looks:
            single_look = found
            found, notice = without_a_look(found, plan)
            said.append(notice)
    said += (_counted(scores), ONE_BENCHMARK)
    return EffectResult(
        EffectEstimate(values["candidate"] - values["baseline"], frame, 1, 1), found, None, single_look, tuple(said)
    )


def _estimand(plan: ComparisonPlan) -> str:
    return f"mean difference of {plan.metric} over items such as these, candidate minus baseline"


def _counted(scores: Collection[Scored]) -> Notice:
    """How many items there are, and what one run per arm cannot say."""
    named_ = {score.item for score in scores}
    subjects = {score.subject for score in scores if score.subject}
    of = f" of {len(subjects)} subjects" if subjects else ""
    return Notice(
        "one_seed_per_arm",
        f"{len(named_)} items{of}, each scored once per arm: how much another seed would change is not measured.",
    )
