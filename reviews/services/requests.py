"""What goes into an assessment, collected from the memo: plan, labelled runs, explanations, statements, predictions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, Final, Literal, cast

from analysis import assess as analysis
from analysis.assess import AssessmentRequest, ComparisonPlan, Explained, Predicted, Stated
from analysis.companions import CAPTURE
from analysis.reading import Reading
from reviews.errors import Unreadable, WrongState
from reviews.models import Artifact, Assessment, EvidenceSet, Memo, Parse, Plan
from reviews.plan_content import PlanContent, PlannedComparison, plan_from_json
from reviews.sections import AttachmentRow, Comparison, MemoContent, SealedSet, digest_of
from reviews.services import parsing, wellformed
from reviews.services.planned import procedures_of
from reviews.services.planned_metering import declared
from reviews.services.runs import ArmWord, Readings, runs_of
from reviews.template_content import TemplateContent, template_from_json
from reviews.vocabulary import EvidenceUse, Purpose, SetState

CONFIDENCE: Final = 0.95
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
DATA: Final = ("artifact", "run", "arm", "block", "placement", "placement_verified", "excluded")
"""What of a run in the inputs of an assessment is data; how it was read is not."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request with the rows that it was made from."""

    request: AssessmentRequest
    evidence_set: EvidenceSet
    plan: Plan | None


def prepare(memo: Memo, content: MemoContent, row: Comparison) -> Prepared:
    """The request of a comparison on its sealed set, at the look that these data are.

    Raises:
        WrongState: no sealed set holds runs for the comparison.
        Unreadable: an attached file with an arm has no measurements.
        BadInput: the comparison lacks a word or number without which nothing can be computed.
    """
    sealed = sealed_set(content, row)
    stored = memo.evidence_sets.get(number=sealed.number, state=SetState.SEALED)
    first = _prepared(memo, content, row, sealed, stored, _readings(sealed))
    return _at_look(first, _look(memo, row, first.request))


def prepare_recheck(
    memo: Memo, content: MemoContent, row: Comparison, sealed: SealedSet, stored: EvidenceSet
) -> Prepared:
    """The request of a comparison repeated after the decision, on data of its own. Raises as `prepare`."""
    return _prepared(memo, content, row, sealed, stored, _readings(sealed))


def prepare_again(content: MemoContent, row: Comparison, sealed: SealedSet, known: Assessment) -> Prepared:
    """The request that a known assessment was made from: its files as they were read then, at its look."""
    files = [file for run in known.inputs["runs"] for file in (run, *run.get("companions", ())) if _was_read(file)]
    read = {str(file["artifact"]): (file["format"], file["parser_version"]) for file in files}
    readings = {
        artifact: parsing.reading_of(_parse_of(artifact, format_name, version))
        for artifact, (format_name, version) in read.items()
    }
    found = _prepared(known.memo, content, row, sealed, known.evidence_set, readings)
    return _at_look(_beside_as_then(found, known), known.look)


def _beside_as_then(prepared: Prepared, known: Assessment) -> Prepared:
    """The same; a run that went in without files beside it goes in without them again."""
    alone = {(run["artifact"], run["run"]) for run in known.inputs["runs"] if "companions" not in run}
    runs = tuple(
        replace(run, companions=()) if (run.artifact, run.run.key) in alone else run for run in prepared.request.runs
    )
    return replace(prepared, request=replace(prepared.request, runs=runs))


def _was_read(file: Mapping[str, Any]) -> bool:
    """Whether what went in was read from the file; what was captured of a run is a part of its provenance."""
    return bool(file["format"] != CAPTURE)


def data_state(runs: Iterable[Mapping[str, Any]]) -> str:
    """The digest of the data among the runs of an assessment's inputs, whatever their order."""
    return digest_of(sorted((_data(run) for run in runs), key=digest_of))


def _data(run: Mapping[str, Any]) -> list[Any]:
    """What of a run is data: also the logs beside it, and the clocks that somebody stated."""
    logs = sorted([one["artifact"], one["run"], one["clock"]] for one in run.get("companions", ()) if _was_read(one))
    return [*(run[name] for name in DATA), *([run.get("clock", ""), logs] if logs else [])]


def _prepared(
    memo: Memo, content: MemoContent, row: Comparison, sealed: SealedSet, stored: EvidenceSet, readings: Readings
) -> Prepared:
    wellformed.require_whole(row)
    plan = memo.plans.filter(nonce=row.plan).first() if row.plan else None
    template = template_from_json(memo.template_version.content)
    request = AssessmentRequest(
        plan=_plan(content, row, plan_from_json(plan.content) if plan else None, template),
        runs=runs_of(_counted(sealed, row), readings),
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
        predictions=() if row.places_a_build else tuple(_predictions(content, row)),
    )
    return Prepared(request, stored, plan)


