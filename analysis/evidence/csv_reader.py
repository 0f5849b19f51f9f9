"""Tables as tools and spreadsheets write them: the delimiter is found, lines before the header are passed over."""

import csv
import io
import re
from collections.abc import Collection, Iterator
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


def header_in(head: bytes, columns: Collection[str]) -> str | None:
    """The delimiter of the first line that names all the columns, or None. Never raises."""
    text = head.replace(b"\x00", b"").decode("utf-8-sig", errors="replace")
    for line in text_reader.LINE_END.split(text)[:HEADER_LINES]:
        for delimiter in DELIMITERS:
            if set(columns) <= {cell.strip().strip('"') for cell in line.split(delimiter)}:
                return delimiter
    return None


def read(document: Document, columns: Collection[str]) -> Table:
    """The table whose header names all the columns.

    Raises:
        MalformedEvidence: no_header, repeated_column, ragged_row, no_rows, malformed_csv, too_many_rows.
    """
    decoded = text_reader.decode(document)
    delimiter = header_in(decoded.text[: 2**16].encode(), columns)
    if delimiter is None:
        names = ", ".join(columns)
        raise MalformedEvidence(f"no line names the columns {names}", where=document.name, code="no_header")
    numbered = list(_numbered(decoded.text, delimiter, document.name))
    at = next(i for i, (_, cells) in enumerate(numbered) if set(columns) <= set(cells))
    header = tuple(numbered[at][1])
    if len(set(header)) < len(header):
        raise MalformedEvidence("a column stands twice", where=document.name, code="repeated_column")
    cut = decoded.text[-1:] not in ("\n", "\r") and len(numbered[-1][1]) < len(header) and at < len(numbered) - 1
    below = numbered[at + 1 : -1] if cut else numbered[at + 1 :]
    rows = tuple(_row(header, cells, f"{document.name}:{line}", delimiter) for line, cells in below if any(cells))
    if not rows:
        raise MalformedEvidence("there is no row under the header", where=document.name, code="no_rows")
    found = {
        PREAMBLE: any(any(cells) for _, cells in numbered[:at]),
        BLANK: any(not any(cells) for _, cells in below[: len(rows)]),
        SEMICOLONS: delimiter == ";",
        TABS: delimiter == "\t",
        CUT: cut,
    }
    return Table(header, rows, decoded.leniences + tuple(words for words, needed in found.items() if needed), cut)


def _numbered(text: str, delimiter: str, where: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for count, cells in enumerate(reader):
            limits.refuse_many_rows(count, where)
            yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise MalformedEvidence(f"it is no CSV: {error}", where=where, code="malformed_csv") from error


def _row(header: tuple[str, ...], cells: list[str], where: str, delimiter: str) -> Row:
    if len(cells) != len(header):
        message = f"the row has {len(cells)} cells, and the header {len(header)}"
        raise MalformedEvidence(message, where=where, code="ragged_row")
    return Row(dict(zip(header, cells, strict=True)), where, delimiter)
