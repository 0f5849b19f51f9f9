"""What a reader that goes by blocks finds, beside what the reader finds that holds the whole file."""

import random
from collections.abc import Callable, Iterator

from analysis.errors import MalformedEvidence
from analysis.evidence.blocks import Odd
from analysis.evidence.format import Document
from analysis.reading import Reading

Read = Callable[[Document], Reading]


def told(read: Read, document: Document) -> object:
    """All that a reader says of a file."""
    try:
        reading = read(document)
    except MalformedEvidence as refused:
        return "refused", refused.code, refused.where, refused.message
    except Odd:
        return "odd"
    rest = (reading.runs, reading.settings, reading.leniences, reading.notices, reading.format)
    return "read", rest, list(reading.measurements)


def agree(by_block: Read, at_once: Read, document: Document) -> str:
    """The readers find the same; or that by blocks leaves the file to the other. How it went: "read", …"""
    ours, theirs = told(by_block, document), told(at_once, document)
    if ours == "odd":
        return "odd"
    assert isinstance(ours, tuple)
    assert isinstance(theirs, tuple)
    if ours[0] == "refused":
        assert theirs[0] == "refused", f"{document.name}: {ours}"
        return "refused alike" if ours == theirs else "refused"
    assert ours == theirs, document.name
    return "read"


def mutated(content: bytes, odd: tuple[str, ...], seed: int, count: int) -> Iterator[bytes]:
    """The content with a few of its cells, lines and bytes changed at random, each time otherwise."""
    draw = random.Random(seed)  # noqa: S311 -- no secret
    lines = content.decode(errors="replace").splitlines(keepends=True)
    for _ in range(count):
        some = lines[:1] + [lines[i] for i in sorted(draw.sample(range(1, len(lines)), min(len(lines) - 1, 12)))]
        for _ in range(draw.randrange(3)):
            at = draw.randrange(len(some))
            change = draw.randrange(6)
            if change == 0:
                some.insert(at, draw.choice(["\n", "\r\n", some[0], "x\n", ",,,\n", "# a b\n"]))
            elif change == 1:
                some[at] = some[at].replace("\n", draw.choice(["\r\n", "\r", "", "\n\n"]))
            elif change == 2:
                some[at], some[-1] = some[-1], some[at]
            else:
                parts = [part for part in (",", " ") if part in some[at]]
                mark = draw.choice(parts) if parts else " "
                cells = some[at].split(mark)
                cells[draw.randrange(len(cells))] = draw.choice(odd)
                some[at] = mark.join(cells)
        text = "".join(some).encode()
        yield text[: draw.randrange(len(text) // 2, len(text))] if draw.randrange(6) == 0 else text
