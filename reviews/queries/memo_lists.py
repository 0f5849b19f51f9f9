"""Lists of memos: filters, and what each memo says in one sentence, in one query for the whole list."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from reviews.models import Assessment, Memo
from reviews.queries import people
from reviews.queries.comparisons import Compared, Headline, headline
from reviews.queries.records import content_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoFilters:
    """ "" asks for all. state, intent: words of the vocabulary; team, template: slugs; q: words of number and title."""

    state: str
    team: str
    template: str
    intent: str
    q: str


def memos_found(person: User, filters: MemoFilters) -> QuerySet[Memo]:
    """The memos that the person sees and that pass all filters, newest first."""
    wanted = {
        "state": filters.state,
        "team__slug": filters.team,
        "template_version__template__slug": filters.template,
        "intent": filters.intent,
    }
    found = people.memos_visible_to(person).filter(**{name: value for name, value in wanted.items() if value})
    for word in filters.q.split():
        found = found.filter(Q(title__icontains=word) | Q(number__icontains=word))
    return found


def headlines(memos: Iterable[Memo]) -> Mapping[int, Headline]:
    """Primary key of the memo -> what its primary comparison says."""
    rows = {memo.pk: content_of(memo).comparisons.comparisons for memo in memos}
    digests = {row.assessment for some in rows.values() for row in some if row.assessment}
    known = {(a.memo_id, a.digest): a for a in Assessment.objects.filter(memo__in=rows, digest__in=digests)}
    return {
        memo: headline(tuple(Compared(row, known.get((memo, row.assessment))) for row in some))
        for memo, some in rows.items()
    }
