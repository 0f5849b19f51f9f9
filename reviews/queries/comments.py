"""The comments on a memo in threads, each with its latest words and what became of the text that it is about."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch, QuerySet

from reviews.errors import NotVisible
from reviews.models import Comment, CommentResolution, Memo, Revision
from reviews.policies import anchors, mentions
from reviews.policies.anchors import Standing
from reviews.queries.seeing import who_see


@dataclass(frozen=True, slots=True)
class Said:
    """A comment as it stands. text: its latest words; former: those before, the first first.

    names: whom it names of those who see the memo. resolution: None while it is open; of an answer, that of its thread.
    """

    comment: Comment
    text: str
    former: tuple[str, ...]
    edited_at: datetime | None
    names: tuple[str, ...]
    standing: Standing
    resolution: CommentResolution | None


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment with all answers below it, oldest first."""

    first: Said
    answers: tuple[Said, ...]


def rows_of(memo: Memo) -> QuerySet[Comment]:
    """The comments of the memo, oldest first."""
    resolutions = CommentResolution.objects.select_related("reopening").order_by("pk")
    rows = memo.comments.select_related("revision", "author").defer("revision__sections", "revision__section_digests")
    return rows.prefetch_related("versions", Prefetch("resolutions", resolutions)).order_by("pk")


def said_on(memo: Memo) -> tuple[Said, ...]:
    """All comments of the memo as they stand, oldest first."""
    rows = list(rows_of(memo))
    sections = _sections(rows, memo)
    seen = (
        who_see(memo, {name for row in rows for name in mentions.mentioned(_words(row)[-1])}) if rows else frozenset()
    )
    firsts = _firsts(rows)
    return tuple(_said(row, firsts[row.pk], sections, seen, memo) for row in rows)


def said(memo: Memo, comment_id: int) -> Said:
    """One comment of the memo as it stands. Raises NotVisible."""
    found = next((one for one in said_on(memo) if one.comment.pk == comment_id), None)
    if found is None:
        raise NotVisible(f"{memo.number} has no such comment.")
    return found


def threads(rows: Iterable[Said]) -> Mapping[str, tuple[Thread, ...]]:
    """Section -> its threads, oldest first."""
    rows = tuple(rows)
    firsts = _firsts([one.comment for one in rows])
    answers: dict[int, list[Said]] = defaultdict(list)
    for one in rows:
        if one.comment.parent_id is not None:
            answers[firsts[one.comment.pk].pk].append(one)
    found: dict[str, list[Thread]] = defaultdict(list)
    for one in rows:
        if one.comment.parent_id is None:
            found[one.comment.section].append(Thread(one, tuple(answers[one.comment.pk])))
    return {section: tuple(those) for section, those in found.items()}


def open_threads(rows: Iterable[Said]) -> int:
    """How many threads nobody has resolved."""
    return sum(1 for one in rows if one.comment.parent_id is None and one.resolution is None)


def resolution_of(row: Comment) -> CommentResolution | None:
    """The resolution that holds: the last one, unless it was reopened."""
    last = row.resolutions.select_related("reopening").order_by("pk").last()
    return last if last is not None and not hasattr(last, "reopening") else None


def latest_words(row: Comment) -> str:
    """The words that the comment says now."""
    last = row.versions.order_by("number").last()
    return last.text if last else row.text


def writers_in_thread(row: Comment) -> frozenset[str]:
    """The user names of who wrote in the thread that the comment answers, before it."""
    rows = list(row.memo.comments.filter(pk__lte=row.pk).select_related("author").order_by("pk"))
    firsts = _firsts(rows)
    mine = firsts[row.pk].pk
    return frozenset(r.author.get_username() for r in rows if firsts[r.pk].pk == mine and r.pk != row.pk)


def _firsts(rows: Sequence[Comment]) -> dict[int, Comment]:
    """Comment -> the one that its thread began with. rows: oldest first."""
    found: dict[int, Comment] = {}
    for row in rows:
        found[row.pk] = row if row.parent_id is None else found[row.parent_id]
    return found


def _sections(rows: Sequence[Comment], memo: Memo) -> Mapping[int, Mapping[str, object]]:
    """Revision -> its sections, of those that comments were written on and the current one; one query, or none."""
    wanted = {row.revision_id for row in rows} | ({memo.current_revision_id or 0} if rows else set())
    return dict(Revision.objects.filter(pk__in=wanted).values_list("pk", "sections")) if wanted else {}


def _words(row: Comment) -> list[str]:
    return [row.text, *(version.text for version in sorted(row.versions.all(), key=lambda version: version.number))]


def _said(
    row: Comment, first: Comment, sections: Mapping[int, Mapping[str, object]], seen: frozenset[str], memo: Memo
) -> Said:
    words, versions = _words(row), list(row.versions.all())
    standing = [one for one in first.resolutions.all() if not hasattr(one, "reopening")]
    now = sections[memo.current_revision_id or 0]
    return Said(
        comment=row,
        text=words[-1],
        former=tuple(words[:-1]),
        edited_at=max((version.at for version in versions), default=None),
        names=tuple(name for name in mentions.mentioned(words[-1]) if name in seen),
        standing=anchors.standing(
            sections[row.revision_id].get(row.section), now.get(row.section), row.field, row.quote
        ),
        resolution=standing[-1] if standing else None,
    )
