"""Texts that are only looked at, revisions, and templates."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import READ, person_of
from reviews.api.base import Door, asked, given, memo_of, shown
from reviews.api.once import once
from reviews.api.preconditions import etag
from reviews.api.shapes.common import ChangeShape
from reviews.api.shapes.memos import (
    CheckedText,
    DifferenceQuery,
    RevisionShape,
    RevisionSummary,
    TemplateShape,
    TemplateSummary,
    TextToCheck,
)
from reviews.memo_text.parse import parse
from reviews.policies import completeness
from reviews.queries import records
from reviews.sections import content_to_json
from reviews.template_content import template_from_json


class TextCheck(Door):
    """A memo text, looked at and not stored."""

    writes = READ

    @extend_schema(operation_id="memo_text_check", request=TextToCheck, responses=CheckedText)
    @once
    def post(self, request: Request) -> Response:
        """The records that the text states, notes by line, what is unfilled, and what submitting would ask for."""
        body = given(TextToCheck, request)
        template = template_from_json(records.template_version(body["template"], None).content)
        parsed = parse(body["text"], template, team="", intent=body["intent"])
        checked: dict[str, Any] = {
            "sections": content_to_json(parsed.content),
            "notes": parsed.notes,
            "unfilled": parsed.content.header.unfilled,
            "missing": completeness.missing(parsed.content, person_of(request).get_username()),
            "base": parsed.base,
        }
        return shown(CheckedText(checked))


class Revisions(Door):
    """The revisions of a memo."""

    @extend_schema(operation_id="revisions_list", responses=RevisionSummary(many=True))
    def get(self, request: Request, number: str) -> Response:
        """All revisions, the first first."""
        return shown(RevisionSummary(records.revisions(memo_of(request, number)), many=True))


class OneRevision(Door):
    """A revision."""

    @extend_schema(operation_id="revisions_get", responses=RevisionShape)
    def get(self, request: Request, number: str, revision: int) -> Response:
        """The revision with its sections; its ETag is its digest."""
        row = records.revision(memo_of(request, number), revision)
        response = shown(RevisionShape(row))
        response["ETag"] = etag(row.digest)
        return response


class Difference(Door):
    """What changed between two revisions."""

    @extend_schema(operation_id="revisions_difference", parameters=[DifferenceQuery], responses=ChangeShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """The changes from revision `old` to revision `new`, by record, in words and numbers."""
        memo = memo_of(request, number)
        wanted = asked(DifferenceQuery, request)
        changes = records.difference_between(memo, wanted["old"], wanted["new"])
        return shown(ChangeShape(changes, many=True))


class Templates(Door):
    """The memo templates."""

    @extend_schema(operation_id="templates_list", responses=TemplateSummary(many=True))
    def get(self, request: Request) -> Response:  # noqa: ARG002 - everybody sees all of them
        """All templates with their versions."""
        return shown(TemplateSummary(records.templates(), many=True))


class OneTemplate(Door):
    """A memo template."""

    @extend_schema(operation_id="templates_get", responses=TemplateShape)
    def get(self, request: Request, slug: str) -> Response:  # noqa: ARG002
        """Its newest version."""
        return shown(TemplateShape(records.template_version(slug, None)))


class OneTemplateVersion(Door):
    """A version of a memo template; it never changes."""

    @extend_schema(operation_id="templates_version", responses=TemplateShape)
    def get(self, request: Request, slug: str, version: int) -> Response:  # noqa: ARG002
        """That version."""
        return shown(TemplateShape(records.template_version(slug, version)))
