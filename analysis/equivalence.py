"""Equivalence at a level of its own: two one-sided tests at 5 % are the 90 % interval inside the margin.

Only a plan can ask for it, before the runs. That interval then decides "within the margin" and nothing else: direction,
and whether an effect is worse or better than the margin, rest on the interval of the plan's confidence. Both are shown.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import cast

from analysis.claims import ConfidenceInterval, EquivalenceInterval, WidenedInterval
from analysis.estimation import estimate, with_excluded
from analysis.exact import plain_decimal
from analysis.inputs import AssessmentRequest
from analysis.margin import Margin
from analysis.runs import RunPoint
from analysis.verdict import HEADLINES, Verdict, verdict
from analysis.widening import Allowance, widened


def of(
    request: AssessmentRequest, points: Collection[RunPoint], parts: Collection[Allowance]
) -> EquivalenceInterval | None:
    """The interval at the plan's level for equivalence, by the same procedure; None when the plan fixes none.

    The looks that were declared share the error of that level too, and at another look it holds at every look. It is
    asked for only where there is an interval at the plan's confidence; then this narrower one exists as well.

    Raises:
        Refused: unbounded.
    """
    if request.plan.equivalence_level is None:
        return None
    again = replace(request, plan=replace(request.plan, confidence=request.plan.equivalence_level))
    found = cast(ConfidenceInterval, estimate(again, points).effect.interval)
    return EquivalenceInterval(found, widened(found, parts), with_excluded(again, points))


def judged(found: Verdict, decides: ConfidenceInterval | WidenedInterval | None, margin: Margin) -> Verdict:
    """The verdict, with "within the margin" where the interval that decides equivalence lies inside it."""
    if decides is None or found.materiality == "within_margin":
        return found
    if verdict(decides, margin).materiality != "within_margin":
        return found
    inner = decides.statistical if isinstance(decides, WidenedInterval) else decides
    level = plain_decimal(100 * inner.confidence, significant=4)
    said = HEADLINES[found.direction, "within_margin"].format(margin=margin.said)
    return replace(
        found, materiality="within_margin", headline=f"{said}, by the {level}% interval that the plan fixed for it"
    )
