"""What became of every line of a pasted text, for the preview beside it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from reviews.memo_text.grammar import classify
from reviews.memo_text.labels import SECTIONS
from reviews.memo_text.parse import Parsed
from reviews.memo_text.reader import read
from reviews.memo_text.text import lines_of

Became = Literal["record", "kept", "frame", "blank"]
_HEADINGS: Final = {section: headings[0] for section, headings in SECTIONS}


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line of the text. became: a record, kept as it stands, part of the frame (title, heading, trailer), or blank.

    said: which record, or what of the frame, in words. notes: sentences for the author about this line.
    """

    number: int
    text: str
    became: Became
    said: str
    notes: tuple[str, ...]


def line_by_line(text: str, parsed: Parsed) -> tuple[ReadLine, ...]:
    """Every line of the text that `parsed` was read from, in order; raises as `parse`."""
    fields = {line.line: f.label.printed for f in read(text).fields for line in f.lines}
    kept = {line.line for line in parsed.content.header.kept}
    notes = {note.line: tuple(_notes_on(parsed, note.line)) for note in parsed.notes}
    return tuple(
        _line(number, raw, kept=number in kept, label=fields.get(number, ""), notes=notes.get(number, ()))
        for number, raw in enumerate(lines_of(text), start=1)
    )


def _notes_on(parsed: Parsed, line: int) -> Iterator[str]:
    return (note.sentence for note in parsed.notes if note.line == line)


def _line(number: int, raw: str, *, kept: bool, label: str, notes: tuple[str, ...]) -> ReadLine:
    if kept:
        return ReadLine(number, raw, "kept", "kept as it stands", notes)
    if label:
        return ReadLine(number, raw, "record", label, notes)
    line = classify(raw, "")
    if line.kind in ("blank", "rule"):
        return ReadLine(number, raw, "blank", "", notes)
    said = {"heading": f"heading: {_HEADINGS.get(line.section, '')}", "trailer": "where it was exported from"}
    return ReadLine(number, raw, "frame", said.get(line.kind, "title"), notes)
