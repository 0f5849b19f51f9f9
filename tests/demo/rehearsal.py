"""A worker for tests of the story: it does the waiting jobs in this process, when it is waited for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from reviews import tasks
from reviews.demo.worker import WorkerTrouble
from reviews.models import Job
from reviews.vocabulary import JobState

TASKS = {"parse": tasks.parse, "pdf": tasks.render_pdf, "batch_policy": tasks.simulate_batch_policy}


class Rehearsal:
    """Stands in for `reviews.demo.worker.Worker`.

    trouble: ends at the first wait, as a lost worker would. idle_at: what it only says to have done.
    """

    def __init__(self) -> None:
        self.trouble = False
        self.idle_at = ""
        self.asked: list[str] = []

    @contextmanager
    def running(self, _folder: Path) -> Iterator["Rehearsal"]:
        yield self

    def wait_until(self, done: Callable[[], bool], what: str) -> None:
        self.asked.append(what)
        if self.trouble:
            raise WorkerTrouble(f"The worker ended while it was asked for {what}.")
        if what == self.idle_at:
            return
        for job in Job.objects.filter(state=JobState.WAITING).order_by("pk"):
            TASKS[job.kind](job.pk)
        assert done()
