"""Captures, written and read back."""

import pytest

from reviews.capture import record
from reviews.capture.record import Capture, CapturedFile, Device
from reviews.errors import BadInput
from reviews.services import provenance


def a_capture(**fields: object) -> Capture:
    said: dict[str, object] = {
        "started_at": "2026-11-30T10:00:00.000Z",
        "ended_at": "2026-11-30T10:05:00.000Z",
        "plan": "747fa1ea",
        "run": "b1-baseline",
        "command": ("vllm", "bench", "serve"),
        "exit_code": 0,
        "host": "gpu-7",
    }
    return Capture(**{**said, **fields})  # type: ignore[arg-type]


def test_a_capture_is_read_back_as_it_was_written() -> None:
    capture = a_capture(
        devices=(Device(uuid="GPU-a", clocks={"sm": "1980 MHz"}, processes=(7,)),),
        files=(CapturedFile(path="r.json", sha256="0" * 64, size=2),),
        packages={"torch": "2.9.0"},
    )

    assert record.from_bytes(record.to_bytes(capture), "x") == capture


def test_a_capture_says_first_what_it_is() -> None:
    assert record.to_bytes(a_capture()).startswith(b'{\n  "countersign": "capture/1"')


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b'{"countersign": "capture/1"}'])
def test_another_file_is_refused(content: bytes) -> None:
    with pytest.raises(BadInput) as refused:
        record.from_bytes(content, "r.countersign.json")

    assert (refused.value.code, refused.value.where) == ("bad_capture", "r.countersign.json")


def test_a_capture_of_another_version_is_refused() -> None:
    with pytest.raises(BadInput, match="capture/2"):
        record.from_bytes(record.to_bytes(a_capture(countersign="capture/2")), "x")


def test_a_placement_is_the_host_and_its_sorted_devices() -> None:
    assert a_capture(devices=(Device(uuid="GPU-b"), Device(uuid="GPU-a"))).placement == "gpu-7 GPU-a GPU-b"
    assert a_capture().placement == "gpu-7"


def test_the_provenance_says_what_was_captured_and_what_was_typed() -> None:
    devices = (Device(uuid="GPU-b", power_limit="700.00 W"), Device(uuid="GPU-a", power_limit="700.00 W"))
    said = record.provenance(a_capture(devices=devices, commit="abc", changed=True, image="sha256:1"))

    provenance.require(said)
    assert said["image"] == {"value": "sha256:1", "source": "typed"}
    assert said["devices"] == {"value": "GPU-a, GPU-b", "source": "capture"}
    assert said["commit"]["value"] == "abc, with changes"
    assert said["power_limit"]["value"] == "700.00 W"
    assert said["sharing"]["value"] == "none seen"
    assert said["run"]["value"] == "b1-baseline"


def test_what_is_not_known_stands_in_no_provenance() -> None:
    said = record.provenance(a_capture(command=(), commit="abc"))

    assert {"tool", "devices", "sharing", "driver", "power_limit", "ecc", "image", "job"} & set(said) == set()
    assert said["commit"]["value"] == "abc"
    assert record.provenance(a_capture(sharing=("MIG", "MPS")))["sharing"]["value"] == "MIG, MPS"
