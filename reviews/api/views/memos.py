"""Memos: find, file, revise, move."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import FILE, PERSON, person_of
from reviews.api.base import Door, Newest, asked, given, memo_of, shown, with_etag
from reviews.api.once import once
from reviews.api.preconditions import base_of, etag
from reviews.api.shapes.common import Reason
from reviews.api.shapes.memos import (
    FiledShape,
    MemoQuery,
    MemoShape,
    MemoSummary,
    NewMemo,
    SectionChange,
    TextChange,
)
from reviews.memo_text.findings import Note
from reviews.memo_text.render import render
from reviews.models import Memo
from reviews.policies import lifecycle
from reviews.queries import memo_lists, people, records
from reviews.queries.memo_lists import MemoFilters
from reviews.services import memos
from reviews.vocabulary import State


def whole(request: Request, number: str) -> Memo:
    """The memo as it stands now, with its headline and what the asker may do to it."""
    memo = memo_of(request, number)
    _with_headlines([memo])
    memo.allowed_actions = lifecycle.allowed(  # type: ignore[attr-defined]
        State(memo.state), people.roles_on(person_of(request), memo)
    )
    return memo


def moved(request: Request, memo: Memo) -> Response:
    """The answer to whoever moved the memo."""
    return with_etag(shown(MemoShape(whole(request, memo.number))), memo_of(request, memo.number))


def _with_headlines(found: list[Memo]) -> list[Memo]:
    said = memo_lists.headlines(found)
    for memo in found:
        memo.headline = said[memo.pk]  # type: ignore[attr-defined]
    return found


def _filed(request: Request, memo: Memo, notes: tuple[Note, ...], status: int) -> Response:
    now = whole(request, memo.number)
    response = with_etag(shown(FiledShape({"memo": now, "notes": notes}), status=status), now)
    response["Location"] = f"/api/v1/memos/{memo.number}/"
    return response


class Memos(Door):
    """The memos that you may see."""

    writes = FILE
    pagination_class = Newest

    @extend_schema(operation_id="memos_list", parameters=[MemoQuery], responses=MemoSummary(many=True))
    def get(self, request: Request) -> Response:
        """The memos that pass all filters, the newest first."""
        wanted = asked(MemoQuery, request)
        names = ("state", "team", "template", "intent", "q")
        found = memo_lists.memos_found(person_of(request), MemoFilters(**{name: wanted[name] for name in names}))
        pages = Newest()
        page = pages.paginate_queryset(found, request, view=self) or []
        return pages.get_paginated_response(MemoSummary(_with_headlines(page), many=True).data)

    @extend_schema(operation_id="memos_file", request=NewMemo, responses={201: FiledShape})
    @once
    def post(self, request: Request) -> Response:
        """A draft, from a memo text or from records."""
        body = given(NewMemo, request)
        if "text" not in body:
            memo = memos.file_records(actor=person_of(request), sections=body["sections"])
            return _filed(request, memo, (), 201)
        filed = memos.file_text(actor=person_of(request), **body)
        return _filed(request, filed.memo, filed.notes, 201)


class OneMemo(Door):
    """A memo as it stands."""

    writes = FILE
    matched = ("PATCH",)

    @extend_schema(operation_id="memos_get", responses=MemoShape)
    def get(self, request: Request, number: str) -> Response:
        """The memo with its sections; its ETag is the digest of its revision."""
        memo = whole(request, number)
        return with_etag(shown(MemoShape(memo)), memo)

    @extend_schema(operation_id="memos_revise", request=SectionChange, responses=MemoShape)
    def patch(self, request: Request, number: str) -> Response:
        """A revision in which the given sections are replaced."""
        memo = memo_of(request, number)
        body = given(SectionChange, request)
        with base_of(request, memo) as base:
            memos.revise(actor=person_of(request), memo_id=memo.pk, base=base, **body)
        return moved(request, memo)


class MemoText(Door):
    """A memo as text, in the exchange format."""

    writes = FILE
    matched = ("PUT",)

    @extend_schema(
        operation_id="memos_export",
        responses={(200, "text/plain"): OpenApiResponse(OpenApiTypes.STR, description="The memo text.")},
    )
    def get(self, request: Request, number: str) -> HttpResponse:
        """The memo text; it carries the digest of its revision, so that sending it back finds its base."""
        memo = memo_of(request, number)
        digest = records.revision_of(memo).digest
        text = render(records.content_of(memo), memos.template_of(memo), base=digest)
        return HttpResponse(text, content_type="text/plain; charset=utf-8", headers={"ETag": etag(digest)})

    @extend_schema(operation_id="memos_revise_text", request=TextChange, responses=FiledShape)
    def put(self, request: Request, number: str) -> Response:
        """A revision from a text; what no text can say stays."""
        memo = memo_of(request, number)
        body = given(TextChange, request)
        with base_of(request, memo) as base:
            filed = memos.revise_text(actor=person_of(request), memo_id=memo.pk, base=base, **body)
        return _filed(request, filed.memo, filed.notes, 200)


class Submit(Door):
    """A draft goes into review."""

    writes = FILE
    matched = ("POST",)

    @extend_schema(operation_id="memos_submit", request=None, responses=MemoShape)
    @once
    def post(self, request: Request, number: str) -> Response:
        """The memo in review; 422 lists what it does not say yet."""
        memo = memo_of(request, number)
        with base_of(request, memo) as base:
            memos.submit(actor=person_of(request), memo_id=memo.pk, base=base)
        return moved(request, memo)


class Return(Door):
    """The board sends a memo back. People only."""

    writes = PERSON

    @extend_schema(operation_id="memos_return", request=Reason, responses=MemoShape)
    @once
    def post(self, request: Request, number: str) -> Response:
        """The memo in draft again."""
        memo = memo_of(request, number)
        memos.return_to_author(actor=person_of(request), memo_id=memo.pk, **_reason(request))
        return moved(request, memo)


class Withdraw(Door):
    """The author takes a memo back."""

    writes = FILE

    @extend_schema(operation_id="memos_withdraw", request=Reason, responses=MemoShape)
    @once
    def post(self, request: Request, number: str) -> Response:
        """The memo withdrawn."""
        memo = memo_of(request, number)
        memos.withdraw(actor=person_of(request), memo_id=memo.pk, **_reason(request))
        return moved(request, memo)


def _reason(request: Request) -> Mapping[str, Any]:
    return given(Reason, request)
