"""SQLite files, read-only, where they stand or in memory: which tables they hold, and the rows of a query."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import limits
from analysis.evidence.format import Document

MAGIC: Final = b"SQLite format 3\0"
INSTRUCTIONS: Final = 1_000_000  # between two looks at how much was done
LOOKS: Final = 2_000

Cell = int | float | str | bytes | None


def tables(document: Document) -> tuple[str, ...]:
    """The names of the tables (not of views) in the file; nothing when it is no such file. Never raises."""
    if not document.head.startswith(MAGIC):
        return ()
    try:
        with opened(document) as connection:
            return tuple(str(name) for (name,) in rows(connection, TABLES, document.name))
    except MalformedEvidence:
        return ()


TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"


@contextmanager
def opened(document: Document) -> Iterator[sqlite3.Connection]:
    """The file as a database that runs no code of its own, and stops when a query does too much.

    Raises:
        MalformedEvidence: too_large, malformed_evidence.
    """
    if not document.head.startswith(MAGIC):
        raise MalformedEvidence("it is no SQLite file", where=document.name)
    with closing(_connected(document)) as connection:
        looks = iter(range(LOOKS))
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.set_progress_handler(lambda: next(looks, None) is None, INSTRUCTIONS)
        yield connection


def _connected(document: Document) -> sqlite3.Connection:
    """The file where it stands, which nobody changes; a copy in memory of one that stands nowhere."""
    if document.path:
        place = Path(document.path).absolute().as_uri()
        return sqlite3.connect(f"{place}?mode=ro&immutable=1", uri=True)
    connection = sqlite3.connect(":memory:")
    connection.deserialize(document.content)
    return connection


def rows(connection: sqlite3.Connection, query: str, where: str, *values: str) -> Iterator[tuple[Cell, ...]]:
    """The rows of a query.

    Raises:
        MalformedEvidence: too_many_rows, malformed_evidence.
    """
    try:
        for at, row in enumerate(connection.execute(query, values), 1):
            limits.refuse_many_rows(at, where)
            yield row
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        raise MalformedEvidence(f"it is no whole SQLite file: {error}", where=where) from error
