"""The effect with a longer warmup cut, beside the effect with the declared one, which governs."""

from dataclasses import replace

from analysis import runs
from analysis.claims import ConfidenceInterval, EffectEstimate
from analysis.design import drop_broken_blocks
from analysis.errors import Refused
from analysis.estimation import estimate
from analysis.exact import plain_decimal
from analysis.inputs import AssessmentRequest
from analysis.notices import Notice, Refusal, as_value
from analysis.results import AssessmentResult
from analysis.series import cut_in_words
from analysis.step_report import OtherCut

LONGER = "warmup_longer_than_declared"
SHOWN = 4


def with_other_cut(request: AssessmentRequest, result: AssessmentResult) -> AssessmentResult:
    """The result with the effect at the longer cut in its report and in the notice, when the warmup asks for one."""
    report = result.steps
    if report is None or result.estimate is None or (report.needed_steps is None and report.needed_seconds is None):
        return result
    plan = replace(request.plan, warmup_steps=report.needed_steps or 0, warmup_seconds=report.needed_seconds)
    other = _with(replace(request, plan=plan))
    declared = _in_words(result.estimate, result.interval, None)
    said = (
        f"With {report.declared} cut the effect is {declared}; with {other.cut} cut it would be "
        f"{_in_words(other.estimate, other.interval, other.refusal)}. The declared cut governs."
    )
    notices = tuple(Notice(one.code, f"{one.sentence} {said}") if one.code == LONGER else one for one in result.notices)
    return replace(result, steps=replace(report, other=other), notices=notices)


def _with(request: AssessmentRequest) -> OtherCut:
    plan, cut = request.plan, cut_in_words(request.plan)
    try:
        points = drop_broken_blocks(runs.read_points(request))
        runs.require_values(points)
        runs.require_alike_quantiles(points, plan.stat)
        found = estimate(request, points).effect
    except Refused as refused:
        return OtherCut(cut, None, None, as_value(refused))
    if isinstance(found.interval, Refusal):
        return OtherCut(cut, found.estimate, None, found.interval)
    return OtherCut(cut, found.estimate, found.interval, None)


def _in_words(estimate: EffectEstimate | None, interval: ConfidenceInterval | None, refusal: Refusal | None) -> str:
    """The size and the ends with their level: "1.052 [1.031, 1.073] (95 % confidence)"; or why there are none."""
    if estimate is None:
        return f"refused ({refusal.message.rstrip('.') if refusal else 'no value'})"
    unit = "" if estimate.frame.unit == "1" else f" {estimate.frame.unit}"
    size = f"{_shown(estimate.value)}{unit}"
    if interval is None:
        return f"{size}, without an interval"
    level = plain_decimal(100 * interval.confidence, significant=6)
    return f"{size} [{_shown(interval.lo)}, {_shown(interval.hi)}] ({level} % confidence)"


def _shown(value: float) -> str:
    return plain_decimal(value, significant=SHOWN)
