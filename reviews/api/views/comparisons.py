"""Comparisons, hypotheses and the gate."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import ATTACH, FILE, PERSON, person_of
from reviews.api.base import Door, given, memo_of, shown
from reviews.api.once import once
from reviews.api.shapes.common import Reason
from reviews.api.shapes.comparisons import (
    Accept,
    AssessmentShape,
    ComparisonShape,
    Explain,
    HypothesesShape,
    NewResolution,
    OutlookShape,
    PreviewShape,
    StateSetting,
)
from reviews.api.shapes.together import TogetherShape
from reviews.errors import NotVisible
from reviews.models import Memo
from reviews.queries import comparisons, gate, records, together
from reviews.queries.comparisons import Compared, sentence_of
from reviews.sections import HypothesisResolution
from reviews.services import assessments, hypotheses


def _compared(memo: Memo) -> tuple[Compared, ...]:
    return comparisons.compared(memo, records.content_of(memo))


def _said(one: Compared) -> Mapping[str, Any]:
    return {
        "row": one.row,
        "sentence": sentence_of(one.result) if one.result else one.row.absent_reason or "Not computed yet.",
        "comparison": msgspec.to_builtins(one.row),
        "assessment": one.assessment,
    }


def _one(memo: Memo, key: str) -> Compared:
    for one in _compared(memo):
        if one.row.key == key:
            return one
    raise NotVisible(f"The memo has no comparison {key}.")


def _now(request: Request, number: str, key: str) -> Response:
    """The comparison after something was done to it."""
    return shown(ComparisonShape(_said(_one(memo_of(request, number), key))))


class Comparisons(Door):
    """The comparisons of a memo."""

    @extend_schema(operation_id="comparisons_list", responses=ComparisonShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """Each comparison with its assessment."""
        return shown(ComparisonShape([_said(one) for one in _compared(memo_of(request, number))], many=True))


class OneComparison(Door):
    """A comparison."""

    @extend_schema(operation_id="comparisons_get", responses=ComparisonShape)
    def get(self, request: Request, number: str, key: str) -> Response:
        """The comparison with its assessment."""
        return _now(request, number, key)


class Compute(Door):
    """A comparison is computed on its sealed set."""

    writes = ATTACH

    @extend_schema(operation_id="comparisons_compute", request=None, responses=ComparisonShape)
    @once
    def post(self, request: Request, number: str, key: str) -> Response:
        """The comparison with its assessment; the known one when nothing that goes in has changed."""
        memo = memo_of(request, number)
        assessments.compute(actor=person_of(request), memo_id=memo.pk, comparison=key)
        return _now(request, number, key)


class Explanations(Door):
    """Differences between the arms, explained."""

    writes = FILE

    @extend_schema(operation_id="comparisons_explain", request=Explain, responses=ComparisonShape)
    @once
    def post(self, request: Request, number: str, key: str) -> Response:
        """A difference explained, with its greatest effect; it waits for acceptance."""
        memo = memo_of(request, number)
        body = given(Explain, request)
        assessments.explain(actor=person_of(request), memo_id=memo.pk, comparison=key, **body)
        return _now(request, number, key)


class Acceptance(Door):
    """An explanation is accepted by somebody who neither gave it nor wrote the memo. People only."""

    writes = PERSON

    @extend_schema(operation_id="comparisons_accept_explanation", request=Accept, responses=ComparisonShape)
    @once
    def post(self, request: Request, number: str, key: str) -> Response:
        """The explanation of a setting accepted."""
        memo = memo_of(request, number)
        body = given(Accept, request)
        assessments.accept_explanation(actor=person_of(request), memo_id=memo.pk, comparison=key, **body)
        return _now(request, number, key)


class Statements(Door):
    """Settings that the files do not record, stated by somebody."""

    writes = FILE

    @extend_schema(operation_id="comparisons_state_setting", request=StateSetting, responses=ComparisonShape)
    @once
    def post(self, request: Request, number: str, key: str) -> Response:
        """A setting of one arm stated."""
        memo = memo_of(request, number)
        body = given(StateSetting, request)
        assessments.state_setting(actor=person_of(request), memo_id=memo.pk, comparison=key, **body)
        return _now(request, number, key)


class Absence(Door):
    """Why a comparison will have no assessment."""

    writes = FILE

    @extend_schema(operation_id="comparisons_leave_uncompared", request=Reason, responses=ComparisonShape)
    @once
    def post(self, request: Request, number: str, key: str) -> Response:
        """The reason stated; the gate asks for a waiver all the same."""
        memo = memo_of(request, number)
        body = given(Reason, request)
        assessments.leave_uncompared(actor=person_of(request), memo_id=memo.pk, comparison=key, **body)
        return _now(request, number, key)


class Together(Door):
    """All comparisons of a memo together."""

    @extend_schema(operation_id="comparisons_together", responses=TogetherShape)
    def get(self, request: Request, number: str) -> Response:
        """The ship statement over the guardrails, the family of claims, the screened slices, and the attribution."""
        memo = memo_of(request, number)
        content = records.content_of(memo)
        return shown(TogetherShape(together.together(content, comparisons.compared(memo, content))))


class OneAssessment(Door):
    """A frozen result, also one that no comparison names any more."""

    @extend_schema(operation_id="assessments_get", responses=AssessmentShape)
    def get(self, request: Request, number: str, digest: str) -> Response:
        """The assessment of that digest."""
        return shown(AssessmentShape(records.assessment(memo_of(request, number), digest)))


class Hypotheses(Door):
    """The hypotheses of a memo; what they state is changed with the section."""

    @extend_schema(operation_id="hypotheses_get", responses=HypothesesShape)
    def get(self, request: Request, number: str) -> Response:
        """The hypotheses with their predictions, and what the assessments say of these."""
        return shown(HypothesesShape(_hypotheses(memo_of(request, number))))


class HypothesisResolutions(Door):
    """What became of a hypothesis."""

    writes = FILE

    @extend_schema(operation_id="hypotheses_resolve", request=NewResolution, responses=HypothesesShape)
    @once
    def post(self, request: Request, number: str, hypothesis: str) -> Response:
        """The hypothesis supported, refuted or left open, as one revision."""
        memo = memo_of(request, number)
        body = given(NewResolution, request)
        due = body.pop("due")
        resolution = HypothesisResolution(**body, due=due.isoformat() if due else "")
        hypotheses.resolve(actor=person_of(request), memo_id=memo.pk, hypothesis=hypothesis, resolution=resolution)
        return shown(HypothesesShape(_hypotheses(memo_of(request, number))))


def _hypotheses(memo: Memo) -> Mapping[str, Any]:
    section = msgspec.to_builtins(records.content_of(memo).hypotheses)
    return {**section, "judgements": list(_judgements(_compared(memo)))}


def _judgements(rows: tuple[Compared, ...]) -> Iterator[Mapping[str, Any]]:
    for one in rows:
        for judged in (one.result or {}).get("judgements", ()):
            yield {
                "comparison": one.row.key,
                "hypothesis": judged["hypothesis"],
                "prediction": judged["key"],
                "judgement": judged["outcome"],
                "post_hoc": judged["post_hoc"],
            }


class Gate(Door):
    """What the gate says."""

    @extend_schema(operation_id="gate_preview", responses=PreviewShape)
    def get(self, request: Request, number: str) -> Response:
        """All four decisions: allowed or not, what is missing, and the least restrictive that is possible."""
        return shown(PreviewShape(gate.preview(memo_of(request, number).pk)))


class GateOfOne(Door):
    """What the gate says to one decision."""

    @extend_schema(operation_id="gate_of_decision", responses=OutlookShape)
    def get(self, request: Request, number: str, kind: str) -> Response:
        """The requirements of that decision."""
        outlooks = gate.preview(memo_of(request, number).pk).outlooks
        return shown(OutlookShape(next(one for one in outlooks if one.kind == kind)))
