"""A file that stands on a disk, or in memory, opened by somebody else: read forward from its beginning, in blocks.

Its bytes are never in memory as a whole, and it is opened by no path: what is given is open already, and is closed when
nobody holds it any more.
"""

import io
import mmap
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BUFFER: Final = 1024 * 1024


class Stored:
    """An open file, whose position anybody may move. size: in bytes. path: where it stands, "" when nowhere."""

    def __init__(self, file: BinaryIO, path: str = "") -> None:
        self.file, self.path = file, path
        self.size = file.seek(0, io.SEEK_END)
        self._mapped: mmap.mmap | bytes | None = None
        weakref.finalize(self, file.close)

    def opened(self, at: Callable[[int], None]) -> io.BufferedReader:
        """A reader of its own, from the beginning; `at` is told of every place that it comes to."""
        return io.BufferedReader(_Reader(self, at), BUFFER)

    def part(self, start: int, size: int) -> bytes:
        """Some bytes of it."""
        self.file.seek(start)
        return self.file.read(size)

    def mapped(self) -> mmap.mmap | bytes:
        """All of it to be searched, without a copy where it stands on a disk."""
        if self._mapped is None:
            try:
                self._mapped = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)
            except (OSError, ValueError):  # it stands in memory, or is empty
                self._mapped = self.part(0, self.size)
        return self._mapped


class _Reader(io.RawIOBase):
    """Reads a file at a place of its own, and holds it open."""

    def __init__(self, held: Stored, at: Callable[[int], None]) -> None:
        super().__init__()
        self._held, self._at, self._place = held, at, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if whence == io.SEEK_CUR:
            offset += self._place
        elif whence == io.SEEK_END:
            offset += self._held.size
        self._place = offset
        return offset

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        more = self._held.part(self._place, memoryview(buffer).nbytes)
        memoryview(buffer).cast("B")[: len(more)] = more
        self._place += len(more)
        self._at(self._place)
        return len(more)
