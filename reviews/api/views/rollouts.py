"""Rollouts, permits for deployers, and what happens in production."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from reviews.api.authentication import PERSON, REPORT, person_of, token_of
from reviews.api.base import Door, asked, given, memo_of, shown
from reviews.api.once import once
from reviews.api.shapes.common import Reason
from reviews.api.shapes.evidence import NewRedaction, RecallShape, RedactionShape
from reviews.api.shapes.rollouts import (
    DeploymentsShape,
    EventSourceShape,
    MadeEventSource,
    NewEventSource,
    NewReport,
    PermitShape,
    PermitWanted,
    ReportedEvent,
    RolloutShape,
)
from reviews.errors import BadInput
from reviews.policies.images import require_digest
from reviews.policies.permit import Wish
from reviews.queries import deployments, permits, records, redacted
from reviews.queries import production as reported
from reviews.queries.rollout_page import running
from reviews.services import production, recalls, redactions, webhooks
from reviews.services.percents import percent_of
from reviews.services.production import ProductionReport, Reporter
from reviews.services.rollouts import threshold_json
from reviews.services.webhooks import Delivery


class OfMemo(Door):
    """The bounded rollout of a memo."""

    only_in_a_browser = "No program advances a rollout."

    @extend_schema(operation_id="rollout_get", responses=RolloutShape)
    def get(self, request: Request, number: str) -> Response:
        """Where the latest rollout stands, what its thresholds say, and what stands before its next stage."""
        found = running(person_of(request), memo_of(request, number))
        said = {
            "contract": found.contract,
            "stands": found.stands,
            "is_running": found.is_running,
            "answer": found.answer,
            "thresholds": [threshold_json(one) for one in found.thresholds],
            "gaps": found.gaps,
        }
        return shown(RolloutShape(said))


class Permit(Door):
    """May this be deployed?"""

    @extend_schema(operation_id="permit", parameters=[PermitWanted], responses=PermitShape)
    def get(self, request: Request) -> Response:
        """The answer that follows from the decisions that stand now; 200 also when it is no."""
        wanted = asked(PermitWanted, request)
        percent = percent_of(wanted["percent"], "percent")
        if percent is None:
            raise BadInput("Say how much of the scope.", needs="Write for example 5.", code="no_scope", where="percent")
        wish = Wish(image=require_digest(wanted["image"]), scope=wanted["scope"], percent=percent)
        return shown(PermitShape(permits.answer(person_of(request), wish)))


class ProductionEvents(Door):
    """What was deployed, advanced or rolled back."""

    writes = REPORT

    @extend_schema(operation_id="events_list", responses=ReportedEvent(many=True))
    def get(self, request: Request) -> Response:
        """The newest 50 events of the teams that you see."""
        return shown(ReportedEvent(reported.events_visible_to(person_of(request))[: deployments.SHOWN], many=True))

    @extend_schema(operation_id="events_report", request=NewReport, responses={201: ReportedEvent})
    @once
    def post(self, request: Request) -> Response:
        """An event, with the memo that its digest names; a rollback of what no memo names opens an incident."""
        body = given(NewReport, request)
        team = body.pop("team")
        reporter = Reporter(person_of(request), token_of(request))
        row = production.report(reporter=reporter, team=team, report=ProductionReport(**body))
        return shown(ReportedEvent(row), status=201)


class Deployments(Door):
    """Production beside what was decided."""

    @extend_schema(operation_id="deployments", responses=DeploymentsShape)
    def get(self, request: Request) -> Response:
        """Rollouts without authority, reported rollbacks to ratify, deployments without a memo, emergencies by team."""
        return shown(DeploymentsShape(deployments.deployments(person_of(request), timezone.now())))


class EventSources(Door):
    """Your webhooks. People only."""

    reads = PERSON
    writes = PERSON

    @extend_schema(operation_id="event_sources_list", responses=EventSourceShape(many=True))
    def get(self, request: Request) -> Response:
        """All of them, the newest first."""
        return shown(EventSourceShape(reported.sources_of(person_of(request)), many=True))

    @extend_schema(operation_id="event_sources_make", request=NewEventSource, responses={201: MadeEventSource})
    @once
    def post(self, request: Request) -> Response:
        """A webhook, with its signing secret, which is shown this once."""
        row, secret = webhooks.make_source(actor=person_of(request), **given(NewEventSource, request))
        return Response({**EventSourceShape(row).data, "secret": secret}, status=201)


class OneEventSource(Door):
    """One of your webhooks. People only."""

    reads = PERSON
    writes = PERSON

    @extend_schema(operation_id="event_sources_revoke", responses=EventSourceShape)
    def delete(self, request: Request, source: int) -> Response:
        """The webhook, of no use from now on; its row stays."""
        return shown(EventSourceShape(webhooks.revoke_source(actor=person_of(request), source_id=source)))


class Recalls(Door):
    """Why a file must not be trusted any more. People only recall."""

    writes = PERSON

    @extend_schema(operation_id="recalls_list", responses=RecallShape(many=True))
    def get(self, request: Request, sha256: str) -> Response:
        """Its recall, if there is one."""
        artifact = records.artifact_for(person_of(request), sha256)
        return shown(RecallShape(artifact.recalls.order_by("pk"), many=True))

    @extend_schema(operation_id="recalls_make", request=Reason, responses={201: RecallShape})
    @once
    def post(self, request: Request, sha256: str) -> Response:
        """The file recalled: memos that cite it are flagged, and gates that stood open close."""
        row = recalls.recall(actor=person_of(request), sha256=sha256, **given(Reason, request))
        return shown(RecallShape(row), status=201)


class Redactions(Door):
    """That the bytes of a file were taken away, and for what. People only redact."""

    writes = PERSON

    @extend_schema(operation_id="redactions_list", responses=RedactionShape(many=True))
    def get(self, request: Request, sha256: str) -> Response:
        """Its redaction, if there is one."""
        person = person_of(request)
        artifact = records.artifact_for(person, sha256)
        context = {"effects": redacted.effects(person, sha256)}
        return shown(RedactionShape(redacted.redactions_of([artifact.sha256]).values(), many=True, context=context))

    @extend_schema(operation_id="redactions_make", request=NewRedaction, responses={201: RedactionShape})
    @once
    def post(self, request: Request, sha256: str) -> Response:
        """The bytes taken away for good: memos that hold the file are told, and gates that rest on it close."""
        person = person_of(request)
        row = redactions.redact(actor=person, sha256=sha256, **given(NewRedaction, request))
        return shown(RedactionShape(row, context={"effects": redacted.effects(person, sha256)}), status=201)


class Receive(APIView):
    """A signed delivery, outside /api/v1/: who sends it is proved by its signature alone."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(exclude=True)
    def post(self, request: Request, key: str) -> Response:
        """The event kept; 401 for a delivery that is not signed as its source signs."""
        delivery = Delivery(
            message_id=request.headers.get("webhook-id", ""),
            timestamp=request.headers.get("webhook-timestamp", ""),
            signature=request.headers.get("webhook-signature", ""),
            body=request.body,
        )
        return shown(ReportedEvent(webhooks.receive(key=key, delivery=delivery)))
