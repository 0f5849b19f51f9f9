"""The reading of a file by a worker: stopped by somebody who may attach it, and asked for again."""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from reviews.errors import WrongState
from reviews.models import Artifact, Job
from reviews.services import events, evidence, jobs, parsing


@transaction.atomic
def stop(*, actor: User, artifact: str) -> Job:
    """The reading of the file (SHA-256) that is going on or waits, stopped: at once, or when its worker looks.

    Raises:
        NotVisible: no such file that the actor can see. NotPermitted: the actor attaches nothing to a memo that holds
            it, and did not ask for it to be read. WrongState: it is not being read.
    """
    stored = evidence.artifact_of(artifact)
    job = _jobs_of(stored).filter(state__in=jobs.LIVE).first()
    if job is None or job.requested_by_id != actor.pk:
        evidence.require_attacher(actor, stored)
    if job is None:
        raise WrongState(f"{stored.name} is not being read.", needs="Look at its page.", code="not_reading")
    events.append(stored, actor, "stop_reading", job=job.pk)
    return jobs.cancel(job_id=job.pk)


@transaction.atomic
def again(*, actor: User, artifact: str) -> Job:
    """The file is read once more, after its reading was stopped or failed; what was read already stands.

    Raises:
        NotVisible, NotPermitted: as `stop`.
    """
    stored = evidence.artifact_of(artifact)
    last = _jobs_of(stored).first()
    if last is None or last.requested_by_id != actor.pk:
        evidence.require_attacher(actor, stored)
    events.append(stored, actor, "read_again")
    arguments = last.arguments if last is not None else {"format": ""}
    return jobs.request(actor=actor, kind=parsing.JOB, subject=stored, arguments=arguments)


def _jobs_of(artifact: Artifact) -> QuerySet[Job]:
    return Job.objects.filter(kind=parsing.JOB, subject_kind="artifact", subject_id=artifact.pk).order_by("-pk")
