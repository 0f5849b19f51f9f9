"""The lines of a large text in blocks, as `text_reader.lines` gives them of a small one."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from analysis.evidence import blocks, text_reader
from analysis.evidence.blocks import Block, Odd
from analysis.evidence.format import Document

TAGGED: Final = ("\x1b", "]<std", "[rank", ": ")
"""One of these is in every line that is not bare."""


@dataclass(frozen=True, slots=True)
class LineBlocks:
    """The lines of a file, block by block."""

    document: Document

    def __iter__(self) -> Iterator[Block]:
        """Each block. Raises Odd, of what only the reader of the whole can decode."""
        if self.document.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise Odd(1)
        return blocks.of(self.document, len(codecs.BOM_UTF8) if self._marked else 0)

    @property
    def leniences(self) -> tuple[str, ...]:
        """What was needed to decode it."""
        return (f"the text is {text_reader.MARKS[0][2]}",) if self._marked else ()

    @property
    def _marked(self) -> bool:
        return self.document.head.startswith(codecs.BOM_UTF8)


def lines(block: Block) -> list[str]:
    """The lines of a block, without colours and rank tags. Raises Odd."""
    try:
        text = block.content.decode()
    except UnicodeDecodeError as error:
        raise Odd(block.line) from error
    if "\0" in text or text.count("\r") != text.count("\r\n"):
        raise Odd(block.line)
    found = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    return [text_reader.bare(line) for line in found] if any(mark in text for mark in TAGGED) else found
