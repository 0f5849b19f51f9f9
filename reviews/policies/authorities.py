"""Rollouts that outlive their authority: expired, not followed by another decision, and not ended in production."""

from collections.abc import Collection
from datetime import datetime

from reviews.policies.contract import Contract
from reviews.policies.facts import ProductionEventFacts
from reviews.vocabulary import DecisionKind, ProductionEventKind


def is_live_without_authority(
    contract: Contract | None, kinds_since: Collection[str], events: Collection[ProductionEventFacts]
) -> bool:
    """Whether the latest bounded rollout has run out, nothing gave it authority since, and production runs it still.

    kinds_since: of the decisions after that of the contract. Only a ship gives authority again; a rollback that is
    decided has to happen. Production ends it by a rollback after the rollout began; silence ends nothing.
    """
    if contract is None or DecisionKind.SHIP in kinds_since:
        return False
    return contract.is_over and not _ended(contract.began_at, events)


def _ended(began_at: datetime, events: Collection[ProductionEventFacts]) -> bool:
    since = [event for event in events if event.at >= began_at]
    last = max(since, key=lambda event: event.at, default=None)
    return last is not None and last.kind == ProductionEventKind.ROLLED_BACK
