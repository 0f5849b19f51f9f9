"""Secrets and texts in a file of any size, packed or not: read block by block, and never held whole."""

import codecs
import gzip
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Final, Protocol

from analysis.evidence import limits
from analysis.evidence.containers import EMPTY_ZIP, GZIP, LEVELS, MEMBERS, ZIP
from reviews.capture.secrets import SecretScan
from reviews.capture.texts import BLOCK_BYTES, TextScan
from reviews.errors import Missing

UNPACKED_BYTES: Final = limits.STREAMED_BYTES  # what is unpacked of one file, all in all, to be searched
IN_MEMORY: Final = 1 << 24
WIDE: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
SECRET: Final = "secret_found"  # noqa: S105 — the code of a refusal
TEXTS: Final = "texts_found"
NOT_SEARCHED: Final = "not_searched"
BROKEN: Final = (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError)
LOCKED: Final = (NotImplementedError, RuntimeError)  # zipfile: packed in a way it does not know, or with a password


@dataclass(frozen=True, slots=True)
class Searched:
    """What was found. texts: of the file itself, when it can be written anew without them, else None."""

    found: tuple[Missing, ...]
    texts: TextScan | None


@dataclass(slots=True)
class _Search:
    """What was found so far, and how much may still be unpacked."""

    found: list[Missing]
    left: int


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _TooMuch(Exception):
    """More would be unpacked than may be."""


def search(file: IO[bytes], name: str) -> Searched:
    """Every secret and text of an open file by its place; what could not be searched is named too."""
    scan = _Search([], UNPACKED_BYTES)
    texts = _look(scan, file, name, 0)
    return Searched(tuple(scan.found), texts)


def secrets_of(blocks: Iterator[bytes], name: str) -> tuple[Iterator[bytes], list[Missing]]:
    """The blocks again, and a list that holds the secrets in them once all of them were taken."""
    found: list[Missing] = []
    return _watched(blocks, name, found), found


def _watched(blocks: Iterator[bytes], name: str, found: list[Missing]) -> Iterator[bytes]:
    scan = SecretScan()
    for block in blocks:
        scan.feed(block)
        yield block
    scan.feed(b"", last=True)
    found += _named(scan, name)


def _look(search: _Search, file: IO[bytes], name: str, level: int) -> TextScan | None:
    """Search a file, or the files in it. Its texts, when it is no container and can be written anew."""
    file.seek(0)
    head = file.read(len(ZIP))
    file.seek(0)
    packed = head.startswith((GZIP, ZIP, EMPTY_ZIP))
    if not packed:
        return _look_plain(search, file, name, head)
    if level == LEVELS:
        search.found.append(_unsearched(name, f"it is packed more than {LEVELS} times"))
        return None
    try:
        _look_inside(search, file, name, level)
    except _TooMuch:
        search.found.append(_unsearched(name, f"it unpacks to more than {UNPACKED_BYTES >> 20} MiB"))
    except LOCKED:
        search.found.append(_unsearched(name, "it needs a password, or a program that unpacks it"))
    except BROKEN:
        _look_plain(search, file, name, b"")
    return None


def _look_inside(search: _Search, file: IO[bytes], name: str, level: int) -> None:
    if file.read(len(GZIP)) == GZIP:
        file.seek(0)
        with gzip.GzipFile(fileobj=file, mode="rb") as unpacked, _copied(search, unpacked) as copy:
            _look(search, copy, name, level + 1)
        return
    with zipfile.ZipFile(file) as archive:
        members = [one for one in archive.infolist() if not one.is_dir()]
        if len(members) > MEMBERS:
            search.found.append(_unsearched(name, f"it holds more than {MEMBERS} files"))
        for member in members[:MEMBERS]:
            with archive.open(member) as inner, _copied(search, inner) as copy:
                _look(search, copy, f"{name}/{member.filename}", level + 1)


@contextmanager
def _copied(search: _Search, inner: _Readable) -> Iterator[IO[bytes]]:
    """What is unpacked, in memory while it is small. Raises _TooMuch."""
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as copy:
        for block in iter(lambda: inner.read(BLOCK_BYTES), b""):
            search.left -= len(block)
            if search.left < 0:
                raise _TooMuch
            copy.write(block)
        yield copy


def _look_plain(search: _Search, file: IO[bytes], name: str, head: bytes) -> TextScan | None:
    secrets, texts = SecretScan(), TextScan()
    wide = next((encoding for mark, encoding in WIDE.items() if head.startswith(mark)), "")
    decoder = codecs.getincrementaldecoder(wide)("replace") if wide else None
    file.seek(0)
    for block in iter(lambda: file.read(BLOCK_BYTES), b""):
        plain = decoder.decode(block).encode() if decoder else block
        secrets.feed(plain)
        texts.feed(plain)
    secrets.feed(b"", last=True)
    texts.feed(b"", last=True)
    search.found += _named(secrets, name)
    search.found += [_text(name, field, line) for field, line in texts.fields.items()]
    return None if decoder else texts


def _named(scan: SecretScan, name: str) -> Iterator[Missing]:
    for secret in scan.found():
        yield Missing(SECRET, f"{name}, line {secret.line}: {secret.kind}.", "", "")


def _text(name: str, field: str, line: int) -> Missing:
    return Missing(TEXTS, f"{name}, line {line}: texts in the field {field}.", "", "")


def _unsearched(name: str, why: str) -> Missing:
    return Missing(NOT_SEARCHED, f"{name} could not be searched: {why}.", "", "")
