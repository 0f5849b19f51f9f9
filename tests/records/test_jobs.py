"""The job's row is the truth: taken by one, kept alive by a heartbeat, ended by the current attempt alone."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerIsDown
from pytest_django import DjangoCaptureOnCommitCallbacks

from analysis.errors import Refused
from reviews import jobs as messages
from reviews import tasks
from reviews.errors import NotVisible, WrongState
from reviews.models import Job, Team
from reviews.services import jobs
from reviews.services.heartbeat import Heartbeat
from reviews.services.jobs import Cancelled, Claim, Running, Superseded
from reviews.vocabulary import JobState
from tests.cast import a_person, a_team

LEASE_S = 60


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The messages that went out, as (kind, job id)."""
    sent: list[tuple[str, int]] = []

    def publish(kind: str, job_id: int) -> bool:
        sent.append((kind, job_id))
        return True

    monkeypatch.setattr(messages, "publish", publish)
    return sent


def a_job(**columns: Any) -> Job:
    """A job that waits, with its columns set as told."""
    with transaction.atomic():
        job = jobs.request(actor=a_person("ann"), kind="parse", subject=a_team(), arguments={"format": ""})
    Job.objects.filter(pk=job.pk).update(**columns)
    return Job.objects.get(pk=job.pk)


def ago(seconds: float) -> Any:
    return timezone.now() - timedelta(seconds=seconds)


def taken(job: Job) -> Claim:
    claim = jobs.take(job.pk)
    assert claim is not None
    return claim


def lost(job: Job) -> Job:
    """The job after its worker was silent for longer than the lease."""
    Job.objects.filter(pk=job.pk).update(lease_until=ago(1), published_at=ago(LEASE_S + 1))
    return Job.objects.get(pk=job.pk)


def works(found: object = "found") -> jobs.Work:
    return lambda _: lambda: found


