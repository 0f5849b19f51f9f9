"""Fairness across the streams of a memo's runs."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.base import Door, asked, memo_of, shown
from reviews.api.shapes.fairness import FairnessQuery, FairnessShape
from reviews.fairness import as_json
from reviews.services import fairness


class Fairness(Door):
    """How evenly streams are served."""

    @extend_schema(operation_id="memos_fairness", parameters=[FairnessQuery], responses=FairnessShape)
    def get(self, request: Request, number: str) -> Response:
        """Jain's index and the worst stream of each arm's runs, with intervals over runs."""
        found = fairness.look(memo_of(request, number), asked(FairnessQuery, request))
        return shown(FairnessShape(as_json(found)))
