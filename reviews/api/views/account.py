"""The asker, tokens, jobs, and the answer to an address that leads nowhere."""

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import ATTACH, PERSON, person_of, token_of
from reviews.api.base import Door, given, shown
from reviews.api.once import once
from reviews.api.problems import NothingHere
from reviews.api.shapes.after import IssuedToken, JobShape, MeShape, NewToken, TokenShape
from reviews.queries import people, records
from reviews.services import events, jobs, tokens


class Me(Door):
    """Who asks."""

    @extend_schema(operation_id="me", responses=MeShape)
    def get(self, request: Request) -> Response:
        """The asker, with roles by team and, for a token, its scopes."""
        person, token = person_of(request), token_of(request)
        roles = {team: sorted(held) for team, held in people.roles_by_team(person).items()}
        return shown(
            MeShape(
                {
                    "username": person.get_username(),
                    "name": events.name_of(person),
                    "scopes": token.scopes if token else None,
                    "roles": roles,
                }
            )
        )


class Tokens(Door):
    """Your tokens. People only."""

    reads = PERSON
    writes = PERSON

    @extend_schema(operation_id="tokens_list", responses=TokenShape(many=True))
    def get(self, request: Request) -> Response:
        """All tokens, the newest first."""
        return shown(TokenShape(records.tokens_of(person_of(request)), many=True))

    @extend_schema(operation_id="tokens_issue", request=NewToken, responses={201: IssuedToken})
    @once
    def post(self, request: Request) -> Response:
        """A new token, with its secret, which is shown this once."""
        body = given(NewToken, request)
        token, secret = tokens.issue(
            actor=person_of(request), name=body["name"], scopes=tuple(body["scopes"]), expires_at=body["expires_at"]
        )
        shape = TokenShape(token)
        return Response({**shape.data, "secret": secret}, status=201)


class OneToken(Door):
    """A token. People only."""

    writes = PERSON

    @extend_schema(operation_id="tokens_revoke", responses=TokenShape)
    def delete(self, request: Request, token: int) -> Response:
        """The token, of no use from now on; its row stays."""
        return shown(TokenShape(tokens.revoke(actor=person_of(request), token_id=token)))


class OneJob(Door):
    """Work that was asked for."""

    @extend_schema(operation_id="jobs_get", responses=JobShape)
    def get(self, request: Request, job: int) -> Response:
        """How far it is."""
        return shown(JobShape(records.job_for(person_of(request), job)))


class CancelJob(Door):
    """Work that is wanted no more."""

    writes = ATTACH

    @extend_schema(operation_id="jobs_cancel", request=None, responses=JobShape)
    @once
    def post(self, request: Request, job: int) -> Response:
        """Your job, cancelled at once while it waits, else as soon as its work looks."""
        row = records.own_job(person_of(request), job)
        return shown(JobShape(jobs.cancel(job_id=row.pk)))


class Nowhere(Door):
    """Every other address."""

    permission_classes = (AllowAny,)

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:  # noqa: ARG002
        """Raises NothingHere, whoever asks and whatever for."""
        raise NothingHere("There is no such address in this API.", needs="See docs/api.md.")
