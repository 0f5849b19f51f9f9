"""The columns of a sheet, of which only what is asked for is made: millions of rows share what a row or a slot says."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final, cast, overload

import numpy as np
from numpy.typing import NDArray

from analysis.evidence.cell_columns import Column
from analysis.table import Codes, Integers

KEPT: Final = 4  # blocks whose numbers as written are kept, because rows of several runs may stand between each other


class Made(ABC):
    """A column that is made where it is looked at, as an array is: at a place, a slice, or an array of places."""

    def __init__(self, size: int) -> None:
        self.size = size

    @abstractmethod
    def at(self, places: Any) -> Any:
        """What stands at these places, or at this one."""

    def __getitem__(self, which: Any) -> Any:
        return self.at(np.arange(*which.indices(self.size)) if isinstance(which, slice) else which)


class OfRow(Made):
    """What all slots of a row share."""

    def __init__(self, size: int, of_row: "NDArray[Any]", width: int, dtype: type) -> None:
        super().__init__(size)
        self._of_row, self._width, self._dtype = of_row, width, dtype

    def at(self, places: Any) -> Any:
        """As above."""
        return self._of_row[places // self._width].astype(self._dtype)


class OfSlot(Made):
    """What a slot has in all rows."""

    def __init__(self, size: int, of_slot: "NDArray[Any]") -> None:
        super().__init__(size)
        self._of_slot = of_slot

    def at(self, places: Any) -> Any:
        """As above."""
        return self._of_slot[places % self._of_slot.size]


class Seldom(Made):
    """Codes that are 0 nearly everywhere."""

    def __init__(self, size: int, places: "NDArray[Any]", found: "NDArray[Any]") -> None:
        super().__init__(size)
        order = np.argsort(places)
        self._places, self._found = np.append(places[order], size), np.append(found[order], 0)

    def at(self, places: Any) -> Any:
        """As above."""
        near = np.searchsorted(self._places, places)
        return np.where(self._places[near] == places, self._found[near], 0)


def integers(made: Made) -> Integers:
    """The column as a table holds it: it only looks at places."""
    return cast("Integers", made)


def codes(made: Made) -> Codes:
    """As `integers`."""
    return cast("Codes", made)


class Texts(Sequence[str], ABC):
    """Texts that are made when they are asked for."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size

    @abstractmethod
    def made(self, places: range) -> list[str]:
        """The texts at these places."""

    @overload
    def __getitem__(self, which: int) -> str: ...
    @overload
    def __getitem__(self, which: slice) -> list[str]: ...
    def __getitem__(self, which: int | slice) -> str | list[str]:
        places = range(self._size)[which]
        return self.made(places) if isinstance(places, range) else self.made(range(places, places + 1))[0]


class Wheres(Texts):
    """The place of each value: the line of its row, and its column."""

    def __init__(self, size: int, name: str, lines: "NDArray[Any]", suffixes: Sequence[str]) -> None:
        super().__init__(size)
        self._name, self._lines, self._suffixes = name, lines, suffixes

    def made(self, places: range) -> list[str]:
        """As above."""
        width = len(self._suffixes)
        return [f"{self._name}:{self._lines[at // width]}{self._suffixes[at % width]}" for at in places]


class Originals(Texts):
    """The number of each value as written, for which its block is read again."""

    def __init__(self, size: int, again: Callable[[int], Sequence[Column]], ends: Sequence[int], width: int) -> None:
        super().__init__(size)
        self._again, self._ends, self._width = again, np.array(ends), width
        self._kept: dict[int, Sequence[Column]] = {}

    def made(self, places: range) -> list[str]:
        """As above."""
        if len(places) < 2 or places.step != 1:
            return [self._one(at) for at in places]
        rows = [places[0] // self._width, places[-1] // self._width]
        first, last = np.searchsorted(self._ends, rows, side="right").tolist()
        begin = self._first_row(first) * self._width
        texts = np.concatenate([self._texts(number) for number in range(first, last + 1)])
        found: list[str] = texts[places.start - begin : places.stop - begin].tolist()
        return found

    def _one(self, at: int) -> str:
        row, slot = divmod(at, self._width)
        number = int(np.searchsorted(self._ends, row, side="right"))
        column = self._block(number)[slot]
        return column.texts[int(column.codes[row - self._first_row(number)])]

    def _first_row(self, number: int) -> int:
        return int(self._ends[number - 1]) if number else 0

    def _texts(self, number: int) -> "NDArray[Any]":
        """All texts of a block."""
        columns = self._block(number)
        return np.stack([np.array(column.texts, dtype=object)[column.codes] for column in columns], axis=1).reshape(-1)

    def _block(self, number: int) -> Sequence[Column]:
        if number not in self._kept:
            if len(self._kept) == KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[number] = self._again(number)
        return self._kept[number]


class Behind(Made):
    """A column, and behind it some more."""

    def __init__(self, size: int, first: Any, more: "NDArray[Any]") -> None:
        super().__init__(size + more.size)
        self._size, self._first, self._more = size, first, more

    def at(self, places: Any) -> Any:
        """As above."""
        places = np.asarray(places)
        found = np.empty(places.shape, dtype=self._more.dtype)
        early = places < self._size
        found[early], found[~early] = self._first[places[early]], self._more[places[~early] - self._size]
        return found


class TextsBehind(Texts):
    """Texts, and behind them some more."""

    def __init__(self, size: int, first: Sequence[str], more: Sequence[str]) -> None:
        super().__init__(size + len(more))
        self._first, self._more = first, more

    def made(self, places: range) -> list[str]:
        """As above."""
        size = len(self._first)
        if len(places) == 1 or places.step != 1 or places.stop <= size:
            return [self._first[at] if at < size else self._more[at - size] for at in places]
        start = min(places.start, size)
        return [*self._first[start:size], *self._more[max(places.start - size, 0) : places.stop - size]]
