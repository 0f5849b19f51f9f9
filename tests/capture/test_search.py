"""Secrets and texts are found in files of any size and packing, and block by block as in one piece."""

import gzip
import io
import tracemalloc
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.capture import search, secrets, texts
from reviews.capture.secrets import SecretScan
from reviews.capture.texts import TextScan
from reviews.errors import BadInput

TOKEN = "hf_" + "Ab3" * 12
SECRET = f'{{"note": "{TOKEN}"}}'.encode()
PROMPT = b'{"a": 1,\n "prompt": "hello"}'


def zipped(*members: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def locked() -> bytes:
    """A zip whose member says that it needs a password."""
    content = bytearray(zipped(("a.json", PROMPT)))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + at] |= 1
    return bytes(content)


def found_in(content: bytes, name: str = "x") -> list[tuple[str, str]]:
    return [(one.code, one.sentence) for one in search.search(io.BytesIO(content), name).found]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lambda content: gzip.compress(gzip.compress(content))])
def test_a_secret_and_a_text_are_found_in_a_file_packed_or_not(pack: Callable[[bytes], bytes]) -> None:
    assert found_in(pack(SECRET)) == [("secret_found", "x, line 1: a token of Hugging Face.")]
    assert found_in(pack(PROMPT)) == [("texts_found", "x, line 2: texts in the field prompt.")]


def test_what_is_in_an_archive_is_named_by_its_place_in_it() -> None:
    inner = zipped(("deep/b.json", SECRET), ("folder/", b""))
    archive = zipped(("a.json", PROMPT), ("b.zip", inner), ("c.json", b"{}"))

    assert [sentence for _, sentence in found_in(archive, "z")] == [
        "z/a.json, line 2: texts in the field prompt.",
        "z/b.zip/deep/b.json, line 1: a token of Hugging Face.",
    ]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (gzip.compress(gzip.compress(gzip.compress(SECRET))), "it is packed more than 2 times"),
        (locked(), "it needs a password, or a program that unpacks it"),
        (zipped(*((f"{i}.json", b"{}") for i in range(1001))), "it holds more than 1000 files"),
    ],
    ids=["packed thrice", "locked", "too many"],
)
def test_what_could_not_be_searched_is_named(content: bytes, why: str) -> None:
    assert found_in(content) == [("not_searched", f"x could not be searched: {why}.")]


def test_only_so_much_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "UNPACKED_BYTES", 1 << 20)
    bomb = gzip.compress(b"\0" * (3 << 20))

    assert found_in(bomb) == [("not_searched", "x could not be searched: it unpacks to more than 1 MiB.")]


@pytest.mark.parametrize(
    "content", [b"\x1f\x8b" + SECRET, b"PK\x03\x04" + SECRET, gzip.compress(SECRET)[:-4]], ids=["gzip", "zip", "cut"]
)
def test_of_a_broken_container_the_bytes_and_what_unpacks_are_searched(content: bytes) -> None:
    whole = content + (SECRET if content.startswith(b"\x1f\x8b\x08") else b"")

    assert [code for code, _ in found_in(whole)] == ["secret_found"]


def test_a_file_in_utf_16_is_searched_and_cannot_be_written_anew() -> None:
    searched = search.search(io.BytesIO(PROMPT.decode().encode("utf-16")), "x")

    assert [one.code for one in searched.found] == ["texts_found"]
    assert searched.texts is None


def test_a_large_file_is_searched_without_being_held() -> None:
    rows = b'{"ts": 1.5, "dur": 2.25, "name": "kernel"},\n' * 400_000

    tracemalloc.start()
    found = found_in(rows + SECRET)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert [code for code, _ in found] == ["secret_found"]
    assert most < 3 * len(rows) // 4 + (12 << 20)


CONTENTS = (
    b'{"prompts": ["Gr\xc3\xbc\xc3\x9fe, ]", "b\\"c"], "n": [1, 2], "output_text": ""}',
    b'{"prompt": [{"role": "user"}, {"n": 1}],\n"prompts": [[1], {"a": {}}],\n"messages": [{"n": " "}]}',
    b'{"request": "{\\"prompt\\": \\"x\\"}", "response": "ok", "generated_text": "\\\\"}',
    b'{"response": "data: {}", "request": "GET /", "prompt": "\\n \\t"}',
    b'{"generated_texts": ["a", "b',
    f"x {TOKEN} y {TOKEN}\nBearer {'Q' * 30}\nAKIA{'ABCD1234' * 2}z AKIA{'ABCD1234' * 2}".encode(),
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(content=st.sampled_from(CONTENTS), size=st.integers(1, 40), before=st.integers(0, 300))
def test_blocks_of_any_size_show_the_same(content: bytes, size: int, before: int) -> None:
    whole = b" \n" * before + content
    secret, text = SecretScan(), TextScan()
    for start in range(0, len(whole), size):
        secret.feed(whole[start : start + size])
        text.feed(whole[start : start + size])
    secret.feed(b"", last=True)
    text.feed(b"", last=True)

    assert list(secret.found()) == list(secrets.found_in(whole))
    assert tuple(text.fields) == texts.fields_in(whole)
    assert set(text.fields.values()) <= {before + 1, before + 2, before + 3}
    if not text.broken:
        assert b"".join(texts.blocks_without(io.BytesIO(whole), text)) == texts.without(whole, "x")


def test_only_bodies_that_are_json_or_events_are_texts() -> None:
    assert texts.fields_in(CONTENTS[2]) == ("request", "generated_text")
    assert texts.fields_in(CONTENTS[3]) == ("response",)


def test_keys_of_objects_are_no_texts() -> None:
    assert texts.fields_in(CONTENTS[1]) == ("prompt",)
    assert texts.without(CONTENTS[1], "x").startswith(b'{"prompt": [],\n"prompts": [[1], {"a": {}}]')


def test_a_word_longer_than_what_is_kept_of_a_block_is_found() -> None:
    scan = SecretScan()
    for block in (b"hf_" + b"A" * 5000, b"A" * 9000, b" end"):
        scan.feed(block)

    assert [found.kind for found in scan.found()] == ["a token of Hugging Face"]


def test_a_text_that_breaks_off_is_refused_by_its_field() -> None:
    scan = TextScan()
    scan.feed(CONTENTS[4], last=True)

    with pytest.raises(BadInput) as refusal:
        texts.refuse_broken(scan, "r.json")
    assert "generated_texts" in refusal.value.message
