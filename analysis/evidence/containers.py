"""Files inside files: gzip, and zip with one or several members. What comes out is limited before it is made.

A container is opened as often as it is packed twice, and no further. Names inside an archive are places for people; no
file is ever written.
"""

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import limits
from analysis.evidence.format import Document

GZIP: Final = b"\x1f\x8b"
ZIP: Final = b"PK\x03\x04"
EMPTY_ZIP: Final = b"PK\x05\x06"
LEVELS: Final = 2
MEMBERS: Final = 1000
CHUNK: Final = 1 << 20
ENCRYPTED: Final = 0x1
MACOS: Final = "__MACOSX/"


@dataclass(frozen=True, slots=True)
class Opened:
    """What a file holds: itself, or the files in it. container: "" when it is none."""

    documents: tuple[Document, ...]
    container: str


def opened(document: Document) -> Opened:
    """The files that are in a file, or the file itself.

    Raises:
        MalformedEvidence: too_large, too_many_members, decompression_ratio, encrypted, broken_container,
            nested_containers.
    """
    limits.refuse_many_bytes(len(document.content), document.name)
    kind = container_of(document)
    if not kind:
        return Opened((document,), "")
    found = [document]
    for _ in range(LEVELS):
        found = [inner for one in found for inner in _inside(one)]
        limits.refuse_many_bytes(sum(len(one.content) for one in found), document.name)
    packed = next((one for one in found if container_of(one)), None)
    if packed is not None:
        message = f"it is packed more than {LEVELS} times"
        raise MalformedEvidence(message, where=packed.name, code="nested_containers")
    return Opened(tuple(found), kind)


def container_of(document: Document) -> str:
    """The kind of container by its first bytes: "gzip", "zip" or ""."""
    if document.content.startswith(GZIP):
        return "gzip"
    return "zip" if document.content.startswith((ZIP, EMPTY_ZIP)) else ""


def _inside(document: Document) -> Iterator[Document]:
    match container_of(document):
        case "gzip":
            yield Document(_unpacked(document), document.name)
        case "zip":
            yield from _members(document)
        case _:
            yield document


def _unpacked(document: Document) -> bytes:
    """The content of a gzip file, of all its members one after the other."""
    parts = bytearray()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(document.content)) as file:
            while part := file.read(CHUNK):
                parts += part
                limits.refuse_inflation(len(document.content), len(parts), document.name)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise _broken(document.name, f"it is no whole gzip file: {error}") from error
    return bytes(parts)


def _members(document: Document) -> Iterator[Document]:
    try:
        with zipfile.ZipFile(io.BytesIO(document.content)) as archive:
            listed = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith(MACOS)]
            if len(listed) > MEMBERS:
                message = f"it holds {len(listed)} files, and at most {MEMBERS} are read"
                raise MalformedEvidence(message, where=document.name, code="too_many_members")
            limits.refuse_inflation(len(document.content), sum(one.file_size for one in listed), document.name)
            for member in sorted(listed, key=lambda one: one.filename):
                place = f"{document.name}/{member.filename}"
                if member.flag_bits & ENCRYPTED:
                    raise MalformedEvidence("it is encrypted", where=place, code="encrypted")
                yield Document(archive.read(member), place)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
        raise _broken(document.name, f"it is no whole zip file: {error}") from error


def _broken(where: str, message: str) -> MalformedEvidence:
    return MalformedEvidence(message, where=where, code="broken_container")
