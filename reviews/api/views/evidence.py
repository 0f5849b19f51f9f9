"""Plans, files and evidence sets."""

from typing import Any

from django.conf import settings
from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import ATTACH, FILE, person_of, token_of
from reviews.api.base import Door, given, memo_of, shown
from reviews.api.files import HEADER, checked, digest_named, handed_out
from reviews.api.once import once
from reviews.api.parsers import Form
from reviews.api.shapes.evidence import (
    ArtifactShape,
    AttachmentShape,
    FormatChoice,
    NewArtifact,
    NewAttachment,
    NewPlan,
    NewRunAccount,
    NewSet,
    PlanShape,
    RunAccountShape,
    SetShape,
)
from reviews.models import Artifact
from reviews.queries import records
from reviews.services import evidence, parsing, plans
from reviews.services.labels import Labels
from reviews.services.origins import origins_of


def _as_read(artifact: Artifact) -> dict[str, Any]:
    """The file, what was read from it, and the reading that is still to come."""
    parse = records.newest_parse(artifact)
    return {
        "artifact": artifact,
        "parse": parse,
        "origins": origins_of(artifact, parse),
        "job": records.live_job(parsing.JOB, artifact),
    }


class Plans(Door):
    """The plans of a memo, registered before the runs."""

    writes = FILE

    @extend_schema(operation_id="plans_list", responses=PlanShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """All plans, the first first."""
        return shown(PlanShape(records.plans(memo_of(request, number)), many=True))

    @extend_schema(operation_id="plans_register", request=NewPlan, responses={201: PlanShape})
    @once
    def post(self, request: Request, number: str) -> Response:
        """The plan registered; its comparisons and predictions stand in the memo from now on."""
        memo = memo_of(request, number)
        body = given(NewPlan, request)
        content = plans.content_from(body.pop("plan"))
        plan = plans.register(actor=person_of(request), memo_id=memo.pk, content=content, **body)
        return shown(PlanShape(plan), status=201)


class OnePlan(Door):
    """A plan."""

    @extend_schema(operation_id="plans_get", responses=PlanShape)
    def get(self, request: Request, number: str, nonce: str) -> Response:
        """The plan of that nonce."""
        return shown(PlanShape(records.plan(memo_of(request, number), nonce)))


class RunAccounts(Door):
    """What became of the runs of a plan that are not attached."""

    writes = ATTACH

    @extend_schema(operation_id="run_accounts_list", responses=RunAccountShape(many=True))
    def get(self, request: Request, number: str, nonce: str) -> Response:
        """All accounts, the first first."""
        plan = records.plan(memo_of(request, number), nonce)
        return shown(RunAccountShape(records.run_accounts(plan), many=True))

    @extend_schema(operation_id="run_accounts_add", request=NewRunAccount, responses={201: RunAccountShape})
    @once
    def post(self, request: Request, number: str, nonce: str) -> Response:
        """A run accounted for."""
        memo = memo_of(request, number)
        body = given(NewRunAccount, request)
        account = plans.account_for_run(actor=person_of(request), memo_id=memo.pk, plan=nonce, **body)
        return shown(RunAccountShape(account), status=201)


class Artifacts(Door):
    """Files, named by their SHA-256."""

    writes = ATTACH
    parser_classes = (Form,)

    @staticmethod
    def limit_bytes() -> int:
        """The largest file that is taken."""
        return int(settings.ARTIFACT_LIMIT_BYTES)

    @extend_schema(
        operation_id="artifacts_send",
        request={"multipart/form-data": NewArtifact},
        parameters=[OpenApiParameter(HEADER, str, "header", description="RFC 9530: sha-256=:…: of the file.")],
        responses={201: ArtifactShape},
    )
    @once
    def post(self, request: Request) -> Response:
        """The file in the store, without secrets and texts unless somebody says why; it is read by a job."""
        body = given(NewArtifact, request)
        file = body["file"]
        artifact = evidence.take_in(
            actor=person_of(request),
            name=body.get("name") or file.name,
            chunks=checked(file.chunks(), digest_named(request, body["sha256"])),
            provenance=body.get("provenance", {}),
            texts=evidence.Texts(body["drop_texts"], body["kept_because"]),
        )
        response = shown(ArtifactShape(_as_read(artifact)), status=201)
        response["Location"] = f"/api/v1/artifacts/{artifact.sha256}/"
        return response


class OneArtifact(Door):
    """A file."""

    @extend_schema(operation_id="artifacts_get", responses=ArtifactShape)
    def get(self, request: Request, sha256: str) -> Response:
        """What is known of it."""
        return shown(ArtifactShape(_as_read(records.artifact_for(person_of(request), sha256))))


class ArtifactContent(Door):
    """The bytes of a file."""

    @extend_schema(
        operation_id="artifacts_download",
        responses={(200, "application/octet-stream"): OpenApiResponse(OpenApiTypes.BINARY, description="The bytes.")},
    )
    def get(self, request: Request, sha256: str) -> FileResponse:
        """The bytes, as an attachment."""
        artifact = records.artifact_for(person_of(request), sha256)
        return handed_out(artifact.sha256, artifact.name, evidence.UNREAD)


class ArtifactFormat(Door):
    """The format that a file is read as."""

    writes = ATTACH

    @extend_schema(operation_id="artifacts_override_format", request=FormatChoice, responses={202: ArtifactShape})
    @once
    def post(self, request: Request, sha256: str) -> Response:
        """The file will be read again as that format, whatever it is recognised as."""
        artifact = records.artifact_for(person_of(request), sha256)
        body = given(FormatChoice, request)
        evidence.override_format(actor=person_of(request), artifact=sha256, name=body["format"])
        return shown(ArtifactShape(_as_read(artifact)), status=202)


class EvidenceSets(Door):
    """The evidence sets of a memo."""

    writes = ATTACH

    @extend_schema(operation_id="evidence_sets_list", responses=SetShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """All sets with their attachments."""
        return shown(SetShape(records.evidence_sets(memo_of(request, number)), many=True))

    @extend_schema(operation_id="evidence_sets_open", request=NewSet, responses={201: SetShape})
    @once
    def post(self, request: Request, number: str) -> Response:
        """A new open set."""
        memo = memo_of(request, number)
        row = evidence.open_set(actor=person_of(request), memo_id=memo.pk, **given(NewSet, request))
        return shown(SetShape(records.evidence_set(memo, row.number)), status=201)


class OneEvidenceSet(Door):
    """An evidence set."""

    @extend_schema(operation_id="evidence_sets_get", responses=SetShape)
    def get(self, request: Request, number: str, evidence_set: int) -> Response:
        """The set with its attachments."""
        return shown(SetShape(records.evidence_set(memo_of(request, number), evidence_set)))


class Attachments(Door):
    """The files of a set."""

    writes = ATTACH

    @extend_schema(operation_id="attachments_add", request=NewAttachment, responses={201: AttachmentShape})
    @once
    def post(self, request: Request, number: str, evidence_set: int) -> Response:
        """The file in the open set, with its labels."""
        row = records.evidence_set(memo_of(request, number), evidence_set)
        body = given(NewAttachment, request)
        attached = evidence.attach(
            actor=person_of(request),
            set_id=row.pk,
            artifact=body.pop("artifact"),
            labels=Labels(**body),
            token=token_of(request),
        )
        return shown(AttachmentShape(attached), status=201)


class Seal(Door):
    """A set is sealed once."""

    writes = ATTACH

    @extend_schema(operation_id="evidence_sets_seal", request=None, responses=SetShape)
    @once
    def post(self, request: Request, number: str, evidence_set: int) -> Response:
        """The set sealed, as one revision of the memo."""
        memo = memo_of(request, number)
        row = records.evidence_set(memo, evidence_set)
        evidence.seal(actor=person_of(request), set_id=row.pk)
        return shown(SetShape(records.evidence_set(memo, evidence_set)))
