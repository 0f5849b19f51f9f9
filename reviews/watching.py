"""Reading a file while somebody waits: how far it is, how long it may take, and room on a disk for what it holds.

The analysis knows no clock and no job. Whoever lets it read hands it one of these, which it tells at each block.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from analysis.errors import Refused
from analysis.evidence import limits
from analysis.evidence.watch import Watch
from reviews import printing

KIB: Final = 1024  # bytes; what is counted must fit a column of 31 bits
SECONDS: Final = 1800.0
"""What one file may take to be read, when nobody says otherwise."""
Say = Callable[[int, int, str], object]
"""Told how many KiB of how many have been read, and more of it in words. It may raise to end the reading."""


class Watched(Watch):
    """A reading that may take so many seconds, tells how far it is, and unpacks into a folder."""

    def __init__(self, *, seconds: float, say: Say | None = None, folder: Path | None = None) -> None:
        self._seconds, self._until = seconds, time.monotonic() + seconds
        self._say, self._folder = say, folder
        self._done, self._total = 0, 0

    def at(self, done: int, total: int) -> None:
        """So many bytes have been read. Raises Refused(too_slow), and what `say` raises."""
        self._done, self._total = done, total
        self._look()

    def count(self, rows: int) -> None:
        """So many rows more have been read. Raises as `at`."""
        super().count(rows)
        self._look()

    def room(self) -> tuple[BinaryIO, int]:
        """An empty file without a name, which is gone when nobody holds it any more."""
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryFile(dir=self._folder), limits.STREAMED_BYTES

    def _look(self) -> None:
        if time.monotonic() > self._until:
            raise Refused(
                "too_slow",
                f"Reading it took more than {self._seconds:g} seconds; {self._words()} were read until then.",
                "Split the file by run; or ask an administrator to raise the limit.",
            )
        if self._say is not None:
            self._say(self._done // KIB, self._total // KIB, self._words())

    def _words(self) -> str:
        bytes_read = f"{printing.size(self._done)} of {printing.size(self._total)}"
        return f"{bytes_read}, {printing.plural(self.rows, 'row')}" if self.rows else bytes_read
