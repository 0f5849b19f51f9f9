"""What a format is: a name, a test on content, and a parser."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from analysis.reading import Reading

HEAD_BYTES: Final = 64 * 1024
TAIL_BYTES: Final = 4 * 1024


@dataclass(frozen=True, slots=True)
class Document:
    """A file as handed to a parser. `name` may hold folders ("exp-7/vllm/run1.json"): some tools put settings there."""

    content: bytes
    name: str

    @property
    def head(self) -> bytes:
        """The first 64 KiB, for recognition."""
        return self.content[:HEAD_BYTES]

    @property
    def tail(self) -> bytes:
        """The last 4 KiB, for recognition."""
        return self.content[-TAIL_BYTES:]


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of evidence file.

    name: slug, for example "vllm-bench-serve"; title: for people.
    version: raised whenever the same bytes would be read differently.
    looks_right: the reason why the content is this format, in words, or None. Looks at content only, never raises.
    parse: reads the whole document, or raises MalformedEvidence naming the place.
    """

    name: str
    title: str
    version: int
    looks_right: Callable[[Document], str | None]
    parse: Callable[[Document], Reading]
