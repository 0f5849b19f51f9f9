"""Comments on a memo."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import FILE, person_of
from reviews.api.base import Door, given, memo_of, shown
from reviews.api.once import once
from reviews.api.shapes.comments import CommentShape, EditedComment, NewComment, ResolvedComment
from reviews.api.shapes.common import Reason
from reviews.queries import comments as readers
from reviews.services import comments


class Comments(Door):
    """The comments on a memo."""

    writes = FILE

    @extend_schema(operation_id="comments_list", responses=CommentShape(many=True))
    def get(self, request: Request, number: str) -> Response:
        """All comments as they stand, the first first."""
        return shown(CommentShape(readers.said_on(memo_of(request, number)), many=True))

    @extend_schema(operation_id="comments_add", request=NewComment, responses={201: CommentShape})
    @once
    def post(self, request: Request, number: str) -> Response:
        """A comment at a section, a field, or words of it."""
        memo = memo_of(request, number)
        row = comments.comment(actor=person_of(request), memo_id=memo.pk, **given(NewComment, request))
        return shown(CommentShape(readers.said(memo, row.pk)), status=201)


class OneComment(Door):
    """One comment."""

    writes = FILE

    @extend_schema(operation_id="comments_edit", request=EditedComment, responses=CommentShape)
    def put(self, request: Request, number: str, comment: int) -> Response:
        """The comment in other words, by its author; those before are kept."""
        memo = memo_of(request, number)
        row = readers.said(memo, comment).comment
        comments.edit(actor=person_of(request), comment_id=row.pk, **given(EditedComment, request))
        return shown(CommentShape(readers.said(memo, comment)))


class Resolve(Door):
    """A comment needs no more answer."""

    writes = FILE

    @extend_schema(operation_id="comments_resolve", request=ResolvedComment, responses=CommentShape)
    @once
    def post(self, request: Request, number: str, comment: int) -> Response:
        """The comment resolved."""
        memo = memo_of(request, number)
        row = readers.said(memo, comment).comment
        comments.resolve(actor=person_of(request), comment_id=row.pk, **given(ResolvedComment, request))
        return shown(CommentShape(readers.said(memo, comment)))


class Reopen(Door):
    """A resolved comment needs an answer after all."""

    writes = FILE

    @extend_schema(operation_id="comments_reopen", request=Reason, responses=CommentShape)
    @once
    def post(self, request: Request, number: str, comment: int) -> Response:
        """The comment open again."""
        memo = memo_of(request, number)
        row = readers.said(memo, comment).comment
        comments.reopen(actor=person_of(request), comment_id=row.pk, **given(Reason, request))
        return shown(CommentShape(readers.said(memo, comment)))
