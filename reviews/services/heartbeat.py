"""A thread that says now and then that its worker is alive, while the work itself has no time to."""

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from django.db import OperationalError, connections

log = logging.getLogger(__name__)


class Heartbeat(AbstractContextManager["Heartbeat"]):
    """Calls `beat` every `every_s` seconds until the block ends, or `beat` returns False.

    The thread has a database connection of its own, and closes it. A database that is busy costs one beat.
    """

    def __init__(self, beat: Callable[[], bool], *, every_s: float) -> None:
        self._beat = beat
        self._every_s = every_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._stop.wait(self._every_s) and self._once():
                pass
        finally:
            connections.close_all()

    def _once(self) -> bool:
        try:
            return self._beat()
        except OperationalError as error:
            log.warning("a heartbeat was lost: %s", error)
            return True
