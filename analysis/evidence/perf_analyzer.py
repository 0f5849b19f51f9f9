"""perf_analyzer `-f` tables (Triton).

In the file: one row per load level, times in whole µs, sorted by throughput and not by load. Here: one run per row, by
its load, because each row already averages the last stable windows. Inferences/Second counts the items of a batch. Not
in the file: model, batch size, version.
"""

from typing import Final

from analysis.evidence import collect, csv_reader, serving, values
from analysis.evidence.collect import Collection, Run, Sample, aggregate
from analysis.evidence.csv_reader import Row
from analysis.evidence.format import Document, Format
from analysis.reading import Reading

NAME: Final = "perf-analyzer"
VERSION: Final = 1

LOADS: Final = ("Concurrency", "Request Rate", "Request Period")
RATE: Final = "Inferences/Second"
STAGES: Final = {
    "Client Send": "client_send", "Network+Server Send/Recv": "network_and_server_send_recv",
    "Server Queue": "server_queue", "Server Compute": "server_compute", "Server Compute Input": "server_compute_input",
    "Server Compute Infer": "server_compute_infer", "Server Compute Output": "server_compute_output",
    "Client Recv": "client_recv",
}  # fmt: skip
LATENCIES: Final = {
    "Min latency": "min", "Avg latency": "mean", "Max latency": "max", "p25 latency": "p25", "p50 latency": "median",
    "p75 latency": "p75", "p90 latency": "p90", "p95 latency": "p95", "p99 latency": "p99",
}  # fmt: skip
ITEMS: Final = "Inferences per second count the items of a batch, not requests: the batch size is not in the file."
ORDER: Final = "The rows of the file are sorted by throughput: here they are in the order of the load."
NO_TIME: Final = "the tool writes whole microseconds: this took less than one, or was not measured"


def looks_right(document: Document) -> str | None:
    """The reason why this is a table of perf_analyzer, or None."""
    for load in LOADS:
        if csv_reader.header_in(document, (load, RATE, "Client Send")) is not None:
            return f"its header names {load}, {RATE} and Client Send"
    return None


def parse(document: Document) -> Reading:
    """One run per load level.

    Raises:
        MalformedEvidence: a row that is ragged, a load or a time that is no number, a rate that is not positive.
    """
    table = csv_reader.read(document, (RATE, "Client Send"))
    load = next((column for column in LOADS if column in table.columns), table.columns[0])
    collection = Collection(document)
    levels = [values.not_negative(row.number(load), row.place(load)) for row in table.rows]
    if levels != sorted(levels):
        collection.notice(ORDER)
    for _, row in sorted(zip(levels, table.rows, strict=True), key=lambda level: level[0]):
        run = collection.add(collect.completed(row.where.rpartition(":")[2], row.where))
        name = load.lower().replace(" ", "_")
        run.configured(name, row.number(load), row.place(load))
        if name == "request_rate":
            collection.notice(serving.rate_limited(row.text(load)))
        _numbers(run, row)
    collection.notice(ITEMS)
    collection.leave(column for column in table.columns if column not in (load, RATE, *STAGES, *LATENCIES))
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def _numbers(run: Run, row: Row) -> None:
    run.measured("throughput", collect.positive(row.number(RATE), "1/s", row.place(RATE)), aggregate("rate", None))
    for column, stage in STAGES.items():
        if row.text(column):
            figure = collect.positive_or_nothing(row.number(column), "us", row.place(column), NO_TIME)
            run.measured("stage_time", figure, Sample("aggregate", "mean", None, stage=stage))
    for column, stat in LATENCIES.items():
        if row.text(column):
            figure = collect.positive_or_nothing(row.number(column), "us", row.place(column), NO_TIME)
            run.measured("latency", figure, aggregate(stat, None))


FORMAT: Final = Format(NAME, "perf_analyzer table", VERSION, looks_right, parse)
