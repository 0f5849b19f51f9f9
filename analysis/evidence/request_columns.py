"""LMBench's request tables by column: read in blocks into arrays, as the reader by rows reads them.

Only what is written plainly is read so: six columns of numbers in digits, a row on each line, every time positive.
Of anything else the reader by rows knows the meaning, or the refusal.
"""

import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from io import BufferedReader
from typing import TYPE_CHECKING, Final, NoReturn

import numpy as np

from analysis.errors import MalformedEvidence
from analysis.evidence import limits
from analysis.evidence.format import Document
from analysis.table import Floats, Integers

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS: Final = ("prompt_tokens", "generation_tokens", "ttft", "generation_time", "launch_time", "finish_time")
PLACES: Final = 5  # values of a row
BLOCK: Final = 4 * 1024 * 1024
WORKERS: Final = 3  # blocks that are parsed at once
LINE: Final = 400  # bytes of a row that is written plainly
LEAST: Final = 12  # bytes of the shortest row
MOST_TOKENS: Final = 2**31
MOST_NS: Final = 2**53  # whole numbers up to here are exact as floats
EXPONENT: Final = re.compile(rb"e-\d\d(?=[,\r\n])")


class Odd(Exception):
    """A block is not written plainly. start: its first row, counted from 0."""

    def __init__(self, start: int, block: bytes) -> None:
        super().__init__(start)
        self.start, self.block = start, block


@dataclass(slots=True)
class Requests:
    """The requests of a file. values: five of each row; blocks: its lines, for the numbers as written."""

    name: str
    header: tuple[str, ...]
    values: Floats
    launched: Integers
    blocks: list[bytes] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    rows: int = 0
    tokens: tuple[int, int] = (0, 0)
    first: int = MOST_NS * 2**10
    last: int = 0


def plain(document: Document) -> Requests | None:
    """The requests of a file that is written plainly; None of another, which the reader by rows can read.

    Raises:
        MalformedEvidence: too_many_rows, and odd_line of a file that is too large for the reader by rows.
    """
    file = document.opened()
    first = file.readline(LINE)
    header = tuple(first.decode(errors="replace").rstrip("\r\n").split(","))
    if sorted(header) != sorted(COLUMNS) or not first.endswith(b"\n"):
        if document.size > limits.BYTES:
            _refuse(document.name, 1)
        return None
    most = min(document.size // LEAST + 1, limits.COLUMN_VALUES // PLACES)
    found = Requests(document.name, header, np.empty(most * PLACES), np.empty(most, dtype=np.int64))
    try:
        for block, parsed in _ahead(file, header):
            _add(found, block, parsed)
            document.watch.count(found.sizes[-1] * PLACES)
    except Odd as odd:
        if document.size <= limits.BYTES:
            return None
        _refuse(document.name, odd.start + 2 + _first_odd(odd.block, header))
    return found if found.rows else None


def _refuse(name: str, line: int) -> NoReturn:
    """Raises odd_line."""
    message = f"the line is not written plainly, and a file of more than {limits.BYTES} bytes is read only if all are"
    raise MalformedEvidence(message, where=f"{name}:{line}", code="odd_line")


def _blocks(file: BufferedReader) -> Iterator[bytes]:
    """The rest of a file in blocks of whole lines; the last line may lack its end."""
    rest = b""
    while more := file.read(BLOCK):
        end = more.rfind(b"\n") + 1
        if end:
            yield rest + more[:end]
            rest = b""
        rest += more[end:]
        if len(rest) > BLOCK:
            yield rest
            rest = b""
    if rest:
        yield rest + b"\n"


def _first_odd(block: bytes, header: tuple[str, ...]) -> int:
    """Which line of a block, counted from 0, is the first that is not written plainly."""
    lines = block.splitlines(keepends=True)
    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high) // 2
        if _parsed(b"".join(lines[low : middle + 1]), header) is None:
            high = middle
        else:
            low = middle + 1
    return low


@dataclass(frozen=True, slots=True)
class Parsed:
    """The columns of a block. launched, finished: in ns."""

    prompt: Integers
    generated: Integers
    ttft: Floats
    generation: Floats
    launched: Integers
    finished: Integers


