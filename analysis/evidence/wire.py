"""The wire format of protocol buffers: the fields of a message by number, without a schema."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import limits

VARINT: Final = 0
EIGHT_BYTES: Final = 1
LENGTH: Final = 2
FOUR_BYTES: Final = 5
LONGEST: Final = 10  # bytes of a varint


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its number, and its value as a number or as the bytes of a text or a message."""

    number: int
    value: int | memoryview

    def message(self, where: str) -> memoryview:
        """The bytes. Raises MalformedEvidence(malformed_evidence)."""
        if isinstance(self.value, int):
            raise _broken(where)
        return self.value

    def text(self, where: str) -> str:
        """The text. Raises MalformedEvidence: malformed_evidence, not_text."""
        try:
            return bytes(self.message(where)).decode()
        except UnicodeDecodeError as error:
            raise MalformedEvidence("a name in it is no text", where=where, code="not_text") from error

    def integer(self, where: str) -> int:
        """The number. Raises MalformedEvidence(malformed_evidence)."""
        if not isinstance(self.value, int):
            raise _broken(where)
        return self.value


def fields(message: memoryview, where: str) -> Iterator[Field]:
    """The fields of a message in their order. Raises MalformedEvidence: malformed_evidence, too_many_rows."""
    at = count = 0
    while at < len(message):
        count += 1
        limits.refuse_many_rows(count, where)
        tag, at = _varint(message, at, where)
        kind = tag & 7
        if kind == VARINT:
            number, at = _varint(message, at, where)
            yield Field(tag >> 3, number)
        elif kind in (EIGHT_BYTES, LENGTH, FOUR_BYTES):
            size = 8 if kind == EIGHT_BYTES else 4
            if kind == LENGTH:
                size, at = _varint(message, at, where)
            if at + size > len(message):
                raise _broken(where)
            yield Field(tag >> 3, message[at : at + size])
            at += size
        else:
            raise _broken(where)


def _varint(message: memoryview, at: int, where: str) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    found = 0
    for count, byte in enumerate(message[at : at + LONGEST]):
        found |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return found, at + count + 1
    raise _broken(where)


def _broken(where: str) -> MalformedEvidence:
    return MalformedEvidence("it is no whole protocol buffer of that kind", where=where)
