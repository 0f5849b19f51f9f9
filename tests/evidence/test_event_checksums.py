"""The checksums of event files: known values, long contents in blocks, and damaged records by their place."""

import json
import struct

import numpy as np
import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence
from analysis.evidence import crc32c
from analysis.evidence.format import Document
from analysis.reading import Reading
from tests.evidence import tfevents

EVENTS = json.dumps(
    ["brain.Event:2", {"wall_time": 1, "step": 1, "loss": 2.0}, {"wall_time": 2, "step": 2, "loss": 1.0}]
)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", 0x00000000),
        (b"123456789", 0xE3069283),
        (b"\x00" * 32, 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
    ],
)
def test_the_checksum_is_that_of_rfc_3720(content: bytes, expected: int) -> None:
    assert crc32c.checksum(content) == expected


@pytest.mark.parametrize("size", [1023, 1024, 1025, 4096, 5003])
def test_long_contents_have_the_checksum_of_their_bytes_one_by_one(size: int) -> None:
    content = np.random.default_rng(7).integers(0, 256, size, dtype=np.uint8).tobytes()
    register = crc32c.ALL
    for byte in content:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (crc32c.POLYNOMIAL if register & 1 else 0)

    assert crc32c.checksum(memoryview(content)) == register ^ crc32c.ALL


def read(content: bytes) -> Reading:
    return evidence.read(Document(content, "x"))


def test_whole_records_are_read() -> None:
    assert read(tfevents.events(EVENTS)).measurements.only(metric="loss").values.tolist() == [2.0, 1.0]


@pytest.mark.parametrize("at", [0, 8, 14, -5, -1])
def test_a_damaged_record_is_refused_by_the_byte_at_which_it_begins(at: int) -> None:
    content = bytearray(tfevents.events(EVENTS))
    (size,) = struct.unpack_from("<Q", content, 0)
    second = 16 + size
    begins = second if at >= 0 else second + 16 + struct.unpack_from("<Q", content, second)[0]
    content[second + at if at >= 0 else len(content) + at] ^= 1

    with pytest.raises(MalformedEvidence) as refusal:
        read(bytes(content))

    assert (refusal.value.code, refusal.value.where) == ("broken_record", f"x:byte {begins}")


def test_a_file_that_is_cut_off_is_partial_and_not_broken() -> None:
    reading = read(tfevents.events(EVENTS)[:-6])

    assert reading.runs[0].status == "partial"
    assert reading.measurements.only(metric="loss").values.tolist() == [2.0]
