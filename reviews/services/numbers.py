"""Memo numbers, without gaps and without doubles."""

from django.db import transaction

from reviews.models import NumberSeries


@transaction.atomic
def next_memo_number(year: int) -> str:
    """The next free number of the year, for example "ARM-2026-0042"; held until the open transaction ends."""
    NumberSeries.objects.get_or_create(year=year, defaults={"last": 0})
    series = NumberSeries.objects.select_for_update().get(year=year)
    series.last += 1
    series.save(update_fields=["last"])
    return f"ARM-{year:04d}-{series.last:04d}"
