"""Whose word on a placement counts."""

import pytest

from analysis.measurements import Setting
from analysis.reading import Reading
from analysis.table import Table
from reviews.services.placements import is_verified, placement_of


def a_reading(**identity: str) -> Reading:
    settings = tuple(Setting("r", name, value, "", "identity", "file field", "") for name, value in identity.items())
    return Reading("f", 1, (), Table.of(()), settings, (), ())


@pytest.mark.parametrize(
    ("identity", "label", "placement"),
    [
        ({}, ("gpu-7", "typed"), ("gpu-7", "typed")),
        ({}, ("gpu-7 GPU-a", "capture"), ("gpu-7 GPU-a", "capture")),
        ({"host": "gpu-7"}, ("gpu-7 GPU-a", "capture"), ("gpu-7 GPU-a", "capture")),
        ({"host": "gpu-7"}, ("gpu-7 GPU-a", "typed"), ("gpu-7", "file")),
        ({"host": "gpu-8"}, ("gpu-7 GPU-a", "capture"), ("gpu-8", "file")),
        ({"host": "gpu-7", "devices": "GPU-c, GPU-b"}, ("gpu-7 GPU-a", "capture"), ("gpu-7 GPU-b GPU-c", "file")),
    ],
)
def test_a_file_counts_before_a_label_but_for_the_devices_that_it_does_not_name(
    identity: dict[str, str], label: tuple[str, str], placement: tuple[str, str]
) -> None:
    found = placement_of(a_reading(**identity), "r", *label)

    assert found == placement
    assert is_verified(found[1]) is (placement[1] != "typed")
