"""The clock reminds: of signatures, objections, waivers, rollouts and escalations, once for each level."""

from django.db import transaction
from django.utils import timezone

from reviews.models import Memo, Notification
from reviews.policies.reminders import Reminder, reminders
from reviews.queries.circle import clocks
from reviews.services import telling
from reviews.services.telling import Cause


def sweep() -> int:
    """How many people were reminded of something that they had not been reminded of."""
    found = [(memo, reminder) for memo, clock in clocks(timezone.now()) for reminder in reminders(clock)]
    said = _said([memo for memo, _ in found])
    return sum(_remind(memo, reminder) for memo, reminder in found if _key(memo, reminder) not in said)


@transaction.atomic
def _remind(memo: Memo, reminder: Reminder) -> int:
    """How many are told, unless another sweeper has told it meanwhile: the memo's lock lets one through."""
    Memo.objects.select_for_update(no_key=True).get(pk=memo.pk)
    if _key(memo, reminder) in _said([memo]):
        return 0
    return telling.write(memo, reminder.told, Cause(_key(memo, reminder), None, timezone.now()))


def _key(memo: Memo, reminder: Reminder) -> str:
    return f"reminder:{memo.pk}:{reminder.key}"


def _said(memos: list[Memo]) -> set[str]:
    """The keys of the reminders of these memos that were written, each without whom it told."""
    rows = Notification.objects.filter(memo__in=memos, event__isnull=True)
    return {key.rpartition(":")[0] for key in rows.values_list("key", flat=True)}
