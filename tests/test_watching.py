"""A reading that somebody waits for: told how far it is, ended in time, with room for what it unpacks."""

import gzip
from pathlib import Path

import pytest

from analysis import evidence
from analysis.errors import Refused
from analysis.evidence.format import Document
from reviews.watching import Watched
from tests.cli.typed import a_file


def test_bytes_and_rows_are_told_while_they_are_read() -> None:
    told: list[tuple[int, int, str]] = []
    watch = Watched(seconds=60, say=lambda *said: told.append(said))

    watch.at(4096, 300_000_000)
    watch.count(1_200)

    so_far = "4.096\u00a0kB of 300.0\u00a0MB"
    assert told == [(4, 292968, so_far), (4, 292968, f"{so_far}, 1,200 rows")]


def test_what_takes_too_long_is_refused_at_the_next_block(tmp_path: Path) -> None:
    content = a_file(tmp_path, "runs", [1.0, 2.0]).read_bytes()
    with pytest.raises(Refused) as refused:
        evidence.read(Document(content, "runs.json", Watched(seconds=-1)))

    assert refused.value.code == "too_slow"
    assert "0\u00a0B of" in refused.value.message


def test_a_packed_file_is_unpacked_into_the_folder_and_leaves_nothing_there(tmp_path: Path) -> None:
    content = a_file(tmp_path, "runs", [1.0, 2.0]).read_bytes()
    folder = tmp_path / "incoming"

    reading = evidence.read(Document(gzip.compress(content), "runs.json.gz", Watched(seconds=60, folder=folder)))

    assert reading.runs
    assert list(folder.iterdir()) == []


def test_without_a_folder_the_system_says_where(tmp_path: Path) -> None:
    content = a_file(tmp_path, "runs", [1.0, 2.0]).read_bytes()
    assert evidence.read(Document(gzip.compress(content), "runs.json.gz", Watched(seconds=60))).runs
