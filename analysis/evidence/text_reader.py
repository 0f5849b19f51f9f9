"""Bytes to text and lines: encodings, line ends, colours and rank tags, each departure recorded in words."""

import codecs
import re
from dataclasses import dataclass
from mmap import mmap
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import limits
from analysis.evidence.format import Document

ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
MPIRUN_TAG: Final = re.compile(r"\[\d+,\d+\]<std(?:out|err)>:\s?")
RANK_TAGS: Final = re.compile(r"^(?:\s*\[rank\d+\]:\s*|\s*\d+: )+")
LINE_END: Final = re.compile(r"\r\n|\n|\r")
ENDS: Final = re.compile(rb"[\r\n]")
LINE_BYTES: Final = 4096
MARKED_LINES: Final = 20_000

MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with a byte order mark"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 (little endian)"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 (big endian)"),
)


CP1252: Final = "the text is no UTF-8: read as Windows-1252"


@dataclass(frozen=True, slots=True)
class Text:
    """The decoded file. leniences: what was needed to decode it."""

    text: str
    leniences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end; number counts from 1."""

    number: int
    text: str


def ends(document: Document) -> tuple[bytes, bytes]:
    """The first and the last part of a file as UTF-8 without mark, for recognition. Never raises."""
    for mark, encoding, _ in MARKS:
        if document.head.startswith(mark):
            even = len(document.tail) - (document.size - len(mark)) % 2
            parts = document.head[len(mark) :], document.tail[-even:]
            head, tail = (part.decode(encoding, errors="ignore").encode(errors="ignore") for part in parts)
            return head, tail
    return document.head, document.tail


def as_utf8(document: Document) -> bytes | mmap:
    """The whole file as UTF-8 without mark, for recognition by lines that may stand anywhere. Never raises."""
    content = document.searched()
    for mark, encoding, _ in MARKS:
        if document.head.startswith(mark):
            return content[len(mark) :].decode(encoding, errors="ignore").encode(errors="ignore")
    return content


def holds(document: Document, *marks: bytes) -> bool:
    """Whether one of these stands anywhere in the file. Never raises."""
    content = document.searched()
    return any(content.find(mark) >= 0 for mark in marks)


def has_line(document: Document, mark: bytes, pattern: re.Pattern[str]) -> bool:
    """Whether the pattern is found in a line that holds the mark, anywhere in the file. Never raises.

    Only so many lines with the mark are looked at, and of a long line only what is near the mark.
    """
    content, at = as_utf8(document), -1
    for _ in range(MARKED_LINES):
        at = content.find(mark, at + 1)
        if at < 0:
            return False
        first, after = max(0, at - LINE_BYTES), content[at : at + LINE_BYTES]
        before = content[first:at]
        start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
        line = before[start:] + ENDS.split(after, maxsplit=1)[0]
        if pattern.search(bare(line.decode(errors="replace"))):
            return True
        at += len(line) - len(before) + start
    return False


def decode(document: Document) -> Text:
    """The text of a file.

    Raises:
        MalformedEvidence: empty, too_large, not_text.
    """
    content = document.content
    if not content.strip():
        raise MalformedEvidence("the file is empty", where=document.name, code="empty")
    for mark, encoding, words in MARKS:
        if content.startswith(mark):
            return _decoded(content[len(mark) :], encoding, document.name, (f"the text is {words}",))
    try:
        return _decoded(content, "utf-8", document.name, ())
    except MalformedEvidence:
        return _decoded(content, "cp1252", document.name, (CP1252,))


def _decoded(content: bytes, encoding: str, where: str, leniences: tuple[str, ...]) -> Text:
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise MalformedEvidence("the file is no text", where=where, code="not_text") from error
    if "\x00" in text:
        raise MalformedEvidence("the file is no text", where=where, code="not_text")
    return Text(text, leniences)


def lines(document: Document) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    """The lines of a file, without colours and rank tags, and the leniences of decoding."""
    decoded = decode(document)
    parts = LINE_END.split(decoded.text)
    limits.refuse_many_rows(len(parts), document.name)
    return tuple(Line(number, bare(part)) for number, part in enumerate(parts, start=1)), decoded.leniences


def bare(line: str) -> str:
    """A line without colours and rank tags."""
    return RANK_TAGS.sub("", MPIRUN_TAG.sub("", ANSI.sub("", line)))
