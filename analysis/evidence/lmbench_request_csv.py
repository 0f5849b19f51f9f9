"""LMBench (production-stack) request tables.

In the file: one row per request, with token counts, `ttft` and `generation_time` in s, and launch and finish as epoch
seconds. Here: the whole file is one run; the end-to-end time is finish - launch; rates are work / (last finish - first
launch). The offered rate is only in the file name ("qps_1.34.csv"), the arm only in folder names: both are taken from
there, and say so.
"""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_reader, reported, request_columns, request_table, serving, values
from analysis.evidence.collect import Collection, Figure, Run, Sample, aggregate, raw
from analysis.evidence.csv_reader import Row
from analysis.evidence.format import Document, Format
from analysis.evidence.request_columns import COLUMNS, Requests
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "lmbench-request-csv"
VERSION: Final = 2

QPS: Final = re.compile(r"(?:.*_)?(?:qps|output)_(\d+(?:\.\d+)?)", re.IGNORECASE)
DERIVED: Final = "Rates are computed here: work / (last finish - first launch)."


def looks_right(document: Document) -> str | None:
    """The reason why this is an LMBench request table, or None."""
    if csv_reader.header_in(document, COLUMNS) is None:
        return None
    return f"its header names {', '.join(COLUMNS)}"


def parse(document: Document) -> Reading:
    """One run with its requests.

    Raises:
        MalformedEvidence: a row that is ragged, a time that is not positive, a finish that is not after its launch.
    """
    found = request_columns.plain(document)
    return _by_row(document) if found is None else _by_column(document, found)


def _by_column(document: Document, found: Requests) -> Reading:
    """What `_by_row` gives, of requests that were read into arrays."""
    collection = Collection(document)
    run = _run(collection, Fraction(found.first, 10**9), Fraction(found.last, 10**9))
    _totals(run, found.rows, found.tokens, Fraction(found.last - found.first, 10**9))
    collection.notice(DERIVED)
    whole = collection.reading(NAME, VERSION, (), incomplete=False)
    return replace(whole, measurements=request_table.table(found, whole.measurements))


def _by_row(document: Document) -> Reading:
    table = csv_reader.read(document, COLUMNS)
    collection = Collection(document)
    spans = [_span(row) for row in table.rows]
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    run = _run(collection, first, last)
    for i, (row, span) in enumerate(zip(table.rows, spans, strict=True)):
        _request(run, row, raw(i, int(span[0] * 10**9)), span)
    prompt, generated = (
        sum(values.count(row.number(column), row.place(column)) for row in table.rows)
        for column in ("prompt_tokens", "generation_tokens")
    )
    _totals(run, len(table.rows), (prompt, generated), last - first)
    collection.notice(DERIVED)
    collection.leave(column for column in table.columns if column not in COLUMNS)
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def _run(collection: Collection, first: Fraction, last: Fraction) -> Run:
    """The one run of the file, from the first launch to the last finish."""
    name = collection.document.name
    run = collection.add(collect.completed("0", name, attempted=None, failed=None, started_ns=int(first * 10**9)))
    _named(collection, run)
    run.lasted(Numeral(repr(float(last - first))), name)
    return run


def _span(row: Row) -> tuple[Fraction, Fraction]:
    """Launch and finish, in epoch seconds."""
    columns = ("launch_time", "finish_time")
    for column in columns:
        values.epoch_ns(row.number(column), row.place(column))
    launch, finish = (Fraction(values.numeral(row.number(column), row.place(column)).text) for column in columns)
    if finish <= launch:
        message = "the request finished no later than it was launched"
        raise MalformedEvidence(message, where=row.place("finish_time"), code="not_positive")
    return launch, finish


def _named(collection: Collection, run: Run) -> None:
    """What the names of file and folders tell."""
    path = PurePosixPath(collection.document.name)
    found = QPS.fullmatch(path.stem)
    if found:
        run.configured("request_rate", Numeral(found[1]), collection.document.name, "file name", "1/s")
        collection.notice(serving.rate_limited(found[1]))
    reported.folders(run, collection.document.name)


def _request(run: Run, row: Row, sample: Sample, span: tuple[Fraction, Fraction]) -> None:
    for column, metric in (("prompt_tokens", "input_tokens"), ("generation_tokens", "output_tokens")):
        values.count(row.number(column), row.place(column))
        run.measured(metric, collect.finite(row.number(column), "1", row.place(column)), sample)
    for column in ("ttft", "generation_time"):
        run.measured(column, collect.positive(row.number(column), "s", row.place(column)), sample)
    whole = Figure(float(span[1] - span[0]), "s", "finish_time - launch_time", "s", row.where, "")
    run.measured("e2e_latency", whole, sample)


def _totals(run: Run, requests: int, tokens: tuple[int, int], seconds: Fraction) -> None:
    where, (tokens_in, tokens_out) = run.facts.where, tokens
    done = {"requests_completed": requests, "input_tokens": tokens_in, "output_tokens": tokens_out}
    for name, amount in done.items():
        run.worked(name, Numeral(str(amount)), where)
    rates = {
        "request_throughput": requests,
        "input_throughput": tokens_in,
        "output_throughput": tokens_out,
        "total_token_throughput": tokens_in + tokens_out,
    }
    for metric, amount in rates.items():
        written = f"{amount} / {float(seconds)!r}"
        value = float(amount / seconds) if amount else None
        figure = Figure(value, "1/s", written, "1/s", where, "" if amount else serving.NOTHING_MEASURED)
        run.measured(metric, figure, aggregate("rate", amount))


FORMAT: Final = Format(NAME, "LMBench request table", VERSION, looks_right, parse, streams=True)
