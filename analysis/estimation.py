"""Which effect the plan asks for, and what it must not ask for together: typical runs, arithmetic means, or items."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final, get_args

from analysis.claims import ConfidenceInterval
from analysis.design import Design, drop_broken_blocks, infer_design
from analysis.effect import EffectResult, effect_interval
from analysis.errors import Refused
from analysis.inputs import AssessmentRequest, ComparisonPlan, Estimator, Unit
from analysis.means import effect_of_means
from analysis.notices import Refusal
from analysis.quality import design_of_items, effect_of_items
from analysis.runs import RunPoint
from analysis.series import cut_in_words, cuts
from analysis.served import GOODPUT, level_of
from analysis.service_level import require_level
from analysis.sweeps import STAT, is_sweep

EQUIVALENCE_LEVEL: Final = 0.9
SAME_RATES: Final = Refusal(
    "zero_variance",
    "All sweeps of an arm held the same rate, or all blocks differ alike: the rates tried are coarser than the spread.",
    "Try rates that lie closer together.",
)
GOODPUT_STATS: Final = ("rate", STAT)


@dataclass(frozen=True, slots=True)
class Estimated:
    """The layout of the runs, and the effect that the plan asks for."""

    design: Design
    effect: EffectResult


def estimate(request: AssessmentRequest, points: Collection[RunPoint]) -> Estimated:
    """The effect by the procedure that plan and design name.

    Raises:
        Refused: what the design, the items and the procedures refuse; a refused interval is in the result.
    """
    plan = request.plan
    design = infer_design(points, hardware_varied=plan.hardware_varied)
    if is_sweep(request):
        design = replace(design, counted=design.counted.replace("runs per arm", "sweeps per arm"))
    if plan.unit == "item":
        design = design_of_items(points, design)
        return Estimated(design, effect_of_items(request, points, design))
    if plan.estimator == "ratio_of_means":
        return Estimated(design, effect_of_means(points, design, plan))
    effect = effect_interval(points, design, plan)
    same_rates = is_sweep(request) and isinstance(effect.interval, Refusal) and effect.interval.code == "zero_variance"
    return Estimated(design, replace(effect, interval=SAME_RATES) if same_rates else effect)


def with_excluded(request: AssessmentRequest, points: Collection[RunPoint]) -> ConfidenceInterval | None:
    """The interval if the excluded runs that have a value were used; None when there are none, or no interval then."""
    back = tuple(
        replace(p, status="used") if p.status == "excluded" and p.value is not None
        else replace(p, status="used") if p.status == "dropped_with_block"
        else p
        for p in points
    )  # fmt: skip
    if not has_excluded(points):
        return None
    try:
        found = estimate(request, drop_broken_blocks(back)).effect.interval
    except Refused:
        return None
    return found if isinstance(found, ConfidenceInterval) else None


def has_excluded(points: Collection[RunPoint]) -> bool:
    """Whether an excluded run has a value, so that the effect can be read with it."""
    return any(p.status == "excluded" and p.value is not None for p in points)


def check(plan: ComparisonPlan) -> None:
    """Refuses a plan that names procedures that do not exist, or not together.

    Raises:
        Refused: bad_unit, bad_estimator, bad_equivalence_level, bad_measurement_error, bad_goodput; no_service_level,
            bad_service_level.
    """
    _check_unit(plan)
    if plan.estimator not in get_args(Estimator):
        raise Refused("bad_estimator", f"{plan.estimator!r} is no estimator.", "Name typical or ratio_of_means.")
    if plan.estimator == "ratio_of_means" and plan.scale != "ratio":
        raise Refused(
            "bad_estimator",
            f"On the scale {plan.scale} the effect is already one of arithmetic means.",
            "Choose the scale ratio, or the estimator typical.",
        )
    if plan.equivalence_level not in (None, EQUIVALENCE_LEVEL):
        raise Refused(
            "bad_equivalence_level",
            f"Equivalence is not judged at {plan.equivalence_level:g}.",
            f"Fix {EQUIVALENCE_LEVEL:.2f} in the plan, or nothing: then the interval of all else decides it.",
        )
    _check_error(plan)
    _check_goodput(plan)


def _check_unit(plan: ComparisonPlan) -> None:
    if plan.unit not in get_args(Unit):
        raise Refused("bad_unit", f"{plan.unit!r} is nothing that is counted.", "Count by run or by item.")
    if plan.unit == "run":
        return
    wrong = [
        said
        for said, found in (
            (f"the scale {plan.scale}", plan.scale not in ("difference", "proportion")),
            (f"the statistic {plan.stat}", plan.stat != "mean"),
            (f"a warmup of {cut_in_words(plan)}", cuts(plan)),
            (f"the estimator {plan.estimator}", plan.estimator != "typical"),
        )
        if found
    ]
    if wrong:
        raise Refused(
            "bad_unit",
            f"Items are compared by the difference of their mean scores, which does not go with {', '.join(wrong)}.",
            "Plan the scale difference or proportion, the statistic mean, no warmup, and the estimator typical.",
        )


def _check_error(plan: ComparisonPlan) -> None:
    error = plan.measurement_error
    if error is None:
        return
    if min(error.baseline, error.candidate) < 1:
        raise Refused(
            "bad_measurement_error",
            "A measurement error is a ratio of at least 1.",
            'State the greatest ratio by which a run\'s value may be off, for example "1.005".',
        )
    if error.shared_gain and plan.scale != "ratio":
        raise Refused(
            "bad_measurement_error",
            "A shared gain drops out of a ratio, not of a difference.",
            "Choose the scale ratio, or state the errors without a shared gain.",
        )


def _check_goodput(plan: ComparisonPlan) -> None:
    if plan.metric != GOODPUT:
        if plan.service_level is not None:
            raise Refused(
                "bad_goodput",
                f"A service level belongs to the metric {GOODPUT}, not to {plan.metric}.",
                "Choose the metric goodput, or hold the metric itself to a limit.",
            )
        return
    require_level(level_of(plan))
    if plan.stat not in GOODPUT_STATS or cuts(plan):
        raise Refused(
            "bad_goodput",
            f"A goodput is the rate of one run or the max of a sweep, of all requests; not {plan.stat} after a warmup "
            f"of {cut_in_words(plan)}.",
            "Plan the statistic rate or max, and no warmup.",
        )
