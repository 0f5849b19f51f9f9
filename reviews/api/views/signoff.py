"""Signatures and decisions, to read; waivers, to ask for. No operation here signs, decides or approves."""

from django.http import FileResponse, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import FILE, PERSON, person_of
from reviews.api.base import Door, given, memo_of, shown
from reviews.api.files import handed_out
from reviews.api.once import once
from reviews.api.preconditions import etag
from reviews.api.shapes.common import Reason
from reviews.api.shapes.signoff import AnswerShape, DecisionShape, NewWaiver, SignatureShape, WaiverShape
from reviews.errors import NotVisible, WrongState
from reviews.models import Decision
from reviews.queries import records
from reviews.services import waivers
from reviews.services.waivers import WaiverWish


class Signatures(Door):
    """The signatures on a memo."""

    only_in_a_browser = "No program signs."

    @extend_schema(operation_id="signatures_list", responses=SignatureShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """All signatures ever given, with what became of them."""
        return shown(SignatureShape(records.signatures(memo_of(request, number)), many=True))


class Decisions(Door):
    """The decisions on a memo."""

    only_in_a_browser = "No program decides."

    @extend_schema(operation_id="decisions_list", responses=DecisionShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """All decisions, the first first."""
        return shown(DecisionShape(records.decisions(memo_of(request, number)), many=True))


class OneDecision(Door):
    """A decision."""

    @extend_schema(operation_id="decisions_get", responses=DecisionShape)
    def get(self, request: Request, number: str, decision: int) -> Response:
        """The decision of that number."""
        return shown(DecisionShape(_decision(request, number, decision)))


class Dossier(Door):
    """Everything that a decision stood on."""

    @extend_schema(operation_id="decisions_dossier", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, number: str, decision: int) -> HttpResponse:
        """The frozen dossier, byte by byte as it was hashed; its ETag is its SHA-256."""
        row = _decision(request, number, decision)
        return HttpResponse(row.dossier, content_type="application/json", headers={"ETag": etag(row.dossier_sha256)})


class Pdf(Door):
    """The PDF memo of a decision."""

    @extend_schema(
        operation_id="decisions_pdf",
        responses={(200, "application/pdf"): OpenApiResponse(OpenApiTypes.BINARY, description="The PDF.")},
    )
    def get(self, request: Request, number: str, decision: int) -> FileResponse:
        """The PDF, as an attachment; 409 while it is being made."""
        pdf = getattr(_decision(request, number, decision), "pdf", None)
        if pdf is None:
            raise WrongState("The PDF is still being made.", needs="Ask again in a moment.", code="pdf_not_ready")
        return handed_out(pdf.pdf_sha256, f"{number}-decision-{decision}.pdf", "application/pdf")


def _decision(request: Request, number: str, decision: int) -> Decision:
    return records.decision(memo_of(request, number), decision)


class Waivers(Door):
    """The waivers of a memo."""

    writes = FILE

    @extend_schema(operation_id="waivers_list", responses=WaiverShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """All waivers with the board's answers."""
        return shown(WaiverShape(records.waivers(memo_of(request, number)), many=True))

    @extend_schema(operation_id="waivers_request", request=NewWaiver, responses={201: WaiverShape})
    @once
    def post(self, request: Request, number: str) -> Response:
        """A waiver asked for; it counts once somebody else on the board approves it."""
        memo = memo_of(request, number)
        wish = WaiverWish(**given(NewWaiver, request))
        waiver = waivers.request(actor=person_of(request), memo_id=memo.pk, wish=wish)
        return shown(WaiverShape(waiver), status=201)


class Approval(Door):
    """The board's answer to a waiver."""

    only_in_a_browser = "No program approves a waiver."

    @extend_schema(operation_id="waivers_answer", responses=AnswerShape)
    def get(self, request: Request, number: str, waiver: int) -> Response:
        """The answer; 404 while there is none."""
        answer = getattr(records.waiver(memo_of(request, number), waiver), "approval", None)
        if answer is None:
            raise NotVisible("The board has not answered this waiver yet.")
        return shown(AnswerShape(answer))


class Decline(Door):
    """The board declines a waiver. People only."""

    writes = PERSON

    @extend_schema(operation_id="waivers_decline", request=Reason, responses=AnswerShape)
    @once
    def post(self, request: Request, number: str, waiver: int) -> Response:
        """The waiver declined."""
        row = records.waiver(memo_of(request, number), waiver)
        body = given(Reason, request)
        return shown(AnswerShape(waivers.decline(actor=person_of(request), waiver_id=row.pk, **body)))
