"""What a format is: a name, a test on content, and a parser."""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from mmap import mmap
from typing import Final

from analysis.evidence import limits
from analysis.evidence.stored import Stored
from analysis.evidence.watch import UNWATCHED, Watch
from analysis.reading import Reading

HEAD_BYTES: Final = 64 * 1024
TAIL_BYTES: Final = 4 * 1024


@dataclass(frozen=True, slots=True)
class Document:
    """A file as handed to a parser. `name` may hold folders ("exp-7/vllm/run1.json"): some tools put settings there.

    held: its bytes, or the open file that holds them. watch: of whoever waits for it to be read.
    head, tail: the first 64 KiB and the last 4 KiB, for recognition.
    """

    held: bytes | Stored
    name: str
    watch: Watch = field(default=UNWATCHED, compare=False, repr=False)
    head: bytes = field(init=False, compare=False, repr=False)
    tail: bytes = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "head", self.part(0, HEAD_BYTES))
        object.__setattr__(self, "tail", self.part(max(0, self.size - TAIL_BYTES), TAIL_BYTES))

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return len(self.held) if isinstance(self.held, bytes) else self.held.size

    @property
    def path(self) -> str:
        """Where it stands on a disk, "" when nowhere."""
        return "" if isinstance(self.held, bytes) else self.held.path

    @property
    def content(self) -> bytes:
        """All of its bytes. Raises MalformedEvidence(too_large): what is larger is read with `opened`."""
        limits.refuse_many_bytes(self.size, self.name)
        return self.held if isinstance(self.held, bytes) else self.opened().read()

    def searched(self) -> bytes | mmap:
        """What recognition may search: all of it, without a copy; of a file that is not read at once, its ends."""
        if self.size > limits.BYTES:
            return self.head + b"\n" + self.tail
        return self.held if isinstance(self.held, bytes) else self.held.mapped()

    def part(self, start: int, size: int) -> bytes:
        """Some of its bytes, fewer at the end."""
        return self.held[start : start + size] if isinstance(self.held, bytes) else self.held.part(start, size)

    def opened(self) -> io.BufferedReader:
        """Its bytes from the beginning, in blocks; the watch is told of each."""
        held = Stored(io.BytesIO(self.held)) if isinstance(self.held, bytes) else self.held
        return held.opened(lambda place: self.watch.at(place, self.size))


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of evidence file.

    name: slug, for example "vllm-bench-serve"; title: for people.
    version: raised whenever the same bytes would be read differently.
    looks_right: the reason why the content is this format, in words, or None. Looks at content only, never raises.
    parse: reads the whole document, or raises MalformedEvidence naming the place.
    streams: it is read in blocks, so that it may be larger than what is read at once.
    """

    name: str
    title: str
    version: int
    looks_right: Callable[[Document], str | None]
    parse: Callable[[Document], Reading]
    streams: bool = False

    @property
    def greatest_bytes(self) -> int:
        """The most bytes of a file that are read."""
        return limits.STREAMED_BYTES if self.streams else limits.BYTES
