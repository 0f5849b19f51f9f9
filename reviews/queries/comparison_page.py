"""One comparison as its page shows it: effect, uncertainty and cause, and the work audit behind them."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import User

from analysis import restored
from analysis.breakdown_chart import stages_chart
from analysis.charts import ChartSpec
from analysis.comparison_charts import effect_chart, runs_chart
from analysis.failures import in_words
from analysis.results import AssessmentResult
from analysis.work import AuditRow
from reviews import procedure_words, step_words
from reviews.breakdowns import Breakdown, breakdowns
from reviews.errors import NotVisible
from reviews.metered import MeteredEnergy, metered, widened_by
from reviews.models import Assessment, Memo, Plan
from reviews.plan_content import plan_from_json
from reviews.policies import lifecycle
from reviews.queries import intervals, people
from reviews.queries.current import revision_of
from reviews.queries.intervals import ShownInterval
from reviews.queries.redacted import redactions_of
from reviews.queries.second_sessions import second_sessions
from reviews.queries.unsettled import settles
from reviews.sections import Comparison, Explanation, MemoContent, Prediction, StatedSetting, content_from_json
from reviews.step_words import RunLine
from reviews.vocabulary import Action, Arm, State

SAME: Final = ("same", "differs_as_declared")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """A setting of the work audit, and what people have said of it since.

    may_explain, may_accept, may_state: what the person who looks may do about it.
    """

    row: AuditRow
    tolerance: str
    effect: str
    explanation: Explanation | None
    stated: tuple[StatedSetting, ...]
    silent_arms: tuple[str, ...]
    may_explain: bool
    may_accept: bool
    may_state: bool


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """A registered prediction and its judgement. prediction: None when the memo holds it no more."""

    key: str
    hypothesis: str
    outcome: str
    post_hoc: bool
    sentence: str
    prediction: Prediction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What an assessment says. settles: what would settle what is still open; differing: rows to look at first.

    metered: the energies of the runs, where the metric is one. widened_by: what widens the interval, "" for nothing.
    step_facts, run_lines: what the rows of the runs say, as a whole and one by one; tails: a quantile is asked for.
    breakdowns: of stages and counters, where the runs record them. sessions: whether others find the same stage.
    procedures: what the plan named and what came of it, by name.
    """

    assessment: Assessment
    result: AssessmentResult
    interval: ShownInterval | None
    effect: ChartSpec | None
    runs: ChartSpec | None
    failures: tuple[str, ...]
    judged: tuple[JudgedLine, ...]
    differing: tuple[AuditLine, ...]
    alike: tuple[AuditLine, ...]
    settles: tuple[str, ...]
    runs_used: int
    metered: MeteredEnergy | None
    widened_by: str
    step_facts: tuple[tuple[str, str], ...]
    run_lines: tuple[RunLine, ...]

    breakdowns: tuple[Breakdown, ...]
    stages: ChartSpec | None
    sessions: tuple[str, ...]
    procedures: tuple[tuple[str, str], ...]

    @property
    def stepwise(self) -> bool:
        """Whether any run brings rows, of which something was cut or checked."""
        return step_words.brings_rows(self.run_lines)

    @property
    def tails(self) -> bool:
        """Whether a run says how much of it lies beyond the quantile that is asked for."""
        return any(line.tail for line in self.run_lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPage:
    """row: as the memo defines it. found: the newest assessment; current: it stands in the memo as it is now.

    missing: why nothing can be computed yet, "" when it can. set_number: of the sealed set, 0 for none.
    look: which look computing is. others: the memo's comparisons, to go between them.
    redacted: of each file that the assessment read and whose bytes were taken away since, that it was.
    """

    memo: Memo
    row: Comparison
    found: Found | None
    current: bool
    missing: str
    set_number: int
    look: str
    plan: Plan | None
    others: tuple[Comparison, ...]
    may_edit: bool
    redacted: tuple[str, ...]


def comparison_page(person: User, memo: Memo, key: str) -> ComparisonPage:
    """Everything that the page shows; four queries, one more where a stage is established.

    Raises:
        NotVisible: a comparison that the memo has not.
    """
    content = content_from_json(revision_of(memo).sections)
    row = _comparison(content, key)
    allowed = lifecycle.allowed(State(memo.state), people.roles_on(person, memo))
    plan = memo.plans.filter(nonce=row.plan).first() if row.plan else None
    seen = list(memo.assessments.filter(comparison=key).select_related("evidence_set").order_by("-pk"))
    assessment = next((one for one in seen if one.digest == row.assessment), None) or next(iter(seen), None)
    look = _Look(person, memo, content, row, may_edit=Action.EDIT in allowed)
    return ComparisonPage(
        memo=memo,
        row=row,
        found=_found(look, assessment) if assessment else None,
        current=assessment is not None and assessment.digest == row.assessment,
        missing=_missing(content, row),
        set_number=row.evidence_set,
        look=_look(row, plan, seen),
        plan=plan,
        others=content.comparisons.comparisons,
        may_edit=look.may_edit,
        redacted=_redacted(content, assessment.evidence_set.number) if assessment else (),
    )


@dataclass(frozen=True, slots=True)
class _Look:
    """Who looks at which comparison."""

    person: User
    memo: Memo
    content: MemoContent
    row: Comparison
    may_edit: bool


def _comparison(content: MemoContent, key: str) -> Comparison:
    rows = content.comparisons.comparisons
    found = next((row for row in rows if row.key == key), None)
    if found is None:
        known = ", ".join(row.key for row in rows) or "none"
        raise NotVisible(f"The memo has no comparison {key}.", needs=f"It has: {known}.")
    return found


def _look(row: Comparison, plan: Plan | None, seen: Collection[Assessment]) -> str:
    """Which look at the data computing is, in words, of how many that were declared."""
    taken = {one.evidence_set.number: one.look for one in seen if one.plan_id == (plan.pk if plan else None)}
    number = taken.get(row.evidence_set) or len(taken) + 1
    declared = plan_from_json(plan.content).looks if plan else 1
    said = f"Computing it is look {number} of {declared} declared"
    return f"{said}: more looks than were declared." if number > declared else f"{said}."


def _redacted(content: MemoContent, set_number: int) -> tuple[str, ...]:
    read = {part.artifact for one in content.evidence.sets if one.number == set_number for part in one.attachments}
    return tuple(f"{row.artifact.name} was {row.said}." for row in redactions_of(read).values())


def _missing(content: MemoContent, row: Comparison) -> str:
    """Why the comparison cannot be computed yet; "" when a sealed set holds runs of both arms."""
    if row.absent_reason:
        return f"There will be no number: {row.absent_reason}."
    sealed = next((one for one in content.evidence.sets if one.number == row.evidence_set), None)
    if sealed is None:
        return "No sealed evidence set holds runs for this comparison. Attach the runs of both arms, and seal the set."
    lacking = [arm for arm in Arm.values if not any(part.arm == arm for part in sealed.attachments)]
    return f"Set {sealed.number} holds no run of the {' and the '.join(lacking)}." if lacking else ""


def _found(look: _Look, assessment: Assessment) -> Found:
    result = restored.from_json(assessment.result)
    lines = [_audit_line(look, row) for row in result.audit]
    predictions = {p.key: p for h in look.content.hypotheses.hypotheses for p in h.predictions}
    return Found(
        assessment=assessment,
        result=result,
        interval=intervals.shown(assessment.result),
        effect=effect_chart(result),
        runs=runs_chart(result),
        failures=tuple(in_words(count) for count in result.failures),
        judged=tuple(
            JudgedLine(j.key, j.hypothesis, j.outcome, j.post_hoc, j.sentence, predictions.get(j.key))
            for j in result.judgements
        ),
        differing=tuple(line for line in lines if not _is_settled(line.row)),
        alike=tuple(line for line in lines if _is_settled(line.row)),
        settles=settles(result),
        runs_used=sum(point.status == "used" for point in result.runs),
        metered=metered(result),
        widened_by=widened_by(result),
        step_facts=step_words.facts(result),
        run_lines=step_words.run_lines(result),
        breakdowns=breakdowns(result, look.content.hypotheses.hypotheses),
        stages=stages_chart(result),
        sessions=second_sessions(look.memo, look.content.comparisons.comparisons, look.row, result),
        procedures=procedure_words.lines(result),
    )


def _is_settled(row: AuditRow) -> bool:
    """Whether nobody has to look at it: the same, as declared, or what only follows from the speed."""
    return row.state in SAME or row.follows


def _audit_line(look: _Look, row: AuditRow) -> AuditLine:
    explanation = next((e for e in look.row.explanations if e.setting == row.setting), None)
    silent = tuple(arm for arm in Arm.values if "not recorded" in getattr(row, arm))
    open_row = look.may_edit and not _is_settled(row)
    return AuditLine(
        row=row,
        tolerance="" if row.tolerance is None else str(float(row.tolerance)),
        effect="" if row.greatest_effect is None else str(float(row.greatest_effect)),
        explanation=explanation,
        stated=tuple(s for s in look.row.stated if s.setting == row.setting),
        silent_arms=silent,
        may_explain=open_row,
        may_accept=open_row and explanation is not None and _may_accept(look, explanation),
        may_state=open_row and bool(silent),
    )


def _may_accept(look: _Look, explanation: Explanation) -> bool:
    """Whether the person neither gave the explanation nor wrote the memo, and nobody has accepted it yet."""
    ours = explanation.by == look.person.get_username() or look.memo.created_by_id == look.person.pk
    return not explanation.accepted_by and not ours
