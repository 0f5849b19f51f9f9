"""The sampling lab."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.sampling import sampling_lab
from reviews.api.base import Door, asked, shown
from reviews.api.shapes.sampling import SamplingLabShape, SamplingQuery
from reviews.sampling import lab_to_json


class Lab(Door):
    """The mean of independent trials."""

    @extend_schema(operation_id="sampling_lab", parameters=[SamplingQuery], responses=SamplingLabShape)
    def get(self, request: Request) -> Response:
        """Exact and normal probabilities of every outcome of n independent trials, and the bound on their distance."""
        wanted = asked(SamplingQuery, request)
        return shown(SamplingLabShape(lab_to_json(sampling_lab(wanted["p"], wanted["n"]))))
