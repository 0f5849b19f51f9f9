"""Rollouts that outlive their authority: expired, not followed by a ship, and not ended in production."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from reviews.policies.facts import ProductionEventFacts
from reviews.vocabulary import DecisionKind, ProductionEventKind


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutTimes:
    """The latest bounded rollout of a memo. kinds_since: of the decisions after it."""

    began_at: datetime
    ends_at: datetime
    kinds_since: Collection[str]


def is_live_without_authority(rollout: RolloutTimes, events: Collection[ProductionEventFacts], now: datetime) -> bool:
    """Whether the rollout has run out, nothing gave it authority since, and production runs it still.

    Only a ship gives authority again; a rollback that is decided has to happen. Production ends it by a rollback after
    the rollout began; silence ends nothing.
    """
    return rollout.ends_at <= now and DecisionKind.SHIP not in rollout.kinds_since and not _ended(rollout, events)


def _ended(rollout: RolloutTimes, events: Collection[ProductionEventFacts]) -> bool:
    since = [event for event in events if event.at >= rollout.began_at]
    last = max(since, key=lambda event: event.at, default=None)
    return last is not None and last.kind == ProductionEventKind.ROLLED_BACK
