"""Tables as tools and spreadsheets write them: the delimiter is found, lines before the header are passed over."""

import csv
import io
import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import limits, text_reader, values
from analysis.evidence.format import Document
from analysis.evidence.values import Json, Numeral

DELIMITERS: Final = (",", ";", "\t")
HEADER_LINES: Final = 50
THOUSANDS: Final = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?")
DECIMAL_COMMA: Final = re.compile(r"[-+]?\d+,\d+([eE][-+]?\d+)?")

PREAMBLE = "there are lines before the header: passed over"
BLANK = "there are blank lines between the rows: passed over"
SEMICOLONS = "the columns are separated by ; and decimals may have a comma"
TABS = "the columns are separated by tabs"
CUT = "the last row is cut off: it was left out"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its cells by column, and its place."""

    cells: dict[str, str]
    where: str
    delimiter: str

    def text(self, column: str) -> str:
        """The cell without blanks around it; "" when the table has no such column."""
        return self.cells.get(column, "").strip()

    def number(self, column: str) -> Json:
        """The cell as a number, or as the text that it is; a decimal comma or thousands separators are understood."""
        cell = self.text(column)
        if self.delimiter == ";" and DECIMAL_COMMA.fullmatch(cell):
            return Numeral(cell.replace(",", "."))
        if self.delimiter != ";" and THOUSANDS.fullmatch(cell):
            return Numeral(cell.replace(",", ""))
        return values.number_in(cell)

    def place(self, column: str) -> str:
        """The place of a cell, for example "runs.csv:12.ttft"."""
        return f"{self.where}.{column}"


@dataclass(frozen=True, slots=True)
class Table:
    """The rows under the header. incomplete: the last row is cut off."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    leniences: tuple[str, ...]
    incomplete: bool


@dataclass(frozen=True, slots=True)
class Header:
    """Where the header is: its line, counted from 0, and what separates its columns."""

    line: int
    delimiter: str


def header_in(document: Document, columns: Collection[str]) -> Header | None:
    """The first of the first lines that names all the columns, or None. Never raises."""
    return _header(text_reader.ends(document)[0].decode(errors="replace"), columns)


def header_like(document: Document, fits: Callable[[list[str]], bool]) -> list[str] | None:
    """The cells of the first of the first lines that fit, or None. Never raises."""
    text = text_reader.ends(document)[0].decode(errors="replace")
    for line in text_reader.LINE_END.split(text[: 2**16])[:HEADER_LINES]:
        for delimiter in DELIMITERS:
            if delimiter in line and fits(cells := _cells(line, delimiter)):
                return cells
    return None


def _header(text: str, columns: Collection[str]) -> Header | None:
    for number, line in enumerate(text_reader.LINE_END.split(text[: 2**16])[:HEADER_LINES]):
        for delimiter in DELIMITERS:
            if set(columns) <= set(_cells(line, delimiter)):
                return Header(number, delimiter)
    return None


def _cells(line: str, delimiter: str) -> list[str]:
    return [cell.strip() for cells in csv.reader([line], delimiter=delimiter) for cell in cells]


def read(
    document: Document,
    columns: Collection[str],
    *,
    short_rows: bool = False,
    passed_over: Callable[[int, Sequence[str]], bool] = lambda _, __: False,
) -> Table:
    """The table whose header names all the columns.

    short_rows: cells at the end of a row may be missing. passed_over: whether the cells of a line are no row.

    Raises:
        MalformedEvidence: no_header, repeated_column, ragged_row, no_rows, malformed_csv, too_many_rows.
    """
    decoded = text_reader.decode(document)
    header = _header(decoded.text, columns)
    if header is None:
        message = f"no line names the columns {', '.join(columns)}"
        raise MalformedEvidence(message, where=document.name, code="no_header")
    (_, names), *below = _numbered(decoded.text, header, document.name)
    if len(set(names)) < len(names):
        raise MalformedEvidence("a column stands twice", where=document.name, code="repeated_column")
    cut = bool(below) and decoded.text[-1] not in "\n\r" and len(below[-1][1]) < len(names)
    below = below[:-1] if cut else below
    below = [(line, cells) for line, cells in below if not passed_over(line, cells)]
    if short_rows:
        below = [(line, cells + [""] * (len(names) - len(cells))) for line, cells in below]
    rows = tuple(_row(names, cells, f"{document.name}:{line}", header.delimiter) for line, cells in below if any(cells))
    if not rows:
        raise MalformedEvidence("there is no row under the header", where=document.name, code="no_rows")
    found = {
        PREAMBLE: header.line > 0,
        BLANK: not all(any(cells) for _, cells in below[: len(rows)]),
        SEMICOLONS: header.delimiter == ";",
        TABS: header.delimiter == "\t",
        CUT: cut,
    }
    leniences = decoded.leniences + tuple(words for words, needed in found.items() if needed)
    return Table(tuple(names), rows, leniences, cut)


def _numbered(text: str, header: Header, where: str) -> Iterator[tuple[int, list[str]]]:
    """The header and what is below it, each with its line counted from 1."""
    lines = itertools.islice(io.StringIO(text, newline=""), header.line, None)
    reader = csv.reader(lines, delimiter=header.delimiter, strict=True)
    try:
        for count, cells in enumerate(reader):
            limits.refuse_many_rows(count, where)
            yield header.line + reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise MalformedEvidence(f"it is no CSV: {error}", where=where, code="malformed_csv") from error


def _row(header: list[str], cells: list[str], where: str, delimiter: str) -> Row:
    if len(cells) != len(header):
        message = f"the row has {len(cells)} cells, and the header {len(header)}"
        raise MalformedEvidence(message, where=where, code="ragged_row")
    return Row(dict(zip(header, cells, strict=True)), where, delimiter)
