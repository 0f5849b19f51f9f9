"""The lines of a text, gathered under their labels; what stands under none is kept with its line number."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from reviews.memo_text.grammar import Line, classify, trailer_of, unescape
from reviews.memo_text.labels import KEPT, Label
from reviews.memo_text.text import lines_of
from reviews.sections import KeptText

_KEPT_LINE: Final = re.compile(r"\s*-\s+line (?P<line>[0-9]{1,9}): (?P<text>.*)")
_LONGEST_TITLE: Final = 120


@dataclass(slots=True)
class Part:
    """Prose or one item of a list, from its first line on."""

    line: int
    paragraphs: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.paragraphs)

    def wrap(self, said: str) -> None:
        """The part with a wrapped line joined to its last paragraph."""
        self.paragraphs[-1] = f"{self.paragraphs[-1]} {said}"


@dataclass(slots=True)
class Field:
    """A label where it stood, its value beside or under it (`inline`), and the items listed under it."""

    label: Label
    line: int
    indent: int
    marked: bool
    hashed: bool
    alone: bool
    inline: Part | None = None
    items: list[Part] = field(default_factory=list)
    lines: list[KeptText] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return self.inline is None and not self.items

    @property
    def parts(self) -> list[Part]:
        return [*([self.inline] if self.inline else []), *self.items]

    @property
    def text(self) -> str:
        """All words of the field as prose."""
        return "\n".join(part.text for part in self.parts)

    def holds_bullet(self, line: Line) -> bool:
        """Whether a bullet on this line belongs to the field and is no unknown label beside it."""
        if line.indent > self.indent:
            return True
        takes_level = self.label.kind == "list" or not self.marked
        return takes_level and (self.alone or (self.label.kind == "list" and not self.marked))

    def holds_after_gap(self, line: Line) -> bool:
        """Whether plain words after an empty line still belong to the field."""
        return line.indent > self.indent or (self.alone and self.empty) or self.hashed


@dataclass(slots=True)
class Document:
    """What was read: fields in the order of the text, and the rest."""

    title: str = ""
    title_line: int = 0
    base: str = ""
    template: str = ""
    fields: list[Field] = field(default_factory=list)
    kept: list[KeptText] = field(default_factory=list)

    def all(self, path: str) -> Iterator[Field]:
        """The fields of a path, in the order of the text."""
        return (f for f in self.fields if f.label.path == path)


@dataclass(slots=True)
class _Reader:
    document: Document = field(default_factory=Document)
    section: str = ""
    current: Field | None = None
    gap: bool = False
    begun: bool = False

    def take(self, number: int, raw: str) -> None:
        if self.section == KEPT and (m := _KEPT_LINE.fullmatch(raw)):
            self.document.kept.append(KeptText(line=int(m["line"]), text=m["text"]))
            return
        line = classify(raw, self.section)
        if line.kind in ("blank", "rule"):
            self.gap = True
            return
        self._take_words(KeptText(line=number, text=raw), line)
        self.gap, self.begun = False, True

    def _take_words(self, kept: KeptText, line: Line) -> None:
        match line.kind:
            case "memo":
                self._memo(kept, line)
            case "heading":
                self.section, self.current = line.section, None
            case "label":
                self._label(kept, line)
            case "trailer":
                self._trailer(kept, line)
            case "bullet":
                self._bullet(kept, line)
            case "title":
                self._keep(kept, line)
            case _:
                self._text(kept, line)

    def _memo(self, kept: KeptText, line: Line) -> None:
        self.current = None
        if self.document.title and line.text:
            self.document.kept.append(kept)
        elif line.text:
            self.document.title = line.text

    def _label(self, kept: KeptText, line: Line) -> None:
        assert line.label is not None  # noqa: S101 - a label line has one
        self.current = Field(line.label, kept.line, line.indent, line.marked, line.hashed, line.alone, lines=[kept])
        if line.text:
            self.current.inline = Part(kept.line, [line.text])
        self.document.fields.append(self.current)

    def _trailer(self, kept: KeptText, line: Line) -> None:
        self.current = None
        base, template = trailer_of(line)
        if (base and self.document.base) or (template and self.document.template):
            self.document.kept.append(kept)
        self.document.base = self.document.base or base
        self.document.template = self.document.template or template

    def _bullet(self, kept: KeptText, line: Line) -> None:
        if self.current is None or not self.current.holds_bullet(line):
            self._keep(kept, line)
            return
        prose = self.current.label.kind == "text" and line.number
        self.current.items.append(Part(kept.line, [f"{line.number} {line.text}" if prose else unescape(line.text)]))
        self.current.lines.append(kept)

    def _text(self, kept: KeptText, line: Line) -> None:
        found = self.current
        if found is None or (self.gap and not found.holds_after_gap(line)):
            self._keep(kept, line)
            return
        said = unescape(line.text)
        if found.empty:
            found.inline = Part(kept.line, [said])
        elif self.gap:
            found.parts[-1].paragraphs.append(said)
        else:
            found.parts[-1].wrap(said)
        found.lines.append(kept)

    def _keep(self, kept: KeptText, line: Line) -> None:
        """The line kept as it stands; the first line of a text is its title, unless a memo line says another."""
        self.current = None
        if not self.begun and line.kind in ("title", "text") and len(line.text) <= _LONGEST_TITLE:
            self.document.title_line = kept.line
        self.document.kept.append(kept)


def read(text: str) -> Document:
    """The text as fields and kept lines. Raises BadInput or TooLarge, naming the line, for what is no text."""
    return read_lines(lines_of(text))


def read_lines(lines: Iterable[str]) -> Document:
    """Clean lines of any number as fields and kept lines."""
    reader = _Reader()
    for number, raw in enumerate(lines, start=1):
        reader.take(number, raw)
    return reader.document


def first_line_as_title(document: Document) -> str:
    """The words of the line that can be the title, taken out of what is kept; "" when there is none."""
    if not document.title_line:
        return ""
    [first] = [k for k in document.kept[:1] if k.line == document.title_line]
    document.kept.remove(first)
    return classify(first.text, "").text
