"""Measurements by column: millions of rows in arrays, and each row as a `Measurement` when somebody asks for it.

A column of words (run, metric, unit, …) is an array of codes and the words that they stand for. The texts that only
people read (the place and the number as written) are kept as they come, and need not be in memory before they are read.
"""

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast, overload

import numpy as np
from numpy.typing import NDArray

from analysis.measurements import Measurement

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Codes = NDArray[np.int32]
Places = NDArray[np.intp]

NONE: Final = int(np.iinfo(np.int64).min)
"""Stands for None in a column of integers."""
WORDS: Final = (
    "run", "metric", "unit", "kind", "stat", "phase", "stage", "original_unit", "reason", "item", "subject",
)  # fmt: skip
NUMBERS: Final = ("n", "index", "started_ns")
TEXTS: Final = ("where", "original")


@dataclass(frozen=True, slots=True)
class Words:
    """A column of words: row i holds known[codes[i]]. The known words are distinct; some may be in no row."""

    codes: Codes
    known: tuple[str, ...]

    def code_of(self, word: str) -> int:
        """The code of the word, -1 when no row can hold it."""
        return self.known.index(word) if word in self.known else -1


@dataclass(frozen=True, slots=True)
class Columns:
    """The rows by column, all of one length. values: NaN where nothing was measured. numbers: NONE for None."""

    values: Floats
    numbers: Mapping[str, Integers]
    words: Mapping[str, Words]
    texts: Mapping[str, Sequence[str]]


