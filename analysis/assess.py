"""The main path: labelled runs and a registered plan in, one frozen result out. Read this file first.

    files -> runs -> one number per run -> same work? -> design -> effect and interval -> verdict -> judgements

Every step is a module of its own name. `assess` never raises for what is a first-class outcome: a refusal, arms that
cannot be compared, or a candidate that failed to serve.
"""

from dataclasses import replace

from analysis import (
    checks,
    clashes,
    energy_answer,
    equivalence,
    estimation,
    failures,
    inputs,
    limit,
    misreadings,
    run_energy,
    runs,
    split,
    step_report,
    sweeps,
    work,
    work_size,
)
from analysis.attribution import Facts, attribute
from analysis.both_cuts import with_other_cut
from analysis.breakdown import broken_down
from analysis.conclusion import conclude, judge_predictions, of_load, withhold
from analysis.design import drop_broken_blocks, require_both_arms
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
from analysis.served import GOODPUT
from analysis.widening import allowances, dropped_out, unallowed, widened
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
    refusal = _refusal_of(request)
    seen = observe(request, cuts=refusal is None)
    if refusal is not None:
        return replace(seen, refusal=refusal)
    seen = replace(seen, slo=limit.of_candidate(request, seen.runs, seen.energy))
    try:
        result = measure(request, seen)
    except work.NotComparable as refused:
        energy = replace(seen.energy, ratio=None) if seen.energy else None
        result = replace(seen, outcome="not_comparable", refusal=as_value(refused), energy=energy)
    except Refused as refused:
        result = replace(seen, refusal=as_value(refused))
    if failures.candidate_failed_to_serve(*seen.failures):
        unjudged = seen.attribution
        result = replace(result, outcome="failed_to_serve", refusal=None, verdict=None, attribution=unjudged)
    result = replace(result, worst_case=worst_case(result.governing, result.failures, request.plan.better))
    return judge_predictions(request, broken_down(request, with_other_cut(request, result)))


def _refusal_of(request: AssessmentRequest) -> Refusal | None:
    """Why the plan, or what it is asked of, cannot be answered by any numbers; None when it can."""
    try:
        inputs.check(request)
        estimation.check(request.plan)
    except Refused as refused:
        return as_value(refused)
    return None


def observe(request: AssessmentRequest, *, cuts: bool) -> AssessmentResult:
    """What is there before anything is judged: run values, failures and the work audit; as yet refused.

    cuts: the plan stands, so that its warmup is one; nothing is reported as cut by a plan that is refused.
    """
    failed, counted = {run.label for run in request.runs if failures.why_failed(run)}, sweeps.units_of(request.plan)
    swept = sweeps.read_sweeps(request) if sweeps.is_sweep(request) else None
    energies = run_energy.of_request(request)
    points = drop_broken_blocks(swept.points if swept else runs.read_points(request, energies))
    baseline, candidate = (
        failures.count([point.status for point in points if point.arm == arm], arm, counted) for arm in inputs.ARMS
    )
    audit = split.audited(request.plan, clashes.marked(work.audit(request, failed=failed), request))
    energy = energy_answer.answer(request, energies, points)
    stepped = cuts and step_report.is_of_steps(request.plan)
    steps, of_steps = step_report.report(request, points) if stepped else (None, ())
    said = (
        *runs.notices(points, request.plan.stat),
        *of_steps,
        *failures.notices(request.runs, (baseline, candidate), goodput=request.plan.metric == GOODPUT),
        *work.notices(audit, varied=request.plan.varied),
        *misreadings.notices(request, points, audit),
        *energy_answer.notices(energies, energy),
        *(sweeps.notices(swept.sweeps) if swept else ()),
    )
    return AssessmentResult(
        outcome="refused", refusal=None, plan=request.plan, audit=audit, failures=(baseline, candidate), design=None,
        overlap=checks.overlap(points), estimate=None, interval=None, widened=None, secondary=None, with_excluded=None,
        single_look=None, slo=None, verdict=None, judgements=(), runs=points, notices=said,
        attribution=attribute(Facts(established=False, blocked=False, two_systems=False, overlap=None)),
        inputs_digest=inputs_digest(request), energy=energy, steps=steps, sweeps=swept.sweeps if swept else (),
    )  # fmt: skip


def measure(request: AssessmentRequest, seen: AssessmentResult) -> AssessmentResult:
    """The effect of runs that did the same work, with its interval and verdict.

    Raises:
        Refused: whatever the runs, the audit and the design refuse; a refused interval is in the result.
    """
    plan, points = request.plan, seen.runs
    if seen.sweeps:
        sweeps.require_rates(points)
    require_both_arms(points)
    misreadings.require_token_times(request)
    work.require_comparable(seen.audit, work_size.way_out(request, seen.audit))
    runs.require_values(points)
    runs.require_alike_quantiles(points, plan.stat)
    found = estimation.estimate(request, points)
    design, effect = found.design, found.effect
    notices = (
        *seen.notices,
        *effect.notices,
        *checks.of_timer(request.runs, points),
        *of_load(seen.audit, plan),
        *dropped_out(plan),
    )
    result = replace(seen, design=design, estimate=effect.estimate, single_look=effect.single_look, notices=notices)
    if isinstance(effect.interval, Refusal) and effect.single_look is not None:
        return withhold(result, effect.interval, allowances(plan, seen.audit, points, seen.energy))
    if isinstance(effect.interval, Refusal):
        return replace(result, refusal=effect.interval, notices=(*result.notices, *runs.within_precision(request)))
    parts = allowances(plan, seen.audit, points, seen.energy)
    back = estimation.with_excluded(request, points)
    result = replace(
        result,
        interval=effect.interval,
        widened=widened(effect.interval, parts),
        secondary=None if effect.secondary is None else unallowed(effect.secondary, parts),
        with_excluded=None if back is None else unallowed(back, parts),
        single_look=None if effect.single_look is None else unallowed(effect.single_look, parts),
        allowances=parts,
        equivalence=equivalence.of(request, points, parts),
    )
    return conclude(result, result.widened or effect.interval)
