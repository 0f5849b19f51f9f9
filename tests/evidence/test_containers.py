"""Files inside gzip and zip are read as they are; what would hurt is refused before it is made."""

import gzip
import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace

import pytest

from analysis import evidence
from analysis.errors import AnalysisError, MalformedEvidence, UnknownFormat
from analysis.evidence import containers, limits
from analysis.evidence.format import Document
from tests.evidence import make

ONE = make.document(make.hyperfine())


def zipped(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return held.getvalue()


def gzipped(content: bytes) -> bytes:
    """Without the time, so that every worker collects the same tests."""
    return gzip.compress(content, mtime=0)


def refused(content: bytes) -> str:
    with pytest.raises(AnalysisError) as refusal:
        evidence.read(Document(content, "x"))
    return str(getattr(refusal.value, "code", ""))


@pytest.mark.parametrize(
    ("packed", "kind"),
    [
        (gzipped(ONE.content), "gzip"),
        (gzipped(ONE.content[:40]) + gzipped(ONE.content[40:]) + b"\x00" * 8, "gzip"),
        (gzipped(gzipped(ONE.content)), "gzip"),
        (zipped({"runs/": b"", "runs/one.json": ONE.content}), "zip"),
        (zipped({"one.json": ONE.content, "__MACOSX/._one.json": b"\x00"}, zipfile.ZIP_STORED), "zip"),
    ],
)
def test_a_packed_file_reads_as_the_file_itself(packed: bytes, kind: str) -> None:
    plain, found = evidence.read(ONE), evidence.read(Document(packed, ONE.name))

    assert [m.value for m in found.measurements] == [m.value for m in plain.measurements]
    assert found.runs[0].key == plain.runs[0].key
    assert found.leniences == (f"the file is packed as {kind}",)
    assert evidence.recognise(Document(packed, "x")).reason.startswith(f"inside {kind}, it has")


def test_the_runs_of_an_archive_are_called_by_their_files_and_what_is_unknown_is_named() -> None:
    members = {"b/2.json": ONE.content, "a/1.json": ONE.content, "README.md": b"# How it was run"}
    found = evidence.read(Document(zipped(members), "all.zip"))
    plain = evidence.read(ONE)

    assert [run.key for run in found.runs] == [f"{f}:{run.key}" for f in ("a/1.json", "b/2.json") for run in plain.runs]
    assert len(found.measurements) == 2 * len(plain.measurements)
    assert found.measurements[0].where == f"all.zip/a/1.json:{plain.measurements[0].where.partition(':')[2]}"
    assert found.notices[-1] == "Not read, because no format recognises them: all.zip/README.md."
    assert {setting.run for setting in found.settings} == {run.key for run in found.runs}


def test_an_archive_of_files_that_are_all_known_names_none_as_unknown() -> None:
    found = evidence.read(Document(zipped({"1.json": ONE.content, "2.json": ONE.content}), "all.zip"))

    assert "Not read" not in " ".join(found.notices)


def test_files_of_two_formats_do_not_go_into_one_archive() -> None:
    members = {"1.json": ONE.content, "2.json": make.document(make.vllm()).content}

    with pytest.raises(MalformedEvidence, match="its files are of hyperfine and vllm-bench-serve") as refusal:
        evidence.recognise(Document(zipped(members), "all.zip"))

    assert refusal.value.code == "several_formats"


def test_a_format_chosen_by_hand_holds_for_every_file_that_no_format_claims() -> None:
    packed = Document(zipped({"1.json": b"[]", "2.json": b"[]"}), "all.zip")

    with pytest.raises(MalformedEvidence) as refusal:
        evidence.read(packed, "hyperfine")

    assert refusal.value.where.startswith("all.zip/1.json")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (gzipped(ONE.content)[:-9], "broken_container"),
        (gzipped(ONE.content)[:20] + b"\xff" * 40, "broken_container"),
        (b"\x1f\x8b\x09" + bytes(20), "broken_container"),
        (zipped({"1.json": ONE.content})[:60], "broken_container"),
        (zipped({}), "unknown_format"),
        (gzipped(b""), "unknown_format"),
        (zipped({"1.json": b"hello"}), "unknown_format"),
        (gzipped(gzipped(gzipped(ONE.content))), "nested_containers"),
        (gzipped(bytes(limits.FREE_BYTES + containers.CHUNK)), "decompression_ratio"),
        (zipped({"1.json": bytes(limits.FREE_BYTES + 1)}), "decompression_ratio"),
        (zipped({str(i): b"" for i in range(containers.MEMBERS + 1)}), "too_many_members"),
    ],
)
def test_what_is_broken_or_would_hurt_is_refused(content: bytes, code: str) -> None:
    assert refused(content) == code


def test_what_unpacks_to_more_than_is_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzipped(ONE.content)
    monkeypatch.setattr(limits, "BYTES", len(ONE.content) - 1)

    assert refused(packed) == "too_large"


def test_an_encrypted_member_is_refused() -> None:
    content = bytearray(zipped({"1.json": ONE.content}))
    content[content.index(b"PK\x01\x02") + 8] |= containers.ENCRYPTED

    assert refused(bytes(content)) == "encrypted"


def test_a_member_that_holds_more_than_the_archive_says_is_refused() -> None:
    content = zipped({"1.json": ONE.content}, zipfile.ZIP_STORED)
    size = len(ONE.content).to_bytes(4, "little")
    at = content.index(b"PK\x01\x02") + 24
    lying = content[:at] + (len(ONE.content) - 1).to_bytes(4, "little") + content[at + 4 :]

    assert content[at : at + 4] == size
    assert refused(lying) == "broken_container"


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(UnknownFormat, match="known are"):
        evidence.read(replace(ONE), "nothing")
