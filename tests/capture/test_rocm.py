"""What rocm-smi says, on texts of its shape."""

import json

import pytest

from reviews.capture import rocm
from reviews.capture.nvidia import Log
from reviews.capture.record import Device


def test_cards_with_a_unique_id_are_devices() -> None:
    said = {
        "card0": {
            "Unique ID": "0xabc",
            "Card Series": "AMD Instinct MI300X",
            "Max Graphics Package Power (W)": "750.0",
        },
        "card1": {"Unique ID": "0xdef", "Card Series": "N/A", "Card series": "Instinct"},
        "card2": {"Unique ID": "N/A"},
        "system": {"Driver version": "6.10.5"},
    }

    assert rocm.read_log(json.dumps(said)) == Log(
        "AMD 6.10.5",
        (
            Device(uuid="0xabc", name="AMD Instinct MI300X", power_limit="750.0 W"),
            Device(uuid="0xdef", name="Instinct"),
        ),
    )


def test_an_answer_without_cards_has_no_devices() -> None:
    assert rocm.read_log('{"system": "none"}') == Log("", ())


@pytest.mark.parametrize("text", ["", "ERROR: no amdgpu", "[1]"])
def test_another_text_is_no_answer(text: str) -> None:
    assert rocm.read_log(text) is None
