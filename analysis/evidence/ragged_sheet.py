"""Measurements that were read in blocks of records which do not all hold the same: each knows its slot and its record.

Records are counted from 0, and their places are written "file.jsonl:[7].metrics.ttft".
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.errors import MalformedEvidence
from analysis.evidence.cell_columns import Column
from analysis.evidence.collect import Figure, Sample
from analysis.evidence.sheet import MOST_WORDS, OF_ROW, OF_SLOT, Rows, Sheet, Slot
from analysis.evidence.sheet_columns import Behind, Made, Texts, TextsBehind, codes, integers
from analysis.evidence.watch import Watch
from analysis.table import NONE, Columns, Table, Words

ONE: Final[tuple[Slot, ...]] = (Slot("", "", "", ""),)


@dataclass(slots=True)
class Figures:
    """The figures of the records of a block, in their order."""

    records: list[int] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    index: list[int] = field(default_factory=list)
    started: list[int] = field(default_factory=list)
    words: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in OF_ROW})

    def originals(self) -> list[Column]:
        """The numbers as written."""
        return [Column.of([figure.original for figure in self.figures])]


@dataclass(slots=True)
class RaggedSheet:
    """The figures that were read so far. slots: what they are, by their code; suffixes of places included."""

    name: str
    originals: Callable[[int], Figures]
    watch: Watch
    sheet: Sheet = field(init=False)
    slots: dict[Slot, int] = field(default_factory=dict)
    _slot_of: "array[int]" = field(default_factory=lambda: array("H"))

    def __post_init__(self) -> None:
        self.sheet = Sheet(self.name, ONE, lambda number: self.originals(number).originals(), self.watch)

    def measured(self, into: Figures, metric: str, figure: Figure, sample: Sample, column: str) -> None:
        """Add a figure to those of its block. sample: its index is that of the record; column: its place there."""
        record = sample.index or 0
        slot = Slot(metric, figure.unit, figure.original_unit, column)
        if len(self.slots) >= MOST_WORDS and slot not in self.slots:
            message = f"more than {MOST_WORDS} different metrics: split the file"
            raise MalformedEvidence(message, where=self.name, code="too_many_rows")
        into.records.append(record)
        into.slots.append(self.slots.setdefault(slot, len(self.slots)))
        into.figures.append(figure)
        into.index.append(record)
        into.started.append(NONE if sample.started_ns is None else sample.started_ns)
        for name, word in (("run", "0"), ("phase", sample.phase), ("stage", sample.stage)):
            into.words[name].append(self.sheet.code(name, word))

    def add(self, found: Figures) -> None:
        """Add the figures of a block. Raises MalformedEvidence(too_many_rows), and what the watch raises."""
        value = np.array([np.nan if one.value is None else one.value for one in found.figures])
        reasons: dict[str, list[int]] = {}
        for row in np.flatnonzero(np.isnan(value)).tolist():
            reasons.setdefault(found.figures[row].reason, []).append(row)
        self.sheet.add(
            Rows(
                np.array(found.records, dtype=np.int64),
                [value],
                [[(np.array(rows, dtype=np.int32), why) for why, rows in reasons.items()]],
                np.array(found.started, dtype=np.int64),
                np.array(found.index, dtype=np.int64),
                {name: np.array(found.words[name], dtype=np.int32) for name in OF_ROW},
            )
        )
        self._slot_of.frombytes(np.array(found.slots, dtype=np.uint16).tobytes())

    def table(self, more: Table) -> Table:
        """The measurements in the order of the file, all of one run, and behind them some more."""
        columns, size = self.sheet.columns(), self.sheet.rows
        slot_of = np.frombuffer(self._slot_of, dtype=np.uint16)
        words = dict(columns.words)
        for name in OF_SLOT:
            each = [getattr(slot, name) for slot in self.slots]
            known = {word: code for code, word in enumerate(dict.fromkeys(each))}
            of_slot = np.array([known[word] for word in each], dtype=np.int32)
            words[name] = Words(codes(_OfKind(size, of_slot, slot_of)), tuple(known))
        suffixes = [f".{slot.column}" for slot in self.slots]
        where = Records(size, self.name, self.sheet.held("lines"), suffixes, slot_of)
        return behind(replace(columns, words=words, texts={**columns.texts, "where": where}), size, more)


class _OfKind(Made):
    """What the slot of each figure says."""

    def __init__(self, size: int, of_slot: "NDArray[Any]", slot_of: "NDArray[Any]") -> None:
        super().__init__(size)
        self._of_slot, self._slot_of = of_slot, slot_of

    def at(self, places: Any) -> Any:
        """As above."""
        return self._of_slot[self._slot_of[places]]


class Records(Texts):
    """The place of each figure: its record, and where it stands there."""

    def __init__(
        self, size: int, name: str, records: "NDArray[Any]", suffixes: Sequence[str], slot_of: "NDArray[Any]"
    ) -> None:
        super().__init__(size)
        self._name, self._records, self._suffixes, self._slot_of = name, records, suffixes, slot_of

    def made(self, places: range) -> list[str]:
        """As above."""
        return [f"{self._name}:[{self._records[at]}]{self._suffixes[self._slot_of[at]]}" for at in places]


def behind(columns: Columns, size: int, more: Table) -> Table:
    """The rows of the columns, and behind them some more."""
    words: dict[str, Words] = {}
    for name, column in columns.words.items():
        known = {word: code for code, word in enumerate(dict.fromkeys([*column.known, *more.words(name).known]))}
        codes_behind = [known[more.words(name).known[code]] for code in more.codes(name)]
        words[name] = Words(codes(Behind(size, column.codes, np.array(codes_behind, dtype=np.int32))), tuple(known))
    numbers = {name: integers(Behind(size, column, more.number(name))) for name, column in columns.numbers.items()}
    texts: Mapping[str, Sequence[str]] = {
        name: TextsBehind(size, column, more.texts(name)) for name, column in columns.texts.items()
    }
    return Table(Columns(np.append(columns.values, more.values), numbers, words, texts))
