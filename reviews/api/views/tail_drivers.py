"""Queue waits, the impact of a batch policy, and the tail-latency drivers of a memo's evidence."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.base import Door, asked, memo_of, shown
from reviews.api.shapes.tail_drivers import TailDriversQuery, TailDriversShape, shape_of
from reviews.services import tail_drivers


class TailDrivers(Door):
    """What the slowest requests and steps spend."""

    @extend_schema(operation_id="memos_tail_drivers", parameters=[TailDriversQuery], responses=TailDriversShape)
    def get(self, request: Request, number: str) -> Response:
        """Queue waits at each offered load, the impact of the policy, and the drivers of requests and steps."""
        found = tail_drivers.look(memo_of(request, number), asked(TailDriversQuery, request))
        return shown(TailDriversShape(shape_of(found)))
