"""A task that works until a file appears, for a worker that is started and killed by a test."""

import os
import threading
from pathlib import Path

from celery import shared_task

from reviews.services import jobs

GATE = "COUNTERSIGN_TESTS_GATE"


@shared_task(name="reviews.slow")
def slow(job_id: int) -> None:
    """Waits for the gate."""
    jobs.run(job_id, work)


def work(running: jobs.Running) -> jobs.Keep:
    gate, pause = Path(os.environ[GATE]), threading.Event()
    while not gate.exists():
        running.progress(1, 2, "waiting for the gate")
        pause.wait(0.05)
    return lambda: {"attempt": running.claim.attempt}
