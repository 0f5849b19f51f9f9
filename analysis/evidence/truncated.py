"""A JSON text whose end is missing, closed after its last complete element."""

import re
from typing import Final

TOKENS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+|"', re.DOTALL)
CLOSING: Final = {"[": "]", "{": "}"}


def closed(text: str) -> str | None:
    """The text cut after the last complete element of its outermost list that has one, with all brackets closed.

    "" when no list has a complete element; None when the text is not cut off: its brackets close, or do not match.
    """
    open_brackets: list[str] = []
    ends: list[int] = []  # for each open bracket: the end of its last complete element; 0 before there is one
    for found in TOKENS.finditer(text):
        part = found.group(0)
        if part == '"':  # a string whose end is missing
            break
        if part in CLOSING:
            open_brackets.append(part)
            ends.append(0)
        elif part in CLOSING.values():
            if not open_brackets or CLOSING[open_brackets.pop()] != part:
                return None
            ends.pop()
            if not open_brackets:
                return None
            ends[-1] = found.end()
        elif part == "," and ends:
            ends[-1] = found.start()
    for depth, bracket in enumerate(open_brackets):
        if bracket == "[" and ends[depth] > 0:
            return text[: ends[depth]] + "".join(CLOSING[b] for b in reversed(open_brackets[: depth + 1]))
    return ""
