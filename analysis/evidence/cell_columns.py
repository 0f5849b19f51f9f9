"""The cells of some rows by column: each different text once, so that what it means is looked for once.

What refuses a text is not raised at once but noted with its row, because the refusal of the first row counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

import numpy as np

from analysis.errors import MalformedEvidence
from analysis.evidence import values
from analysis.evidence.collect import Figure
from analysis.table import Codes, Floats, Integers

DAY: Final = 10  # characters of a date
SECOND: Final = 19  # characters of a date and a time in whole seconds
CLOCK: Final = ((11, 3600), (14, 60), (17, 1))  # where the digits stand, and the seconds that they count
MARKS: Final = ((13, ":"), (16, ":"))
MOST: Final = 100_000  # texts whose meaning is remembered
DIGITS: Final = 9  # of a fraction, at most
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Column:
    """Row i holds texts[codes[i]]; a text may stand there twice, or in no row."""

    codes: Codes
    texts: Sequence[str]

    @classmethod
    def of(cls, cells: Sequence[str]) -> "Column":
        """The column of these cells."""
        known: dict[str, int] = {}
        codes = np.fromiter((known.setdefault(cell, len(known)) for cell in cells), np.int32, len(cells))
        return Column(codes, tuple(known))

    def first_rows(self) -> list[int]:
        """The first row of each text, -1 when it is in none."""
        firsts = np.full(len(self.texts), -1)
        firsts[self.codes[::-1]] = np.arange(self.codes.size)[::-1]
        found: list[int] = firsts.tolist()
        return found

    def counts(self) -> list[int]:
        """How many rows have each text."""
        counts: list[int] = np.bincount(self.codes, minlength=len(self.texts)).tolist()
        return counts


@dataclass(slots=True)
class Refusals:
    """What refuses rows of a block: the first row counts, and in it what is looked at first."""

    found: list[tuple[int, int, Callable[[], object]]] = field(default_factory=list)

    def note(self, row: int, again: Callable[[], object]) -> None:
        """`again` raises, naming the place."""
        self.found.append((row, len(self.found), again))

    def settle(self) -> None:
        """Nothing; or what refuses the first of them."""
        for _, _, again in sorted(self.found, key=lambda one: one[:2]):
            again()


@dataclass(slots=True)
class Meanings(Generic[T]):
    """What the texts of a column mean. Only so many are remembered from block to block.

    meaning: of a text at a place; it may raise MalformedEvidence.
    """

    meaning: Callable[[str, str], T]
    known: dict[str, T] = field(default_factory=dict)

    def of(
        self, column: Column, where: Callable[[int], str], refusals: Refusals, rows: Integers | None = None
    ) -> list[T | None]:
        """The meaning of each text of the column; None of one that is refused, or is in no row. rows: that count."""
        if len(self.known) > MOST:
            self.known.clear()
        found: list[T | None] = []
        for code, text in enumerate(column.texts):
            if text not in self.known:
                try:
                    self.known[text] = self.meaning(text, "")
                except MalformedEvidence:
                    self._refuse(column, code, where, refusals, rows)
            found.append(self.known.get(text))
        return found

    def again(self, text: str) -> T:
        """The meaning of a text that was read before."""
        return self.known[text] if text in self.known else self.meaning(text, "")

    def _refuse(
        self, column: Column, code: int, where: Callable[[int], str], refusals: Refusals, rows: Integers | None
    ) -> None:
        """Note the first row that holds the text, if one does."""
        here = np.flatnonzero(column.codes == code) if rows is None else rows[column.codes[rows] == code]
        if here.size:
            row = int(here[0])
            refusals.note(row, lambda: self.meaning(column.texts[code], where(row)))


def before(codes: Codes) -> Integers:
    """Of each row the one before it that has the same code, -1 for the first."""
    order = np.argsort(codes, kind="stable")
    same = np.flatnonzero(codes[order][1:] == codes[order][:-1])
    found: Integers = np.full(codes.size, -1, dtype=np.int64)
    found[order[same + 1]] = order[same]
    return found


def figures(column: Column, found: Sequence[Figure | None]) -> tuple[Floats, list[tuple[Codes, str]]]:
    """The values of a column, and the rows without one for each reason."""
    value = np.array([np.nan if one is None or one.value is None else one.value for one in found])
    reasons: dict[str, list[int]] = {}
    for code, one in enumerate(found):
        if one is not None and one.value is None:
            reasons.setdefault(one.reason, []).append(code)
    rows = [(np.flatnonzero(np.isin(column.codes, codes)).astype(np.int32), why) for why, codes in reasons.items()]
    return value[column.codes], rows


def moments(
    column: Column, moment: Callable[[str, str], int], where: Callable[[int], str], refusals: Refusals
) -> Integers:
    """The nanoseconds of a column of local times: of times that are written alike, the careful reader sees the days."""
    at = _alike(column.texts, moment)
    if at is None:
        found = Meanings(moment).of(column, where, refusals)
        at = np.array([0 if one is None else one for one in found], dtype=np.int64)
    return at[column.codes]


def _alike(texts: Sequence[str], moment: Callable[[str, str], int]) -> Integers | None:
    """The moments of texts like "2026/01/03 15:36:53.507"; None when one is written in another way, or is no time."""
    size = len(texts[0])
    joined = "".join(texts)
    if not SECOND <= size <= SECOND + 1 + DIGITS or len(joined) != size * len(texts) or not joined.isascii():
        return None
    if any(len(text) != size for text in texts):
        return None
    signs = np.frombuffer(joined.encode(), dtype=np.uint8).reshape(-1, size)
    marks = [*MARKS, *([(SECOND, ".")] if size > SECOND else [])]
    if any((signs[:, place] != ord(mark)).any() for place, mark in marks) or size == SECOND + 1:
        return None
    seconds = np.zeros(len(texts), dtype=np.int64)
    for place, worth in CLOCK:
        part = _number(signs[:, place : place + 2])
        if part is None or (part >= (24 if worth == CLOCK[0][1] else 60)).any():
            return None
        seconds += part * worth
    fraction = _number(signs[:, SECOND + 1 :])
    days = _days(texts, moment)
    if fraction is None or days is None:
        return None
    at: Integers = days + seconds * 10**9 + fraction * 10 ** (DIGITS - max(size - SECOND - 1, 0))
    return at


def _number(signs: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]") -> Integers | None:
    """The numbers that rows of digits write; None when one sign is no digit."""
    digits: Integers = signs.astype(np.int64) - ord("0")
    if ((digits < 0) | (digits > 9)).any():
        return None
    worth: Integers = 10 ** np.arange(digits.shape[1], dtype=np.int64)[::-1]
    return np.asarray(digits @ worth, dtype=np.int64)


def _days(texts: Sequence[str], moment: Callable[[str, str], int]) -> Integers | None:
    """The beginning of the day of each; None when one is no day."""
    days = Column.of([text[: DAY + 1] for text in texts])
    try:
        found = [moment(f"{day}00:00:00", "") for day in days.texts]
    except MalformedEvidence:
        return None
    if max(found) > values.BIGGEST_COUNT - 86_400 * 10**9:
        return None
    return np.array(found, dtype=np.int64)[days.codes]
