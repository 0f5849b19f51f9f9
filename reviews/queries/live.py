"""Rollouts that are still live without authority, for lists: two queries, however many memos there are."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models.fields.json import KeyTextTransform

from reviews.models import Decision
from reviews.policies.authorities import RolloutTimes, is_live_without_authority
from reviews.policies.facts import ProductionEventFacts
from reviews.policies.numbers import moment
from reviews.queries.production import production_events
from reviews.vocabulary import DecisionKind


@dataclass(frozen=True, slots=True)
class Live:
    """An expired rollout that nothing has ended. last: what production reported last, "" for nothing."""

    ended_at: datetime
    last: str


def live_without_authority(memos: Collection[int], now: datetime) -> Mapping[int, Live]:
    """Memo -> its rollout, for those whose rollout has expired and runs still."""
    rollouts = {memo: times for memo, times in _rollouts(memos).items() if times.ends_at <= now}
    happened = production_events(rollouts) if rollouts else {}
    return {
        memo: Live(times.ends_at, _last(happened.get(memo, ())))
        for memo, times in rollouts.items()
        if is_live_without_authority(times, happened.get(memo, ()), now)
    }


def _rollouts(memos: Collection[int]) -> Mapping[int, RolloutTimes]:
    ends = KeyTextTransform("ends_at", KeyTextTransform("rollout", "revision__sections"))
    rows = Decision.objects.filter(memo__in=memos).order_by("number").values_list("memo", "kind", "effective_at", ends)
    found: dict[int, RolloutTimes] = {}
    since: dict[int, list[str]] = {}
    for memo, kind, effective_at, ends_at in rows:
        if kind == DecisionKind.BOUNDED:
            since[memo] = []
            end = moment(ends_at, "The end of a rollout")
            found[memo] = RolloutTimes(began_at=effective_at, ends_at=end, kinds_since=since[memo])
        elif memo in found:
            since[memo].append(kind)
    return found


def _last(events: Sequence[ProductionEventFacts]) -> str:
    return "".join(f"{event.kind.replace('_', ' ')} on {event.at:%Y-%m-%d}" for event in events[-1:])
