"""Databases of profilers: executions in tables with a start and an end in ns, and names in a table of their own."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from analysis.errors import MalformedEvidence
from analysis.evidence import profiles, sqlite_reader, values
from analysis.evidence.sqlite_reader import Cell
from analysis.traces.events import Kind, Lane


@dataclass(frozen=True, slots=True)
class Source:
    """Executions in one table.

    table: its name. query: gives start, end, name, process and thread. kind: of an execution, by its name.
    """

    table: str
    query: str
    kind: Callable[[str], Kind]


def always(kind: Kind) -> Callable[[str], Kind]:
    """A source all of whose executions are of one kind."""
    return lambda _name: kind


def gather(connection: sqlite3.Connection, source: Source, found: profiles.Executions, where: str) -> None:
    """Add the executions of a source.

    Raises:
        MalformedEvidence: not_a_time, not_text, and those of sqlite_reader.rows.
    """
    kinds: dict[str, Kind] = {}
    for at, (start, end, name, process, thread) in enumerate(sqlite_reader.rows(connection, source.query, where)):
        place = f"{where}:{source.table}[{at}]"
        if not isinstance(start, int) or not isinstance(end, int):
            raise MalformedEvidence("its start or its end is no whole number", where=place, code="not_a_time")
        if not isinstance(name, str) or not values.text(name, place):
            raise MalformedEvidence("it has no name", where=place, code="not_text")
        kind = kinds[name] if name in kinds else kinds.setdefault(name, source.kind(name))
        found.add(profiles.checked(start, end, place), kind, name, Lane(_text(process), _text(thread)))


def _text(cell: Cell) -> str:
    return "" if cell is None else str(cell)
