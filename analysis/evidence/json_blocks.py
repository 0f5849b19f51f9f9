"""JSON Lines in blocks: the objects that `json_reader.read` finds, where each line is strictly one."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from analysis.evidence import blocks, json_reader
from analysis.evidence.blocks import Block, Odd
from analysis.evidence.format import Document
from analysis.evidence.line_blocks import LineBlocks
from analysis.evidence.values import Json

NUMBER: Final = r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?"
LIST: Final = rf"\[(?:{NUMBER}, ?)*{NUMBER}\]"
"""A list of numbers on one line, each as strict JSON has it."""


@dataclass(slots=True)
class JsonBlocks:
    """The objects of a file, block by block. count: of those so far. passed: lists that nobody looks into."""

    document: Document
    passed: re.Pattern[str]
    count: int = 0

    def __iter__(self) -> Iterator[tuple[Block, list[Json]]]:
        """Each block with its objects.

        Raises:
            MalformedEvidence: duplicate_key, too_deep. Odd: what is no JSON Lines, or only with leniences.
        """
        for block in LineBlocks(self.document):
            found = self.objects(block)
            self.count += len(found)
            if found:
                yield block, found
        if self.count < 2:
            raise Odd(1)

    @property
    def leniences(self) -> tuple[str, ...]:
        """What was needed to read it, as `json_reader.read` says it."""
        return (*LineBlocks(self.document).leniences, json_reader.several(self.count))

    def objects(self, block: Block) -> list[Json]:
        """The objects of a block."""
        found: list[Json] = []
        try:
            text = block.content.decode()
            for number, line in enumerate(self.passed.sub("[]", text).split("\n"), start=block.line):
                if line.strip():
                    if not line.startswith("{"):
                        raise Odd(number)
                    found.append(json_reader.strict(line, self.document.name))
        except UnicodeDecodeError as error:
            raise Odd(block.line) from error
        except json.JSONDecodeError as error:
            raise Odd(number) from error
        json_reader.refuse_deep(found, self.document.name)
        return found

    def again(self, place: tuple[int, int, int]) -> list[Json]:
        """The objects of a block that was read before."""
        return self.objects(blocks.again(self.document, *place))
