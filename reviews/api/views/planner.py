"""The planner: how many placements, runs and steps, from a pilot or from stated spreads."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import person_of
from reviews.api.base import Door, asked, shown
from reviews.api.shapes.planner import PlannedSizesShape, PlannerQuery
from reviews.planner.asking import FIELDS
from reviews.planner.document import as_json, guardrails_json
from reviews.services import planner


class Planner(Door):
    """A plan before its runs are made."""

    @extend_schema(operation_id="planner", parameters=[PlannerQuery], responses=PlannedSizesShape)
    def get(self, request: Request) -> Response:
        """The cheapest plan for a half-width, the runs for an effect, and what they do for a memo's guardrails."""
        values = asked(PlannerQuery, request)
        found = planner.look(person_of(request), {name: str(values.get(name, "")) for name in FIELDS})
        return shown(PlannedSizesShape({**as_json(found.planned), "guardrails": guardrails_json(found.warning)}))
