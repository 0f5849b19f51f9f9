"""One thing that waits for somebody, and how its end is said."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from reviews.models import Memo
from reviews.signs import Tone

SOON: Final = timedelta(days=14)
VERY_SOON: Final = timedelta(days=3)


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One thing to do, and the words of the link to it.

    place: where it is done: the name of a page ("sign"), or an anchor on the memo's page ("#action").
    since: when it began to wait; for what has an end, that end is said in the sentence.
    """

    number: str
    title: str
    sentence: str
    place: str
    act: str
    since: datetime
    tone: Tone


@dataclass(frozen=True, slots=True)
class QueueGroup:
    """The things of one kind, the longest waiting first."""

    title: str
    items: tuple[QueueItem, ...]


def item(memo: Memo, sentence: str, place: str, act: str, since: datetime, tone: Tone = "info") -> QueueItem:
    """Something that waits on a memo."""
    return QueueItem(memo.number, memo.title, sentence, place, act, since, tone)


def ends(left: timedelta) -> str:
    """When something ends: "has run out", "runs out in 3 days"."""
    if left <= timedelta(0):
        return "has run out"
    days = left.days
    return "runs out within a day" if days < 1 else f"runs out in {days} day{'s' if days > 1 else ''}"


def pressing(left: timedelta) -> Tone:
    """How pressing an end is."""
    return "bad" if left <= timedelta(0) else "warn" if left <= VERY_SOON else "info"
