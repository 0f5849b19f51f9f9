"""Where the objects of a JSON list end, by counting brackets outside strings: exact for well-formed text."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

QUOTE: Final = ord('"')
BACKSLASH: Final = ord("\\")
OPENING: Final = tuple(b"{[")
CLOSING: Final = tuple(b"}]")

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Outline:
    """end: behind the last whole object of the list, 0 when there is none. closed: where the list is closed, or -1."""

    end: int
    closed: int


def outline(text: bytes) -> Outline:
    """The outline of a text that begins inside a list, between two of its elements."""
    letters = np.frombuffer(text, dtype=np.uint8)
    brackets = np.flatnonzero(np.isin(letters, OPENING + CLOSING))
    brackets = brackets[np.searchsorted(_quotes(letters), brackets) % 2 == 0]
    opens = np.isin(letters[brackets], OPENING)
    depth = np.cumsum(np.where(opens, 1, -1))
    out = np.flatnonzero(depth < 0)
    inside = brackets[: out[0]] if out.size else brackets
    ends = inside[(depth[: inside.size] == 0) & ~opens[: inside.size]]
    return Outline(int(ends[-1]) + 1 if ends.size else 0, int(brackets[out[0]]) if out.size else -1)


def _quotes(letters: NDArray[np.uint8]) -> Places:
    """The quotes that begin or end a string: not those behind an odd number of backslashes."""
    quotes = np.flatnonzero(letters == QUOTE)
    backslashes = np.flatnonzero(letters == BACKSLASH)
    if not backslashes.size:
        return quotes
    begins = np.concatenate([[True], np.diff(backslashes) > 1])
    first = np.maximum.accumulate(np.where(begins, backslashes, 0))
    odd = backslashes[(backslashes - first) % 2 == 0]  # the last backslash of an odd number of them
    return quotes[~np.isin(quotes - 1, odd)]
