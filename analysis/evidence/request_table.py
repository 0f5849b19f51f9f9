"""The measurements of a request table that was read by column; what only people read is made when it is asked for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Final, TypeVar, overload

import numpy as np

from analysis.evidence.request_columns import PLACES, Requests
from analysis.table import Codes, Columns, Floats, Integers, Table, Words

MEASURED: Final = (
    ("input_tokens", "1", "prompt_tokens"),
    ("output_tokens", "1", "generation_tokens"),
    ("ttft", "s", "ttft"),
    ("generation_time", "s", "generation_time"),
    ("e2e_latency", "s", ""),
)
"""Metric, unit and column of the values of a row, in order."""
SPENT: Final = "finish_time - launch_time"
T = TypeVar("T")


def table(found: Requests, totals: Table) -> Table:
    """The measurements of the requests, and behind them those of the whole run."""
    raw = found.rows * PLACES
    values = _behind(found.values, raw, totals.values)
    numbers = {
        "n": partial(_numbers, totals, "n", lambda: np.ones(raw, dtype=np.int64)),
        "index": partial(_numbers, totals, "index", lambda: np.repeat(np.arange(found.rows), PLACES)),
        "started_ns": partial(_numbers, totals, "started_ns", lambda: np.repeat(found.launched[: found.rows], PLACES)),
    }
    metrics, units = [metric for metric, _, _ in MEASURED], [unit for _, unit, _ in MEASURED]
    every = {"metric": metrics, "unit": units, "original_unit": units, "kind": ["raw"], "stat": ["value"]}
    every |= {"run": ["0"], "phase": ["measured"], "stage": [""], "reason": [""], "item": [""], "subject": [""]}
    words = {name: partial(_words, totals, name, cycle, raw) for name, cycle in every.items()}
    texts = {
        "where": _Texts(raw, partial(_where, found), totals.texts("where")),
        "original": _Texts(raw, _Originals(found).text, totals.texts("original")),
    }
    return Table(Columns(values, _Later(numbers), _Later(words), texts))


def _behind(values: Floats, raw: int, more: Floats) -> Floats:
    """The first values and some more, in place where there is room."""
    if values.size < raw + more.size:
        return np.concatenate([values[:raw], more])
    values[raw : raw + more.size] = more
    return values[: raw + more.size]


def _numbers(totals: Table, name: str, made: Callable[[], Integers]) -> Integers:
    return np.concatenate([made(), totals.number(name)])


def _words(totals: Table, name: str, cycle: list[str], raw: int) -> Words:
    """A column in which the words of a row come again in every row."""
    known = dict.fromkeys([*cycle, *totals.distinct(name)])
    places = {word: code for code, word in enumerate(known)}
    behind = [places[totals.words(name).known[code]] for code in totals.codes(name)]
    if len(known) == 1:
        return Words(np.broadcast_to(np.int32(0), raw + len(behind)), tuple(known))
    codes: Codes = np.empty(raw + len(behind), dtype=np.int32)
    codes[:raw].reshape(-1, len(cycle))[:] = [places[word] for word in cycle]
    codes[raw:] = behind
    return Words(codes, tuple(known))


class _Later(Mapping[str, T]):
    """Columns, each made when it is first asked for."""

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers, self._made = makers, dict[str, T]()

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class _Texts(Sequence[str]):
    """Texts that are made when they are asked for, and some more behind them."""

    def __init__(self, size: int, text: Callable[[int], str], more: list[str]) -> None:
        self._size, self._text, self._more = size, text, more

    def __len__(self) -> int:
        return self._size + len(self._more)

    @overload
    def __getitem__(self, which: int) -> str: ...
    @overload
    def __getitem__(self, which: slice) -> list[str]: ...
    def __getitem__(self, which: int | slice) -> str | list[str]:
        places = range(len(self))[which]
        return [self._at(at) for at in places] if isinstance(places, range) else self._at(places)

    def _at(self, at: int) -> str:
        return self._text(at) if at < self._size else self._more[at - self._size]


def _where(found: Requests, at: int) -> str:
    row, place = divmod(at, PLACES)
    column = MEASURED[place][2]
    return f"{found.name}:{row + 2}.{column}" if column else f"{found.name}:{row + 2}"


class _Originals:
    """The numbers as written; the lines of the block that was asked last stay cut."""

    def __init__(self, found: Requests) -> None:
        self._blocks, self._ends = found.blocks, list(accumulate(found.sizes))
        self._columns = [found.header.index(column) if column else -1 for _, _, column in MEASURED]
        self._lines: tuple[int, list[bytes]] = (-1, [])

    def text(self, at: int) -> str:
        """The text of one value."""
        row, place = divmod(at, PLACES)
        if self._columns[place] < 0:
            return SPENT
        block = int(np.searchsorted(self._ends, row, side="right"))
        if self._lines[0] != block:
            self._lines = (block, self._blocks[block].splitlines())
        cells = self._lines[1][row - (self._ends[block - 1] if block else 0)].split(b",")
        return cells[self._columns[place]].strip().decode()
