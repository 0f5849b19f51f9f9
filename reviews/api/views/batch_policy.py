"""The batch policy of a memo: its sweep under limits, and the job that simulates it and makes the curve pack."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import ATTACH, person_of
from reviews.api.base import Door, asked, given, memo_of, shown
from reviews.api.once import once
from reviews.api.shapes.after import JobShape
from reviews.api.shapes.batch_policy import BatchPolicyJobWish, BatchPolicyShape, BatchPolicyWish, wish_of
from reviews.batch_policy import packing
from reviews.services import batch_policy


class BatchPolicy(Door):
    """What a memo's sweep shows."""

    writes = ATTACH

    @extend_schema(operation_id="batch_policy_get", parameters=[BatchPolicyWish], responses=BatchPolicyShape)
    def get(self, request: Request, number: str) -> Response:
        """Curves, feasible region and front of the sweep among the memo's runs, under the limits that are asked."""
        looked = batch_policy.look(memo_of(request, number), wish_of(asked(BatchPolicyWish, request)))
        return shown(BatchPolicyShape({"document": packing.document_of(looked.found, looked.sources)}))

    @extend_schema(operation_id="batch_policy_simulate", request=BatchPolicyJobWish, responses={202: JobShape})
    @once
    def post(self, request: Request, number: str) -> Response:
        """A job that simulates policies at each rate of arrivals; with a set, the curve pack is attached there."""
        body = given(BatchPolicyJobWish, request)
        job = batch_policy.request(
            actor=person_of(request),
            memo_id=memo_of(request, number).pk,
            wish=wish_of(body),
            set_number=body["evidence_set"],
        )
        return shown(JobShape(job), status=202)
