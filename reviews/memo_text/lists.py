"""Lists in a line, and rows in cells: `first | name: value | name: value`.

In a cell, `\\|` is a bar and `\\\\` a backslash. A cell that is named and empty says "empty" on purpose.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reviews.memo_text.text import fold, tidy

_SHIELDED: Final = re.compile(r"<[^<>\n]*>|\([^()\n]*\)|\[[^\[\]\n]*\]")
_COMMAS: Final = r"[;\n]|,(?!\d)|(?<!\d),"
_CELL: Final = re.compile(r"(?:[^\\|]|\\.?)*", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\([\\|])")


def split_list(text: str, words: Sequence[str] = (), whole: re.Pattern[str] | None = None) -> list[str]:
    """The items between commas, semicolons and `words` ("or"); nothing is split inside (), [], <> or `whole`."""
    shielded = _SHIELDED.sub(_shield, text)
    shielded = whole.sub(_shield, shielded) if whole else shielded
    joined = "|".join([_COMMAS, *(rf"\s{word}\s" for word in words)])
    items, start = [], 0
    for m in re.finditer(joined, shielded, re.IGNORECASE):
        items.append(text[start : m.start()])
        start = m.end()
    items.append(text[start:])
    return [item for raw in items if (item := _bare(raw, words))]


def _shield(m: re.Match[str]) -> str:
    return "_" * len(m.group())


def _bare(item: str, words: Sequence[str]) -> str:
    bare = tidy(item)
    for word in words:
        bare = re.sub(rf"^{word}\s+", "", bare, flags=re.IGNORECASE)
    return bare.removesuffix(".").strip()


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its first cell, its named cells, and the cells that have no name that is known here."""

    first: str
    cells: Mapping[str, str]
    unknown: tuple[str, ...]

    def get(self, name: str) -> str:
        """The cell of this name, "" when it is empty or absent."""
        return self.cells.get(name, "")


def split_row(text: str, names: Sequence[str]) -> Row:
    """The cells of a row. A first cell is always taken as such, whatever it looks like."""
    first, *others = [cell.strip() for cell in _cells(text)]
    cells: dict[str, str] = {}
    unknown = []
    for cell in others:
        name, colon, value = cell.partition(":")
        if colon and fold(name) in names and fold(name) not in cells:
            cells[fold(name)] = value.strip()
        elif cell:
            unknown.append(cell)
    return Row(first, cells, tuple(unknown))


def _cells(text: str) -> list[str]:
    cells, start = [], 0
    while start <= len(text):
        m = _CELL.match(text, start)
        assert m is not None  # noqa: S101 - the pattern takes the empty cell too
        cells.append(_ESCAPED.sub(r"\1", m.group()))
        start = m.end() + 1
    return cells


def join_row(first: str, cells: Sequence[tuple[str, str]]) -> str:
    """The text of a row, the inverse of `split_row`."""
    return " | ".join([_escaped(first), *(f"{name}: {_escaped(value)}".rstrip() for name, value in cells)])


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|")
