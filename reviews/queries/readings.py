"""How far the reading of evidence files is: parsed, refused, kept unread, or still waiting for a worker."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Prefetch, Q, QuerySet

from analysis.ways_out import WAYS_OUT
from reviews.errors import NotVisible
from reviews.models import Artifact, Job, Measurements, Memo, Parse
from reviews.queries import people
from reviews.vocabulary import JobState

LIVE: Final = (JobState.WAITING, JobState.RUNNING)
JOB: Final = "parse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What is known of the content of a file.

    sign, value: of its badge: a parse, or the job that it waits for. format: "" when none is recognised.
    reason: why that format, or why it was refused; where: the place in the file; needs: what to do about a refusal.
    runs, rows: None without measurements. job: the one that reads it, or will, and that can be cancelled.
    ended: its job was cancelled or has failed, so that it is not read.
    """

    sign: str
    value: str
    format: str
    reason: str
    where: str
    needs: str
    runs: int | None
    rows: int | None
    notices: tuple[str, ...]
    leniences: tuple[str, ...]
    waits: bool
    done: int
    total: int
    progress: str
    job: int | None
    ended: bool


@dataclass(frozen=True, slots=True)
class Stored:
    """A file of the store with its reading. recalled: sentences that say who takes it back, and why.

    redacted: "redacted by …, …" of a file whose bytes were taken away, "" while they stand.
    """

    artifact: Artifact
    parse: Parse | None
    read: Read
    recalled: tuple[str, ...]
    redacted: str


def stored(shas: Collection[str]) -> Mapping[str, Stored]:
    """Digest -> the file; those that the store does not know are left out. Four queries."""
    rows = list(_with_parses(Artifact.objects.filter(sha256__in=shas)))
    jobs: dict[int, list[Job]] = defaultdict(list)
    asked = Job.objects.filter(kind=JOB, subject_kind="artifact", subject_id__in=[row.pk for row in rows])
    for job in asked.order_by("pk"):
        jobs[job.subject_id].append(job)
    return {row.sha256: _stored(row, jobs[row.pk]) for row in rows}


def artifact_for(person: User, sha256: str) -> Stored:
    """The file, if the person may see it: it is in a memo that they see, or they sent it. Raises NotVisible."""
    memos = people.memos_visible_to(person).order_by()
    named = Memo.objects.filter(pk__in=memos.values("pk"), current_revision__sections__rollout__procedure=sha256)
    attached = Q(attachments__evidence_set__memo__in=memos.values("pk"))
    mine = Artifact.objects.filter(attached | Q(taken_in_by=person), sha256=sha256)
    found = stored([sha256]).get(sha256) if mine.exists() or named.exists() else None
    if found is None:
        raise NotVisible("There is no such file that you can see.", needs="Ask the team of its memo for a role.")
    return found


def memos_with(person: User, sha256: str) -> tuple[Memo, ...]:
    """The memos that the person sees and that hold the file, newest first."""
    rows = people.memos_visible_to(person).filter(evidence_sets__attachments__artifact__sha256=sha256)
    return tuple(rows.distinct())


def _with_parses(rows: QuerySet[Artifact]) -> QuerySet[Artifact]:
    parses = Parse.objects.select_related("measurements").order_by("pk")
    return rows.select_related("redaction").prefetch_related(Prefetch("parses", parses), "recalls").order_by("pk")


def _stored(artifact: Artifact, jobs: Iterable[Job]) -> Stored:
    parses = list(artifact.parses.all())
    by_hand = [parse for parse in parses if parse.asked_format]
    parse = next(reversed(by_hand or parses), None)
    job = next(reversed(list(jobs)), None)
    asked = {parse.asked_format for parse in parses}
    live = job if job is not None and job.state in LIVE and job.arguments.get("format", "") not in asked else None
    recalled = tuple(f"Recalled by {row.by_name}: {row.reason}" for row in artifact.recalls.all())
    redaction = getattr(artifact, "redaction", None)
    read = _by_job(live or job) if parse is None or live is not None else _by_parse(parse)
    if redaction:
        read = replace(read, reason="", where="", notices=(), leniences=())  # they may quote what was redacted
    return Stored(artifact, parse, read, recalled, redaction.said if redaction else "")


def _by_parse(parse: Parse) -> Read:
    table: Measurements | None = getattr(parse, "measurements", None)
    return Read(
        sign="parse",
        value=parse.state,
        format=parse.format,
        reason=parse.message,
        where=parse.where,
        needs=WAYS_OUT.get(parse.code, ""),
        runs=table.runs if table else None,
        rows=table.rows if table else None,
        notices=tuple(parse.notices),
        leniences=tuple(parse.leniences),
        waits=False,
        done=0,
        total=0,
        progress="",
        job=None,
        ended=False,
    )


def _by_job(job: Job | None) -> Read:
    """A file that nobody has read yet; without a job it waits as well."""
    return Read(
        sign="job",
        value=job.state if job else JobState.WAITING.value,
        format="",
        reason=job.reason if job else "",
        where="",
        needs="",
        runs=None,
        rows=None,
        notices=(),
        leniences=(),
        waits=job is None or job.state in LIVE,
        done=job.progress_done if job else 0,
        total=job.progress_total if job else 0,
        progress=job.progress_text if job else "",
        job=job.pk if job and job.state in LIVE and not job.cancel_requested else None,
        ended=job is not None and job.state not in LIVE,
    )
