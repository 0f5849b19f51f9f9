"""From an effect to an outcome: what is judged, what is shown and not judged, and why.

A verdict is withheld when too few units carry the interval, when the look was not declared and no interval holds at
every look, when the exclusions decide it, and when a throughput was bounded by the offered load. In the last case a
regression still stands, because an arm that cannot keep up with the load is slower; anything else would be said of the
load, not of the arm.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from analysis import equivalence, hypothesis
from analysis.attribution import Attribution, Facts, attribute
from analysis.claims import ConfidenceInterval, WidenedInterval
from analysis.design import too_few_for_verdict, used
from analysis.energy_answer import judged_by
from analysis.errors import Refused
from analysis.estimation import has_excluded
from analysis.exact import parse_exact
from analysis.inputs import AssessmentRequest, ComparisonPlan
from analysis.margin import margin_of
from analysis.notices import Notice, Refusal
from analysis.offered_load import Load
from analysis.results import AssessmentResult
from analysis.served import GOODPUT
from analysis.verdict import Verdict, verdict
from analysis.widening import Allowance, unallowed
from analysis.work import AuditRow
from analysis.workload import OFFERED_LOAD

REQUEST_RATE: Final = "request_rate"
BEHIND: Final[Load] = "fell behind"
FEWEST_ITEMS: Final = 3
ONE_LOAD: Final = Notice(
    "goodput_of_one_load",
    "Goodput is bounded by the offered load: this speaks of that load only; a sweep finds the highest load that holds.",
)
LATER: Final = "Different in the later period: "
RATE_LIMITED: Final = Notice(
    "rate_limited", "Throughput is bounded by the offered load: equal throughputs say nothing."
)
LOADED: Final = Refusal(
    "rate_limited", RATE_LIMITED.sentence, "Compare throughput at saturation, or latency at this load."
)
UNTESTED: Final = Refusal(
    "sensitive_to_exclusions",
    "With the excluded runs no interval holds at every look, so whether they decide the finding cannot be told.",
    "Repeat the excluded runs.",
)


def conclude(result: AssessmentResult, governing: ConfidenceInterval | WidenedInterval) -> AssessmentResult:
    """The result with its verdict, or with the reason why it is withheld: what is withheld stays on the lowest rung."""
    margin = margin_of(result.plan, unit=_unit(result))
    decides = result.equivalence.governing if result.equivalence else None
    found = _worded(equivalence.judged(verdict(governing, margin), decides, margin), result)
    reason = _why_withheld(result)
    limited = is_rate_limited(result.audit, result.plan)
    if reason is None and limited and found.direction != "regression_established":
        return replace(result, outcome="withheld", refusal=LOADED, verdict=found)
    result = replace(result, notices=(*result.notices, RATE_LIMITED) if limited else result.notices)
    if reason is not None:
        return replace(result, outcome="withheld", refusal=reason)
    established = found.direction != "not_established"
    return replace(result, outcome="verdict", verdict=found, attribution=_attribution(result, established=established))


def withhold(result: AssessmentResult, why: Refusal, parts: tuple[Allowance, ...]) -> AssessmentResult:
    """The result of an undeclared look without an interval that holds at every look: nothing is judged.

    parts: the allowances, which the interval of this look alone does not hold.
    """
    limited = is_rate_limited(result.audit, result.plan)
    alone = result.single_look
    return replace(
        result,
        allowances=parts,
        single_look=None if alone is None else unallowed(alone, parts),
        outcome="withheld",
        refusal=_too_few(result) or why,
        notices=(*result.notices, RATE_LIMITED) if limited else result.notices,
    )


def _worded(found: Verdict, result: AssessmentResult) -> Verdict:
    """An effect that may belong to the later period says so in its headline."""
    if result.overlap == 0 and found.direction != "not_established":
        return replace(found, headline=LATER + found.headline[0].lower() + found.headline[1:])
    return found


def _unit(result: AssessmentResult) -> str:
    return next((point.unit for point in used(result.runs)), "1")


def _why_withheld(result: AssessmentResult) -> Refusal | None:
    return _too_few(result) or judged_by(result.energy, result.plan) or _sensitivity(result)


def _too_few(result: AssessmentResult) -> Refusal | None:
    interval = result.interval
    if result.design and result.design.kind == "items" and interval is not None:
        few = f"{interval.units} {interval.frame.counted} carry an interval, but no verdict: it needs {FEWEST_ITEMS}."
        too_few = interval.units < FEWEST_ITEMS
        return Refusal("too_few_for_verdict", few, "Evaluate more of them.") if too_few else None
    few = too_few_for_verdict(result.design, result.runs) if result.design else ""
    return Refusal("too_few_for_verdict", few, "Add runs.") if few else None


def _sensitivity(result: AssessmentResult) -> Refusal | None:
    """Whether the finding hangs on the exclusions: both intervals are judged without any widening."""
    if result.interval is None or not has_excluded(result.runs):
        return None
    if result.with_excluded is None:
        return UNTESTED if result.single_look is not None else None
    margin = margin_of(result.plan, unit=_unit(result))
    both = result.equivalence
    without = equivalence.judged(verdict(result.interval, margin), both.interval if both else None, margin)
    other = equivalence.judged(verdict(result.with_excluded, margin), both.with_excluded if both else None, margin)
    if (other.direction, other.materiality) == (without.direction, without.materiality):
        return None
    return Refusal(
        "sensitive_to_exclusions",
        f"With the excluded runs the finding is another: {other.headline}.",
        "Repeat the excluded runs.",
    )


def is_rate_limited(audit: Collection[AuditRow], plan: ComparisonPlan) -> bool:
    """Whether the metric is a throughput, both arms record a finite request rate, and some run did not fall behind."""
    return plan.metric.endswith("throughput") and _offered_at_a_rate(audit) and not _fell_behind(audit)


def _fell_behind(audit: Collection[AuditRow]) -> bool:
    """Whether every run of both arms fell behind the rate at which requests were offered: that is saturation."""
    return any(row.setting == OFFERED_LOAD and row.baseline == row.candidate == (BEHIND,) for row in audit)


def of_load(audit: Collection[AuditRow], plan: ComparisonPlan) -> tuple[Notice, ...]:
    """A notice that the goodput of runs speaks of the load that was offered to them, when that is recorded."""
    return (ONE_LOAD,) if (plan.metric, plan.stat) == (GOODPUT, "rate") and _offered_at_a_rate(audit) else ()


def _offered_at_a_rate(audit: Collection[AuditRow]) -> bool:
    rates = [row for row in audit if row.setting == REQUEST_RATE]
    return any(any(map(_is_finite, row.baseline)) and any(map(_is_finite, row.candidate)) for row in rates)


def _is_finite(value: str) -> bool:
    try:
        return parse_exact(value) > 0
    except Refused:
        return False


def _attribution(result: AssessmentResult, *, established: bool) -> Attribution:
    kind = result.design.kind if result.design else ""
    return attribute(
        Facts(
            established=established,
            blocked=kind == "blocked",
            two_systems=kind == "two_systems" or (kind == "items" and result.plan.hardware_varied),
            overlap=result.overlap,
        )
    )


ABSENT: Final[dict[str, hypothesis.Outcome]] = {"not_comparable": "not_comparable"}


def judge_predictions(request: AssessmentRequest, result: AssessmentResult) -> AssessmentResult:
    """The result with a judgement of every prediction of its metric; one that is not judged is named."""
    plan = request.plan
    mine = [p for p in request.predictions if (p.metric, p.stat) == (plan.metric, plan.stat)]
    code = result.refusal.code if result.refusal else result.outcome
    judged = result.outcome == "verdict"
    judgements = hypothesis.judge_all(
        mine,
        request.runs,
        result.governing if judged else None,
        margin_of(plan, unit=_unit(result)),
        absent=(ABSENT.get(result.outcome, "inconclusive"), code),
    )
    elsewhere = hypothesis.judged_elsewhere(request.predictions, plan.metric, plan.stat)
    return replace(result, judgements=judgements, notices=(*result.notices, *elsewhere))
