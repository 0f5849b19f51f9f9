"""Comments: anchored to a section, a field or its words, threaded, resolvable; a new wording is a new version.

They are no evidence: no digest, signature or gate knows them.
"""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible, WrongState
from reviews.models import Comment, CommentReopening, CommentResolution, CommentVersion, Memo, Revision
from reviews.policies import anchors
from reviews.queries import comments as readers
from reviews.services import events, revisions
from reviews.vocabulary import Action, SectionName


@transaction.atomic
def comment(*, actor: User, memo_id: int, anchor: str, text: str, answers: int | None, quote: str = "") -> Comment:
    """A comment at a section or field ("symptom", "action.rollback_target").

    Args:
        answers: the comment that it replies to. quote: the very words that it is about.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py.
        BadInput: no text, an anchor that is no section or field, or words that do not stand there.
    """
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.COMMENT)
    section, _, field = anchor.partition(".")
    revision = revisions.current(memo)
    _refuse_no_place(revision, section, field, quote)
    _refuse_silence(text)
    parent = memo.comments.filter(pk=answers).first() if answers is not None else None
    if answers is not None and parent is None:
        raise NotVisible("There is no such comment on this memo.", where="answers")
    row = Comment.objects.create(
        memo=memo,
        revision=revision,
        parent=parent,
        section=section,
        field=field,
        quote=quote,
        text=text,
        author=actor,
        author_name=events.name_of(actor),
        at=timezone.now(),
    )
    events.append(memo, actor, Action.COMMENT, anchor=anchor, comment=row.pk)
    return row


@transaction.atomic
def edit(*, actor: User, comment_id: int, text: str) -> CommentVersion:
    """The comment in other words, by its author; the words before are kept and shown.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotPermitted also for another's comment.
        BadInput: no text, or the same.
    """
    row, memo = _comment(actor, comment_id, Action.COMMENT)
    if row.author_id != actor.pk:
        raise NotPermitted("A comment is reworded by who wrote it.", needs="Answer it instead.")
    _refuse_silence(text)
    if text == readers.latest_words(row):
        raise BadInput("Nothing changed.", needs="Change the words, or leave them.", code="nothing_changed")
    version = CommentVersion.objects.create(comment=row, number=row.versions.count() + 2, text=text, at=timezone.now())
    events.append(memo, actor, "edit_comment", comment=row.pk, version=version.number)
    return version


@transaction.atomic
def resolve(*, actor: User, comment_id: int, note: str) -> CommentResolution:
    """The comment marked as resolved. Raises NotVisible, NotPermitted; WrongState when it is resolved already."""
    row, memo = _comment(actor, comment_id, Action.RESOLVE_COMMENT)
    if readers.resolution_of(row) is not None:
        raise WrongState("This comment is resolved already.", code="resolved_already")
    resolution = CommentResolution.objects.create(
        comment=row, note=note, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(memo, actor, Action.RESOLVE_COMMENT, comment=row.pk)
    return resolution


@transaction.atomic
def reopen(*, actor: User, comment_id: int, reason: str) -> CommentReopening:
    """The comment open again. Raises NotVisible, NotPermitted; WrongState while it is open; BadInput: no reason."""
    row, memo = _comment(actor, comment_id, Action.RESOLVE_COMMENT)
    resolution = readers.resolution_of(row)
    if resolution is None:
        raise WrongState("This comment is open.", needs="Answer it.", code="not_resolved")
    if not reason.strip():
        raise BadInput("Say why it is open again.", code="no_reason", where="reason")
    reopening = CommentReopening.objects.create(
        resolution=resolution, reason=reason, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(memo, actor, "reopen_comment", comment=row.pk, reason=reason)
    return reopening


def _comment(actor: User, comment_id: int, action: Action) -> tuple[Comment, Memo]:
    row = Comment.objects.filter(pk=comment_id).first()
    if row is None:
        raise NotVisible("There is no such comment that you can see.")
    memo = revisions.locked(actor, row.memo_id)
    revisions.asked(actor, memo, action)
    return row, memo


def _refuse_silence(text: str) -> None:
    if not text.strip():
        raise BadInput("A comment says something.", code="no_text", where="text")


def _refuse_no_place(revision: Revision, section: str, field: str, quote: str) -> None:
    """Raises BadInput for a section, a field or words that the revision does not have."""
    if section not in SectionName.values:
        anchor = f"{section}.{field}" if field else section
        raise BadInput(
            f"{anchor!r} is no section.", needs=f"Choose of: {', '.join(SectionName.values)}.", where="anchor"
        )
    content = revision.sections.get(section)
    if not anchors.has_field(content, field):
        raise BadInput(
            f"The section {section} has no field {field!r}.",
            needs="Name one as its records do, or comment on the whole section.",
            code="no_such_field",
            where="anchor",
        )
    if quote and quote not in anchors.text_at(content, field):
        raise BadInput(
            "The words that you quote do not stand there.",
            needs="Copy them from the memo as it is now, or leave the quote out.",
            code="quote_not_found",
            where="quote",
        )
