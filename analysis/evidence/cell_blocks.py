"""The table of a large CSV file in blocks of rows, each by column; what `csv_reader.read` finds, without its rows.

A block that is written plainly is cut into cells at once; of any other, the same reader of CSV cuts each line.
"""

import codecs
import csv
import io
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.errors import MalformedEvidence
from analysis.evidence import blocks, csv_reader, text_reader
from analysis.evidence.blocks import Block, Odd
from analysis.evidence.cell_columns import Column
from analysis.evidence.csv_reader import Header
from analysis.evidence.format import Document
from analysis.table import Integers

if TYPE_CHECKING:
    import pyarrow as pa

LINE_END: Final = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Cells:
    """The rows of a block. columns: those that were asked for; lines: the number of the line that each row ends in."""

    columns: dict[str, Column]
    lines: Integers

    def __len__(self) -> int:
        return int(self.lines.size)


@dataclass(slots=True)
class CellBlocks:
    """The rows under a header, block by block.

    columns: of the header. wanted: those that are read. start: the place of the first row, in bytes. mark: whether the
    file begins with a byte order mark. leave_out: whether a row that is not blank is passed over. odd: whether a line
    is for the reader by rows.
    """

    document: Document
    columns: tuple[str, ...]
    header: Header
    wanted: Collection[str]
    start: int
    mark: bool
    leave_out: Callable[[Sequence[str]], bool] = field(default=lambda _: False)
    odd: Callable[[Sequence[str]], bool] = field(default=lambda _: False)
    left_out: bool = False
    cut: bool = False
    _blank: bool = False
    _blank_between: bool = False
    _rows: int = 0

    def __iter__(self) -> Iterator[tuple[Block, Cells]]:
        """Each block with its rows.

        Raises:
            MalformedEvidence: ragged_row, no_rows. Odd: what only the reader by rows can read or refuse.
        """
        for block in blocks.of(self.document, self.start, self.header.line + 2):
            cells = self.cells(block)
            if len(cells):
                yield block, cells
        if not self._rows:
            raise MalformedEvidence("there is no row under the header", where=self.document.name, code="no_rows")

    @property
    def leniences(self) -> tuple[str, ...]:
        """What was needed to read it, as `csv_reader.read` says it."""
        found = {
            f"the text is {text_reader.MARKS[0][2]}": self.mark,
            csv_reader.PREAMBLE: self.header.line > 0,
            csv_reader.BLANK: self._blank_between,
            csv_reader.SEMICOLONS: self.header.delimiter == ";",
            csv_reader.TABS: self.header.delimiter == "\t",
            csv_reader.CUT: self.cut,
        }
        return tuple(words for words, needed in found.items() if needed)

    def cells(self, block: Block) -> Cells:
        """The rows of a block; asked again, the same."""
        found = self._plain(block)
        if found is None:
            found = self._by_line(block)
        self._rows += len(found)
        return found

    def _plain(self, block: Block) -> Cells | None:
        """The cells of a block in which every line is a row; None of another."""
        import pyarrow as pa  # noqa: PLC0415 -- half a second that no page should pay
        from pyarrow import csv as fast  # noqa: PLC0415

        content = block.content
        if b'"' in content or b"\0" in content or block.cut:
            return None
        first = self.columns[0]
        asked = [name for name in self.columns if name in self.wanted or name == first]
        try:
            table = fast.read_csv(
                pa.BufferReader(content),
                fast.ReadOptions(column_names=self.columns, use_threads=False, block_size=len(content) + 1),
                fast.ParseOptions(delimiter=self.header.delimiter, quote_char=False, ignore_empty_lines=False),
                fast.ConvertOptions(
                    column_types=dict.fromkeys(asked, pa.dictionary(pa.int32(), pa.string())),
                    null_values=[],
                    include_columns=asked,
                ),
            )
        except pa.ArrowInvalid:
            return None
        columns = {name: _column(table[name]) for name in asked}
        if table.num_rows != content.count(b"\n") or any(not cell or cell == first for cell in columns[first].texts):
            return None
        self._blank_between = self._blank_between or self._blank
        return Cells(columns, np.arange(block.line, block.line + table.num_rows))

    def _by_line(self, block: Block) -> Cells:
        """The cells of a block, as the reader by rows finds them."""
        rows = self._rows_of(block)
        if block.cut and rows and len(rows[-1][1]) < len(self.columns):
            del rows[-1]
            self.cut = True
        kept = [(line, row) for line, row in rows if self._is_row(row, line)]
        by_name = dict(zip(self.columns, zip(*(row for _, row in kept), strict=True), strict=True)) if kept else {}
        columns = {name: Column.of(cells) for name, cells in by_name.items() if name in self.wanted}
        return Cells(columns, np.array([line for line, _ in kept], dtype=np.int64))

    def _rows_of(self, block: Block) -> list[tuple[int, list[str]]]:
        """The cells of each line of a block, with the number of the line. Raises Odd."""
        try:
            text = block.content.decode()
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=self.header.delimiter, strict=True)
            rows = [(block.line + reader.line_num - 1, [cell.strip() for cell in cells]) for cells in reader]
        except (UnicodeDecodeError, csv.Error) as error:
            raise Odd(block.line) from error
        if "\0" in text or text.count("\r") != text.count("\r\n"):
            raise Odd(block.line)
        return rows

    def _is_row(self, row: list[str], line: int) -> bool:
        """Whether these cells are a row to be read. Raises MalformedEvidence(ragged_row), Odd."""
        if not any(row):
            self._blank = True
            return False
        if self.odd(row):
            raise Odd(line)
        self._blank_between = self._blank_between or self._blank
        if len(row) != len(self.columns):
            message = f"the row has {len(row)} cells, and the header {len(self.columns)}"
            raise MalformedEvidence(message, where=f"{self.document.name}:{line}", code="ragged_row")
        self.left_out = self.left_out or self.leave_out(row)
        return not self.leave_out(row)


def _column(found: "pa.ChunkedArray") -> Column:
    """The cells of a column without blanks around them."""
    whole = found.combine_chunks()
    return Column(whole.indices.to_numpy(), tuple(text.strip() for text in whole.dictionary.to_pylist()))


def under(document: Document, names: Collection[str], wanted: Collection[str]) -> CellBlocks:
    """The table whose header names all of these.

    Raises:
        Odd: no header in the beginning of the file, or one that only the reader by rows can read or refuse.
    """
    header = csv_reader.header_in(document, names)
    mark = document.head.startswith(codecs.BOM_UTF8)
    if header is None or document.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise Odd(1)
    start = len(codecs.BOM_UTF8) if mark else 0
    ends = [found.end() for found in LINE_END.finditer(document.head, start)]
    if len(ends) <= header.line:
        raise Odd(header.line + 1)
    begin, end = [start, *ends][header.line : header.line + 2]
    try:
        line = document.head[start:end].decode()[len(document.head[start:begin].decode()) :]
        columns = [cell.strip() for cell in next(csv.reader([line], delimiter=header.delimiter, strict=True))]
    except (UnicodeDecodeError, csv.Error) as error:
        raise Odd(header.line + 1) from error
    if len(set(columns)) < len(columns) or b"\0" in document.head[:end]:
        raise Odd(header.line + 1)
    return CellBlocks(document, tuple(columns), header, wanted, end, mark)
