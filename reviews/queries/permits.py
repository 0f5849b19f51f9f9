"""What each memo that names an image says of it, for the question whether it may be deployed."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone

from reviews.models import Memo, Recall
from reviews.policies import images
from reviews.policies.permit import Authority, Permit, Wish, permit
from reviews.queries import contracts
from reviews.queries.contracts import NOTHING, Standing
from reviews.queries.expiry import by_the_clock
from reviews.queries.facts_of_evidence import files_named
from reviews.queries.images import memos_that_name
from reviews.sections import MemoContent, content_from_json
from reviews.vocabulary import State


def answer(person: User, wish: Wish) -> Permit:
    """May the image be deployed, as the decisions stand that the person sees."""
    return permit(authorities(person, wish.image, timezone.now()), wish)


def authorities(person: User, image: str, now: datetime) -> tuple[Authority, ...]:
    """What every memo that names the image says, the newest first."""
    memos = [by_the_clock(memo, now) for memo in memos_that_name(person, image)]
    found = contracts.standings([memo.pk for memo in memos], now)
    said = {memo.pk: _content(memo, found.get(memo.pk, NOTHING)) for memo in memos}
    recalled = _recalled({digest for content in said.values() for digest in files_named(content)})
    return tuple(_authority(memo, said[memo.pk], found.get(memo.pk, NOTHING), recalled) for memo in memos)


def _content(memo: Memo, standing: Standing) -> MemoContent:
    """As the latest decision froze it; without one as the memo says now."""
    revision = standing.decisions[-1].revision if standing.decisions else memo.current_revision
    assert revision is not None  # noqa: S101 (a memo that others see has one)
    return content_from_json(revision.sections)


def _recalled(files: Collection[str]) -> Mapping[str, str]:
    """Digest -> the name of each file that somebody recalled."""
    rows = Recall.objects.filter(artifact__sha256__in=files).order_by("pk")
    return dict(rows.values_list("artifact__sha256", "artifact__name"))


def _authority(memo: Memo, content: MemoContent, standing: Standing, recalled: Mapping[str, str]) -> Authority:
    last = standing.decisions[-1] if standing.decisions else None
    asked = content.signoff.escalation
    return Authority(
        number=memo.number,
        state=str(State(memo.state).label),
        kind=last.kind if last else "",
        effective_at=last.effective_at if last else None,
        contract=standing.contract,
        escalated=f"{asked.to} by {asked.by}",
        recalled=tuple(recalled[digest] for digest in sorted(files_named(content)) if digest in recalled),
        events=standing.events,
        candidate=images.candidate_images(content.change),
        baseline=images.baseline_images(content.change),
    )
