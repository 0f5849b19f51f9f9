"""What the demo has to know before it goes on: what of it stands already."""

from collections.abc import Collection

from django.contrib.auth.models import User

from reviews.batch_policy.content import KIND
from reviews.models import Artifact, Attachment, Decision, EvidenceSet, Job, Memo, Plan, Team
from reviews.queries import people
from reviews.vocabulary import JobState


def person(username: str) -> User | None:
    """The account of that name."""
    return User.objects.filter(username=username).first()


def team(slug: str) -> Team | None:
    """The team of that slug."""
    return Team.objects.filter(slug=slug).first()


def holds(person: User, team: Team, role: str) -> bool:
    """Whether the person holds the role for the team now."""
    return role in people.roles_held(person, team)


def has_memos() -> bool:
    """Whether this installation holds any memo."""
    return Memo.objects.exists()


def memo(memo_id: int) -> Memo:
    """The memo as it is now, with its revision."""
    return Memo.objects.select_related("current_revision").get(pk=memo_id)


def memo_of_plan(nonce: str) -> Memo | None:
    """The memo in which the plan of that nonce is registered."""
    plan = Plan.objects.filter(nonce=nonce).select_related("memo").first()
    return plan.memo if plan else None


def pack_of(found: EvidenceSet) -> Attachment | None:
    """The curve pack in the set, None where it holds none."""
    return found.attachments.filter(kind=KIND, detachment=None).select_related("artifact").first()


def unread(artifacts: Collection[str]) -> int:
    """How many of the files (SHA-256) have not been read yet."""
    return Artifact.objects.filter(sha256__in=artifacts, parses__isnull=True).count()


def last_decision(memo: Memo) -> Decision | None:
    """The newest decision of the memo, with its PDF when that is rendered."""
    return memo.decisions.select_related("pdf").order_by("-number").first()


def failed_jobs() -> tuple[str, ...]:
    """What the jobs that failed say."""
    failed = Job.objects.filter(state=JobState.FAILED).order_by("pk")
    return tuple(f"job {job.pk} ({job.kind}): {job.reason}" for job in failed)
