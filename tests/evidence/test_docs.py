"""docs/formats.md has an entry for every format, and its examples are read as they are printed."""

import re
from pathlib import Path

import pytest

from analysis import evidence
from analysis.evidence import countersign_measurements, generic, limits
from analysis.units import FACTORS
from tests.evidence import make

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"^## `([^`]+)`\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
EXAMPLES = [
    (name, block) for name, entry in ENTRIES.items() for block in re.findall(r"```\w+\n(.*?)```", entry, re.DOTALL)
]


def test_the_page_has_an_entry_for_every_format_in_their_order() -> None:
    assert list(ENTRIES) == [form.name for form in evidence.FORMATS]


@pytest.mark.parametrize("said", ["Recognised by:", "Units:", "Raw or aggregate:", "Work:", "Refused:"])
def test_every_entry_says_what_a_reader_needs(said: str) -> None:
    assert [name for name, entry in ENTRIES.items() if f"**{said}**" not in entry] == []


@pytest.mark.parametrize(("name", "block"), EXAMPLES)
def test_an_example_is_read_in_its_format_without_a_lenience(name: str, block: str) -> None:
    reading = make.read(block)

    assert (reading.format, reading.leniences) == (name, ())
    assert len(reading.runs) in (1, 2)
    assert reading.measurements


def test_our_own_formats_have_an_example_of_each_kind() -> None:
    assert [name for name, _ in EXAMPLES] == ["countersign-measurements"] * 5 + ["countersign-bounds"] * 2


def test_every_field_column_and_metric_of_our_format_is_described() -> None:
    entry = ENTRIES["countersign-measurements"]
    known = {
        *countersign_measurements.COLUMNS,
        *countersign_measurements.OPTIONAL,
        *countersign_measurements.OF_RUN,
        *countersign_measurements.OF_MEASUREMENT,
    }

    assert [name for name in known if f"`{name}`" not in entry] == []
    assert [metric for metric in generic.UNITS if not re.search(rf"\b{metric}\b", entry)] == []


def test_the_units_on_the_page_are_known() -> None:
    [listed] = re.findall(r"spelled exactly: (.*?)\. A metric", PAGE, re.DOTALL)
    units = [unit for group in re.findall(r"`([^`]+)`", listed) for unit in group.split()]

    assert len(units) > 20
    assert [unit for unit in units if unit not in FACTORS] == []


def test_the_limits_on_the_page_are_those_of_the_code() -> None:
    assert f"{limits.BYTES // 2**20} MiB" in PAGE
    assert limits.ROWS == 2_000_000
    assert "two million" in PAGE
    assert f"{limits.DEPTH} levels" in PAGE
    assert f"{limits.DIGITS} digits" in PAGE
    assert f"{limits.TEXT:,} characters" in PAGE
