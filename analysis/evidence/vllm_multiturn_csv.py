"""The tables of the vLLM multi-turn benchmark: its client, its server once a second, and the PCIe traffic of its GPUs.

In the file: one row per request (ms, on a monotonic clock), per second of the server (counters, and shares in percent)
or per second and GPU (GB since the start). Here: each table is one run. Of requests: times, tokens, and how much of the
prompt was cached; rates are work / (last finish - first start). Of the server: what its counters grew by. Of the GPUs:
bytes sent and received, summed over the GPUs.
"""

from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_reader, reported, values
from analysis.evidence.collect import Collection, Run, aggregate, raw
from analysis.evidence.csv_reader import Row, Table
from analysis.evidence.format import Document, Format
from analysis.evidence.reported import Meaning
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "vllm-multiturn-csv"
VERSION: Final = 1

CLIENT: Final = ("start_time_ms", "ttft_ms", "tpot_ms", "latency_ms", "input_num_tokens", "output_num_tokens")
SERVER: Final = ("timestamp_sec", "num_requests_running", "prompt_tokens_total", "generation_tokens_total")
TRAFFIC: Final = ("timestamp_sec", "gpu_id", "cumulative_tx_gb", "cumulative_rx_gb")
TABLES: Final = (CLIENT, SERVER, TRAFFIC)

OF_REQUEST: Final = {
    "ttft_ms": Meaning("ttft", "value", "ms"),
    "tpot_ms": Meaning("tpot", "value", "ms"),
    "latency_ms": Meaning("e2e_latency", "value", "ms"),
    "input_num_tokens": Meaning("input_tokens", "value", "1"),
    "output_num_tokens": Meaning("output_tokens", "value", "1"),
    "approx_cached_percent": Meaning("cached_share", "value", "%"),
}
OF_SECOND: Final = {
    "kv_cache_usage_pct": Meaning("kv_cache_usage", "value", "%"),
    "cpu_kv_cache_usage_pct": Meaning("cpu_kv_cache_usage", "value", "%"),
    "num_requests_running": Meaning("requests_running", "value", "1"),
    "num_requests_waiting": Meaning("requests_waiting", "value", "1"),
}
COUNTERS: Final = {
    "request_success_total": "requests_completed",
    "prompt_tokens_total": "input_tokens",
    "generation_tokens_total": "output_tokens",
    "num_preemptions_total": "preemptions",
}
HITS: Final = (("prefix_cache_hits", "prefix_cache_queries", "prefix_cache_hit_rate"),
               ("cpu_prefix_cache_hits", "cpu_prefix_cache_queries", "cpu_prefix_cache_hit_rate"))  # fmt: skip
NAMED: Final = ("conversation_id", "client_id", "gpu_id", "relative_time_sec")
DERIVED: Final = "Rates are computed here: work / (last finish - first start)."
COUNTED: Final = "Work is what the counters of the server grew by, from the first row to the last."
WARM: Final = "The server had answered requests before the first row: its prefix cache may have been warm."


