"""A real worker with a real broker, killed in the middle of a job, and in the middle of a file."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from reviews.models import Job, Parse, Team
from reviews.services import jobs, parsing
from reviews.vocabulary import JobState
from tests import databases
from tests.cast import a_team, the_team
from tests.records.slow_task import GATE

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 90
ASK = """
import django
django.setup()
from reviews.models import Team
from reviews.services import jobs
print(jobs.request(actor=None, kind="slow", subject=Team.objects.get(slug="serving"), arguments={}).pk)
"""
TAKE_IN = """
import sys
import django
django.setup()
from pathlib import Path
from django.contrib.auth.models import User
from reviews.services import intake
file = Path(sys.argv[1])
intake.take_in(actor=User.objects.get(username="sam"), name=file.name, chunks=[file.read_bytes()], provenance={})
"""
SAMPLES = 60_000  # more than one block
WORKER = "-A config worker -B -c 1 -l WARNING --without-gossip --without-mingle --without-heartbeat"

pytestmark = pytest.mark.services


@pytest.fixture
def filesystem_broker() -> str:
    return "filesystem://"


@pytest.fixture
def redis_broker(tmp_path: Path) -> Iterator[str]:
    """A Redis server of the test's own on a free loopback port."""
    port = str(databases.free_port())
    options = ["--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL) as server:
        yield f"redis://127.0.0.1:{port}/0"
        server.kill()


INSTALLATIONS = [
    pytest.param(("own_database", "filesystem_broker"), id="SQLite and files"),
    pytest.param(("own_postgresql", "redis_broker"), id="PostgreSQL and Redis", marks=pytest.mark.postgres),
]


@pytest.fixture(params=INSTALLATIONS)
def surroundings(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The environment of a program that shares this test's database, and nothing else with anybody."""
    database, broker = (request.getfixturevalue(name) for name in request.param)
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "COUNTERSIGN_DATABASE_URL": database,
        "COUNTERSIGN_DATA_DIR": str(tmp_path / "data"),
        "COUNTERSIGN_BROKER_URL": broker,
        "COUNTERSIGN_JOB_LEASE_SECONDS": "2",
        "COUNTERSIGN_JOB_SWEEP_SECONDS": "1",
        GATE: str(tmp_path / "gate"),
    }


@contextmanager
def a_worker(surroundings: dict[str, str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker with its clock, in a process group of its own, killed at the end."""
    schedule = ["--schedule", str(folder / "schedule"), "-I", "tests.records.slow_task,tests.records.gated_reading"]
    with (folder / "worker.log").open("ab") as log:
        worker = subprocess.Popen(
            [sys.executable, "-m", "celery", *WORKER.split(), *schedule],
            cwd=ROOT,
            env=surroundings,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield worker
    finally:
        kill(worker)


def kill(worker: subprocess.Popen[bytes]) -> None:
    """The worker and its children are gone, without a chance to tidy up."""
    if worker.poll() is None:
        os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()


def until(holds: Callable[[], bool], what: str, log: Path) -> None:
    """Looks again and again; fails with the worker's log."""
    pause, end = threading.Event(), time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end, f"{what} never happened\n{log.read_text()}"
        pause.wait(0.05)


def test_a_killed_worker_and_a_lost_message_cost_nothing_but_time(
    surroundings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "worker.log"
    a_team()
    asked = subprocess.run([sys.executable, "-c", ASK], cwd=ROOT, env=surroundings, capture_output=True, check=True)
    killed = Job.objects.get(pk=int(asked.stdout))
    with a_worker(surroundings, tmp_path) as worker:
        until(lambda: Job.objects.get(pk=killed.pk).progress_done == 1, "the job's start", log)
        kill(worker)
    assert Job.objects.get(pk=killed.pk).state == JobState.RUNNING
    unpublished = _request_whose_message_was_lost(monkeypatch)

    Path(surroundings[GATE]).touch()
    with a_worker(surroundings, tmp_path):
        until(lambda: not Job.objects.exclude(state=JobState.DONE).exists(), "the end of both jobs", log)

    results = {job.pk: (job.attempt, job.result) for job in Job.objects.all()}
    assert results == {killed.pk: (2, {"attempt": 2}), unpublished.pk: (1, {"attempt": 1})}


def a_power_log(folder: Path) -> Path:
    """A file of which a reading has several blocks."""
    rows = (
        f"2026/01/05 {i // 36000 + 10}:{i // 600 % 60:02}:{i // 10 % 60:02}.{i % 10}00, 0, {i % 90 + 300}.25 W\n"
        for i in range(SAMPLES)
    )
    file = folder / "power.csv"
    file.write_text("timestamp, index, power.draw [W]\n" + "".join(rows))
    return file


def test_a_worker_killed_in_the_middle_of_a_file_costs_nothing_but_time(
    surroundings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "worker.log"
    monkeypatch.setattr(settings, "ARTIFACT_ROOT", tmp_path / "data" / "artifacts")
    the_team()
    subprocess.run([sys.executable, "-c", TAKE_IN, str(a_power_log(tmp_path))], cwd=ROOT, env=surroundings, check=True)
    job = Job.objects.get()
    with a_worker(surroundings, tmp_path) as worker:
        until(lambda: Job.objects.get().progress_done > 0, "the first block", log)
        kill(worker)
    halted = Job.objects.get()
    assert (halted.state, halted.kind, halted.progress_done < halted.progress_total) == (
        JobState.RUNNING,
        "parse",
        True,
    )
    assert not Parse.objects.exists()

    Path(surroundings[GATE]).touch()
    with a_worker(surroundings, tmp_path):
        until(lambda: Job.objects.get().state == JobState.DONE, "the end of the reading", log)

    assert (job.pk, Job.objects.get().attempt, Parse.objects.get().state) == (job.pk, 2, "parsed")
    assert len(parsing.reading_of(Parse.objects.get()).measurements) == SAMPLES


def _request_whose_message_was_lost(monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setattr("reviews.jobs.publish", lambda *_: False)
    team = Team.objects.create(slug="other", name="Other", created_at=timezone.now())
    job = jobs.request(actor=None, kind="slow", subject=team, arguments={})
    Job.objects.filter(pk=job.pk).update(published_at=timezone.now() - timedelta(minutes=5))
    return job
