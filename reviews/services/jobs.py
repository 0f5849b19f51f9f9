"""Jobs: asked for in the transaction of their cause, taken under a lease, ended only by the current attempt.

A worker takes a row by compare-and-set on its attempt number, keeps its lease alive by a heartbeat, and writes its
result in one transaction with the row's end, if it is still the current attempt. So a message delivered twice, a worker
that was given up too early, and a worker killed in the middle all change nothing twice.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, models, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from analysis.errors import AnalysisError
from reviews import jobs as messages
from reviews.errors import NotVisible, Refusal, WrongState
from reviews.models import Job
from reviews.services.heartbeat import Heartbeat
from reviews.vocabulary import JobState

log = logging.getLogger(__name__)

GREATEST_ATTEMPTS: Final = 5
PROGRESS_EVERY: Final = timedelta(seconds=0.5)
LIVE: Final = (JobState.WAITING, JobState.RUNNING)


class Superseded(Exception):
    """Another attempt has the job now, or it has ended: whatever this one found is dropped."""


class Cancelled(Exception):
    """Somebody asked to cancel the job, and the work has stopped."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A job as one attempt holds it."""

    job_id: int
    attempt: int
    kind: str
    subject_id: int
    arguments: Mapping[str, Any]


class Running:
    """What the work of a job sees of it: its claim, and how to say how far it is."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self._said_at: datetime | None = None

    def progress(self, done: int, total: int, text: str = "") -> None:
        """The page shows "done of total"; written at most twice a second.

        Raises:
            Cancelled, Superseded: the work shall stop; let it pass.
        """
        now = timezone.now()
        if self._said_at and now - self._said_at < PROGRESS_EVERY:
            return
        self._said_at = now
        beat(self.claim, progress_done=done, progress_total=total, progress_text=text)


Keep = Callable[[], object]
"""Writes what the work found, inside the transaction that ends the job; returns small JSON for the row."""
Work = Callable[[Running], Keep]
"""Reads and computes, outside any transaction."""


@transaction.atomic
def request(*, actor: User | None, kind: str, subject: models.Model, arguments: Mapping[str, Any]) -> Job:
    """The job for `subject`: the live one when there is one already, else a new one, published after commit."""
    about = {"kind": kind, "subject_kind": subject._meta.model_name or "", "subject_id": subject.pk}
    live = Job.objects.filter(**about, state__in=LIVE)
    if job := live.first():
        return job
    now = timezone.now()
    try:
        with transaction.atomic():
            job = Job.objects.create(
                **about,
                arguments=dict(arguments),
                state=JobState.WAITING,
                requested_by=actor,
                requested_at=now,
                published_at=now,
            )
    except IntegrityError:
        return live.get()
    messages.after_commit(kind, job.pk)
    return job


def run(job_id: int, work: Work) -> None:
    """Takes the job, works, and ends it. Does nothing when it is taken, has ended or is cancelled.

    A refusal ends the job as failed, with its sentence. Any other error gives the job back for another attempt and
    passes on to the worker's log.
    """
    claim = take(job_id)
    if claim is None:
        return
    try:
        with _GivenBackOnError(claim), Heartbeat(lambda: goes_on(claim), every_s=settings.JOB_LEASE_SECONDS / 3):
            finish(claim, work(Running(claim)))
    except Superseded:
        log.warning("Job %s: attempt %s was given up, its result is dropped", claim.job_id, claim.attempt)
    except Cancelled:
        _end(claim, JobState.CANCELLED, reason="cancelled on request")
    except (Refusal, AnalysisError) as refusal:
        _end(claim, JobState.FAILED, reason=str(refusal))


def take(job_id: int) -> Claim | None:
    """The job for one attempt, under a lease; None when nobody may take it now."""
    now = timezone.now()
    job = Job.objects.filter(_free(now), pk=job_id, cancel_requested=False, attempt__lt=GREATEST_ATTEMPTS).first()
    if job is None:
        return None
    taken = Job.objects.filter(_free(now), pk=job.pk, attempt=job.attempt, cancel_requested=False).update(
        state=JobState.RUNNING,
        attempt=F("attempt") + 1,
        lease_until=now + _lease(),
        heartbeat_at=now,
        started_at=Coalesce(F("started_at"), now),
    )
    return Claim(job.pk, job.attempt + 1, job.kind, job.subject_id, job.arguments) if taken else None


def beat(claim: Claim, **progress: Any) -> None:
    """The lease is moved on.

    Raises:
        Superseded: this attempt does not have the job any more. Cancelled: somebody asked for it to stop.
    """
    now = timezone.now()
    if not _current(claim).update(heartbeat_at=now, lease_until=now + _lease(), **progress):
        raise Superseded
    if Job.objects.filter(pk=claim.job_id, cancel_requested=True).exists():
        raise Cancelled


@transaction.atomic
def finish(claim: Claim, keep: Keep) -> None:
    """The job is done, and what `keep` writes stands with it or not at all.

    Raises:
        Superseded: another attempt has it; `keep` was not asked.
    """
    _end(claim, JobState.DONE, reason="")
    result = keep()
    Job.objects.filter(pk=claim.job_id).update(result=result)


@transaction.atomic
def cancel(*, job_id: int) -> Job:
    """The job: cancelled at once while it waits, else with the request noted, which its work looks at.

    Raises:
        NotVisible: no such job. WrongState: it has ended.
    """
    job = Job.objects.select_for_update().filter(pk=job_id).first()
    if job is None:
        raise NotVisible("There is no such job.")
    if job.state not in LIVE:
        raise WrongState(f"The job is {JobState(job.state).label} already.")
    job.cancel_requested = True
    if job.state == JobState.WAITING:
        job.state, job.reason, job.ended_at = JobState.CANCELLED, "cancelled on request", timezone.now()
    job.save()
    return job


def sweep() -> list[int]:
    """The ids of the jobs that were published again: nobody took them in time, or whoever did is gone.

    A job whose worker was lost too often fails; one that shall be cancelled is.
    """
    now = timezone.now()
    Job.objects.filter(_free(now), cancel_requested=True).update(
        state=JobState.CANCELLED, reason="cancelled on request", ended_at=now
    )
    for job in Job.objects.filter(_free(now), attempt__gte=GREATEST_ATTEMPTS):
        last = job.reason or "its worker was lost each time"
        Job.objects.filter(_free(now), pk=job.pk, attempt=job.attempt).update(
            state=JobState.FAILED, reason=f"given up after {job.attempt} attempts; {last}", ended_at=now
        )
    return [job.pk for job in Job.objects.filter(_free(now), published_at__lt=now - _lease()) if _again(job, now)]


def _again(job: Job, now: datetime) -> bool:
    """Whether this sweeper, and no other at the same time, published the job again."""
    mine = Job.objects.filter(_free(now), pk=job.pk, published_at=job.published_at).update(published_at=now)
    return bool(mine) and messages.publish(job.kind, job.pk)


def _free(now: datetime) -> Q:
    return Q(state=JobState.WAITING) | Q(state=JobState.RUNNING, lease_until__lt=now)


def _lease() -> timedelta:
    return timedelta(seconds=settings.JOB_LEASE_SECONDS)


def _current(claim: Claim) -> QuerySet[Job]:
    return Job.objects.filter(pk=claim.job_id, attempt=claim.attempt, state=JobState.RUNNING)


def _end(claim: Claim, state: JobState, *, reason: str) -> None:
    if not _current(claim).update(state=state, reason=reason, ended_at=timezone.now(), lease_until=None):
        raise Superseded


def goes_on(claim: Claim) -> bool:
    """Whether the heart shall beat again: the lease of a job that shall be cancelled lasts until its work notices."""
    try:
        beat(claim)
    except Superseded:
        return False
    except Cancelled:
        return True
    return True


class _GivenBackOnError(AbstractContextManager[None]):
    """An unforeseen error passes through, and leaves the job waiting for another attempt, with the error as reason."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is None or isinstance(error, Superseded | Cancelled | Refusal | AnalysisError):
            return
        reason = f"attempt {self._claim.attempt} stopped: {type(error).__name__}: {error}"
        _current(self._claim).update(state=JobState.WAITING, lease_until=None, reason=reason)
