"""A document that stands on an open file is recognised and read as the same bytes in memory are, in blocks."""

import gzip
import io
import json
import sqlite3
from pathlib import Path

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import limits
from analysis.evidence.format import Document
from analysis.evidence.stored import BUFFER, Stored
from analysis.evidence.watch import Watch

EVENTS = [{"ph": "X", "cat": "kernel", "name": f"k{n}", "ts": n * 10, "dur": 5, "pid": 0, "tid": 7} for n in range(9)]
TRACE = json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": EVENTS}).encode()


def on_disk(folder: Path, content: bytes, name: str = "trace.json", watch: Watch | None = None) -> Document:
    """The bytes in a file, as a document that holds none of them."""
    place = folder / name
    place.write_bytes(content)
    return Document(Stored(place.open("rb"), str(place)), name, watch or Watch())


class Blocks(Watch):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []

    def at(self, done: int, total: int) -> None:
        self.told.append((done, total))


class Roomy(Watch):
    """Lends as much room as anybody wants."""

    def room(self) -> tuple[io.BytesIO, int]:
        return io.BytesIO(), limits.STREAMED_BYTES


def test_the_same_is_read_from_a_disk_and_from_memory(tmp_path: Path) -> None:
    held = evidence.read(Document(TRACE, "trace.json"))
    read = evidence.read(on_disk(tmp_path, TRACE))

    assert list(read.measurements) == list(held.measurements)
    assert (read.runs, read.settings, read.notices) == (held.runs, held.settings, held.notices)


def test_the_watch_is_told_of_each_block(tmp_path: Path) -> None:
    watch = Blocks()
    evidence.read(on_disk(tmp_path, TRACE, watch=watch))

    assert watch.told[0] == (0, len(TRACE))
    assert watch.told[-1] == (len(TRACE), len(TRACE))


def test_a_format_that_is_read_in_blocks_may_be_larger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BYTES", len(TRACE) - 1)

    assert evidence.read(on_disk(tmp_path, TRACE)).runs
    assert evidence.read(on_disk(tmp_path, gzip.compress(TRACE), "trace.json.gz", Roomy())).runs


def test_another_format_is_refused_by_its_size_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b'{"avg_latency": 1.0, "latencies": [1.0], "percentiles": {"50": 1.0}}'
    monkeypatch.setattr(limits, "BYTES", len(content) - 1)

    with pytest.raises((MalformedEvidence, UnknownFormat)) as refused:
        evidence.read(on_disk(tmp_path, content))
    with pytest.raises(MalformedEvidence) as packed:
        evidence.read(on_disk(tmp_path, gzip.compress(content), "latency.json.gz", Roomy()))

    assert {refused.value.code, packed.value.code} == {"too_large"}


def test_a_format_beyond_its_own_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STREAMED_BYTES", len(TRACE) - 1)
    with pytest.raises(MalformedEvidence) as refused:
        evidence.read(on_disk(tmp_path, TRACE))
    assert refused.value.code == "too_large"


def test_a_large_file_is_searched_at_its_ends_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"a" * 80_000 + b"middle" + b"z" * 80_000
    assert b"middle" in bytes(on_disk(tmp_path, content).searched())
    monkeypatch.setattr(limits, "BYTES", 100_000)
    searched = on_disk(tmp_path, content).searched()
    assert bytes(searched).startswith(b"aaa")
    assert bytes(searched).endswith(b"zzz")
    assert b"middle" not in bytes(searched)


def test_a_file_in_memory_is_searched_as_it_is() -> None:
    assert Document(Stored(io.BytesIO(b"abc")), "x").searched() == b"abc"


def test_an_empty_file_is_searched_as_nothing(tmp_path: Path) -> None:
    assert on_disk(tmp_path, b"").searched() == b""


def test_a_reader_goes_where_it_is_sent(tmp_path: Path) -> None:
    reader = on_disk(tmp_path, b"0123456789").opened()
    assert reader.seekable()
    assert reader.seek(-3, io.SEEK_END) == 7
    assert reader.read(2) == b"78"
    assert reader.seek(-1, io.SEEK_CUR) == 8
    assert reader.tell() == 8


def test_two_readers_of_one_file_do_not_move_each_other(tmp_path: Path) -> None:
    document = on_disk(tmp_path, b"0123456789")
    one, other = document.opened(), document.opened()
    assert (one.read(4), other.read(2), one.read(2), document.head) == (b"0123", b"01", b"45", b"0123456789")


def test_a_database_is_opened_where_it_stands(tmp_path: Path) -> None:
    place = tmp_path / "profile.sqlite"
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE TABLE other (a)")
    connection.close()
    with pytest.raises(UnknownFormat):
        evidence.recognise(on_disk(tmp_path, place.read_bytes(), "copy.sqlite"))


def test_rows_are_counted() -> None:
    watch = Watch()
    watch.count(3)
    watch.count(4)
    assert watch.rows == 7


def test_a_trace_of_too_many_events_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "EVENTS", len(EVENTS) - 1)
    with pytest.raises(MalformedEvidence) as refused:
        evidence.read(on_disk(tmp_path, TRACE))
    assert refused.value.code == "too_many_rows"
    assert "record fewer steps" in refused.value.message


def test_a_reader_goes_further_than_what_it_holds(tmp_path: Path) -> None:
    reader = on_disk(tmp_path, b"x" * (BUFFER + 10)).opened()
    assert reader.read(1) == b"x"
    assert reader.seek(BUFFER, io.SEEK_CUR) == BUFFER + 1
    assert len(reader.read()) == 9
