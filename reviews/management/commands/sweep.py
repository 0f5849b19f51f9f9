"""manage.py sweep: the process that asks again for jobs that nobody serves, and has the outbox sent by workers.

It looks at the rows itself rather than through a task: a sweep must not wait behind the work that it looks after.
"""

import logging
import signal
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import OperationalError, close_old_connections

from reviews import jobs as messages
from reviews.services import expiry, jobs, outbox, redactions, reminders

log = logging.getLogger(__name__)


@contextmanager
def told_to_stop() -> Iterator[threading.Event]:
    """An event that INT and TERM set; the handlers of before are put back at the end."""
    event = threading.Event()
    before = {number: signal.signal(number, lambda *_: event.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield event
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Command(BaseCommand):
    help = (
        "Asks again for jobs that nobody serves, notes expired rollouts, takes redacted bytes away, "
        "has the outbox sent, and reminds,"
        " every COUNTERSIGN_JOB_SWEEP_SECONDS, until it is told to stop."
    )

    _remind_at = 0.0

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="sweep once and end: a health check")

    def handle(self, *, once: bool, **_options: object) -> None:
        if once:
            self._sweep()
            return
        with told_to_stop() as stop:
            while not stop.is_set():
                self._sweep_unless_the_database_is_away()
                stop.wait(settings.JOB_SWEEP_SECONDS)

    def _sweep(self) -> None:
        if again := jobs.sweep():
            self.stdout.write(f"Asked again for {len(again)} job(s): {', '.join(map(str, again))}")
        if expired := expiry.sweep():
            self.stdout.write(f"Rollout expired: {', '.join(expired)}")
        if gone := redactions.sweep():
            self.stdout.write(f"Redacted bytes taken away: {', '.join(gone)}")
        if time.monotonic() >= self._remind_at:
            self._remind_at = time.monotonic() + settings.REMIND_SECONDS
            if reminded := reminders.sweep():
                self.stdout.write(f"Reminders written: {reminded}")
        if outbox.waits():
            messages.nudge("deliver")

    def _sweep_unless_the_database_is_away(self) -> None:
        close_old_connections()
        try:
            self._sweep()
        except OperationalError as error:
            log.warning("This sweep was left out, the next one comes: %s", error)
