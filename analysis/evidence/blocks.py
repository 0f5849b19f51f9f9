"""A file in blocks of whole lines, each of which can be read again: so that nobody keeps the lines in memory."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import limits
from analysis.evidence.format import Document
from analysis.reading import Reading

SIZE: Final = 1024 * 1024
LONGEST: Final = 16 * 1024 * 1024  # bytes of one line


class Odd(Exception):
    """The file is written so that only a reader which holds all of it can read it. line: where, counted from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


@dataclass(frozen=True, slots=True)
class Block:
    """Some whole lines of a file. start: its place in bytes; line: the number of its first, counted from 1."""

    start: int
    line: int
    content: bytes
    last: bool

    @property
    def cut(self) -> bool:
        """Whether it ends the file in the middle of a line."""
        return self.last and not self.content.endswith((b"\n", b"\r"))


def of(document: Document, start: int = 0, line: int = 1) -> Iterator[Block]:
    """The rest of a file from a place on, at which a line begins; the last line may lack its end.

    Raises:
        Odd: a line without end.
    """
    file = document.opened()
    file.seek(start)
    rest = b""
    while more := file.read(SIZE):
        content = rest + more
        end = content.rfind(b"\n") + 1
        if end:
            whole = content[:end]
            yield Block(start, line, whole, start + end == document.size)
            start, line = start + end, line + whole.count(b"\n")
        rest = content[end:]
        if len(rest) > LONGEST:
            raise Odd(line)
    if rest:
        yield Block(start, line, rest, last=True)


def again(document: Document, start: int, line: int, size: int) -> Block:
    """A block that was read before."""
    return Block(start, line, document.part(start, size), start + size == document.size)


def whole_or(document: Document, by_block: Callable[[], Reading], at_once: Callable[[Document], Reading]) -> Reading:
    """The reading by blocks; of a small file that those refuse, what the reader that holds all of it says.

    Raises:
        MalformedEvidence: too_many_rows, and what `at_once` refuses; of a large file what `by_block` does, or odd_line.
    """
    try:
        return by_block()
    except Odd as odd:
        if document.size > limits.BYTES:
            raise refuse(document, odd) from odd
    except MalformedEvidence as refused:
        if document.size > limits.BYTES or refused.code == "too_many_rows":
            raise
    return at_once(document)


def refuse(document: Document, odd: Odd) -> MalformedEvidence:
    """The refusal of a file that is too large to be held, and cannot be read without."""
    message = f"the line is not written plainly, and a file of more than {limits.BYTES} bytes is read only if all are"
    return MalformedEvidence(message, where=f"{document.name}:{odd.line}", code="odd_line")


def refuse_many_values(values: int, where: str) -> None:
    """Nothing; or too_many_rows."""
    if values > limits.COLUMN_VALUES:
        message = f"more than {limits.COLUMN_VALUES} values: split the file by run"
        raise MalformedEvidence(message, where=where, code="too_many_rows")
