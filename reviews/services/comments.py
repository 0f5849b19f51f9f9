"""Comments: anchored to a section or field, threaded, resolvable, never edited."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotVisible, WrongState
from reviews.models import Comment, CommentResolution
from reviews.services import events, revisions
from reviews.vocabulary import Action, SectionName


@transaction.atomic
def comment(*, actor: User, memo_id: int, anchor: str, text: str, answers: int | None) -> Comment:
    """A comment at a section or field ("symptom", "action.rollback_target"); `answers`: the comment it replies to.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py.
        BadInput: no text, or an anchor that is no section.
    """
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.COMMENT)
    section, _, field = anchor.partition(".")
    if section not in SectionName.values:
        raise BadInput(
            f"{anchor!r} is no section.", needs=f"Choose of: {', '.join(SectionName.values)}.", where="anchor"
        )
    if not text.strip():
        raise BadInput("A comment says something.", code="no_text", where="text")
    parent = memo.comments.filter(pk=answers).first() if answers is not None else None
    if answers is not None and parent is None:
        raise NotVisible("There is no such comment on this memo.", where="answers")
    row = Comment.objects.create(
        memo=memo,
        revision=revisions.current(memo),
        parent=parent,
        section=section,
        field=field,
        text=text,
        author=actor,
        author_name=events.name_of(actor),
        at=timezone.now(),
    )
    events.append(memo, actor, Action.COMMENT, anchor=anchor, comment=row.pk)
    return row


@transaction.atomic
def resolve(*, actor: User, comment_id: int, note: str) -> CommentResolution:
    """The comment marked as resolved. Raises NotVisible, NotPermitted; WrongState when it is resolved already."""
    row = Comment.objects.filter(pk=comment_id).first()
    if row is None:
        raise NotVisible("There is no such comment that you can see.")
    memo = revisions.locked(actor, row.memo_id)
    revisions.asked(actor, memo, Action.RESOLVE_COMMENT)
    if CommentResolution.objects.filter(comment=row).exists():
        raise WrongState("This comment is resolved already.", code="resolved_already")
    resolution = CommentResolution.objects.create(
        comment=row, note=note, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(memo, actor, Action.RESOLVE_COMMENT, comment=row.pk)
    return resolution
