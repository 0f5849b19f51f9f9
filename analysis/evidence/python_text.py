"""Settings that a program printed as Python writes them: `Namespace(seed=0, goodput=None)`, `{'dtype': 'auto'}`."""

import re
from collections.abc import Iterator
from typing import Final

OPENING: Final = "([{<"
CLOSING: Final = ")]}>"
QUOTED: Final = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
KEYWORD: Final = re.compile(r"\s*([A-Za-z_][\w.]*)\s*=\s*(.*)", re.DOTALL)
KEY: Final = re.compile(r"""\s*(?:'([^']+)'|"([^"]+)")\s*:\s*(.*)""", re.DOTALL)


def settings(text: str) -> Iterator[tuple[str, str]]:
    """Names and values of keyword arguments or of a dictionary, without the brackets around them.

    A value loses its quotes. What is neither is passed over.
    """
    for part in _parts(text):
        keyword, key = KEYWORD.fullmatch(part), KEY.fullmatch(part)
        if keyword:
            yield keyword[1], _plain(keyword[2])
        elif key:
            yield key[1] or key[2], _plain(key[3])


def inside(text: str, opening: str) -> str:
    """What stands between the first bracket and the one that closes it; the rest of the text when none does."""
    start = text.find(opening) + len(opening)
    depth, at = 1, start
    while at < len(text):
        quoted = QUOTED.match(text, at)
        if quoted:
            at = quoted.end()
            continue
        depth += (text[at] in OPENING) - (text[at] in CLOSING)
        if depth == 0:
            return text[start:at]
        at += 1
    return text[start:]


def _parts(text: str) -> Iterator[str]:
    depth = start = at = 0
    while at < len(text):
        quoted = QUOTED.match(text, at)
        if quoted:
            at = quoted.end()
            continue
        if text[at] == "," and depth == 0:
            yield text[start:at]
            start = at + 1
        depth += (text[at] in OPENING) - (text[at] in CLOSING)
        at += 1
    yield text[start:]


def _plain(value: str) -> str:
    stripped = value.strip()
    return stripped[1:-1] if QUOTED.fullmatch(stripped) else stripped