def _at_look(prepared: Prepared, look: int) -> Prepared:
    request = prepared.request
    return replace(prepared, request=replace(request, plan=replace(request.plan, look=look)))


def sealed_set(content: MemoContent, row: Comparison) -> SealedSet:
    """The sealed set that the comparison reads. Raises WrongState."""
    for sealed in content.evidence.sets:
        if sealed.number == row.evidence_set:
            return sealed
    raise WrongState(
        f"{row.key} has no sealed evidence yet.",
        needs="Open a set under its plan, attach the runs of both arms, and seal it.",
        code="no_sealed_set",
        where=f"comparisons.{row.key}",
    )


def _look(memo: Memo, row: Comparison, request: AssessmentRequest) -> int:
    """The number of these data among the states of data that this comparison was computed on.

    Under a plan, those under the plan; without one, all of the comparison. Rechecks are data of their own.
    """
    seen = memo.assessments.filter(comparison=row.key, observations__isnull=True).order_by("pk")
    if row.plan:
        seen = seen.filter(plan__nonce=row.plan)
    looks: dict[str, int] = {}
    for runs, look in seen.values_list("inputs__runs", "look"):
        looks.setdefault(data_state(runs), look)
    ours = data_state(cast(list[Mapping[str, Any]], analysis.inputs_json(request)["runs"]))
    return looks.get(ours) or max(looks.values(), default=0) + 1


def _plan(memo: MemoContent, row: Comparison, content: PlanContent | None, template: TemplateContent) -> ComparisonPlan:
    """As the plan declared it before the runs; without one, as the memo says now."""
    planned = _planned(row, content)
    metric = next((m for m in template.metrics if (m.metric, m.stat) == (row.metric, row.stat)), None)
    return ComparisonPlan(
        metric=row.metric,
        stat=row.stat,
        better=cast(Literal["higher", "lower"], row.better),
        scale=cast(Literal["ratio", "difference", "proportion", "count"], row.scale),
        margin=Fraction(row.margin),
        role=row.role,
        varied=content.varied if content else memo.change.varied,
        required=tuple(setting.name for setting in template.work_settings if setting.required),
        tolerances={s.name: Fraction(s.tolerance) for s in template.work_settings if s.tolerance},
        warmup_steps=planned.warmup_steps if planned else 0,
        minimum_requests=max(metric.minimum_requests if metric else 0, planned.minimum_steps if planned else 0),
        hardware_varied=content.hardware_varied if content else False,
        slo=Fraction(metric.slo) if metric and metric.slo else None,
        match=row.match,
        confidence=CONFIDENCE,
        looks=content.looks if content else 1,
        look=1,
        metering=declared(planned.metering if planned else None, f"comparisons.{row.key}.metering"),
        warmup_seconds=Fraction(planned.warmup_seconds) if planned and planned.warmup_seconds else None,
        **_parts(planned),
        **(procedures_of(planned) if planned else {}),
    )


def _parts(planned: PlannedComparison | None) -> dict[str, Any]:
    """What the plan says of stages and counters; nothing where there is no plan."""
    if planned is None:
        return {}
    return {
        "stages": planned.stages,
        "unit_of_work": planned.unit_of_work,
        "counter_margin": Fraction(planned.counter_margin),
    }


def _planned(row: Comparison, content: PlanContent | None) -> PlannedComparison | None:
    return next((p for p in content.comparisons if p.key == row.key), None) if content else None


def _counted(sealed: SealedSet, row: Comparison) -> tuple[AttachmentRow, ...]:
    """What belongs to an arm; evidence that only raised the question does not test the answer."""
    return tuple(
        part
        for part in sealed.attachments
        if part.arm and (part.use == EvidenceUse.CONFIRMING or row.purpose == Purpose.SYMPTOM)
    )


def _readings(sealed: SealedSet) -> Readings:
    """File -> what it holds, for every file with an arm."""
    files = {part.artifact: part for part in sealed.attachments if part.arm}
    return {artifact: _reading(part) for artifact, part in files.items()}


def _reading(part: AttachmentRow) -> Reading:
    parse = parsing.newest(Artifact.objects.get(sha256=part.artifact))
    if parse is None:
        raise Unreadable(f"{part.name} has not been read.", needs="Wait for the worker.", where=part.name)
    return parsing.reading_of(parse)


def _parse_of(artifact: str, format_name: str, version: int) -> Parse:
    rows = Parse.objects.filter(artifact__sha256=artifact, format=format_name, parser_version=version)
    return rows.order_by("pk")[0]


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


def nanoseconds(at: datetime) -> int:
    """The instant in nanoseconds since 1970, as files have it."""
    return (at - EPOCH) // timedelta(microseconds=1) * 1000


def _nanoseconds(iso: str) -> int:
    return nanoseconds(datetime.fromisoformat(iso))
