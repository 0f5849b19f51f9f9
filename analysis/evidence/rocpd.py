"""Traces in rocpd, the SQLite files of ROCm: of rocprofv3 (the default of ROCm 7), and of rocmProfileData before it.

In the file: start and end in ns. The tables of rocprofv3 carry the id of the trace in their names; rocmProfileData has
one table of operations. Here: one file is one run; kernels and copies become stages and totals by name.
"""

import re
from collections.abc import Collection as Names
from collections.abc import Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, device_tables, nsys_stats, profiles, sqlite_reader
from analysis.evidence.collect import Collection
from analysis.evidence.device_tables import Source, always
from analysis.evidence.format import Document, Format
from analysis.reading import Reading
from analysis.traces.events import Kind

NAME: Final = "rocpd"
VERSION: Final = 1

DISPATCHES: Final = re.compile(r"rocpd_kernel_dispatch(_\w+|)")
OPERATIONS: Final = "rocpd_op"
OF_DISPATCHES: Final = (
    'SELECT d.start, d."end", COALESCE(k.display_name, k.kernel_name), d.agent_id, d.queue_id'
    ' FROM "rocpd_kernel_dispatch{id}" d LEFT JOIN "rocpd_info_kernel_symbol{id}" k ON k.id = d.kernel_id'
)
OF_COPIES: Final = 'SELECT start, "end", \'memory copy\', dst_agent_id, src_agent_id FROM "rocpd_memory_copy{id}"'
OF_OPERATIONS: Final = (
    "SELECT o.start, o.\"end\", COALESCE(NULLIF(d.string, ''), t.string), o.gpuId, o.queueId FROM rocpd_op o"
    " LEFT JOIN rocpd_string d ON d.id = o.description_id LEFT JOIN rocpd_string t ON t.id = o.opType_id"
)


def looks_right(document: Document) -> str | None:
    """The reason why this is a rocpd file, or None."""
    known = sqlite_reader.tables(document)
    if OPERATIONS in known or any(DISPATCHES.fullmatch(table) for table in known):
        return "it is a SQLite file with tables rocpd_…"
    return None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: missing, no_runs, not_a_time, not_text, and those of sqlite_reader.
    """
    found = executions(document)
    sources = list(_sources(sqlite_reader.tables(document)))
    collection = Collection(document)
    run = collection.add(collect.completed("0", document.name))
    profiles.measure(collection, run, found.events(), f"{document.name}:{sources[0].table}")
    collection.notice(f"Of the tables of the file these are read: {', '.join(source.table for source in sources)}.")
    return collection.reading(NAME, VERSION, (), incomplete=False)


def executions(document: Document) -> profiles.Executions:
    """What was executed. Raises what parse raises, but no_runs."""
    sources = list(_sources(sqlite_reader.tables(document)))
    if not sources:
        message = "it has no table of dispatched kernels or operations"
        raise MalformedEvidence(message, where=document.name, code="missing")
    found = profiles.Executions()
    with sqlite_reader.opened(document) as connection:
        for source in sources:
            device_tables.gather(connection, source, found, document.name)
    return found


def _sources(known: Names[str]) -> Iterator[Source]:
    for table in known:
        found = DISPATCHES.fullmatch(table)
        if found:
            yield Source(table, OF_DISPATCHES.format(id=found[1]), nsys_stats.kind_of)
            copies = f"rocpd_memory_copy{found[1]}"
            if copies in known:
                yield Source(copies, OF_COPIES.format(id=found[1]), always(Kind.MEMORY))
    if OPERATIONS in known:
        yield Source(OPERATIONS, OF_OPERATIONS, _operation)


def _operation(name: str) -> Kind:
    return Kind.MEMORY if re.match(r"Copy|Fill|Memset", name) else nsys_stats.kind_of(name)


FORMAT: Final = Format(NAME, "ROCm profile (rocpd, SQLite)", VERSION, looks_right, parse, streams=True)
