"""The CSV exports of AIPerf and genai-perf: a table of statistics, one of single values, perhaps two of each GPU."""

from collections.abc import Iterator
from typing import Final

from analysis.evidence import csv_blocks, csv_reader, genai_metrics, text_reader
from analysis.evidence.collect import Collection
from analysis.evidence.csv_reader import Row, Table
from analysis.evidence.format import Document
from analysis.evidence.genai_metrics import Block
from analysis.reading import Reading

COLUMNS: Final = ("Metric", "avg", "min", "max")
NOT_STATISTICS: Final = ("Metric", "GPU", "Endpoint", "GPU_Index", "GPU_Name", "GPU_UUID")


def columns_of(document: Document) -> list[str] | None:
    """The columns of the table of statistics, or None when the file is none. Never raises."""
    header = csv_reader.header_in(document, COLUMNS)
    if header is None:
        return None
    head = text_reader.ends(document)[0].decode(errors="replace")
    return [cell.strip() for cell in text_reader.LINE_END.split(head)[header.line].split(header.delimiter)]


def parse(document: Document, name: str, version: int) -> Reading:
    """One run with what the tables say.

    Raises:
        MalformedEvidence: no table, a row that is ragged, a statistic that is no number, a time or rate below zero.
    """
    tables, leniences, incomplete = csv_blocks.read(document, COLUMNS)
    collection = Collection(document)
    blocks = [block for table in tables if "Metric" in table.columns for block in _blocks(table)]
    collection.leave(f"the table {table.columns[0]}, …" for table in tables if "Metric" not in table.columns)
    genai_metrics.report(collection, blocks, document.name)
    return collection.reading(name, version, leniences, incomplete=incomplete)


def _blocks(table: Table) -> Iterator[Block]:
    for row in table.rows:
        tag, unit = genai_metrics.tag_of(row.text("Metric"))
        columns = [column for column in table.columns if column not in NOT_STATISTICS and row.text(column)]
        stats = {column.lower(): (row.number(column), row.place(column)) for column in columns}
        yield Block(tag, unit, stats, stage=_gpu(row))


def _gpu(row: Row) -> str:
    """The GPU that a row is of, or ""."""
    return row.text("GPU_UUID") or row.text("GPU") or row.text("GPU_Index")
