"""Traces of evidence sets, and what was found in them."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import ATTACH, person_of
from reviews.api.base import Door, given, memo_of, shown
from reviews.api.once import once
from reviews.api.shapes.traces import AskTraces, SetWithTraces, TracesShape
from reviews.models import TraceComparison
from reviews.queries.traced_sets import TracedSet, newest_of, sets_with_traces, trace_page
from reviews.services import trace_comparisons


def _set(one: TracedSet) -> Mapping[str, Any]:
    baseline, candidate = one.counts
    return {
        "set": one.row.number,
        "title": one.row.title,
        "baseline": baseline,
        "candidate": candidate,
        "missing": one.missing,
    }


def _one(request: Request, number: str, evidence_set: int) -> Mapping[str, Any]:
    page = trace_page(person_of(request), memo_of(request, number), evidence_set)
    comparison = None if page.row is None else {"row": page.row, "current": page.current}
    said = {} if page.chosen is None else _set(page.chosen)
    return {**said, "job": page.job, "comparison": comparison}


class Traces(Door):
    """The evidence sets of a memo that hold traces."""

    writes = ATTACH

    @extend_schema(operation_id="traces_list", responses=SetWithTraces(many=True))
    def get(self, request: Request, number: str) -> Response:
        """Each set that holds a trace with an arm, the newest first, and what was found in it."""
        memo = memo_of(request, number)
        sets = sets_with_traces(memo)
        found = {row.evidence_set.number: row.divergence for row in newest_of(memo, [s.row.number for s in sets])}
        rows = [{**_set(one), "divergence": found.get(one.row.number, "")} for one in sets]
        return shown(SetWithTraces(rows, many=True))

    @extend_schema(operation_id="traces_compare", request=AskTraces, responses={200: TracesShape, 202: TracesShape})
    @once
    def post(self, request: Request, number: str) -> Response:
        """The traces of a set compared by a job; the known comparison when nothing that goes in has changed."""
        memo = memo_of(request, number)
        body = given(AskTraces, request)
        asked = trace_comparisons.request(
            actor=person_of(request), memo_id=memo.pk, set_number=body["set"], margin=body["margin"]
        )
        status = 200 if isinstance(asked, TraceComparison) else 202
        return shown(TracesShape(_one(request, number, body["set"])), status=status)


class OneSet(Door):
    """The traces of one evidence set."""

    @extend_schema(operation_id="traces_get", responses=TracesShape)
    def get(self, request: Request, number: str, evidence_set: int) -> Response:
        """How many there are, the latest job that compares them, and the newest comparison with its result."""
        return shown(TracesShape(_one(request, number, evidence_set)))
