"""What was seen and done after a decision, and the trail."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import FILE, REPORT, person_of, token_of
from reviews.api.base import Door, given, memo_of, shown
from reviews.api.once import once
from reviews.api.shapes.after import (
    NewObservation,
    NewOutcome,
    NewProductionEvent,
    NewRecheck,
    ObservationShape,
    OutcomeShape,
    ProductionEventShape,
    TrailShape,
)
from reviews.queries import records
from reviews.services import events, observations, production, rechecks
from reviews.services.labels import Labels
from reviews.services.production import ProductionReport, Reporter
from reviews.services.rechecks import RecheckWish


class Observations(Door):
    """What was seen after a decision or during a rollout."""

    writes = REPORT

    @extend_schema(operation_id="observations_list", responses=ObservationShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """All observations, the first first."""
        return shown(ObservationShape(records.observations(memo_of(request, number)), many=True))

    @extend_schema(operation_id="observations_add", request=NewObservation, responses={201: ObservationShape})
    @once
    def post(self, request: Request, number: str) -> Response:
        """An observation."""
        memo = memo_of(request, number)
        body = given(NewObservation, request)
        row = observations.observe(actor=person_of(request), memo_id=memo.pk, token=token_of(request), **body)
        return shown(ObservationShape(row), status=201)


class Rechecks(Door):
    """Comparisons repeated in ordinary execution after a decision."""

    writes = REPORT

    @extend_schema(operation_id="rechecks_add", request=NewRecheck, responses={201: ObservationShape})
    @once
    def post(self, request: Request, number: str) -> Response:
        """An observation with a sealed set of its own and the assessment on it."""
        memo = memo_of(request, number)
        body = given(NewRecheck, request)
        files = tuple((file.pop("artifact"), Labels(**file)) for file in body.pop("files"))
        wish = RecheckWish(files=files, **body)
        row = rechecks.recheck(actor=person_of(request), memo_id=memo.pk, wish=wish, token=token_of(request))
        return shown(ObservationShape(row), status=201)


class ProductionEvents(Door):
    """What was deployed, advanced or rolled back."""

    writes = REPORT

    @extend_schema(operation_id="production_events_list", responses=ProductionEventShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """All events, the first first."""
        return shown(ProductionEventShape(records.production_events(memo_of(request, number)), many=True))

    @extend_schema(
        operation_id="production_events_report", request=NewProductionEvent, responses={201: ProductionEventShape}
    )
    @once
    def post(self, request: Request, number: str) -> Response:
        """An event reported."""
        memo = memo_of(request, number)
        report = ProductionReport(**given(NewProductionEvent, request))
        reporter = Reporter(person_of(request), token_of(request))
        row = production.report_for_memo(reporter=reporter, memo_id=memo.pk, report=report)
        return shown(ProductionEventShape(row), status=201)


class Outcomes(Door):
    """What came of a decision."""

    writes = FILE

    @extend_schema(operation_id="outcomes_list", responses=OutcomeShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """All outcomes, the first first."""
        return shown(OutcomeShape(records.outcomes(memo_of(request, number)), many=True))

    @extend_schema(operation_id="outcomes_record", request=NewOutcome, responses={201: OutcomeShape})
    @once
    def post(self, request: Request, number: str) -> Response:
        """The memo closed, with what was predicted beside what was observed."""
        memo = memo_of(request, number)
        row = observations.record_outcome(actor=person_of(request), memo_id=memo.pk, **given(NewOutcome, request))
        return shown(OutcomeShape(row), status=201)


class Trail(Door):
    """Who did what when."""

    @extend_schema(operation_id="trail_get", responses=TrailShape)
    def get(self, request: Request, number: str) -> Response:
        """Every event of the memo, and whether the chain holds."""
        memo = memo_of(request, number)
        chain, faults = list(events.chain_of(memo)), events.verify(memo)
        head = chain[-1].hash if chain else events.BEGINNING
        return shown(TrailShape({"whole": not faults, "faults": faults, "head": head, "events": chain}))
