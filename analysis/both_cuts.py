"""The effect with a longer warmup cut, beside the effect with the declared one, which governs."""

from dataclasses import replace

from analysis import runs
from analysis.design import drop_broken_blocks
from analysis.errors import Refused
from analysis.estimation import estimate
from analysis.inputs import AssessmentRequest
from analysis.notices import Notice, Refusal, as_value
from analysis.results import AssessmentResult
from analysis.series import cut_in_words
from analysis.step_report import OtherCut
from analysis.widening import allowances, widened

LONGER = "warmup_longer_than_declared"


def with_other_cut(request: AssessmentRequest, result: AssessmentResult) -> AssessmentResult:
    """The result with the effect at the longer cut in its report and in the notice, when the warmup asks for one."""
    report = result.steps
    if report is None or result.estimate is None or (report.needed_steps is None and report.needed_seconds is None):
        return result
    plan = replace(request.plan, warmup_steps=report.needed_steps or 0, warmup_seconds=report.needed_seconds)
    other = _with(replace(request, plan=plan), result)
    said = f"What the effect would be with {other.cut} cut stands beside it. The declared cut governs."
    notices = tuple(Notice(one.code, f"{one.sentence} {said}") if one.code == LONGER else one for one in result.notices)
    return replace(result, steps=replace(report, other=other), notices=notices)


def _with(request: AssessmentRequest, result: AssessmentResult) -> OtherCut:
    """The effect at the cut of the plan of `request`, with the allowances that it has there."""
    plan, cut = request.plan, cut_in_words(request.plan)
    try:
        points = drop_broken_blocks(runs.read_points(request))
        runs.require_values(points)
        runs.require_alike_quantiles(points, plan.stat)
        found = estimate(request, points).effect
        if isinstance(found.interval, Refusal):
            return OtherCut(cut, found.estimate, None, found.interval)
        wide = widened(found.interval, allowances(plan, result.audit, points, result.energy))
    except Refused as refused:
        return OtherCut(cut, None, None, as_value(refused))
    return OtherCut(cut, found.estimate, found.interval, None, wide)
