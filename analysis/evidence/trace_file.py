"""A file of trace events, read in blocks: the list of events is never in memory as a whole.

What stands before and after the list is read as JSON like any other file. A block is cut where an element of the list
ends. The cut is guessed first, and strict decoding proves it right. Where the guess fails it is found by counting the
brackets outside strings; where that fails too, after the strings are repaired in the named leniences.
"""

import codecs
import json
import re
from collections.abc import Callable, Iterator
from typing import Final, Generic, NoReturn, Protocol, TypeVar

import msgspec

from analysis.errors import MalformedEvidence
from analysis.evidence import json_reader, limits, text_reader
from analysis.evidence.format import Document
from analysis.evidence.trace_outline import outline
from analysis.evidence.trace_repair import repaired
from analysis.evidence.values import Json

BLOCK: Final = 4 * 1024 * 1024
AROUND: Final = 64 * 1024 * 1024  # bytes of one event, and of what stands before the list or after it
BEGINNING: Final = re.compile(rb'"traceEvents"\s*:\s*\[')
BOUNDARY: Final = re.compile(rb"\}(?=\s*,\s*\{)")
GUESSES: Final = 3
NEAR: Final = 32 * 1024  # how far from its end the last boundary of a block is looked for

LONGEST_WORD: Final = 30
"""Letters of a number or a word that may be cut off at the end of a file."""

COMMA: Final = "a comma stands behind the last event"
OPEN: Final = "the list of events is not closed, which the format allows"

T = TypeVar("T")


class Reader(Protocol):
    """Bytes that are read forward."""

    def read(self, size: int, /) -> bytes:
        """So many bytes, and fewer only at the end."""


class Source(Reader, Protocol):
    """A file, or a packed file."""

    def seek(self, offset: int, /) -> object:
        """Go to a place."""


