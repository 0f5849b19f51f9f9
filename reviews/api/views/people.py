"""Signatures that would go stale, objections, and delegations. No operation here signs, resolves or clears."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import FILE, PERSON, person_of
from reviews.api.base import Door, given, memo_of, shown
from reviews.api.once import once
from reviews.api.shapes.common import Reason
from reviews.api.shapes.signoff import (
    AnswerToObjectionShape,
    DelegationShape,
    LapseShape,
    NewAnswer,
    NewDelegation,
    ObjectionShape,
    SectionsToPreview,
    WhoMayShape,
)
from reviews.queries import records, who_may
from reviews.services import delegations, objections, previews
from reviews.services.delegations import DelegationWish


class StaleAfter(Door):
    """Whose signatures a revision would make stale."""

    writes = FILE

    @extend_schema(operation_id="memos_preview_revision", request=SectionsToPreview, responses=LapseShape(many=True))
    @once
    def post(self, request: Request, number: str) -> Response:
        """The signatures that would go stale if these sections were saved, and because of what; nothing is saved."""
        memo = memo_of(request, number)
        body = given(SectionsToPreview, request)
        found = previews.of_sections(actor=person_of(request), memo=memo, sections=body["sections"])
        return shown(LapseShape(found, many=True))


class WhoMay(Door):
    """Who may do what to a memo now."""

    @extend_schema(operation_id="memos_who_may", responses=WhoMayShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """For every action, the user names of the people who may do it in the memo's present state."""
        found = who_may.everything(memo_of(request, number))
        return shown(WhoMayShape([{"action": one, "people": names} for one, names in found.items()], many=True))


class Objections(Door):
    """The objections on a memo."""

    only_in_a_browser = "No program objects, and none ends an objection."

    @extend_schema(operation_id="objections_list", responses=ObjectionShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """Every objection ever raised, with its answers and what ended it, the first first."""
        return shown(ObjectionShape(records.objections(memo_of(request, number)), many=True))


class ObjectionAnswers(Door):
    """The answers to an objection."""

    writes = FILE

    @extend_schema(operation_id="objections_answer", request=NewAnswer, responses={201: AnswerToObjectionShape})
    @once
    def post(self, request: Request, number: str, objection: int) -> Response:
        """A word on the objection; its clock begins anew."""
        row = records.signature(memo_of(request, number), objection)
        body = given(NewAnswer, request)
        made = objections.answer(actor=person_of(request), signature_id=row.pk, **body)
        return shown(AnswerToObjectionShape(made), status=201)


class Delegations(Door):
    """The delegations that reach a memo."""

    writes = PERSON

    @extend_schema(operation_id="delegations_list", responses=DelegationShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """Those of the memo and those of its team, of all times, the first first."""
        return shown(DelegationShape(records.delegations(memo_of(request, number)), many=True))

    @extend_schema(operation_id="delegations_make", request=NewDelegation, responses={201: DelegationShape})
    @once
    def post(self, request: Request, number: str) -> Response:
        """One's own role on this memo delegated. People only."""
        memo = memo_of(request, number)
        wish = DelegationWish(**given(NewDelegation, request))
        made = delegations.delegate_on(actor=person_of(request), memo_id=memo.pk, wish=wish)
        return shown(DelegationShape(made), status=201)


class DelegationEnds(Door):
    """A delegation ended before its time. People only."""

    writes = PERSON

    @extend_schema(operation_id="delegations_end", request=Reason, responses=DelegationShape)
    @once
    def post(self, request: Request, number: str, delegation: int) -> Response:
        """The delegation has ended; what was signed stands."""
        memo = memo_of(request, number)
        row = records.delegation(memo, delegation)
        delegations.end(actor=person_of(request), delegation_id=row.pk, **given(Reason, request))
        return shown(DelegationShape(records.delegation(memo, delegation)))
