"""Expiry: a rollout past its end goes back into review, by the clock. Done twice, it is done once."""

from django.db import transaction
from django.utils import timezone

from reviews.models import Memo
from reviews.policies import lifecycle
from reviews.policies.lifecycle import Part
from reviews.queries import expiry
from reviews.services import events
from reviews.vocabulary import Action, State


def sweep() -> list[str]:
    """The numbers of the memos whose rollout expired and had not been noted."""
    return [number for memo_id in expiry.due(timezone.now()) if (number := _expire(memo_id))]


@transaction.atomic
def _expire(memo_id: int) -> str:
    """The memo's number when this call noted its expiry, "" when another did."""
    memo = Memo.objects.select_for_update(no_key=True).get(pk=memo_id)
    return memo.number if note(memo) else ""


def note(memo: Memo) -> bool:
    """Whether the rollout had expired and is noted now, with its event. The caller holds the memo's lock."""
    if memo.state != State.ROLLING_OUT or memo.pk not in expiry.due(timezone.now()):
        return False
    move = lifecycle.move(Action.EXPIRE, State.ROLLING_OUT, {Part.CLOCK})
    ends_at = expiry.ends_of([memo.pk])[memo.pk]
    memo.state = move.leads_to(State.ROLLING_OUT)
    memo.save(update_fields=["state"])
    events.append(
        memo, None, Action.EXPIRE, before=State.ROLLING_OUT.value, after=memo.state, ends_at=ends_at.isoformat()
    )
    return True