class Table(Sequence[Measurement]):
    """Some rows of some columns, in order. A selection shares the columns, and copies only what is asked of it."""

    __slots__ = ("_at", "_columns")

    def __init__(self, columns: Columns, at: slice | Places | None = None) -> None:
        self._columns = columns
        self._at: slice | Places = slice(None) if at is None else at

    @classmethod
    def of(cls, rows: Iterable[Measurement]) -> "Table":
        """The table of these rows."""
        return Table(columns_of(rows))

    @property
    def values(self) -> Floats:
        """The values, NaN where nothing was measured."""
        return self._columns.values[self._at]

    def number(self, name: str) -> Integers:
        """The column "n", "index" or "started_ns", with NONE for None."""
        return self._columns.numbers[name][self._at]

    def words(self, name: str) -> Words:
        """A column of words."""
        return Words(self.codes(name), self._columns.words[name].known)

    def texts(self, name: str) -> list[str]:
        """The column "where" or "original"."""
        whole = self._columns.texts[name]
        if isinstance(self._at, slice):
            return list(whole[self._at])
        return [whole[int(place)] for place in self._at]

    def codes(self, name: str) -> Codes:
        """The codes of a column of words; equal codes are equal words."""
        return self._columns.words[name].codes[self._at]

    def distinct(self, name: str) -> tuple[str, ...]:
        """The different words of a column, sorted."""
        codes, known = self.codes(name), self._columns.words[name].known
        if len(known) == 1:
            return known[: codes.size]
        return tuple(sorted(known[code] for code in np.flatnonzero(np.bincount(codes))))

    def combinations(self, *names: str) -> tuple[tuple[str, ...], ...]:
        """The different combinations of words in these columns, sorted."""
        if not len(self):
            return ()
        found = np.unique(np.stack([self.codes(name) for name in names], axis=1), axis=0)
        columns = [self._columns.words[name].known for name in names]
        return tuple(
            sorted(tuple(known[code] for known, code in zip(columns, row, strict=True)) for row in found.tolist())
        )

    def only(self, **words: str) -> "Table":
        """The rows that hold these words, for example `only(metric="ttft", phase="measured")`."""
        mask: NDArray[np.bool_] | None = None
        for name, word in words.items():
            column = self._columns.words[name]
            if column.known == (word,):
                continue
            here = self.codes(name) == column.code_of(word)
            mask = here if mask is None else mask & here
        return self if mask is None else self.where(mask)

    def measured(self) -> "Table":
        """The rows that hold a value."""
        return self.where(~np.isnan(self.values))

    def not_measured(self) -> "Table":
        """The rows that hold none."""
        return self.where(np.isnan(self.values))

    def where(self, mask: NDArray[np.bool_]) -> "Table":
        """The rows at which the mask, as long as the table, is true."""
        return self if mask.all() else Table(self._columns, self._places()[mask])

    def by(self, name: str) -> Mapping[str, "Table"]:
        """The rows of each word of a column, in the order in which the words first appear."""
        codes, known = self.codes(name), self._columns.words[name].known
        if not codes.size:
            return {}
        if len(known) == 1:
            return {known[0]: self}
        places = self._places()
        order = np.argsort(codes, kind="stable") if (np.diff(codes) < 0).any() else None
        if order is not None:
            codes, places = codes[order], places[order]
        starts = np.flatnonzero(np.diff(codes, prepend=codes[0] - 1))
        ends = np.append(starts[1:], codes.size)
        found = [(places[a:b], known[codes[a]]) for a, b in zip(starts, ends, strict=True)]
        return {word: Table(self._columns, _tight(rows)) for rows, word in sorted(found, key=lambda one: one[0][0])}

    def _places(self) -> Places:
        at = self._at
        return np.arange(*at.indices(self._columns.values.size)) if isinstance(at, slice) else at

    def __len__(self) -> int:
        return int(self.values.size)

    def __iter__(self) -> Iterator[Measurement]:
        return (self._row(int(place)) for place in self._places())

    @overload
    def __getitem__(self, which: int) -> Measurement: ...
    @overload
    def __getitem__(self, which: slice) -> "Table": ...
    def __getitem__(self, which: int | slice) -> "Measurement | Table":
        if isinstance(which, int):
            return self._row(int(self._span()[which] if isinstance(self._at, slice) else self._at[which]))
        if isinstance(self._at, slice) and (span := self._span()[which]).step > 0:
            return Table(self._columns, slice(span.start, span.stop, span.step))
        return Table(self._columns, self._places()[which])

    def _span(self) -> range:
        """The places of a selection that is a slice."""
        return range(*cast("slice", self._at).indices(self._columns.values.size))

    def _row(self, place: int) -> Measurement:
        value = float(self._columns.values[place])
        row: dict[str, Any] = {name: words.known[words.codes[place]] for name, words in self._columns.words.items()}
        row |= {name: _or_none(int(column[place])) for name, column in self._columns.numbers.items()}
        row |= {name: column[place] for name, column in self._columns.texts.items()}
        return Measurement(value=None if value != value else value, **row)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return len(self) == len(other) and all(ours == theirs for ours, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # like a list: too large to be a key

    def __repr__(self) -> str:
        return f"Table of {len(self)} measurements"


def _or_none(number: int) -> int | None:
    return None if number == NONE else number


def _tight(places: Places) -> slice | Places:
    """A slice where the places follow each other, so that selecting copies nothing."""
    first, last = int(places[0]), int(places[-1])
    return slice(first, last + 1) if last - first + 1 == places.size and (np.diff(places) == 1).all() else places


def columns_of(rows: Iterable[Measurement]) -> Columns:
    """The columns of these rows, made in one pass."""
    values = array("d")
    numbers = {name: array("q") for name in NUMBERS}
    codes: dict[str, array[int]] = {name: array("i") for name in WORDS}
    known: dict[str, dict[str, int]] = {name: {} for name in WORDS}
    texts: dict[str, list[str]] = {name: [] for name in TEXTS}
    for row in rows:
        values.append(math.nan if row.value is None else row.value)
        for name, column in numbers.items():
            number = getattr(row, name)
            column.append(NONE if number is None else number)
        for name, words in known.items():
            codes[name].append(words.setdefault(getattr(row, name), len(words)))
        for name, lines in texts.items():
            lines.append(getattr(row, name))
    return Columns(
        np.frombuffer(values, dtype=np.float64),
        {name: np.frombuffer(column, dtype=np.int64) for name, column in numbers.items()},
        {name: Words(np.frombuffer(codes[name], dtype=np.int32), tuple(known[name])) for name in WORDS},
        texts,
    )
