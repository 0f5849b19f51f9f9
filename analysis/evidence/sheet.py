"""Measurements that were read in blocks of rows: the values in one array, and of each row what its values share.

Every row has the same slots: row 7 of 4 slots holds the values 28 to 31. What only people read (the place, and the
number as written) is made when it is asked for; for the number as written, its block is read once more.
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.errors import MalformedEvidence
from analysis.evidence import blocks
from analysis.evidence.cell_columns import Column
from analysis.evidence.sheet_columns import OfRow, OfSlot, Originals, Seldom, Wheres, codes, integers
from analysis.evidence.watch import Watch
from analysis.table import Codes, Columns, Floats, Integers, Table, Words

OF_ROW: Final = {"run": "I", "phase": "B", "stage": "H"}
"""How the codes of what all values of a row share are kept: a file has many rows and few phases."""
MOST_WORDS: Final = 2**16
OF_SLOT: Final = ("metric", "unit", "original_unit")
ALWAYS: Final = {"kind": "raw", "stat": "value", "item": "", "subject": ""}


@dataclass(frozen=True, slots=True)
class Slot:
    """What stands in one place of every row. column: how the place is named in the file, "" when not at all."""

    metric: str
    unit: str
    original_unit: str
    column: str


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a block.

    values: of each slot, one after the other. reasons: of each slot, the rows without a value and why.
    started: in ns, NONE where it is not known. words: run, phase and stage, as codes of the sheet.
    """

    lines: Integers
    values: Sequence[Floats]
    reasons: Sequence[Sequence[tuple[Codes, str]]]
    started: Integers
    index: Integers
    words: Mapping[str, Codes]


@dataclass(slots=True)
class Sheet:
    """The rows that were read so far.

    originals: the slots of a block, by its number, as the file writes them. known: the words that the codes stand for.
    """

    name: str
    slots: tuple[Slot, ...]
    originals: Callable[[int], Sequence[Column]]
    watch: Watch
    known: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in OF_ROW})
    rows: int = 0
    ends: list[int] = field(default_factory=list)
    _values: "array[float]" = field(default_factory=lambda: array("d"))
    _numbers: "dict[str, array[int]]" = field(
        default_factory=lambda: {"lines": array("I"), "index": array("I"), "started_ns": array("q")}
    )
    _codes: "dict[str, array[int]]" = field(
        default_factory=lambda: {name: array(kind) for name, kind in OF_ROW.items()}
    )
    _why: dict[str, int] = field(default_factory=lambda: {"": 0})
    _without: "tuple[array[int], array[int]]" = field(default_factory=lambda: (array("q"), array("i")))

    def code(self, name: str, word: str) -> int:
        """The code of a word."""
        known = self.known[name]
        if len(known) >= MOST_WORDS and word not in known:
            message = f"more than {MOST_WORDS} {name}s: split the file"
            raise MalformedEvidence(message, where=self.name, code="too_many_rows")
        return known.setdefault(word, len(known))

    def add(self, found: Rows) -> None:
        """Add the rows of a block. Raises MalformedEvidence(too_many_rows), and what the watch raises."""
        first, size = self.rows, found.lines.size
        blocks.refuse_many_values((first + size) * len(self.slots), self.name)
        together = np.empty((size, len(self.slots)))
        for at, (values, reasons) in enumerate(zip(found.values, found.reasons, strict=True)):
            together[:, at] = values
            for rows, why in reasons:
                _extend(self._without[0], (rows.astype(np.int64) + first) * len(self.slots) + at)
                _extend(self._without[1], np.full(rows.size, self._why.setdefault(why, len(self._why))))
        _extend(self._values, together)
        for name, numbers in (("lines", found.lines), ("index", found.index), ("started_ns", found.started)):
            _extend(self._numbers[name], numbers)
        for name in OF_ROW:
            _extend(self._codes[name], found.words[name])
        self.rows = first + size
        self.ends.append(self.rows)
        self.watch.count(size * len(self.slots))

    def held(self, name: str) -> Integers:
        """The numbers, or the codes of the words, of the rows so far; to be let go before more are added."""
        return _whole(self._codes[name] if name in self._codes else self._numbers[name])

    def rename(self, name: str, word: str, new: str) -> None:
        """Let a word that no other row has be another one."""
        self.known[name] = {new if one == word else one: code for one, code in self.known[name].items()}

    def table(self) -> Table:
        """The measurements, in the order of their runs and of the file."""
        runs, columns = _whole(self._codes["run"]), self.columns()
        if (runs[1:] >= runs[:-1]).all():
            return Table(columns)
        return Table(columns, np.argsort(np.repeat(runs, len(self.slots)), kind="stable"))

    def columns(self) -> Columns:
        """The measurements in the order of the file, by column."""
        size = self.rows * len(self.slots)
        return Columns(_whole(self._values), self._made_numbers(size), self._made_words(size), self._made_texts(size))

    def _made_numbers(self, size: int) -> dict[str, Integers]:
        width = len(self.slots)
        found = {name: OfRow(size, _whole(self._numbers[name]), width, np.int64) for name in ("index", "started_ns")}
        return {"n": integers(OfSlot(size, np.ones(1, dtype=np.int64)))} | {k: integers(v) for k, v in found.items()}

    def _made_words(self, size: int) -> dict[str, Words]:
        width = len(self.slots)
        words = {
            name: Words(codes(OfRow(size, _whole(self._codes[name]), width, np.int32)), tuple(self.known[name]))
            for name in OF_ROW
        }
        cycles = {name: [getattr(slot, name) for slot in self.slots] for name in OF_SLOT}
        cycles |= {name: [word] for name, word in ALWAYS.items()}
        for name, cycle in cycles.items():
            known = {word: code for code, word in enumerate(dict.fromkeys(cycle))}
            words[name] = Words(
                codes(OfSlot(size, np.array([known[word] for word in cycle], dtype=np.int32))), tuple(known)
            )
        words["reason"] = Words(codes(Seldom(size, *map(_whole, self._without))), tuple(self._why))
        return words

    def _made_texts(self, size: int) -> dict[str, Sequence[str]]:
        lines, width = _whole(self._numbers["lines"]), len(self.slots)
        suffixes = [f".{slot.column}" if slot.column else "" for slot in self.slots]
        return {
            "where": Wheres(size, self.name, lines, suffixes),
            "original": Originals(size, self.originals, self.ends, width),
        }


def _extend(held: "array[Any]", more: "NDArray[Any]") -> None:
    """Add some numbers, in place."""
    held.frombytes(np.ascontiguousarray(more, dtype=held.typecode).tobytes())


def _whole(held: "array[Any]") -> "NDArray[Any]":
    return np.frombuffer(held, dtype=held.typecode) if held else np.empty(0, dtype=held.typecode)
