"""What runs in production beside what was decided: events, rollouts without authority, deployments without a memo."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Count, Q

from reviews.models import Decision, FollowUp, Memo, ProductionEvent
from reviews.policies.images import digest_in
from reviews.queries import people
from reviews.queries.images import memos_that_name
from reviews.queries.live import Live, live_without_authority
from reviews.queries.production import events_visible_to
from reviews.vocabulary import DecisionKind, ProductionEventKind

SHOWN: Final = 50


@dataclass(frozen=True, slots=True)
class LiveRow:
    """A rollout that is still live without authority."""

    memo: Memo
    live: Live


@dataclass(frozen=True, slots=True)
class UnknownRow:
    """A deployment that no memo stood behind. named_since: the memos that name its image by now."""

    event: ProductionEvent
    named_since: tuple[Memo, ...]


@dataclass(frozen=True, slots=True)
class EmergencyRow:
    """How often a team decided without the gate, and what it still owes for that. overdue: of those that are open."""

    team: str
    name: str
    decisions: int
    open: int
    overdue: int


@dataclass(frozen=True, slots=True)
class Deployments:
    """waiting: rollbacks that production reported and nobody has ratified. events: the newest of all."""

    live: tuple[LiveRow, ...]
    waiting: tuple[ProductionEvent, ...]
    unknown: tuple[UnknownRow, ...]
    emergencies: tuple[EmergencyRow, ...]
    events: tuple[ProductionEvent, ...]


def deployments(person: User, now: datetime) -> Deployments:
    """Everything of the memos and teams that the person sees."""
    seen = events_visible_to(person)
    return Deployments(
        live=live_rows(person, now),
        waiting=tuple(seen.filter(kind=ProductionEventKind.ROLLED_BACK, ratification__isnull=True)[:SHOWN]),
        unknown=unknown_rows(person),
        emergencies=_emergencies(person, now),
        events=tuple(seen[:SHOWN]),
    )


def live_rows(person: User, now: datetime) -> tuple[LiveRow, ...]:
    """The rollouts that are still live without authority, the longest first."""
    bounded = people.memos_visible_to(person).filter(decisions__kind=DecisionKind.BOUNDED).distinct()
    memos = {memo.pk: memo for memo in bounded}
    found = live_without_authority(list(memos), now)
    rows = [LiveRow(memos[memo], live) for memo, live in found.items()]
    return tuple(sorted(rows, key=lambda row: row.live.ended_at))


def unknown_rows(person: User) -> tuple[UnknownRow, ...]:
    """The deployments without a memo that nothing has rolled back since, the newest first."""
    without = events_visible_to(person).filter(memo__isnull=True)
    rows = list(without.exclude(kind=ProductionEventKind.ROLLED_BACK)[:SHOWN])
    ended = _last_rollbacks(person, {row.build for row in rows})
    named: dict[str, tuple[Memo, ...]] = {}
    for build in {row.build for row in rows}:
        digest = digest_in(build)
        named[build] = memos_that_name(person, digest) if digest else ()
    return tuple(
        UnknownRow(row, named[row.build])
        for row in rows
        if (row.team_id, row.build) not in ended or ended[row.team_id, row.build] < row.happened_at
    )


def _last_rollbacks(person: User, builds: Collection[str]) -> Mapping[tuple[int | None, str], datetime]:
    rows = events_visible_to(person).filter(kind=ProductionEventKind.ROLLED_BACK, build__in=builds)
    return {(row.team_id, row.build): row.happened_at for row in rows.order_by("happened_at")}


def _emergencies(person: User, now: datetime) -> tuple[EmergencyRow, ...]:
    memos = people.memos_visible_to(person).order_by().values("pk")
    rows = Decision.objects.filter(memo__in=memos, emergency=True).order_by()
    used = rows.values_list("memo__team__slug", "memo__team__name").annotate(total=Count("pk"))
    owed = FollowUp.objects.filter(memo__in=memos, done__isnull=True).order_by()
    counts = owed.values_list("memo__team__slug").annotate(
        total=Count("pk"), late=Count("pk", filter=Q(due_at__lte=now))
    )
    still: Counter[str] = Counter({team: total for team, total, _ in counts})
    late: Counter[str] = Counter({team: overdue for team, _, overdue in counts})
    return tuple(
        EmergencyRow(team, name, total, still[team], late[team])
        for team, name, total in sorted(used, key=lambda row: row[1])
    )