def looks_right(document: Document) -> str | None:
    """The reason why this is a table of the multi-turn benchmark, or None."""
    for columns in TABLES:
        if csv_reader.header_in(document, columns):
            return f"its header names {', '.join(columns)}"
    return None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no such header, a ragged row, a number that is none, a time below zero, a counter that falls.
    """
    columns = next((c for c in TABLES if csv_reader.header_in(document, c)), CLIENT)
    table = csv_reader.read(document, columns)
    collection = Collection(document)
    run = collection.add(collect.completed("0", document.name))
    if columns is CLIENT:
        _requests(collection, run, table)
    elif columns is SERVER:
        _server(collection, run, table)
    else:
        _traffic(collection, run, table)
    reported.folders(run, document.name)
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def _exact(row: Row, column: str) -> Fraction:
    values.not_negative(row.number(column), row.place(column))
    return Fraction(values.numeral(row.number(column), row.place(column)).text)


def _moment(row: Row, column: str, per_second: int) -> int:
    """Nanoseconds on the clock of the file."""
    seconds = _exact(row, column) / per_second
    if seconds * 10**9 >= values.BIGGEST_COUNT:
        raise MalformedEvidence("it is no time", where=row.place(column), code="not_a_time")
    return int(seconds * 10**9)


def _requests(collection: Collection, run: Run, table: Table) -> None:
    first, last = None, Fraction(0)
    for i, row in enumerate(table.rows):
        sample = raw(i, _moment(row, "start_time_ms", 1000))
        start = _exact(row, "start_time_ms") / 1000
        first = start if first is None else min(first, start)
        last = max(last, start + _exact(row, "latency_ms") / 1000)
        for column, meaning in OF_REQUEST.items():
            if column in table.columns:
                run.measured(meaning.metric, reported.figure(meaning, row.number(column), row.place(column)), sample)
    where, seconds = collection.document.name, last - (first or 0)
    if seconds <= 0:
        raise MalformedEvidence("the requests took no time", where=where, code="not_positive")
    run.lasted(Numeral(repr(float(seconds))), where)
    tokens_in, tokens_out = (
        sum(values.count(row.number(column), row.place(column)) for row in table.rows)
        for column in ("input_num_tokens", "output_num_tokens")
    )
    done = {"requests_completed": len(table.rows), "input_tokens": tokens_in, "output_tokens": tokens_out}
    for name, amount in done.items():
        run.worked(name, Numeral(str(amount)), where)
    reported.rate(run, "request_throughput", len(table.rows), seconds, where)
    reported.rate(run, "input_throughput", tokens_in, seconds, where)
    reported.rate(run, "output_throughput", tokens_out, seconds, where)
    reported.rate(run, "total_token_throughput", tokens_in + tokens_out, seconds, where)
    for column, name in (("client_id", "clients"), ("conversation_id", "conversations")):
        if column in table.columns:
            run.configured(name, Numeral(str(len({row.text(column) for row in table.rows}))), where)
    collection.notice(DERIVED)
    collection.leave(c for c in table.columns if c not in (*OF_REQUEST, *NAMED, "start_time_ms"))


def _server(collection: Collection, run: Run, table: Table) -> None:
    for i, row in enumerate(table.rows):
        sample = raw(i, _moment(row, "timestamp_sec", 1))
        for column, meaning in OF_SECOND.items():
            if column in table.columns:
                run.measured(meaning.metric, reported.figure(meaning, row.number(column), row.place(column)), sample)
    for column, name in COUNTERS.items():
        if column in table.columns:
            run.worked(name, Numeral(str(_counted(table.rows, column))), table.rows[-1].place(column))
    for hits, queries, metric in HITS:
        if hits in table.columns and queries in table.columns:
            asked, found = _counted(table.rows, queries), _counted(table.rows, hits)
            share = Numeral(repr(found / asked)) if asked else None
            reported.add(run, Meaning(metric, "rate", "1"), share, table.rows[-1].place(hits), asked)
    if _exact(table.rows[0], "prompt_tokens_total") > 0:
        collection.notice(WARM)
    collection.notice(COUNTED)
    read = {"timestamp_sec", *OF_SECOND, *COUNTERS, *(column for pair in HITS for column in pair[:2])}
    collection.leave(c for c in table.columns if c not in (*read, *NAMED))


def _counted(rows: tuple[Row, ...], column: str) -> int:
    for row in rows:
        values.count(row.number(column), row.place(column))
    return int(_growth(rows, column))


def _growth(rows: tuple[Row, ...], column: str) -> Fraction:
    """What a counter grew by. Raises MalformedEvidence(negative) where it falls: then the server was started anew."""
    before = first = _exact(rows[0], column)
    for row in rows[1:]:
        now = _exact(row, column)
        if now < before:
            raise MalformedEvidence(
                "the counter falls: the server was started anew", where=row.place(column), code="negative"
            )
        before = now
    return before - first


def _traffic(collection: Collection, run: Run, table: Table) -> None:
    gpus: dict[str, list[Row]] = {}
    for row in table.rows:
        _moment(row, "timestamp_sec", 1)
        gpus.setdefault(row.text("gpu_id"), []).append(row)
    where = collection.document.name
    for column, metric in (("cumulative_tx_gb", "pcie_sent"), ("cumulative_rx_gb", "pcie_received")):
        total = sum(_growth(tuple(rows), column) for rows in gpus.values())
        figure = collect.not_negative(Numeral(repr(float(total))), "GB", where)
        run.measured(metric, figure, aggregate("total", len(table.rows)))
    run.configured("gpus", Numeral(str(len(gpus))), where)
    collection.leave(c for c in table.columns if c not in (*TRAFFIC, *NAMED))


FORMAT: Final = Format(NAME, "vLLM multi-turn benchmark table", VERSION, looks_right, parse)
