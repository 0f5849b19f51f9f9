"""Which files a command wrote or changed: the folders of its results before and after it."""

import os
from collections.abc import Iterable, Iterator, Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Final

from reviews.capture.record import ENDING, CapturedFile

MOST_FILES: Final = 1000
Snapshot = Mapping[Path, tuple[int, int]]


def snapshot(places: Iterable[Path]) -> Snapshot:
    """Every file of the places with its time and size; hidden ones, compiled ones and captures are left out."""
    return {path: (at.st_mtime_ns, at.st_size) for place in places for path in _files(place) if (at := _stat(path))}


def changed(before: Snapshot, after: Snapshot) -> tuple[Path, ...]:
    """The files that are new or differ, by path."""
    return tuple(sorted(path for path, state in after.items() if before.get(path) != state))


def described(paths: Iterable[Path], folder: Path) -> Iterator[CapturedFile]:
    """The files by their digests, with their paths from the folder of the capture; one that is gone is left out."""
    for path in paths:
        try:
            with path.open("rb") as file:
                digest, size = file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size
        except OSError:
            continue
        yield CapturedFile(path=Path(os.path.relpath(path, folder)).as_posix(), sha256=digest, size=size)


def _files(place: Path) -> Iterator[Path]:
    if not place.is_dir():
        yield place
        return
    for folder, folders, names in os.walk(place):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        yield from (Path(folder, name) for name in names if not name.startswith(".") and not name.endswith(ENDING))


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