def _ahead(file: BufferedReader, header: tuple[str, ...]) -> Iterator[tuple[bytes, "Parsed | None"]]:
    """Every block with its columns; the blocks that follow are parsed meanwhile."""
    waiting: deque[tuple[bytes, Future[Parsed | None]]] = deque()
    with ThreadPoolExecutor(WORKERS) as pool:
        for block in _blocks(file):
            waiting.append((block, pool.submit(_parsed, block, header)))
            if len(waiting) > WORKERS:
                first, coming = waiting.popleft()
                yield first, coming.result()
        for last, coming in waiting:
            yield last, coming.result()


def _add(found: Requests, block: bytes, parsed: "Parsed | None") -> None:
    """Add a block. Raises Odd, and MalformedEvidence(too_many_rows)."""
    if parsed is None:
        raise Odd(found.rows, block)
    start, end = found.rows, found.rows + parsed.launched.size
    if end * PLACES > limits.COLUMN_VALUES:
        message = f"more than {limits.COLUMN_VALUES} values: split the file by run"
        raise MalformedEvidence(message, where=found.name, code="too_many_rows")
    into = found.values[start * PLACES : end * PLACES].reshape(-1, PLACES)
    into[:, 0], into[:, 1], into[:, 2], into[:, 3] = parsed.prompt, parsed.generated, parsed.ttft, parsed.generation
    into[:, 4] = (parsed.finished - parsed.launched) / 1e9
    found.launched[start:end] = parsed.launched
    found.blocks.append(block)
    found.sizes.append(end - start)
    found.rows = end
    found.tokens = (found.tokens[0] + int(parsed.prompt.sum()), found.tokens[1] + int(parsed.generated.sum()))
    found.first = min(found.first, int(parsed.launched.min()))
    found.last = max(found.last, int(parsed.finished.max()))


def _parsed(block: bytes, header: tuple[str, ...]) -> Parsed | None:
    """The columns of a block; None of one that is not written plainly."""
    import pyarrow as pa  # noqa: PLC0415 -- half a second that no page should pay
    from pyarrow import csv  # noqa: PLC0415

    if not _lines_are_short(block) or not _numbers_are_short(block):
        return None
    times = pa.decimal128(28, 9)
    types = (pa.int64(), pa.int64(), pa.float64(), pa.float64(), times, times)
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(column_names=header, use_threads=False, block_size=len(block) + 1),
            csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(column_types=dict(zip(COLUMNS, types, strict=True)), null_values=[]),
        )
    except pa.ArrowInvalid:
        return None
    prompt, generated, ttft, generation = (table[name].to_numpy() for name in COLUMNS[:4])
    launched, finished = _nanoseconds(table["launch_time"]), _nanoseconds(table["finish_time"])
    if launched is None or finished is None or block.count(b"\r") not in (0, table.num_rows):
        return None
    parsed = Parsed(prompt, generated, ttft, generation, launched, finished)
    return parsed if _in_range(parsed) else None


def _in_range(parsed: Parsed) -> bool:
    """Whether every number is one that both readers take."""
    spent = parsed.finished - parsed.launched
    counts = all(column.min() >= 0 and column.max() < MOST_TOKENS for column in (parsed.prompt, parsed.generated))
    times = all(column.min() > 0 and column.max() < np.inf for column in (parsed.ttft, parsed.generation))
    return bool(counts and times and parsed.launched.min() > 0 and spent.min() > 0 and spent.max() < MOST_NS)


def _nanoseconds(column: "pa.ChunkedArray") -> Integers | None:
    """Exact nanoseconds of epoch seconds; None when one is negative, or is no time."""
    parts = []
    for chunk in column.chunks:
        words = np.frombuffer(chunk.buffers()[1], dtype="<i8").reshape(-1, 2)[chunk.offset : chunk.offset + len(chunk)]
        if words[:, 1].any() or (words[:, 0] < 0).any():
            return None
        parts.append(words[:, 0])
    return np.concatenate(parts)


def _lines_are_short(block: bytes) -> bool:
    """Whether no line is longer than LINE."""
    at, end = -1, len(block) - 1
    while at < end:
        following = block.rfind(b"\n", at + 1, at + 1 + LINE)
        if following < 0:
            return False
        at = following
    return True


def _numbers_are_short(block: bytes) -> bool:
    """Whether every exponent is a small one, and no number is in another base."""
    if b"E" in block or b"x" in block or b"X" in block:
        return False
    return b"e" not in block or len(EXPONENT.findall(block)) == block.count(b"e")
