"""Traces of Nsight Systems exported to SQLite (`nsys export --type sqlite`, or the file that `nsys stats` leaves).

In the file: one table for each kind of activity, with start and end in ns since the trace began; names in StringIds.
Here: one file is one run; kernels, operations on memory, calls of the runtime and synchronisation become stages and
totals.
"""

from collections.abc import Collection as Names
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, device_tables, nsys_stats, profiles, pytorch_trace, sqlite_reader
from analysis.evidence.collect import Collection
from analysis.evidence.device_tables import Source, always
from analysis.evidence.format import Document, Format
from analysis.reading import Reading
from analysis.traces.events import Kind

NAME: Final = "nsys-sqlite"
VERSION: Final = 1

KERNEL: Final = "CUPTI_ACTIVITY_KIND_KERNEL"
STRINGS: Final = "StringIds"
NAMED: Final = "SELECT a.start, a.end, s.value, {lane} FROM {table} a LEFT JOIN StringIds s ON s.id = a.{name}"
UNNAMED: Final = "SELECT start, end, '{words}', {lane} FROM {table}"
ON_DEVICE: Final = "deviceId, streamId"
ACTIVITIES: Final = (
    "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_RUNTIME",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
)  # fmt: skip
GPUS: Final = "TARGET_INFO_GPU"
GPU_NAMES: Final = "SELECT DISTINCT name FROM TARGET_INFO_GPU"


def looks_right(document: Document) -> str | None:
    """The reason why this is an export of Nsight Systems, or None."""
    return f"it is a SQLite file with the table {KERNEL}" if KERNEL in sqlite_reader.tables(document) else None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: missing, no_runs, not_a_time, not_text, and those of sqlite_reader.
    """
    known = sqlite_reader.tables(document)
    collection = Collection(document)
    run = collection.add(collect.completed("0", document.name))
    found = executions(document)
    if GPUS in known:
        with sqlite_reader.opened(document) as connection:
            rows = sqlite_reader.rows(connection, GPU_NAMES, document.name)
            run.configured("device", "; ".join(str(name) for (name,) in rows), f"{document.name}:{GPUS}")
    profiles.measure(collection, run, found.events(), f"{document.name}:{KERNEL}")
    collection.leave(table for table in known if table not in (KERNEL, STRINGS, GPUS, *ACTIVITIES))
    return collection.reading(NAME, VERSION, (), incomplete=False)


def executions(document: Document) -> profiles.Executions:
    """What was executed. Raises what parse raises, but no_runs."""
    known = sqlite_reader.tables(document)
    if not {KERNEL, STRINGS} <= set(known):
        message = f"it has no table {KERNEL}, or no table {STRINGS}"
        raise MalformedEvidence(message, where=document.name, code="missing")
    found = profiles.Executions()
    with sqlite_reader.opened(document) as connection:
        for source in _sources(known):
            device_tables.gather(connection, source, found, document.name)
    return found


def _sources(known: Names[str]) -> list[Source]:
    memcpy, memset, runtime, waits = ACTIVITIES
    on_device, on_host = "a.deviceId, a.streamId", "a.globalTid, ''"
    sources = [
        Source(KERNEL, NAMED.format(table=KERNEL, name="demangledName", lane=on_device), nsys_stats.kind_of),
        Source(memcpy, UNNAMED.format(table=memcpy, words="memcpy", lane=ON_DEVICE), always(Kind.MEMORY)),
        Source(memset, UNNAMED.format(table=memset, words="memset", lane=ON_DEVICE), always(Kind.MEMORY)),
        Source(runtime, NAMED.format(table=runtime, name="nameId", lane=on_host), _call),
        Source(waits, UNNAMED.format(table=waits, words="wait", lane=ON_DEVICE), always(Kind.SYNCHRONISATION)),
    ]
    return [source for source in sources if source.table in known]


def _call(name: str) -> Kind:
    return Kind.SYNCHRONISATION if pytorch_trace.WAIT.search(name) else Kind.LAUNCH


FORMAT: Final = Format(NAME, "Nsight Systems export (SQLite)", VERSION, looks_right, parse, streams=True)
