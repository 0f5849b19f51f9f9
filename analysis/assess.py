"""The main path: labelled runs and a registered plan in, one frozen result out. Read this file first.

    files -> runs -> one number per run -> same work? -> design -> effect and interval -> verdict -> judgements

Every step is a module of its own name. `assess` never raises for what is a first-class outcome: a refusal, arms that
cannot be compared, or a candidate that failed to serve.
"""

import math
from dataclasses import replace

from analysis import checks, energy_answer, failures, inputs, limit, run_energy, runs, step_report, work
from analysis.attribution import Facts, attribute
from analysis.both_cuts import with_other_cut
from analysis.breakdown import broken_down
from analysis.claims import ConfidenceInterval, EffectEstimate, WidenedInterval, widen
from analysis.conclusion import conclude, judge_predictions, with_excluded, withhold
from analysis.design import drop_broken_blocks, infer_design, require_both_arms, used
from analysis.effect import effect_interval
from analysis.errors import Refused
from analysis.inputs import (
    AssessmentRequest,
    ComparisonPlan,
    Explained,
    LabelledRun,
    Predicted,
    Stated,
)
from analysis.notices import Refusal, as_value
from analysis.results import ANALYSIS_VERSION, AssessmentResult, inputs_digest, inputs_json, to_json
from analysis.runs import RunPoint
from analysis.work import AuditRow
from analysis.worst_case import worst_case

__all__ = [
    "ANALYSIS_VERSION",
    "AssessmentRequest",
    "AssessmentResult",
    "AuditRow",
    "ComparisonPlan",
    "Explained",
    "LabelledRun",
    "Predicted",
    "Refusal",
    "RunPoint",
    "Stated",
    "assess",
    "inputs_digest",
    "inputs_json",
    "to_json",
]


def assess(request: AssessmentRequest) -> AssessmentResult:
    """What the runs say of the plan's metric: a verdict, or the reason why there is none."""
    seen = observe(request)
    try:
        inputs.check(request)
    except Refused as refused:
        return replace(seen, refusal=as_value(refused))
    seen = replace(seen, slo=limit.of_candidate(request, seen.runs))
    try:
        result = measure(request, seen)
    except work.NotComparable as refused:
        energy = replace(seen.energy, ratio=None) if seen.energy else None
        result = replace(seen, outcome="not_comparable", refusal=as_value(refused), energy=energy)
    except Refused as refused:
        result = replace(seen, refusal=as_value(refused))
    if failures.candidate_failed_to_serve(*seen.failures):
        result = replace(result, outcome="failed_to_serve", refusal=None, verdict=None)
    result = replace(result, worst_case=worst_case(result.governing, result.failures, request.plan.better))
    return judge_predictions(request, broken_down(request, with_other_cut(request, result)))


def observe(request: AssessmentRequest) -> AssessmentResult:
    """What is there before anything is judged: run values, failures and the work audit; as yet refused."""
    failed = {run.label for run in request.runs if failures.why_failed(run)}
    baseline, candidate = (failures.count(request.runs, failed, arm) for arm in inputs.ARMS)
    audit = work.audit(request, failed=failed)
    energies = run_energy.of_request(request)
    points = drop_broken_blocks(runs.read_points(request, energies))
    energy = energy_answer.answer(request, energies, points)
    steps, of_steps = step_report.report(request, points)
    said = (
        *runs.notices(points, request.plan.stat),
        *of_steps,
        *failures.notices(request.runs, (baseline, candidate)),
        *work.notices(audit, varied=request.plan.varied),
        *energy_answer.notices(energies, energy),
    )
    return AssessmentResult(
        outcome="refused", refusal=None, plan=request.plan, audit=audit, failures=(baseline, candidate), design=None,
        overlap=checks.overlap(points), estimate=None, interval=None, widened=None, secondary=None, with_excluded=None,
        single_look=None, slo=None, verdict=None, judgements=(), runs=points, notices=said,
        attribution=attribute(Facts(established=False, blocked=False, two_systems=False, overlap=None)),
        inputs_digest=inputs_digest(request), energy=energy, steps=steps,
    )  # fmt: skip


def measure(request: AssessmentRequest, seen: AssessmentResult) -> AssessmentResult:
    """The effect of runs that did the same work, with its interval and verdict.

    Raises:
        Refused: whatever the runs, the audit and the design refuse; a refused interval is in the result.
    """
    plan, points = request.plan, seen.runs
    require_both_arms(points)
    work.require_comparable(seen.audit)
    runs.require_values(points)
    runs.require_alike_quantiles(points, plan.stat)
    design = infer_design(points, hardware_varied=plan.hardware_varied)
    effect = effect_interval(points, design, plan)
    notices = (*seen.notices, *effect.notices, *checks.of_timer(request.runs, points))
    result = replace(seen, design=design, estimate=effect.estimate, single_look=effect.single_look, notices=notices)
    if isinstance(effect.interval, Refusal) and effect.single_look is not None:
        return withhold(result, effect.interval)
    if isinstance(effect.interval, Refusal):
        return replace(result, refusal=effect.interval, notices=(*result.notices, *runs.within_precision(request)))
    widened = widen_by_bounds(effect.interval, effect.estimate, seen)
    result = replace(
        result,
        interval=effect.interval,
        widened=widened,
        secondary=effect.secondary,
        with_excluded=with_excluded(points, plan),
    )
    return conclude(result, widened or effect.interval)


def widen_by_bounds(
    interval: ConfidenceInterval, estimate: EffectEstimate, seen: AssessmentResult
) -> WidenedInterval | None:
    """The interval widened by what is bounded and not random; None when there is nothing of that kind.

    A tolerated or explained factor g moves a ratio by g on each side, and a difference by at most (g - 1) of the
    largest run value. The error of the meters moves each arm by that of its worst run.
    """
    factor, reasons = work.widening(seen.audit)
    metered = seen.energy if seen.energy is not None and seen.energy.is_bounded else None
    if factor == 1 and (metered is None or not metered.reason):
        return None
    if estimate.frame.scale == "ratio":
        allowance = math.log(factor)
    else:
        allowance = float(factor - 1) * max(abs(point.value or 0.0) for point in used(seen.runs))
    return widen(
        interval,
        baseline=(metered.baseline_error or 0.0) if metered else 0.0,
        candidate=allowance + ((metered.candidate_error or 0.0) if metered else 0.0),
        shared_gain=False,
        reasons=(*reasons, *((metered.reason,) if metered and metered.reason else ())),
    )
