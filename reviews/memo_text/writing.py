"""Lines of a memo text: fields, lists and rows as they are written.

Where a plain line is read back as the same record, it is written; else the explicit form of docs/memo-text.md.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from reviews.memo_text.findings import Findings, Source
from reviews.memo_text.grammar import escape
from reviews.memo_text.labels import BY_PATH, PRINTED_HEADINGS
from reviews.memo_text.lists import join_row
from reviews.memo_text.reader import read_lines
from reviews.memo_text.text import paragraphs_of
from reviews.sections import Unfilled

_INDENT: Final = "   "
_INNER: Final = "     "

Record = TypeVar("Record")
Cells = Sequence[tuple[str, str]]


def read_back(lines: Iterable[str], interpret: Callable[[Source], Record]) -> Record:
    """The record that these lines are read as."""
    return interpret(Source(read_lines(lines), Findings()))


def wanted_at(path: str, unfilled: Iterable[Unfilled], said: str = "") -> list[str]:
    """The placeholders of a field that the words `said` do not hold already."""
    return [f"<{u.wanted}>" for u in unfilled if u.field == path and f"<{u.wanted}>" not in said]


def field_lines(path: str, value: str, unfilled: Iterable[Unfilled]) -> list[str]:
    """A field of prose; nothing for an empty one that the template does not ask for."""
    label = BY_PATH[path]
    said = value or " ".join(wanted_at(path, unfilled))
    if not said and not label.asked:
        return []
    return _with_paragraphs(f"{_INDENT}- {label.printed}: ", said, _INNER, first=lambda words: words)


def item_lines(text: str) -> list[str]:
    """One item of a list under its label."""
    return _with_paragraphs(f"{_INNER}- ", text, f"{_INNER}  ", first=escape)


def _with_paragraphs(start: str, text: str, indent: str, *, first: Callable[[str], str]) -> list[str]:
    head, *others = paragraphs_of(text) or [""]
    return [f"{start}{first(head)}".rstrip(), *(line for words in others for line in ("", f"{indent}{escape(words)}"))]


def list_lines(
    path: str, items: Sequence[str], unfilled: Iterable[Unfilled], same: Callable[[list[str]], bool]
) -> list[str]:
    """A list beside its label when it is read back the `same`, else one item a line."""
    label = BY_PATH[path]
    every = [*items, *wanted_at(path, unfilled, "\n".join(items))]
    if not every and not label.asked:
        return []
    beside = [f"{_INDENT}- {label.printed}: {', '.join(every)}".rstrip()]
    if "\n" not in beside[0] and same(beside):
        return beside
    return [f"{_INDENT}- {label.printed}:", *(line for item in every for line in item_lines(item))]


def row_lines(path: str, rows: Sequence[tuple[str, Cells]], unfilled: Iterable[Unfilled] = ()) -> list[str]:
    """One line a row: its first cell, then its named cells."""
    texts = [join_row(first, cells) for first, cells in rows]
    every = [*texts, *wanted_at(path, unfilled, "\n".join(texts))]
    start = f"{_INDENT}- {BY_PATH[path].printed}: "
    return [line for text in every for line in _with_paragraphs(start, text, _INNER, first=lambda words: words)]


def none_line(path: str) -> list[str]:
    """A list that says that it has no rows."""
    return [f"{_INDENT}- {BY_PATH[path].printed}: none"]


def numbered(blocks: Iterable[tuple[str, list[str]]]) -> list[str]:
    """The blocks that have lines, each under its numbered heading."""
    lines: list[str] = []
    for number, (section, block) in enumerate(((s, b) for s, b in blocks if b), start=1):
        lines += ["", f"{number}. {PRINTED_HEADINGS[section]}", *block]
    return lines
