"""The store keeps bytes under their digest, once, read-only, and within the limit."""

import hashlib
import io
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviews.errors import BadInput, NotVisible, TooLarge
from reviews.services import store

BYTES = b"one run, 1200 requests"
SHA256 = hashlib.sha256(BYTES).hexdigest()


def left_over(root: Path) -> list[Path]:
    return list((root / "incoming").iterdir())


def test_bytes_come_back_under_their_digest(own_store: Path) -> None:
    stored = store.put([BYTES[:5], BYTES[5:]], limit_bytes=100)

    assert stored == store.Stored(SHA256, len(BYTES), duplicate=False)
    assert (own_store / SHA256[:2] / SHA256[2:4] / SHA256).read_bytes() == BYTES
    with store.open_artifact(SHA256) as file:
        assert file.read() == BYTES


def test_the_same_bytes_again_are_a_duplicate_and_stay_as_they_were(own_store: Path) -> None:
    store.put([BYTES], limit_bytes=100)
    before = store.path_of(SHA256).stat()

    again = store.put_file(io.BytesIO(BYTES), limit_bytes=100)

    assert again == store.Stored(SHA256, len(BYTES), duplicate=True)
    assert store.path_of(SHA256).stat().st_ino == before.st_ino
    assert left_over(own_store) == []


def test_a_stored_file_is_read_only() -> None:
    store.put([BYTES], limit_bytes=100)

    assert stat.S_IMODE(store.path_of(SHA256).stat().st_mode) == 0o444


def test_bytes_up_to_the_limit_are_taken() -> None:
    assert store.put([BYTES], limit_bytes=len(BYTES)).size == len(BYTES)


def test_a_file_over_the_limit_is_refused_without_reading_on(own_store: Path) -> None:
    given = []

    def chunks() -> Iterator[bytes]:
        for _ in range(1000):
            given.append(10)
            yield b"x" * 10

    with pytest.raises(TooLarge, match="larger than the limit of 25 bytes") as refusal:
        store.put(chunks(), limit_bytes=25)

    assert refusal.value.needs
    assert sum(given) == 30
    assert left_over(own_store) == []
    assert [path for path in own_store.rglob("*") if path.is_file()] == []


def test_an_upload_that_breaks_off_leaves_nothing(own_store: Path) -> None:
    def chunks() -> Iterator[bytes]:
        yield BYTES
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        store.put(chunks(), limit_bytes=100)

    assert [path for path in own_store.rglob("*") if path.is_file()] == []


def test_an_empty_file_has_a_digest_too() -> None:
    assert store.put([], limit_bytes=1).sha256 == hashlib.sha256(b"").hexdigest()


@pytest.mark.django_db
def test_bytes_that_are_not_there_are_refused_by_name() -> None:
    assert not store.holds(SHA256)
    with pytest.raises(NotVisible, match=f"The bytes of {SHA256[:12]}… are not in the store"):
        store.open_artifact(SHA256)


@pytest.mark.parametrize("name", ["", "../../etc/passwd", SHA256.upper(), SHA256[:-1], SHA256 + "\n"])
def test_what_is_no_digest_never_becomes_a_path(name: str) -> None:
    with pytest.raises(BadInput, match="is not a SHA-256 digest"):
        store.path_of(name)


def test_damaged_bytes_are_found() -> None:
    store.put([BYTES], limit_bytes=100)
    assert store.is_sound(SHA256)

    path = store.path_of(SHA256)
    path.chmod(0o600)
    path.write_bytes(BYTES + b"!")

    assert not store.is_sound(SHA256)
