"""CSV of the TPU microbenchmarks.

In the file: one row per benchmark and shape, with the median, p90, mean and standard deviation in ms and a rate in
TFLOP/s. Here: one run per row, aggregates only. Not read: what the tool derived from peak numbers that it was told,
which are those of a TPU even where the platform is a CPU.
"""

from typing import Final

from analysis.evidence import collect, csv_reader, serving, values
from analysis.evidence.collect import Collection, Run, aggregate
from analysis.evidence.csv_reader import Row
from analysis.evidence.format import Document, Format
from analysis.reading import Reading

NAME: Final = "tpu-microbench"
VERSION: Final = 1

COLUMNS: Final = ("benchmark", "test_name", "p50_ms", "avg_ms", "std_ms", "platform")
STATS: Final = {
    "p50_ms": "median",
    "p90_ms": "p90",
    "p95_ms": "p95",
    "p99_ms": "p99",
    "avg_ms": "mean",
    "std_ms": "std",
}
RATE: Final = "tflops_per_sec"
DERIVED: Final = (
    "KET_ms", "throughput", "intensity", "roofline_tflops_limit", "peak_bw_at_size_gb_s", "roofline_efficiency",
    "total_duration_s",
)  # fmt: skip
IDENTITY: Final = ("test_name", "start")
PEAKS: Final = (
    "The platform is {platform}, and the peak numbers in the file are those of a TPU: its efficiencies mean nothing."
)


def looks_right(document: Document) -> str | None:
    """The reason why this is a table of the TPU microbenchmarks, or None."""
    return f"its header names {', '.join(COLUMNS)}" if csv_reader.header_in(document, COLUMNS) else None


def parse(document: Document) -> Reading:
    """One run per row.

    Raises:
        MalformedEvidence: a row that is ragged, a time that is no number or below zero.
    """
    table = csv_reader.read(document, COLUMNS)
    collection = Collection(document)
    for row in table.rows:
        run = collection.add(collect.completed(row.where.rpartition(":")[2], row.where))
        _settings(run, row)
        _numbers(run, row)
        if row.text("platform").lower() not in ("tpu", "") and row.text("hardware_stats"):
            collection.notice(PEAKS.format(platform=row.text("platform")))
    collection.leave(column for column in table.columns if column in DERIVED)
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def _settings(run: Run, row: Row) -> None:
    for column in row.cells:
        if column in (*STATS, RATE, *DERIVED, "total_flops", "actual_runs") or not row.text(column):
            continue
        if column in IDENTITY:
            run.identified(column, row.text(column), row.place(column))
        else:
            run.configured(column, row.text(column), row.place(column))
    if row.text("total_flops"):
        run.worked("flops", row.number("total_flops"), row.place("total_flops"))


def _numbers(run: Run, row: Row) -> None:
    count = values.count(row.number("actual_runs"), row.place("actual_runs")) if row.text("actual_runs") else None
    for column, stat in STATS.items():
        if row.text(column):
            value, where = row.number(column), row.place(column)
            if stat == "std":
                figure = collect.not_negative(value, "ms", where)
            else:
                figure = collect.positive_or_nothing(value, "ms", where, serving.NOTHING_MEASURED)
            run.measured("wall_time", figure, aggregate(stat, count))
    if row.text(RATE):
        figure = collect.positive_or_nothing(row.number(RATE), "TFLOPS", row.place(RATE), serving.NOTHING_MEASURED)
        run.measured("compute_rate", figure, aggregate("rate", count))


FORMAT: Final = Format(NAME, "TPU microbenchmark table", VERSION, looks_right, parse)
