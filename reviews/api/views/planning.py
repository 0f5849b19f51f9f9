"""What is computed from the request alone, and not stored."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.next_measurement import ranking_to_json
from reviews import next_measurement
from reviews.api.authentication import READ
from reviews.api.base import Door, given, shown
from reviews.api.once import once
from reviews.api.shapes.planning import MeasurementsToRank, RankingShape


class NextMeasurement(Door):
    """Measurements that could be made, by what they would tell."""

    writes = READ

    @extend_schema(operation_id="next_measurement", request=MeasurementsToRank, responses=RankingShape)
    @once
    def post(self, request: Request) -> Response:
        """The measurements in the order of what they are expected to tell of which hypothesis holds; no evidence."""
        written = next_measurement.from_values(given(MeasurementsToRank, request))
        return shown(RankingShape(ranking_to_json(next_measurement.ranked(written))))
