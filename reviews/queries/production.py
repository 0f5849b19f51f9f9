"""What happened in production: the events of memos as facts, and those that a person may see as rows."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from django.contrib.auth.models import User
from django.db.models import OuterRef, Q, QuerySet, Subquery

from reviews.models import Decision, EventSource, Memo, ProductionEvent
from reviews.policies import visibility
from reviews.policies.facts import ProductionEventFacts
from reviews.queries import people
from reviews.vocabulary import ProductionEventKind


def production_events(memos: Collection[int]) -> Mapping[int, list[ProductionEventFacts]]:
    """Memo -> what happened, as it was reported, the first first."""
    found: dict[int, list[ProductionEventFacts]] = defaultdict(list)
    rows = ProductionEvent.objects.filter(memo__in=memos).select_related("ratification").order_by("happened_at", "pk")
    for row in rows:
        ratified = getattr(row, "ratification", None)
        facts = ProductionEventFacts(
            kind=row.kind,
            what=row.build,
            by=row.reported_by_name,
            ratified_by=ratified.by_name if ratified else "",
            at=row.happened_at,
        )
        if row.memo_id is not None:
            found[row.memo_id].append(facts)
    return found


def rollbacks_after_the_end(memos: QuerySet[Memo]) -> QuerySet[ProductionEvent]:
    """Reported rollbacks of those memos that came after what was last decided, and that nobody has ratified."""
    last = Decision.objects.filter(memo=OuterRef("memo")).order_by("-number").values("effective_at")[:1]
    rows = ProductionEvent.objects.filter(kind=ProductionEventKind.ROLLED_BACK, ratification__isnull=True)
    rows = rows.filter(memo__in=memos.order_by().values("pk"), happened_at__gt=Subquery(last))
    return rows.select_related("memo__team").order_by("happened_at", "pk")


def events_visible_to(person: User) -> QuerySet[ProductionEvent]:
    """The events of the teams that the person sees, and of memos that the person sees, the newest first."""
    teams = visibility.teams_seen(people.roles_by_team(person))
    memos = people.memos_visible_to(person).order_by().values("pk")
    rows = ProductionEvent.objects.filter(Q(team__slug__in=teams) | Q(memo__in=memos))
    return rows.select_related("memo", "team", "ratification").order_by("-happened_at", "-pk")


def sources_of(person: User) -> QuerySet[EventSource]:
    """The person's webhooks, the newest first."""
    return EventSource.objects.filter(owner=person).select_related("team").order_by("-pk")
