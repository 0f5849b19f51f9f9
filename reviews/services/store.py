"""The content-addressed store: files named by their SHA-256, written once, never changed.

A file is streamed to a temporary place in the same file system while it is hashed, synced, made read-only, and then
linked to its name, which either works whole or finds that the same bytes stand there already.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO, Final

from django.conf import settings

from reviews.errors import BadInput, NotVisible, Redacted, TooLarge
from reviews.queries.redacted import redaction_of

READ_ONLY: Final = 0o444
BLOCK_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Stored:
    """What stands in the store now. size: in bytes. duplicate: the same bytes stood there before."""

    sha256: str
    size: int
    duplicate: bool


@dataclass(frozen=True, slots=True)
class Received:
    """Bytes that came and are not in the store yet: they are gone when they are not kept. size: in bytes."""

    file: IO[bytes]
    path: Path
    sha256: str
    size: int


@contextmanager
def received(chunks: Iterable[bytes], *, limit_bytes: int) -> Iterator[Received]:
    """The bytes of `chunks` on the disk of the store, to be looked at before they are kept.

    Raises:
        TooLarge: they are more than `limit_bytes`; nothing beyond the limit is written, nothing is kept.
    """
    incoming = Path(settings.ARTIFACT_ROOT) / "incoming"
    incoming.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=incoming) as file:
        sha256, size = _write(chunks, file, limit_bytes)
        file.flush()
        yield Received(file.file, Path(file.name), sha256, size)


def keep(arrived: Received) -> Stored:
    """The received bytes, in the store."""
    os.fchmod(arrived.file.fileno(), READ_ONLY)
    os.fsync(arrived.file.fileno())
    return Stored(arrived.sha256, arrived.size, duplicate=not _link(arrived.path, path_of(arrived.sha256)))


def put(chunks: Iterable[bytes], *, limit_bytes: int) -> Stored:
    """The bytes of `chunks`, in the store. Raises TooLarge as `received`."""
    with received(chunks, limit_bytes=limit_bytes) as arrived:
        return keep(arrived)


def put_file(file: IO[bytes], *, limit_bytes: int) -> Stored:
    """The rest of an open file, in the store. Raises TooLarge as `put`."""
    return put(iter(lambda: file.read(BLOCK_BYTES), b""), limit_bytes=limit_bytes)


def open_artifact(sha256: str) -> BufferedReader:
    """The stored bytes, open for reading.

    Raises:
        BadInput: `sha256` is not a digest. NotVisible: no such bytes are stored. Redacted: somebody took them away.
    """
    try:
        return path_of(sha256).open("rb")
    except FileNotFoundError as error:
        if row := redaction_of(sha256):
            raise Redacted(
                f"The bytes of {row.artifact.name} ({row.old_digest[:12]}…) were {row.said}.",
                needs="Attach a file without what was redacted, in a new evidence set.",
            ) from error
        raise NotVisible(
            f"The bytes of {sha256[:12]}… are not in the store.", needs="Restore them from a backup or a proof bundle."
        ) from error


def discard(sha256: str) -> None:
    """The bytes taken out of the store; nothing where they are not there."""
    path = path_of(sha256)
    path.unlink(missing_ok=True)
    if path.parent.is_dir():
        _sync_folder(path.parent)


def holds(sha256: str) -> bool:
    """Whether bytes of that digest are stored."""
    return path_of(sha256).is_file()


def is_sound(sha256: str) -> bool:
    """Whether the stored bytes still have their digest. Raises as `open_artifact`."""
    with open_artifact(sha256) as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


def path_of(sha256: str) -> Path:
    """Where bytes of that digest stand, whether they do or not. Raises BadInput when it is no digest."""
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise BadInput(f"{sha256!r} is not a SHA-256 digest.", needs="Give 64 digits 0-9, a-f.", where="sha256")
    return Path(settings.ARTIFACT_ROOT) / sha256[:2] / sha256[2:4] / sha256


def _write(chunks: Iterable[bytes], file: IO[bytes], limit_bytes: int) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        size += len(chunk)
        if size > limit_bytes:
            raise TooLarge(
                f"The file is larger than the limit of {limit_bytes} bytes.",
                needs="Send a smaller file, or ask an administrator to raise the limit.",
            )
        digest.update(chunk)
        file.write(chunk)
    return digest.hexdigest(), size


def _link(source: Path, target: Path) -> bool:
    """True when `target` is new; False when it stood there already."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except FileExistsError:
        return False
    for folder in (target.parent, target.parent.parent, target.parent.parent.parent):
        _sync_folder(folder)
    return True


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
