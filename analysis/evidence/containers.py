"""Files inside files: gzip, and zip with one or several members. What comes out is limited before it is made.

A container is opened as often as it is packed twice, and no further. What it holds goes in blocks into files that
whoever waits for the reading lends, never under a name: names inside an archive are places for people.
"""

import gzip
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Final

from analysis.errors import MalformedEvidence
from analysis.evidence import limits
from analysis.evidence.format import HEAD_BYTES, Document
from analysis.evidence.stored import Stored

GZIP: Final = b"\x1f\x8b"
ZIP: Final = b"PK\x03\x04"
EMPTY_ZIP: Final = b"PK\x05\x06"
LEVELS: Final = 2
MEMBERS: Final = 1000
CHUNK: Final = 1 << 20
ENCRYPTED: Final = 0x1
MACOS: Final = "__MACOSX/"

Greatest = Callable[[Document], int]
"""The most bytes that are read of a file that begins like this."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What a file of that name holds: itself, or the files in it. container: "" when it is none."""

    name: str
    documents: tuple[Document, ...]
    container: str


@dataclass(slots=True)
class _Budget:
    """What one file may still unpack to. packed: the bytes of the file itself. most: by what was found in it so far."""

    packed: int
    greatest: Greatest
    most: int = 0
    unpacked: int = 0

    def begin(self, head: Document, room: int) -> None:
        """A file that begins like this is unpacked next, and there is so much room for it."""
        self.most = max(self.most, min(room, self.greatest(head)))

    def take(self, size: int, where: str) -> None:
        """Nothing; or too_large, decompression_ratio."""
        self.unpacked += size
        limits.refuse_inflation(self.packed, self.unpacked, where, self.most)


def at_once(_head: Document) -> int:
    """The most bytes of a file that is read at once, however it begins."""
    return limits.BYTES


def opened(document: Document, greatest: Greatest = at_once) -> Opened:
    """The files that are in a file, or the file itself.

    Raises:
        MalformedEvidence: too_large, too_many_members, decompression_ratio, encrypted, broken_container,
            nested_containers.
    """
    kind = container_of(document)
    if not kind:
        return Opened(document.name, (document,), "")
    limits.refuse_many_bytes(document.size, document.name, limits.STREAMED_BYTES)
    found = [document]
    for _ in range(LEVELS):
        budget = _Budget(document.size, greatest)
        found = [inner for one in found for inner in _inside(one, budget)]
    packed = next((one for one in found if container_of(one)), None)
    if packed is not None:
        message = f"it is packed more than {LEVELS} times"
        raise MalformedEvidence(message, where=packed.name, code="nested_containers")
    return Opened(document.name, tuple(found), kind)


def container_of(document: Document) -> str:
    """The kind of container by its first bytes: "gzip", "zip" or ""."""
    if document.head.startswith(GZIP):
        return "gzip"
    return "zip" if document.head.startswith((ZIP, EMPTY_ZIP)) else ""


def _inside(document: Document, budget: _Budget) -> Iterator[Document]:
    match container_of(document):
        case "gzip":
            yield _unpacked(document, budget)
        case "zip":
            yield from _members(document, budget)
        case _:
            yield document


def _unpacked(document: Document, budget: _Budget) -> Document:
    """The content of a gzip file, of all its members one after the other."""
    try:
        with document.opened() as packed, gzip.GzipFile(fileobj=packed) as file:
            return _poured(file, document, document.name, budget)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise _broken(document.name, f"it is no whole gzip file: {error}") from error


def _members(document: Document, budget: _Budget) -> Iterator[Document]:
    try:
        with document.opened() as packed, zipfile.ZipFile(packed) as archive:
            listed = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith(MACOS)]
            if len(listed) > MEMBERS:
                message = f"it holds {len(listed)} files, and at most {MEMBERS} are read"
                raise MalformedEvidence(message, where=document.name, code="too_many_members")
            total = sum(one.file_size for one in listed)
            limits.refuse_inflation(document.size, total, document.name, limits.STREAMED_BYTES)
            for member in sorted(listed, key=lambda one: one.filename):
                place = f"{document.name}/{member.filename}"
                if member.flag_bits & ENCRYPTED:
                    raise MalformedEvidence("it is encrypted", where=place, code="encrypted")
                with archive.open(member) as file:
                    yield _poured(file, document, place, budget)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
        raise _broken(document.name, f"it is no whole zip file: {error}") from error


def _poured(file: "IO[bytes] | gzip.GzipFile", packed: Document, name: str, budget: _Budget) -> Document:
    """What a packed file holds, in a file that the watch lends. How much that may be depends on how it begins."""
    part = file.read(HEAD_BYTES)
    into, room = packed.watch.room()
    budget.begin(Document(part, name), room)
    while part:
        budget.take(len(part), packed.name)
        into.write(part)
        part = file.read(CHUNK)
    return Document(Stored(into), name, packed.watch)


def _broken(where: str, message: str) -> MalformedEvidence:
    return MalformedEvidence(message, where=where, code="broken_container")
