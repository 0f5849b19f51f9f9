"""Which memos speak for an image: as they say now, and as their decisions froze it."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from reviews.models import Decision, Memo
from reviews.policies.images import candidate_images, digest_in
from reviews.queries import people
from reviews.queries.current import revision_of
from reviews.sections import Change, from_json
from reviews.vocabulary import Intent, SectionName


def memos_that_name(person: User, digest: str) -> tuple[Memo, ...]:
    """The memos that the person sees and whose change names the digest on either side, now or when it was decided."""
    visible = people.memos_visible_to(person)
    now = _saying(visible, "current_revision__sections", digest)
    decided = _saying(Decision.objects.filter(memo__in=visible.order_by().values("pk")), "revision__sections", digest)
    return tuple(visible.filter(pk__in={*now.values_list("pk", flat=True), *decided.values_list("memo", flat=True)}))


def memo_of_build(person: User, build: str) -> Memo | None:
    """The memo that what production reports belongs to, None for none.

    By the digest of its candidate, the one that was decided last; what names no digest belongs to an incident that was
    opened for the very same name.
    """
    digest = digest_in(build)
    if not digest:
        incidents = people.memos_visible_to(person).filter(intent=Intent.INCIDENT)
        return next((memo for memo in incidents if _change_of(memo).candidate == build.strip()), None)
    named = [memo for memo in memos_that_name(person, digest) if digest in _candidates(memo)]
    return max(named, key=lambda memo: (memo.decided_at is not None, memo.decided_at or memo.created_at), default=None)


def _saying(rows: "QuerySet[Any]", sections: str, digest: str) -> "QuerySet[Any]":
    change = Cast(KeyTextTransform(SectionName.CHANGE.value, sections), TextField())
    found: QuerySet[Any] = rows.annotate(said_of_change=change).filter(said_of_change__icontains=digest)
    return found


def _candidates(memo: Memo) -> frozenset[str]:
    return frozenset().union(*(candidate_images(change) for change in _changes(memo)))


def _changes(memo: Memo) -> Iterable[Change]:
    """As the latest decision froze it; without one as the memo says now."""
    decision = memo.decisions.select_related("revision").order_by("-number").first()
    if decision is None:
        yield _change_of(memo)
    else:
        yield from_json(SectionName.CHANGE, decision.revision.sections[SectionName.CHANGE])


def _change_of(memo: Memo) -> Change:
    change: Change = from_json(SectionName.CHANGE, revision_of(memo).sections[SectionName.CHANGE])
    return change
