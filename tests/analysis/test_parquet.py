"""A reading as a Parquet file, and back."""

from dataclasses import replace
from io import BytesIO

import pytest

from analysis import parquet
from analysis.reading import Reading
from analysis.table import Table
from tests.analysis import props


def a_reading() -> Reading:
    run = props.a_run("baseline", 1, (0.1, None, 0.3), settings=(("image", "a"),))
    return replace(run.reading, leniences=("a bare NaN",), notices=("ünïcode, “quoted”",))


def test_a_reading_comes_back_without_loss() -> None:
    reading = a_reading()

    assert parquet.from_parquet(parquet.to_parquet(reading)) == reading


def test_the_head_of_a_reading_has_all_but_its_rows() -> None:
    reading = a_reading()

    assert parquet.head_of(BytesIO(parquet.to_parquet(reading))) == replace(reading, measurements=Table.of(()))


def test_the_same_reading_gives_the_same_bytes() -> None:
    assert parquet.to_parquet(a_reading()) == parquet.to_parquet(a_reading())


def test_a_reading_without_measurements_comes_back_too() -> None:
    reading = replace(a_reading(), measurements=Table.of(()))

    assert parquet.from_parquet(parquet.to_parquet(reading)) == reading


def test_columns_of_another_version_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = parquet.to_parquet(a_reading())
    monkeypatch.setattr(parquet, "READABLE", (1,))

    with pytest.raises(ValueError, match="schema version 2"):
        parquet.from_parquet(content)
