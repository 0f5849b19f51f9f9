"""Several tables in one file, one below the other, with a blank line between them; a column may stand twice."""

import csv
import io
import itertools
from collections.abc import Collection, Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import csv_reader, limits, text_reader
from analysis.evidence.csv_reader import Header, Row, Table
from analysis.evidence.format import Document

NUMBERED: Final = "a column stands twice: its second is named with (2)"


def read(document: Document, columns: Collection[str]) -> tuple[tuple[Table, ...], tuple[str, ...], bool]:
    """The tables from the header on that names all the columns, the leniences, and whether the last row is cut off.

    Raises:
        MalformedEvidence: no_header, ragged_row, malformed_csv, too_many_rows, and those of text_reader.decode.
    """
    decoded = text_reader.decode(document)
    header = csv_reader.header_in(document, columns)
    if header is None:
        message = f"no line names the columns {', '.join(columns)}"
        raise MalformedEvidence(message, where=document.name, code="no_header")
    blocks = list(_blocks(decoded.text, header, document.name))
    names = [numbered(cells) for (_, cells), *_ in blocks]
    last = blocks[-1]
    cut = decoded.text[-1] not in "\n\r" and len(last) > 1 and len(last[-1][1]) < len(names[-1])
    if cut:
        del last[-1]
    found = {
        csv_reader.PREAMBLE: header.line > 0,
        csv_reader.SEMICOLONS: header.delimiter == ";",
        csv_reader.TABS: header.delimiter == "\t",
        NUMBERED: any(cells != list(columns) for ((_, cells), *_), columns in zip(blocks, names, strict=True)),
        csv_reader.CUT: cut,
    }
    tables = tuple(
        _table(columns, below, header, document.name) for columns, (_, *below) in zip(names, blocks, strict=True)
    )
    return tables, decoded.leniences + tuple(words for words, needed in found.items() if needed), cut


def _blocks(text: str, header: Header, where: str) -> Iterator[list[tuple[int, list[str]]]]:
    """The rows of each table, its header first, each with its line counted from 1."""
    lines = itertools.islice(io.StringIO(text, newline=""), header.line, None)
    reader = csv.reader(lines, delimiter=header.delimiter, strict=True)
    block: list[tuple[int, list[str]]] = []
    try:
        for count, cells in enumerate(reader):
            limits.refuse_many_rows(count, where)
            if any(cell.strip() for cell in cells):
                block.append((header.line + reader.line_num, [cell.strip() for cell in cells]))
            elif block:
                yield block
                block = []
    except csv.Error as error:
        raise MalformedEvidence(f"it is no CSV: {error}", where=where, code="malformed_csv") from error
    if block:
        yield block


def numbered(cells: list[str]) -> tuple[str, ...]:
    """The names of the columns; those that stand again are numbered: "Noise", "Noise (2)"."""
    again: dict[str, int] = {}
    names = []
    for cell in cells:
        again[cell] = again.get(cell, 0) + 1
        names.append(cell if again[cell] == 1 else f"{cell} ({again[cell]})")
    return tuple(names)


def _table(columns: tuple[str, ...], below: list[tuple[int, list[str]]], header: Header, where: str) -> Table:
    rows = []
    for line, cells in below:
        if len(cells) != len(columns):
            message = f"the row has {len(cells)} cells, and the header {len(columns)}"
            raise MalformedEvidence(message, where=f"{where}:{line}", code="ragged_row")
        rows.append(Row(dict(zip(columns, cells, strict=True)), f"{where}:{line}", header.delimiter))
    return Table(columns, tuple(rows), (), incomplete=False)