def test_a_request_is_published_when_its_transaction_commits(
    db: None, published: list[tuple[str, int]], django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        job = a_job()
        assert published == []

    assert published == [("parse", job.pk)]
    assert (job.state, job.attempt, job.subject_kind, job.requested_by) == ("waiting", 0, "team", a_person("ann"))


def test_a_rolled_back_cause_leaves_no_job_and_no_message(
    either_database: str, published: list[tuple[str, int]]
) -> None:
    team = a_team()
    with transaction.atomic():
        jobs.request(actor=None, kind="parse", subject=team, arguments={})
        transaction.set_rollback(True)

    assert (Job.objects.count(), published) == (0, [])


def test_the_same_request_while_one_is_live_is_the_same_job(db: None) -> None:
    job = a_job()

    assert a_job() == job
    jobs.run(job.pk, works())
    assert a_job() != job


def test_concurrent_requests_make_one_job(either_database: str, published: list[tuple[str, int]]) -> None:
    team = a_team()
    start = threading.Barrier(4)
    made: list[int] = []

    def ask() -> None:
        start.wait()
        try:
            made.append(jobs.request(actor=None, kind="parse", subject=team, arguments={}).pk)
        finally:
            connection.close()

    in_threads(ask, 4)

    assert len(made) == 4
    assert set(made) == {Job.objects.get().pk}
    assert len(published) == 1


def test_a_request_that_lost_the_race_gets_the_winner(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    winner = a_job()
    monkeypatch.setattr("django.db.models.query.QuerySet.first", lambda _: None)

    assert jobs.request(actor=None, kind="parse", subject=Team.objects.get(), arguments={}) == winner


def test_a_job_runs_and_is_done_with_its_result(db: None) -> None:
    job = a_job()

    jobs.run(job.pk, works({"rows": 3}))

    job.refresh_from_db()
    assert (job.state, job.result, job.attempt, job.lease_until) == (JobState.DONE, {"rows": 3}, 1, None)
    assert job.started_at
    assert job.ended_at


def test_a_message_delivered_twice_changes_nothing(db: None) -> None:
    job = a_job()
    seen: list[int] = []

    def work(running: Running) -> jobs.Keep:
        jobs.run(job.pk, works("second"))
        return lambda: seen.append(running.claim.attempt)

    jobs.run(job.pk, work)
    jobs.run(job.pk, works("third"))

    assert (seen, Job.objects.get().attempt, Job.objects.get().result) == ([1], 1, None)


def test_one_of_many_workers_takes_a_job(either_database: str) -> None:
    job = a_job()
    start = threading.Barrier(6)
    claims: list[Claim | None] = []

    def take() -> None:
        start.wait()
        try:
            claims.append(jobs.take(job.pk))
        finally:
            connection.close()

    in_threads(take, 6)

    assert len(claims) == 6
    assert [claim.attempt for claim in claims if claim] == [1]


def test_a_job_that_another_had_between_look_and_grip_is_not_taken(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    job = a_job()

    def had_meanwhile() -> timedelta:
        Job.objects.update(attempt=1)
        return timedelta(seconds=LEASE_S)

    monkeypatch.setattr(jobs, "_lease", had_meanwhile)

    assert jobs.take(job.pk) is None


def test_a_job_whose_lease_ran_out_is_taken_again(db: None) -> None:
    job = a_job()
    first = taken(job)
    assert jobs.take(job.pk) is None

    assert taken(lost(job)).attempt == first.attempt + 1


def test_a_superseded_attempt_writes_nothing(db: None) -> None:
    job = a_job()
    kept: list[str] = []

    def work(running: Running) -> jobs.Keep:
        jobs.run(lost(job).pk, works("second"))
        return lambda: kept.append("first")

    jobs.run(job.pk, work)

    job.refresh_from_db()
    assert (kept, job.state, job.result, job.attempt) == ([], JobState.DONE, "second", 2)


def test_a_result_stands_with_the_end_of_the_job_or_not_at_all(either_database: str) -> None:
    job = a_job()

    def keep() -> None:
        Team.objects.create(slug="half", name="Half", created_at=timezone.now())
        raise ZeroDivisionError("disk on fire")

    with pytest.raises(ZeroDivisionError):
        jobs.run(job.pk, lambda _: keep)

    job.refresh_from_db()
    assert not Team.objects.filter(slug="half").exists()
    assert (job.state, job.lease_until) == (JobState.WAITING, None)
    assert job.reason == "attempt 1 stopped: ZeroDivisionError: disk on fire"


def test_a_refusal_ends_the_job_as_failed_with_its_sentence(db: None) -> None:
    job = a_job()

    def work(running: Running) -> jobs.Keep:
        raise Refused("too_few_runs", "One run per arm.", "Add runs.")

    jobs.run(job.pk, work)

    job.refresh_from_db()
    assert (job.state, job.reason) == (JobState.FAILED, "One run per arm. Add runs.")


def test_progress_is_a_column_written_at_most_twice_a_second(db: None) -> None:
    job = a_job()
    shown = []

    def work(running: Running) -> jobs.Keep:
        for done in (1, 2):
            running.progress(done, 3, "files")
            job.refresh_from_db()
            shown.append((job.progress_done, job.progress_total, job.progress_text))
        return lambda: None

    jobs.run(job.pk, work)

    assert shown == [(1, 3, "files"), (1, 3, "files")]


def test_a_waiting_job_is_cancelled_at_once(db: None) -> None:
    job = a_job()

    assert jobs.cancel(job_id=job.pk).state == JobState.CANCELLED
    assert jobs.take(job.pk) is None


def test_a_running_job_is_cancelled_when_its_work_looks(db: None) -> None:
    job = a_job()

    def work(running: Running) -> jobs.Keep:
        assert jobs.cancel(job_id=job.pk).state == JobState.RUNNING
        running.progress(1, 2)
        raise AssertionError("the work went on")

    jobs.run(job.pk, work)

    job.refresh_from_db()
    assert (job.state, job.reason) == (JobState.CANCELLED, "cancelled on request")


def test_what_has_ended_or_never_was_is_not_cancelled(db: None) -> None:
    job = a_job()
    jobs.run(job.pk, works())

    with pytest.raises(WrongState, match="The job is done already"):
        jobs.cancel(job_id=job.pk)
    with pytest.raises(NotVisible):
        jobs.cancel(job_id=job.pk + 1)


def test_a_beat_moves_the_lease_on_and_fails_for_a_former_attempt(db: None) -> None:
    job = a_job()
    first = taken(job)
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now())

    jobs.beat(first)
    job.refresh_from_db()
    assert job.lease_until
    assert job.lease_until > timezone.now() + timedelta(seconds=LEASE_S / 2)

    taken(lost(job))
    with pytest.raises(Superseded):
        jobs.beat(first)


def test_the_sweeper_leaves_fresh_and_running_and_ended_jobs_alone(db: None, published: list[tuple[str, int]]) -> None:
    a_job()
    assert jobs.sweep() == []
    taken(a_job())
    assert jobs.sweep() == []

    Job.objects.update(state=JobState.DONE, lease_until=None, published_at=ago(10 * LEASE_S))
    assert jobs.sweep() == []
    assert published == []


@pytest.mark.parametrize(
    "make", [lambda: a_job(published_at=ago(LEASE_S + 1)), lambda: lost(Job.objects.get(pk=taken(a_job()).job_id))]
)
def test_a_job_that_nobody_serves_is_published_again_once(
    db: None, published: list[tuple[str, int]], make: Callable[[], Job]
) -> None:
    job = make()

    assert (jobs.sweep(), jobs.sweep()) == ([job.pk], [])
    assert published == [("parse", job.pk)]


def test_two_sweepers_at_once_publish_a_job_once(db: None, published: list[tuple[str, int]]) -> None:
    seen_by_both = a_job(published_at=ago(LEASE_S + 1))

    assert jobs._again(seen_by_both, timezone.now())
    assert not jobs._again(seen_by_both, timezone.now())
    assert published == [("parse", seen_by_both.pk)]


def test_a_job_whose_workers_are_all_lost_is_given_up(db: None) -> None:
    job = a_job()
    for _ in range(jobs.GREATEST_ATTEMPTS):
        taken(lost(job) if job.attempt else job)
        job.refresh_from_db()

    assert jobs.take(lost(job).pk) is None
    tasks.sweep()

    job.refresh_from_db()
    assert (job.state, job.reason) == (JobState.FAILED, "given up after 5 attempts; its worker was lost each time")


def test_a_job_to_be_cancelled_whose_worker_was_lost_is_cancelled(db: None) -> None:
    job = a_job()
    taken(job)
    jobs.cancel(job_id=job.pk)
    lost(job)

    assert jobs.sweep() == []
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED


def test_a_broker_that_is_down_costs_nothing_but_time(
    db: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def down(*args: object, **kwargs: object) -> None:
        raise BrokerIsDown("no route")

    monkeypatch.setattr("celery.current_app.send_task", down)

    assert not messages.publish("parse", 7)
    assert "Job 7 (parse) could not be published, the sweeper will: no route" in caplog.text


def test_a_message_names_the_task_and_holds_the_id_alone(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[str, list[int]]] = []
    monkeypatch.setattr("celery.current_app.send_task", lambda name, args, **_: sent.append((name, args)))

    assert messages.publish("parse", 7)
    assert sent == [("reviews.parse", [7])]


def test_the_heart_beats_while_the_work_has_no_time_to(own_database: str) -> None:
    job = a_job()
    claim = taken(job)
    beats = threading.Semaphore(0)

    def beat() -> bool:
        beats.release()
        return jobs.goes_on(claim)

    Job.objects.filter(pk=job.pk).update(lease_until=ago(1))
    with Heartbeat(beat, every_s=0.01):
        assert all(beats.acquire(timeout=10) for _ in range(3))

    job.refresh_from_db()
    assert job.lease_until
    assert job.lease_until > timezone.now()


def test_the_heart_stops_for_a_superseded_attempt_and_goes_on_for_a_cancelled_one(db: None) -> None:
    job = a_job()
    claim = taken(job)

    jobs.cancel(job_id=job.pk)
    assert jobs.goes_on(claim)
    with pytest.raises(Cancelled):
        jobs.beat(claim)
    Job.objects.update(state=JobState.CANCELLED)
    assert not jobs.goes_on(claim)


def test_a_busy_database_costs_one_beat(own_database: str, caplog: pytest.LogCaptureFixture) -> None:
    answers: Iterator[OperationalError | bool] = iter([OperationalError("database is locked"), False])
    stopped = threading.Event()

    def beat() -> bool:
        answer = next(answers)
        if isinstance(answer, OperationalError):
            raise answer
        stopped.set()
        return bool(answer)

    with Heartbeat(beat, every_s=0.01):
        assert stopped.wait(10)

    assert "a heartbeat was lost: database is locked" in caplog.text


def in_threads(deed: Callable[[], None], number: int) -> None:
    threads = [threading.Thread(target=deed) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
