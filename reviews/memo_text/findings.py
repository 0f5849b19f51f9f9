"""What comes to light while a text is read: unfilled fields, notes for its author, lines that no record can say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from reviews.memo_text.lists import Row, split_row
from reviews.memo_text.placeholders import only_placeholders, placeholders
from reviews.memo_text.reader import Document, Field, Part
from reviews.memo_text.text import fold, paragraphs_of
from reviews.sections import KeptText, Unfilled

_DECIMAL: Final = re.compile(r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?")
_RANGE: Final = re.compile(
    r"[\[(]?\s*(?P<low>[0-9]{1,30}(?:\.[0-9]{1,30})?)?\s*(?:\.\.|to|[–—,;-])\s*(?P<high>[0-9]{1,30}(?:\.[0-9]{1,30})?)?\s*[\])]?"
)


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence for the author about a line; line 0 is the text as a whole."""

    line: int
    sentence: str


@dataclass(slots=True)
class Findings:
    """Gathered by the readers of the records. `value` and its kin say what a field holds."""

    notes: dict[Note, None] = field(default_factory=dict)
    unfilled: dict[Unfilled, None] = field(default_factory=dict)
    kept: dict[KeptText, None] = field(default_factory=dict)

    def note(self, line: int, sentence: str) -> None:
        """One more note; the same note is said once."""
        self.notes[Note(line, sentence)] = None

    def keep(self, found: Field, sentence: str) -> None:
        """The field's lines kept as they stand, and the reason noted."""
        self.kept.update(dict.fromkeys(found.lines))
        self.note(found.line, sentence)

    def value(self, path: str, text: str) -> str:
        """The words of a field; "" when it holds placeholders alone. Either way the placeholders are unfilled."""
        said = "\n".join(paragraphs_of(text))
        only = only_placeholders(said)
        for wanted in only or placeholders(said):
            self.unfilled[Unfilled(field=path, wanted=wanted)] = None
        return "" if only else said

    def number(self, path: str, text: str, found: Field) -> str:
        """A decimal; "" with a note, and the line kept, for what is none."""
        said = self.value(path, text)
        if not said or _DECIMAL.fullmatch(said):
            return said
        self.keep(found, f'"{said}" is not a decimal number; the line is kept.')
        return ""

    def interval(self, path: str, text: str, found: Field) -> tuple[str, str]:
        """The ends of "1.05..1.2", "1.05..", "..0.95"; both "" with a note, and the line kept, for what is none."""
        said = self.value(path, text)
        if not said:
            return "", ""
        if m := _RANGE.fullmatch(said):
            return m["low"] or "", m["high"] or ""
        self.keep(found, f'"{said}" is not a range such as 1.05..1.2; the line is kept.')
        return "", ""

    def choice(self, path: str, text: str, choices: Sequence[tuple[str, str]], found: Field) -> str:
        """The value whose name or label the text is; "" with a note, and the line kept, for what is none."""
        said = self.value(path, text)
        for value, label in choices:
            if fold(said) in (fold(value), fold(label)):
                return value
        if said:
            words = ", ".join(value.replace("_", " ") for value, _ in choices)
            self.keep(found, f'"{said}" is none of {words}; the line is kept.')
        return ""


@dataclass(frozen=True, slots=True)
class Source:
    """The document that is read and where findings go."""

    document: Document
    findings: Findings

    def field_at(self, path: str) -> Field | None:
        """The first field of a path; a repeated one is kept as text."""
        fields = list(self.document.all(path))
        for extra in fields[1:]:
            self.findings.keep(extra, f'"{extra.label.printed}" was said before; this one is kept as text.')
        return fields[0] if fields else None

    def text(self, path: str) -> str:
        """The words of a field, "" when it is absent or unfilled."""
        found = self.field_at(path)
        return self.findings.value(path, found.text) if found else ""

    def row(self, found: Field, text: str, names: Sequence[str]) -> Row:
        """The cells of a row; cells without a known name are kept with the lines of the field."""
        row = split_row(text, names)
        if row.unknown:
            said = " | ".join(row.unknown)
            self.findings.keep(
                found, f'"{said}" is no cell of "{found.label.printed}" ({", ".join(names)}); the line is kept.'
            )
        return row

    def rows(self, path: str) -> list[tuple[Field, Part]]:
        """Every row of a path, over all its fields."""
        return [(found, part) for found in self.document.all(path) for part in found.parts]
