"""Measurements by column are the same rows, in the same order, whatever is selected."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import parquet
from analysis.measurements import Measurement
from analysis.reading import Reading
from analysis.table import NONE, WORDS, Table
from tests.analysis.props import a_measurement

ROWS = st.lists(
    st.builds(
        lambda value, run, metric, index: a_measurement(value, run=run, metric=metric, index=index, reason=f"r{run}"),
        st.none() | st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["ttft", "tpot"]),
        st.none() | st.integers(0, 9),
    ),
    max_size=30,
)


def stored(rows: list[Measurement]) -> Table:
    """The same rows, after they were a Parquet file."""
    return parquet.from_parquet(parquet.to_parquet(Reading("test", 1, (), Table.of(rows), (), (), ()))).measurements


@pytest.fixture(params=[Table.of, stored], ids=["made", "stored"])
def table(request: pytest.FixtureRequest) -> Callable[[list[Measurement]], Table]:
    found: Callable[[list[Measurement]], Table] = request.param
    return found


@settings(deadline=None)
@given(ROWS)
def test_a_table_is_its_rows(rows: list[Measurement]) -> None:
    for made in (Table.of(rows), stored(rows)):
        assert list(made) == rows
        assert [made[i] for i in range(len(rows))] == rows
        assert list(made[1:-1]) == rows[1:-1]
        assert made == Table.of(rows)


@settings(deadline=None)
@given(ROWS)
def test_a_selection_is_the_rows_that_match(rows: list[Measurement]) -> None:
    made = stored(rows)

    assert list(made.only(run="b", metric="ttft")) == [m for m in rows if (m.run, m.metric) == ("b", "ttft")]
    assert list(made.measured()) == [m for m in rows if m.value is not None]
    assert list(made.not_measured().only(run="a")) == [m for m in rows if m.value is None and m.run == "a"]
    assert not made.only(run="somebody else's")


@settings(deadline=None)
@given(ROWS)
def test_the_rows_of_each_word_stay_in_order(rows: list[Measurement]) -> None:
    parts = Table.of(rows).only(metric="ttft").by("run")

    assert list(parts) == list(dict.fromkeys(m.run for m in rows if m.metric == "ttft"))
    for run, part in parts.items():
        assert list(part) == [m for m in rows if (m.run, m.metric) == (run, "ttft")]


@settings(deadline=None)
@given(ROWS)
def test_words_are_told_once_each(rows: list[Measurement]) -> None:
    made = Table.of(rows).only(run="a")
    kept = [m for m in rows if m.run == "a"]

    assert made.distinct("metric") == tuple(sorted({m.metric for m in kept}))
    assert made.combinations("metric", "run") == tuple(sorted({(m.metric, m.run) for m in kept}))
    assert [made.words("run").known[code] for code in made.codes("run")] == [m.run for m in kept]


def test_numbers_and_texts_come_by_column(table: Callable[[list[Measurement]], Table]) -> None:
    rows = [a_measurement(float(i), run="ab"[i % 2], index=i or None, where=f"f:{i}") for i in range(4)]
    made = table(rows)

    assert made.number("index").tolist() == [NONE, 1, 2, 3]
    assert made.texts("where") == ["f:0", "f:1", "f:2", "f:3"]
    assert made.only(run="b").texts("where") == ["f:1", "f:3"]
    assert made.only(run="b").values.tolist() == [1.0, 3.0]


def test_a_selection_of_all_copies_nothing() -> None:
    made = Table.of([a_measurement(float(i), run="a" if i < 5 else "b") for i in range(9)])

    assert made.only(metric=made[0].metric, phase="measured") is made
    assert np.shares_memory(made.by("run")["b"].values, made.values)


def test_tables_differ_by_their_rows_and_are_no_other_things() -> None:
    one, other = Table.of([a_measurement(1.0)]), Table.of([a_measurement(2.0)])

    assert one != other
    assert one != Table.of([])
    assert one != "a table"
    assert repr(one) == "Table of 1 measurements"
    assert Table.of([replace(one[0])]) == one


def test_a_column_of_texts_is_read_when_it_is_asked_for() -> None:
    texts = stored([a_measurement(1.0, where="f:7"), a_measurement(2.0, where="f:8")])._columns.texts["where"]

    assert (len(texts), list(texts), texts[1], texts[:1]) == (2, ["f:7", "f:8"], "f:8", ["f:7"])


def test_a_file_of_the_first_version_has_blank_items(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [a_measurement(1.0), a_measurement(None, reason="none")]
    before = tuple(name for name in WORDS if name not in ("item", "subject"))
    with monkeypatch.context() as old:
        old.setattr(parquet, "WORDS", before)
        old.setattr(parquet, "SCHEMA_VERSION", 1)
        content = parquet.to_parquet(Reading("test", 1, (), Table.of(rows), (), (), ()))

    assert list(parquet.from_parquet(content).measurements) == rows
