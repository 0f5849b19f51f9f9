"""Which rollouts have run out, by the clock. No job has to come for that: whoever reads a memo reads the clock too."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from django.db.models import F
from django.db.models.fields.json import KeyTextTransform
from django.utils import timezone

from reviews.models import Decision, Memo
from reviews.policies import numbers
from reviews.queries.rows import Row
from reviews.vocabulary import DecisionKind, State


def ends_of(memos: Collection[int]) -> Mapping[int, datetime]:
    """Memo -> the end of its latest bounded rollout, as it was decided."""
    rollout = KeyTextTransform("ends_at", KeyTextTransform("rollout", "revision__sections"))
    rows = Decision.objects.filter(memo__in=memos, kind=DecisionKind.BOUNDED).order_by("number")
    found = rows.values_list(F("memo"), rollout)
    return {memo: numbers.moment(ends_at, "The end of a rollout") for memo, ends_at in found}


def due(now: datetime) -> list[int]:
    """The memos that are still called rolling out, although their rollout has ended."""
    rolling = list(Memo.objects.filter(state=State.ROLLING_OUT).order_by("pk").values_list("pk", flat=True))
    ends = ends_of(rolling)
    return [memo for memo in rolling if memo in ends and ends[memo] <= now]


def by_the_clock(memo: Memo, now: datetime | None = None) -> Memo:
    """The memo as it stands by the clock: when its rollout has ended it is in review, whether or not that is noted."""
    at = now or timezone.now()
    if memo.state == State.ROLLING_OUT:
        ends = ends_of([memo.pk]).get(memo.pk)
        memo.state = State.IN_REVIEW if ends and ends <= at else memo.state
    return memo


def expired(rollouts: Sequence[Row], now: datetime) -> tuple[str, ...]:
    """The digests of the rollout contracts of past decisions whose end has come. rollouts: digest and ends_at."""
    return tuple(row["digest"] for row in rollouts if _is_over(row, now))


def state_by_the_clock(state: str, rollouts: Sequence[Row], now: datetime) -> str:
    """The state as the clock has it. rollouts: those of past decisions, the latest last."""
    over = state == State.ROLLING_OUT and any(_is_over(row, now) for row in rollouts[-1:])
    return State.IN_REVIEW.value if over else state


def _is_over(row: Row, now: datetime) -> bool:
    return bool(row["ends_at"]) and numbers.moment(row["ends_at"], "The end of a rollout") <= now
