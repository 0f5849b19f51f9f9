"""What every view shares: the door, and shapes in and out."""

from collections.abc import Sequence
from typing import Any, ClassVar

from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, Serializer
from rest_framework.views import APIView

from reviews.api.authentication import PERSON, READ, person_of
from reviews.api.preconditions import etag
from reviews.models import Memo
from reviews.queries import people, records


class Newest(CursorPagination):
    """Pages by cursor, the newest first."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200
    ordering = ("-created_at", "-pk")


class Door(APIView):
    """Base of the views. reads, writes: the scope that a token needs; matched: methods that need If-Match."""

    reads: ClassVar[str] = READ
    writes: ClassVar[str] = PERSON
    matched: ClassVar[Sequence[str]] = ()


def memo_of(request: Request, number: str) -> Memo:
    """The memo, for whom it is visible. Raises NotVisible."""
    return people.memo_for(person_of(request), number)


def given(shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The body in its shape. Raises ValidationError."""
    filled = shape(data=request.data)
    filled.is_valid(raise_exception=True)
    return dict(filled.validated_data)


def asked(shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The query parameters in their shape. Raises ValidationError."""
    filled = shape(data=request.query_params)
    filled.is_valid(raise_exception=True)
    return dict(filled.validated_data)


def shown(shape: BaseSerializer[Any], *, status: int = 200) -> Response:
    """The answer in its shape."""
    return Response(shape.data, status=status)


def with_etag(response: Response, memo: Memo) -> Response:
    """The response with the digest of the memo's current revision as its entity tag."""
    response["ETag"] = etag(records.revision_of(memo).digest)
    return response
