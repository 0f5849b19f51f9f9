"""What goes into an assessment, collected from the memo: plan, labelled runs, explanations, statements, predictions."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Final, Literal, cast

from analysis.assess import AssessmentRequest, ComparisonPlan, Explained, LabelledRun, Predicted, Stated
from analysis.measurements import Reading
from reviews.errors import Unreadable, WrongState
from reviews.models import Artifact, EvidenceSet, Memo, Plan
from reviews.plan_content import PlanContent, PlannedComparison, plan_from_json
from reviews.sections import AttachmentRow, Comparison, MemoContent, SealedSet
from reviews.services import parsing
from reviews.services.placements import host_of, is_verified
from reviews.template_content import TemplateContent, template_from_json
from reviews.vocabulary import EvidenceUse, Purpose, SetState

CONFIDENCE: Final = 0.95
ArmWord = Literal["baseline", "candidate"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request with the rows that it was made from."""

    request: AssessmentRequest
    evidence_set: EvidenceSet
    plan: Plan | None


def prepare(memo: Memo, content: MemoContent, row: Comparison, *, look: int | None = None) -> Prepared:
    """The request of a comparison, at the next look or at the one given.

    Raises:
        WrongState: no sealed set holds runs for the comparison.
        Unreadable: an attached file with an arm has no measurements.
    """
    sealed = _sealed(content, row)
    stored = memo.evidence_sets.get(number=sealed.number, state=SetState.SEALED)
    plan = memo.plans.filter(nonce=row.plan).first() if row.plan else None
    template = template_from_json(memo.template_version.content)
    counted = look or _look(memo, row, stored)
    request = AssessmentRequest(
        plan=_plan(row, plan_from_json(plan.content) if plan else None, template, counted),
        runs=tuple(_runs(sealed, row)),
        explained=tuple(
            Explained(
                setting=e.setting,
                greatest_effect=Fraction(e.greatest_effect) if e.greatest_effect else None,
                accepted=bool(e.accepted_by),
                text=e.text,
                by=e.by,
            )
            for e in row.explanations
        ),
        stated=tuple(Stated(setting=s.setting, arm=cast(ArmWord, s.arm), value=s.value, by=s.by) for s in row.stated),
        predictions=tuple(_predictions(content, row)),
    )
    return Prepared(request, stored, plan)


def _sealed(content: MemoContent, row: Comparison) -> SealedSet:
    for sealed in content.evidence.sets:
        if sealed.number == row.evidence_set:
            return sealed
    raise WrongState(
        f"{row.key} has no sealed evidence yet.",
        needs="Open a set under its plan, attach the runs of both arms, and seal it.",
        code="no_sealed_set",
        where=f"comparisons.{row.key}",
    )


def _look(memo: Memo, row: Comparison, stored: EvidenceSet) -> int:
    """How many data states of this comparison have been analysed, this one included."""
    seen = (
        memo.assessments.filter(comparison=row.key, plan__nonce=row.plan)
        if row.plan
        else memo.assessments.filter(comparison=row.key, plan__isnull=True)
    )
    looks = dict(seen.order_by("-look").values_list("evidence_set__digest", "look"))
    return looks.get(stored.digest) or len(looks) + 1


def _plan(row: Comparison, content: PlanContent | None, template: TemplateContent, look: int) -> ComparisonPlan:
    planned = _planned(row, content)
    metric = next((m for m in template.metrics if (m.metric, m.stat) == (row.metric, row.stat)), None)
    return ComparisonPlan(
        metric=row.metric,
        stat=row.stat,
        better=cast(Literal["higher", "lower"], row.better),
        scale=cast(Literal["ratio", "difference", "proportion", "count"], row.scale),
        margin=Fraction(row.margin),
        role=row.role,
        varied=content.varied if content else (),
        required=tuple(setting.name for setting in template.work_settings if setting.required),
        tolerances={s.name: Fraction(s.tolerance) for s in template.work_settings if s.tolerance},
        warmup_steps=planned.warmup_steps if planned else 0,
        minimum_requests=metric.minimum_requests if metric else 0,
        hardware_varied=content.hardware_varied if content else False,
        match=row.match,
        confidence=CONFIDENCE,
        looks=content.looks if content else 1,
        look=look,
    )


def _planned(row: Comparison, content: PlanContent | None) -> PlannedComparison | None:
    return next((p for p in content.comparisons if p.key == row.key), None) if content else None


def _runs(sealed: SealedSet, row: Comparison) -> Iterator[LabelledRun]:
    """The runs of both arms; evidence that only raised the question does not test the answer."""
    readings: dict[str, Reading] = {}
    for part in sealed.attachments:
        if not part.arm or (part.use != EvidenceUse.CONFIRMING and row.purpose != Purpose.SYMPTOM):
            continue
        reading = readings.setdefault(part.artifact, _reading(part))
        run = next(run for run in reading.runs if run.key == part.run)
        yield LabelledRun(
            run=run,
            reading=reading,
            artifact=part.artifact,
            label=run.key if len(reading.runs) == 1 and run.key.strip("0123456789") else f"{part.name}:{run.key}",
            arm=cast(ArmWord, part.arm),
            block=part.block,
            placement=host_of(part.placement),
            placement_verified=is_verified(part.placement_source),
            excluded=part.excluded,
        )


def _reading(part: AttachmentRow) -> Reading:
    parse = parsing.newest(Artifact.objects.get(sha256=part.artifact))
    if parse is None:
        raise Unreadable(f"{part.name} has not been read.", needs="Wait for the worker.", where=part.name)
    return parsing.reading_of(parse)


def _predictions(content: MemoContent, row: Comparison) -> Iterator[Predicted]:
    for hypothesis in content.hypotheses.hypotheses:
        for p in hypothesis.predictions:
            if (p.metric, p.stat) != (row.metric, row.stat):
                continue
            yield Predicted(
                key=p.key,
                hypothesis=hypothesis.key,
                metric=p.metric,
                stat=p.stat,
                low=Fraction(p.low) if p.low else None,
                high=Fraction(p.high) if p.high else None,
                registered_ns=_nanoseconds(p.registered_at) if p.plan else None,
            )


def _nanoseconds(iso: str) -> int:
    return int(datetime.fromisoformat(iso).timestamp() * 1_000_000) * 1000