class TraceFile(Generic[T]):
    """The events of a file, a batch at a time, and the fields that stand around them.

    decode: the events of a JSON list; raises msgspec.DecodeError.
    refuse: raises for a list that is JSON, but not of events; it is told the place of its first one.
    fields, leniences, incomplete: whole only when all batches have been taken.
    """

    def __init__(
        self, stream: Source, name: str, decode: Callable[[bytes], list[T]], refuse: Callable[[bytes, int], NoReturn]
    ) -> None:
        self.name = name
        self.fields: dict[str, Json] = {}
        self.leniences: dict[str, None] = {}
        self.incomplete = False
        self.bare = False
        self._decode, self._refuse = decode, refuse
        self._stream = _as_utf8(stream, self.leniences)
        self._rest = b""
        self._at_end = False
        self._count = 0

    def batches(self) -> Iterator[list[T]]:
        """The events in the order of the file.

        Raises:
            MalformedEvidence: malformed_json, too_deep, too_large, duplicate_key, and what `refuse` raises.
        """
        self._begin()
        wanted = BLOCK
        while True:
            self._fill(wanted)
            batch = self._guessed()
            closed = -1
            if batch is None:
                batch, closed = self._outlined()
            self._count += len(batch)
            yield batch
            if closed >= 0:
                return self._finish()
            if self._at_end:
                return self._cut_off()
            wanted = BLOCK if batch else 2 * wanted

    def _fill(self, wanted: int) -> None:
        """Have so many bytes at hand, or all that are left."""
        if wanted > AROUND:
            raise MalformedEvidence("one event has more than 64 MiB", where=self._place(), code="too_large")
        while not self._at_end and len(self._rest) < wanted:
            asked = min(BLOCK, wanted - len(self._rest))
            more = self._stream.read(asked)
            self._rest += more
            self._at_end = len(more) < asked

    def _begin(self) -> None:
        """Read what stands before the list."""
        wanted = BLOCK
        while True:
            self._fill(wanted)
            start = self._rest.lstrip()
            if start.startswith(b"["):
                self._rest, self.bare = start[1:], True
                return
            found = BEGINNING.search(self._rest)
            if found:
                break
            if self._at_end or wanted >= AROUND:
                raise MalformedEvidence('there is no list "traceEvents" in it', where=self.name, code="malformed_json")
            wanted *= 2
        self._around(self._rest[: found.start()].rstrip().removesuffix(b",") + b"}")
        self._rest = self._rest[found.end() :]

    def _around(self, text: bytes) -> None:
        read = json_reader.read(Document(text, self.name))
        if len(read.values) != 1 or not isinstance(read.values[0], dict):
            raise MalformedEvidence("its events stand in no object", where=self.name, code="malformed_json")
        self.fields |= {key: value for key, value in read.values[0].items() if key != "traceEvents"}
        self.leniences |= dict.fromkeys(read.leniences)
        self.incomplete |= read.incomplete

    def _guessed(self) -> list[T] | None:
        """The events up to a boundary near the end of the block, or None when no guess is right."""
        near = max(0, len(self._rest) - NEAR)
        boundaries = [] if self._at_end else [found.end() for found in BOUNDARY.finditer(self._rest, near)]
        for cut in boundaries[: -GUESSES - 1 : -1]:
            try:
                batch = self._decode(b"[%b]" % self._rest[:cut])
            except (msgspec.DecodeError, RecursionError):
                continue
            self._take(cut)
            return batch
        return None

    def _outlined(self) -> tuple[list[T], int]:
        """The whole events at hand, and where the list is closed, or -1; repaired only where that is needed."""
        try:
            return self._whole()
        except msgspec.DecodeError as error:
            broken: Exception = error
        raw = self._rest
        for names in (False, True):
            self._rest, leniences = repaired(raw, names=names)
            if self._rest != raw:
                try:
                    found = self._whole()
                except msgspec.DecodeError as error:
                    broken = error
                    continue
                self.leniences |= dict.fromkeys(leniences)
                return found
        raise self._malformed(broken) from broken

    def _whole(self) -> tuple[list[T], int]:
        found = outline(self._rest)
        text = b"[%b]" % self._rest[: found.end]
        try:
            batch = self._decode(text)
        except msgspec.ValidationError:
            self._refuse(text, self._count)
        except RecursionError as error:
            raise limits.too_deep(self._place()) from error
        if found.closed >= 0:
            self._close(self._rest[found.end : found.closed].strip())
            self._rest = self._rest[found.closed + 1 :]
        else:
            self._take(found.end)
        return batch, found.closed

    def _close(self, between: bytes) -> None:
        """Judge what stands between the last event and the end of the list."""
        if between == b",":
            self.leniences.setdefault(COMMA)
        elif between:
            message = "there is something in the list of events that is no object"
            raise MalformedEvidence(message, where=self._place(), code="not_an_object")

    def _take(self, end: int) -> None:
        """Go on behind an event, and behind the comma after it."""
        self._rest = self._rest[end:].lstrip().removeprefix(b",") if end else self._rest

    def _finish(self) -> None:
        """Read what stands behind the list."""
        self._fill(AROUND)
        if self.bare:
            if self._rest.strip():
                self.leniences.setdefault(json_reader.AFTER)
            return
        if not self._rest.strip():
            self._cut_off()
            return
        try:
            self._around(b'{"traceEvents":[]%b' % self._rest)
        except MalformedEvidence as error:
            if error.code != "malformed_json" or self._rest.rstrip().endswith(b"}"):
                raise
            self._rest = b""
            self._cut_off()

    def _cut_off(self) -> None:
        if self.bare and not self._rest.strip():
            self.leniences.setdefault(OPEN)
            return
        _refuse_broken(self._rest.decode(errors="replace"), self._malformed)
        self.incomplete = True
        self.leniences.setdefault(json_reader.CUT)

    def _place(self) -> str:
        return f"{self.name}:traceEvents[{self._count}]"

    def _malformed(self, error: Exception) -> MalformedEvidence:
        return MalformedEvidence(f"it is no JSON: {error}", where=self._place(), code="malformed_json")


def _refuse_broken(rest: str, refusal: Callable[[Exception], MalformedEvidence]) -> None:
    """Nothing, when only the end of an event is missing; a refusal, when it breaks before its end."""
    try:
        json.loads(rest or "{}", strict=False)
    except json.JSONDecodeError as error:
        if error.pos < len(rest) - LONGEST_WORD and not error.msg.startswith("Unterminated string"):
            raise refusal(error) from error


def _as_utf8(stream: Source, leniences: dict[str, None]) -> Reader:
    """The stream without the mark of its encoding, as UTF-8."""
    head = stream.read(4)
    stream.seek(0)
    for mark, encoding, words in text_reader.MARKS:
        if head.startswith(mark):
            stream.seek(len(mark))
            leniences.setdefault(f"the text is {words}")
            return stream if encoding == "utf-8" else _Recoded(stream, encoding)
    return stream


class _Recoded:
    """Another encoding, as UTF-8."""

    def __init__(self, stream: Reader, encoding: str) -> None:
        self._stream, self._decoder = stream, codecs.getincrementaldecoder(encoding)(errors="replace")

    def read(self, size: int, /) -> bytes:
        """At least so many bytes, while there are any."""
        found = b""
        while len(found) < size and (raw := self._stream.read(2 * size)):
            found += self._decoder.decode(raw).encode()
        return found
