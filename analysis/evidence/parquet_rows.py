"""The rows of a Parquet file as JSON Lines, so that one parser reads both. What comes out is limited beforehand."""

import json
from collections.abc import Collection
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import limits
from analysis.evidence.format import Document

MAGIC: Final = b"PAR1"
FOOTER_BYTES: Final = 64 * 1024


def is_parquet(document: Document) -> bool:
    """Whether a file has the marks of Parquet at both ends."""
    return document.head.startswith(MAGIC) and document.tail.endswith(MAGIC)


def names(document: Document, words: Collection[str]) -> bool:
    """Whether the end of the file, where Parquet keeps its schema, holds all the words. Never raises."""
    end = document.part(max(0, document.size - FOOTER_BYTES), FOOTER_BYTES)
    return all(word.encode() in end for word in words)


def as_json_lines(document: Document, without: Collection[str]) -> Document:
    """The same rows as JSON Lines, without some columns.

    Raises:
        MalformedEvidence: malformed_evidence, too_large, too_many_rows, decompression_ratio.
    """
    import pyarrow as pa  # noqa: PLC0415 -- half a second that no page should pay
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        file = pq.ParquetFile(pa.BufferReader(document.content))
        columns = [name for name in file.schema_arrow.names if name not in without]
        limits.refuse_many_rows(file.metadata.num_rows, document.name)
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        size = sum(
            group.column(i).total_uncompressed_size
            for group in groups
            for i in range(group.num_columns)
            if group.column(i).path_in_schema.partition(".")[0] in columns
        )
        limits.refuse_inflation(document.size, size, document.name, limits.BYTES)
        rows = file.read(columns=columns, use_threads=False).to_pylist()
    except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError) as error:
        message = "it is no whole Parquet file"
        raise MalformedEvidence(message, where=document.name, code="malformed_evidence") from error
    return Document("".join(f"{json.dumps(row, default=str)}\n" for row in rows).encode(), document.name)
