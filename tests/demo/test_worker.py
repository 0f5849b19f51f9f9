"""The worker beside the story: waited for, given up, stopped. And the whole demo with a real one."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reviews.demo import worker
from reviews.demo.worker import WorkerTrouble
from reviews.models import Job
from reviews.services import jobs
from reviews.vocabulary import JobState
from tests.cast import a_team

ROOT = Path(__file__).resolve().parents[2]
SLEEPS = ("-c", "import time; print('awake', flush=True); time.sleep(600)")
ENDS = ("-c", "print('no broker here')")
STAYS = (
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('awake', flush=True); time.sleep(600)",
)


def says(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "COMMAND", words)


def awake(running: worker.Worker) -> Callable[[], bool]:
    return lambda: "awake" in running.log.read_text()


@pytest.mark.django_db
def test_it_is_waited_for_until_what_was_asked_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    says(SLEEPS, monkeypatch)

    with worker.running(tmp_path) as running:
        running.wait_until(awake(running), "waking up")
        assert running.process.poll() is None

    assert running.process.returncode == -15


@pytest.mark.django_db
def test_it_is_stopped_when_the_story_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    says(SLEEPS, monkeypatch)

    with pytest.raises(ZeroDivisionError), worker.running(tmp_path) as running:
        raise ZeroDivisionError

    assert running.process.poll() is not None


@pytest.mark.django_db
def test_one_that_does_not_listen_is_made_to_stop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    says(STAYS, monkeypatch)
    monkeypatch.setattr(worker, "STOP_WITHIN_S", 0.2)

    with worker.running(tmp_path) as running:
        running.wait_until(awake(running), "waking up")

    assert running.process.returncode == -9


@pytest.mark.django_db
def test_one_that_ended_is_told_with_its_last_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    says(ENDS, monkeypatch)

    with worker.running(tmp_path) as running:
        running.process.wait()
        with pytest.raises(WorkerTrouble, match="no broker here"):
            running.wait_until(lambda: False, "anything")


@pytest.mark.django_db
def test_one_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    says(SLEEPS, monkeypatch)
    monkeypatch.setattr(worker, "PATIENCE_S", 0)

    with worker.running(tmp_path) as running, pytest.raises(WorkerTrouble, match="longer than 0 s"):
        running.wait_until(lambda: False, "anything")


@pytest.mark.django_db
def test_a_failed_job_ends_the_waiting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    says(SLEEPS, monkeypatch)
    job = jobs.request(actor=None, kind="parse", subject=a_team(), arguments={})
    Job.objects.filter(pk=job.pk).update(state=JobState.FAILED, reason="the file was too strange")

    with worker.running(tmp_path) as running, pytest.raises(WorkerTrouble, match="too strange"):
        running.wait_until(lambda: False, "reading")


@pytest.mark.django_db
def test_jobs_that_an_earlier_worker_left_are_asked_for_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    says(SLEEPS, monkeypatch)
    monkeypatch.setattr(worker, "SWEEP_EVERY_S", 0)
    swept: list[str] = []
    monkeypatch.setattr("reviews.services.jobs.sweep", lambda: swept.append("swept"))

    with worker.running(tmp_path) as running:
        running.wait_until(lambda: bool(swept), "sweeping")

    assert swept == ["swept"]


def demo(environment: dict[str, str]) -> list[str]:
    """The lines of `manage.py demo` as a program of its own."""
    done = subprocess.run(
        [sys.executable, "manage.py", "demo"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.services
def test_the_demo_plays_with_a_real_worker_twice_in_a_row(tmp_path: Path) -> None:
    given = {name: value for name, value in os.environ.items() if not name.startswith("COUNTERSIGN_")}
    environment = {**given, "COUNTERSIGN_SECRET_KEY": "only-for-tests", "COUNTERSIGN_DATA_DIR": str(tmp_path)}

    first = demo(environment)
    again = demo(environment)

    result = json.loads(first[-1])
    assert hashlib.sha256(Path(result["pdf"]).read_bytes()).hexdigest() == result["pdf_sha256"]
    assert json.loads(again[-1]) == result
    assert "Warm shutdown" in (tmp_path / "demo" / "worker.log").read_text()
