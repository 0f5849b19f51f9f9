"""The ratio of arithmetic means of runs, where the plan names it: what a sum over runs follows."""

from collections.abc import Collection
from dataclasses import replace

from analysis import checks
from analysis.claims import ConfidenceInterval, EffectEstimate, Frame
from analysis.design import Design, used
from analysis.effect import EffectResult, on_additive_scale, without_a_look
from analysis.errors import Refused
from analysis.fieller import ESTIMAND, fieller_ratio
from analysis.inputs import ARMS, ComparisonPlan
from analysis.notices import Refusal, as_value
from analysis.procedures import mean
from analysis.runs import RunPoint


def effect_of_means(points: Collection[RunPoint], design: Design, plan: ComparisonPlan) -> EffectResult:
    """The effect of the used points with Fieller's interval.

    Raises:
        Refused: means_need_independent_runs.
    """
    if design.kind != "independent":
        raise Refused(
            "means_need_independent_runs",
            f"The runs are laid out as {design.kind}, and Fieller's interval is of independent runs on one placement.",
            "Register a plan for typical runs, or make independent runs on one placement.",
        )
    baseline, candidate = ([p.value for p in used(points) if p.arm == arm and p.value is not None] for arm in ARMS)
    estimand = f"{ESTIMAND} of run {plan.what}, candidate over baseline"
    frame = Frame("ratio", "1", design.scope, estimand, design.counted)
    logs = on_additive_scale(points, plan.scale)
    said = [*checks.of_layout(design, logs), *checks.of_order(design, points, logs)]
    found: ConfidenceInterval | Refusal
    single_look = None
    try:
        level = plan.level if plan.look <= plan.looks else plan.confidence
        found = replace(fieller_ratio(baseline, candidate, confidence=level, frame=frame), frame=frame)
    except Refused as refused:
        found = as_value(refused)
    if isinstance(found, ConfidenceInterval):
        said += checks.of_interval(found)
        if plan.look > plan.looks:
            single_look = found
            found, notice = without_a_look(found, plan)
            said.append(notice)
    estimate = EffectEstimate(mean(candidate) / mean(baseline), frame, len(baseline), len(candidate))
    return EffectResult(estimate, found, None, single_look, tuple(said))
