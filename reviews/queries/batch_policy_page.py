"""What of the batch policy page stands in rows: the newest job, the open sets, and what the person may do."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from reviews.models import Job, Memo
from reviews.policies import lifecycle
from reviews.queries import people
from reviews.vocabulary import Action, JobState, SetState, State

LIVE = (JobState.WAITING, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class JobView:
    """The newest job of the memo's batch policy. tables: of its policy tables, in words; pack: SHA-256, or ""."""

    job: Job
    live: bool
    mine: bool
    tables: tuple[dict[str, Any], ...]
    pack: str


@dataclass(frozen=True, slots=True)
class BatchPolicyPage:
    """open_sets: (number, title). may_ask: simulate; may_attach: make the pack."""

    memo: Memo
    job: JobView | None
    open_sets: tuple[tuple[int, str], ...]
    may_ask: bool
    may_attach: bool


def batch_policy_page(person: User, memo: Memo) -> BatchPolicyPage:
    """The page's rows."""
    roles = people.roles_on(person, memo)
    allowed = lifecycle.allowed(State(memo.state), roles)
    job = Job.objects.filter(kind="batch_policy", subject_kind="memo", subject_id=memo.pk).order_by("-pk").first()
    open_sets = memo.evidence_sets.filter(state=SetState.OPEN).order_by("number").values_list("number", "title")
    return BatchPolicyPage(
        memo=memo,
        job=_view(job, person) if job is not None else None,
        open_sets=tuple(open_sets),
        may_ask=bool(roles & lifecycle.WRITERS),
        may_attach=Action.ATTACH in allowed,
    )


def _view(job: Job, person: User) -> JobView:
    found = job.result or {}
    live = job.state in LIVE
    tables, pack = tuple(found.get("tables", ())), str(found.get("pack", ""))
    return JobView(job, live, live and job.requested_by_id == person.pk, tables, pack)
