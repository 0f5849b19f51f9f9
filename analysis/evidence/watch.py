"""Who waits for a file to be read: told how far that is, free to end it, and the lender of room on a disk."""

import io
from typing import BinaryIO, Final

from analysis.evidence import limits


class Watch:
    """Looked at while a file is read, at least once for each block. This one lets everything pass.

    Another one may raise out of `at`: AnalysisError for a budget that is used up, or an error of its own to end the
    reading. Nothing is left behind then, because a reading is only kept when it is whole.
    """

    rows = 0
    """Rows that were read so far."""

    def at(self, done: int, total: int) -> None:
        """So many bytes of the file at hand have been read."""

    def count(self, rows: int) -> None:
        """So many rows more have been read."""
        self.rows += rows

    def room(self) -> tuple[BinaryIO, int]:
        """An empty file for what is unpacked, and the most bytes that may go into it. This one lends memory."""
        return io.BytesIO(), limits.BYTES


UNWATCHED: Final = Watch()
