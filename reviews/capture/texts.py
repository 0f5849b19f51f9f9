"""Prompts and generated texts in the JSON files of serving benchmarks: found, and taken out byte by byte.

Only the value of the field changes: a list becomes [], a text "". Every number stays as the file has it. A file may
come in blocks: of a value only its two ends are kept.
"""

import re
from array import array
from collections.abc import Iterable, Iterator
from typing import IO, Final

from reviews.errors import BadInput

FIELDS: Final = (
    "generated_texts", "generated_text", "prompts", "prompt", "prompt_text", "input_texts", "input_text",
    "output_texts", "output_text", "messages", "response_chunks",
)  # fmt: skip
BODIES: Final = ("request", "response")
"""What a client sent and got: texts where they are JSON or events in quotes, as inference-perf keeps them."""
NEEDLES: Final = tuple(f'"{name}"'.encode() for name in (*FIELDS, *BODIES))
FIELD: Final = re.compile(
    rf'(?<!\\)"(?:({"|".join(FIELDS)})"\s{{0,64}}:\s{{0,64}}(?=["\[])'
    rf'|({"|".join(BODIES)})"\s{{0,64}}:\s{{0,64}}(?="(?:[{{\[]|data:)))'.encode()
)
LONGEST: Final = 256  # bytes that a field and what announces its value have at most
RUN: Final = re.compile(rb'(?:[^"\\]+|\\.)*', re.DOTALL)
NOTHING: Final = re.compile(rb"(?:\s|\\[nrt])*")
STRUCTURE: Final = re.compile(rb'["\[\]{}]')
FLAT: Final = re.compile(rb'(?:[^"\[\]{}]+|\[[^"\[\]{}]*\])*')
"""What stands in a list and holds no text: numbers, and whole lists of them."""
BLANK: Final = re.compile(rb"\s*")
BLOCK_BYTES: Final = 1 << 20


class TextScan:
    """The values of fields of text in a file that comes in blocks. A value without any text in it is none.

    fields: those that hold texts, with the line of the first. broken: the field whose value has no end, or "".
    """

    def __init__(self) -> None:
        self.fields: dict[str, int] = {}
        self.broken = ""
        self._ends = array("q")
        self._rest, self._at, self._lines, self._near = b"", 0, 1, False
        self._field, self._start, self._line = "", 0, 0
        self._depth, self._quoted, self._text, self._waiting = 0, False, False, False

    def feed(self, block: bytes, *, last: bool = False) -> None:
        """Look at the next block. last: none comes after it."""
        self._rest += block
        self._near = any(needle in self._rest for needle in NEEDLES)
        position: int | None = 0
        while position is not None:
            position = self._inside(position) if self._field else self._outside(position)
        if last and self._field:
            self.fields.setdefault(self._field, self._line)
            self.broken = self._field

    def spans(self) -> Iterator[tuple[int, int]]:
        """Where each value that holds texts begins and ends."""
        return zip(self._ends[::2], self._ends[1::2], strict=True)

    def _outside(self, position: int) -> int | None:
        """Go on to the next value of a field of text; None when the block has no more."""
        found = FIELD.search(self._rest, position) if self._near else None
        if found is None:
            self._leave(max(position, len(self._rest) - LONGEST))
            return None
        self._field = (found[1] or found[2]).decode()
        self._start = self._at + found.end()
        if self._field not in self.fields:
            self._line = self._lines + self._rest.count(b"\n", 0, found.end())
        self._depth, self._quoted, self._text, self._waiting = 0, False, False, False
        return found.end()

    def _inside(self, position: int) -> int | None:
        """Go on inside a value: through a text, behind it, or to the next bracket or text."""
        if self._quoted:
            return self._through(position)
        if self._waiting:
            blank = BLANK.match(self._rest, position)
            position = blank.end() if blank else position
            if position == len(self._rest):
                self._leave(position)
                return None
            self._text |= self._rest[position] != ord(":")  # else the text was the key of an object
            self._waiting = False
        if self._depth and (flat := FLAT.match(self._rest, position)):
            position = flat.end()
        found = STRUCTURE.search(self._rest, position)
        if found is None:
            self._leave(len(self._rest))
            return None
        if found[0] == b'"':
            self._quoted, self._waiting = True, False
        else:
            self._depth += 1 if found[0] in b"[{" else -1
        return found.end() if self._depth or self._quoted else self._end(found.end())

    def _through(self, position: int) -> int | None:
        """Go on to the end of a text."""
        run = RUN.match(self._rest, position)
        end = run.end() if run else position
        told = NOTHING.fullmatch(self._rest, position, end) is None
        if self._depth:
            self._waiting |= told
        else:
            self._text |= told
        if self._rest[end : end + 1] != b'"':
            self._leave(end)
            return None
        self._quoted = False
        return end + 1 if self._depth else self._end(end + 1)

    def _end(self, position: int) -> int:
        """Note a value that is over, if there is a text in it."""
        if self._text:
            self.fields.setdefault(self._field, self._line)
            self._ends.extend((self._start, self._at + position))
        self._field = ""
        return position

    def _leave(self, position: int) -> None:
        """Keep only what comes from there on, for the next block."""
        self._lines += self._rest.count(b"\n", 0, position)
        self._rest, self._at = self._rest[position:], self._at + position


def fields_in(content: bytes) -> tuple[str, ...]:
    """The fields of prompts and generated texts that hold any, each once. A value that breaks off counts."""
    return tuple(_scanned([content]).fields)


def without(content: bytes, where: str) -> bytes:
    """The file without these texts. Raises BadInput(texts_not_dropped) for a value that has no end."""
    scan = _scanned([content])
    refuse_broken(scan, where)
    parts, place = [], 0
    for start, end in scan.spans():
        parts += [content[place:start], _emptied(content[start : start + 1])]
        place = end
    return b"".join([*parts, content[place:]])


def blocks_without(file: IO[bytes], scan: TextScan) -> Iterator[bytes]:
    """The blocks of an open file that was scanned whole, without its texts."""
    place = 0
    for start, end in scan.spans():
        yield from _blocks(file, place, start)
        yield _emptied(file.read(1))
        place = end
    yield from _blocks(file, place, None)


def refuse_broken(scan: TextScan, where: str) -> None:
    """Nothing, when every value has its end. Raises BadInput(texts_not_dropped)."""
    if scan.broken:
        raise BadInput(
            f"{scan.broken} cannot be taken out of {where}: its value breaks off.",
            needs="Take it out of the file, or say why it is kept.",
            code="texts_not_dropped",
            where=where,
        )


def _scanned(blocks: Iterable[bytes]) -> TextScan:
    scan = TextScan()
    for block in blocks:
        scan.feed(block)
    scan.feed(b"", last=True)
    return scan


def _blocks(file: IO[bytes], start: int, end: int | None) -> Iterator[bytes]:
    """What the file holds from one place to another; then the file stands at the other."""
    file.seek(start)
    while block := file.read(BLOCK_BYTES if end is None else min(BLOCK_BYTES, end - file.tell())):
        yield block


def _emptied(first: bytes) -> bytes:
    return b"[]" if first == b"[" else b'""'
