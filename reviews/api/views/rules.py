"""Drafts of templates, their replay over past decisions and their activation; the reference builds of teams."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import PERSON, person_of
from reviews.api.base import Door, given, shown
from reviews.api.once import once
from reviews.api.shapes.memos import TemplateShape
from reviews.api.shapes.rules import (
    DraftShape,
    DraftSummary,
    NewActivation,
    NewDraft,
    NewReferenceBuild,
    ReferenceBuildShape,
)
from reviews.queries import rules_page
from reviews.services import references, templates


class Drafts(Door):
    """The drafts of a template."""

    writes = PERSON

    @extend_schema(operation_id="template_drafts_list", responses=DraftSummary(many=True))
    def get(self, request: Request, slug: str) -> Response:  # noqa: ARG002 - everybody sees all of them
        """All drafts of the template, the newest first."""
        return shown(DraftSummary(rules_page.drafts_of(slug), many=True))

    @extend_schema(operation_id="template_drafts_save", request=NewDraft, responses={201: DraftSummary})
    @once
    def post(self, request: Request, slug: str) -> Response:
        """The next version of the template as a draft. Administrators and operators only."""
        row = templates.draft(actor=person_of(request), slug=slug, **given(NewDraft, request))
        return shown(DraftSummary(row), status=201)


class OneDraft(Door):
    """A draft with its replay."""

    @extend_schema(operation_id="template_drafts_get", responses=DraftShape)
    def get(self, request: Request, draft: int) -> Response:
        """What the draft changes, and which past decisions it would have blocked."""
        return shown(DraftShape(rules_page.draft_page(person_of(request), draft)))


class DraftActivation(Door):
    """A draft activated."""

    writes = PERSON

    @extend_schema(operation_id="template_drafts_activate", request=NewActivation, responses={201: TemplateShape})
    @once
    def post(self, request: Request, draft: int) -> Response:
        """The draft becomes the active version, by an operator who did not write it and has seen its replay."""
        made = templates.activate(actor=person_of(request), draft_id=draft, **given(NewActivation, request))
        return shown(TemplateShape(made), status=201)


class ReferenceBuilds(Door):
    """The reference builds of a team."""

    writes = PERSON

    @extend_schema(operation_id="reference_builds_list", responses=ReferenceBuildShape(many=True))
    def get(self, request: Request, team: str) -> Response:
        """The builds that were ever pinned, the newest, which is in force, first."""
        return shown(ReferenceBuildShape(rules_page.references_of(person_of(request), team), many=True))

    @extend_schema(operation_id="reference_builds_pin", request=NewReferenceBuild, responses={201: ReferenceBuildShape})
    @once
    def post(self, request: Request, team: str) -> Response:
        """The build from which on the team's shipped changes are added up. Its board and administrators only."""
        made = references.pin(actor=person_of(request), team=team, **given(NewReferenceBuild, request))
        return shown(ReferenceBuildShape(made), status=201)
