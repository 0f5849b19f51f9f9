"""A real worker beside the story: started before it, stopped after it, also when the story fails."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings

from reviews.queries import demo
from reviews.services import jobs

COMMAND: Final = (
    "-m", "celery", "--app", "config", "worker", "--loglevel", "INFO", "--concurrency", "2",
    "--without-gossip", "--without-mingle",
)  # fmt: skip
PATIENCE_S: Final = 180
LOOK_EVERY_S: Final = 0.1
SWEEP_EVERY_S: Final = 5
STOP_WITHIN_S: Final = 20
LAST_WORDS: Final = 2000


class WorkerTrouble(RuntimeError):
    """The worker ended, gave up a job, or took too long; the text says which, and where its log is."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A running worker and its log."""

    process: subprocess.Popen[bytes]
    log: Path

    def wait_until(self, done: Callable[[], bool], what: str) -> None:
        """Returns once `done`; asks again meanwhile for jobs that an earlier worker left behind.

        Raises:
            WorkerTrouble: the worker has ended, a job has failed, or it took longer than PATIENCE_S.
        """
        start, swept, pause = time.monotonic(), time.monotonic(), threading.Event()
        while not done():
            if failed := demo.failed_jobs():
                raise WorkerTrouble(f"{what} failed: {'; '.join(failed)}")
            if self.process.poll() is not None:
                raise WorkerTrouble(f"The worker ended while it was asked for {what}.\n{self.last_words()}")
            if time.monotonic() > start + PATIENCE_S:
                raise WorkerTrouble(f"{what} took longer than {PATIENCE_S} s.\n{self.last_words()}")
            if time.monotonic() > swept + SWEEP_EVERY_S:
                jobs.sweep()
                swept = time.monotonic()
            pause.wait(LOOK_EVERY_S)

    def last_words(self) -> str:
        """The end of its log."""
        return f"{self.log}:\n{self.log.read_text(errors='replace')[-LAST_WORDS:]}"


@contextmanager
def running(folder: Path) -> Iterator[Worker]:
    """A worker on this installation's broker and database, in a session of its own; its log lies in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "worker.log"
    with log.open("wb") as out:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter with fixed words
            [sys.executable, *COMMAND],
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield Worker(process, log)
    finally:
        _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """The worker has ended: asked first, made to when it does not."""
    process.terminate()
    try:
        process.wait(STOP_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
