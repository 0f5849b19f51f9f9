"""Output of rocprof (ROCm): tables of version 3, of version 1 and of Omniperf, and the JSON of version 3.

In the file: times in ns. Here: one file is one run. Executions (of kernels, copies, calls) become stages and totals by
name; statistics by name stay aggregates; counters are raw values, one for each dispatch.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from analysis.evidence import collect, csv_reader, nsys_stats, profiles, pytorch_trace, rocprof_json, values
from analysis.evidence.collect import Collection, Run, Sample
from analysis.evidence.csv_reader import Row, Table
from analysis.evidence.format import Document, Format
from analysis.reading import Reading
from analysis.traces.events import Kind, Lane

NAME: Final = "rocprof"
VERSION: Final = 1

COUNTERS: Final = ("Kernel_Name", "Counter_Name", "Counter_Value")
TIMES: Final = ("Start_Timestamp", "End_Timestamp")
OLD_TIMES: Final = ("KernelName", "BeginNs", "EndNs")
STATS: Final = ("Name", "Calls", "TotalDurationNs", "AverageNs")
TABLES: Final = (COUNTERS, TIMES, OLD_TIMES, STATS)
SUMMARY: Final[Mapping[str, str]] = {
    "TotalDurationNs": "total", "AverageNs": "mean", "MinNs": "min", "MaxNs": "max", "StdDev": "std",
}  # fmt: skip
LANES: Final = (
    ("Agent_Id", "Queue_Id"), ("GPU_ID", "queue-id"), ("GPU_ID", "Queue_ID"), ("gpu-id", "queue-id"),
    ("Process_Id", "Thread_Id"), ("Source_Agent_Id", "Destination_Agent_Id"),
)  # fmt: skip
NAMED: Final = ("Kernel_Name", "KernelName", "Function", "Direction", "Kind")
PASSES: Final = "Counters may need several passes: rows of different passes are different executions of a kernel."
SUMMED: Final = (
    "The tool's statistics by name: there is nothing raw in them. The total over all names is computed here."
)


def looks_right(document: Document) -> str | None:
    """The reason why this is output of rocprof, or None."""
    if rocprof_json.looks_right(document):
        return f'it begins with "{rocprof_json.KEY}"'
    found = next((columns for columns in TABLES if csv_reader.header_in(document, columns)), None)
    return None if found is None else f"its header names {', '.join(found)}"


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no_header, no_rows, no_runs, not_a_time, malformed_json, and those of values.
    """
    collection = Collection(document)
    if rocprof_json.looks_right(document):
        leniences = rocprof_json.read(collection)
        return collection.reading(NAME, VERSION, leniences, incomplete=False)
    columns = next((columns for columns in TABLES if csv_reader.header_in(document, columns)), TIMES)
    table = csv_reader.read(document, columns)
    run = collection.add(collect.completed("0", document.name))
    readers: Mapping[tuple[str, ...], Callable[[Collection, Run, Table], None]] = {
        COUNTERS: _counters, TIMES: _executions, OLD_TIMES: _executions, STATS: _statistics,
    }  # fmt: skip
    readers[columns](collection, run, table)
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def _executions(collection: Collection, run: Run, table: Table) -> None:
    profiles.measure(collection, run, _executed(table).events(), f"{collection.document.name}:rows")
    read = _read_of(table)
    collection.leave(column for column in table.columns if column not in read)


def executions(document: Document) -> tuple[tuple[str, profiles.Executions], ...]:
    """What each process executed, by its key; nothing where the file holds no executions. Raises what parse raises."""
    if rocprof_json.looks_right(document):
        return rocprof_json.executions(document)
    columns = next((columns for columns in (TIMES, OLD_TIMES) if csv_reader.header_in(document, columns)), None)
    return () if columns is None else (("0", _executed(csv_reader.read(document, columns))),)


def _read_of(table: Table) -> tuple[str, ...]:
    """The columns that are read: begin, end, name, and where it ran ("" twice when that is not told)."""
    begin, end = TIMES if TIMES[0] in table.columns else OLD_TIMES[1:]
    named = next(column for column in (*NAMED, begin) if column in table.columns)
    return begin, end, named, *next((pair for pair in LANES if set(pair) <= set(table.columns)), ("", ""))


def _executed(table: Table) -> profiles.Executions:
    begin, end, named, *lane = _read_of(table)
    found = profiles.Executions()
    for row in table.rows:
        name = values.text(row.text(named), row.place(named))
        span = profiles.span(row.number(begin), row.number(end), row.place(begin))
        found.add(span, _kind(row, named, name), name, Lane(row.text(lane[0]), row.text(lane[1])))
    return found


def _kind(row: Row, named: str, name: str) -> Kind:
    if named in ("Kernel_Name", "KernelName"):
        return nsys_stats.kind_of(name)
    if named == "Direction":
        return Kind.MEMORY
    if row.text("Domain").startswith("MARKER"):
        return Kind.OPERATOR
    return Kind.SYNCHRONISATION if pytorch_trace.WAIT.search(name) else Kind.LAUNCH


def _statistics(collection: Collection, run: Run, table: Table) -> None:
    stats = {column: (stat, "Calls") for column, stat in SUMMARY.items() if column in table.columns}
    for row in table.rows:
        profiles.summarised(run, row, "call_time", values.text(row.text("Name"), row.place("Name")), stats)
    profiles.whole(run, "all_call_time", table.rows, "TotalDurationNs", "Calls")
    collection.notice(SUMMED)
    collection.leave(column for column in table.columns if column not in (*stats, "Name", "Calls", "Percentage"))


def _counters(collection: Collection, run: Run, table: Table) -> None:
    for at, row in enumerate(table.rows):
        name = values.text(row.text("Counter_Name"), row.place("Counter_Name"))
        figure = collect.finite(row.number("Counter_Value"), "1", row.place("Counter_Value"))
        index = values.count(row.number("Dispatch_Id"), row.place("Dispatch_Id")) if row.text("Dispatch_Id") else at
        metric = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        run.measured(metric, figure, Sample("raw", "value", 1, index, item=row.text("Kernel_Name")))
    collection.notice(PASSES)
    collection.leave(column for column in table.columns if column not in (*COUNTERS, "Dispatch_Id"))


FORMAT: Final = Format(NAME, "rocprof output", VERSION, looks_right, parse)
