"""GuideLLM benchmark files (`benchmarks.json`).

In the file: `benchmarks`, one for each strategy of a sweep, with distributions over requests (ms in names that end in
"_ms", else s) and time-weighted distributions of rates and concurrency; often the requests themselves. Here: one run
per benchmark, of its successful requests only. The schema changed several times: what is there is read. Rates are
computed here, work / duration, because the median of a time-weighted rate may be far from its mean by construction.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, reported, serving, text_reader, values
from analysis.evidence.collect import Collection, Run, inside, raw
from analysis.evidence.format import Document, Format
from analysis.evidence.reported import Meaning
from analysis.evidence.serving import Record
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "guidellm"
VERSION: Final = 2

START: Final = re.compile(rb'"benchmarks"\s*:\s*\[')
RATE: Final = re.compile(rb'"requests_per_second"\s*:\s*\{')
DONE: Final = re.compile(rb'"(?:successful|request_totals|strategy)"\s*:\s*[{\d]')
STATS: Final = {"mean": "mean", "median": "median", "std_dev": "std", "min": "min", "max": "max"}
PERCENTILES: Final = {
    "p001": "p0.1", "p01": "p1", "p05": "p5", "p10": "p10", "p25": "p25", "p50": "p50",
    "p75": "p75", "p90": "p90", "p95": "p95", "p99": "p99", "p999": "p99.9",
}  # fmt: skip
OF_REQUESTS: Final = {
    "request_latency": ("e2e_latency", "s"),
    "time_to_first_token_ms": ("ttft", "ms"),
    "time_per_output_token_ms": ("tpot", "ms"),
    "inter_token_latency_ms": ("itl", "ms"),
}
OVER_TIME: Final = {
    "requests_per_second": ("request_throughput", "1/s"),
    "output_tokens_per_second": ("output_throughput", "1/s"),
    "tokens_per_second": ("total_token_throughput", "1/s"),
    "prompt_tokens_per_second": ("input_throughput", "1/s"),
    "request_concurrency": ("concurrency", "1"),
}
WORK: Final = {"prompt_token_count": "input_tokens", "output_token_count": "output_tokens"}
TOKENS: Final = {"prompt_tokens": "input_tokens", "output_tokens": "output_tokens"}
OUTCOMES: Final = (
    "id_",
    "run_id",
    "measured_rates",
    "measured_concurrencies",
    "completed_strategies",
    "strategy_index",
)
TARGETS: Final = ("backend_target", "target")
RENAMED: Final = {
    "worker.backend_model": "model",
    "file.args.model": "model",
    "backend.model": "model",
    "args.strategy.rate": "request_rate",
    "config.strategy.rate": "request_rate",
    "args.strategy.streams": "max_concurrency",
    "config.strategy.streams": "max_concurrency",
}
TPOT: Final = "GuideLLM divides the time per output token by all output tokens, and not by those after the first."
TIME_WEIGHTED: Final = (
    "Distributions of rates are time-weighted; the rates of the runs are computed here: work / duration."
)


def looks_right(document: Document) -> str | None:
    """The reason why this is a GuideLLM file, or None."""
    head, _ = text_reader.ends(document)
    if START.search(head) and RATE.search(head) and DONE.search(head):
        return "its benchmarks have requests_per_second by outcome"
    return None


def parse(document: Document) -> Reading:
    """One run per benchmark.

    Raises:
        MalformedEvidence: no JSON, a part that is missing, a number that is none, a time below zero.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    whole = Record(values.fields(read.only(document.name), document.name), f"{document.name}:", "")
    entries = values.items(whole.needed("benchmarks"), whole.place("benchmarks"))
    for i, entry in enumerate(entries):
        where = f"{whole.place('benchmarks')}[{i}]"
        _run(collection, Record(values.fields(entry, where), where, f"benchmarks[{i}]"), whole)
    if not entries:
        raise MalformedEvidence("there is no benchmark in it", where=whole.place("benchmarks"), code="no_runs")
    collection.notice(TIME_WEIGHTED)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _part(record: Record, key: str) -> Record:
    """An object inside a record; an empty one when the schema has none there."""
    where = record.place(key)
    value = record.fields.get(key)
    return Record({} if value is None else values.fields(value, where), where, record.key)


def _run(collection: Collection, record: Record, whole: Record) -> None:
    metrics = Record(values.fields(record.needed("metrics"), record.place("metrics")), record.place("metrics"), "")
    totals = _part(record, "request_totals") if "request_totals" in record.fields else _part(metrics, "request_totals")
    served, lost, tried = (totals.count(key) for key in ("successful", "errored", "total"))
    if served == 0:
        facts = collect.failed(record.key, record.where, serving.NOTHING_SERVED, attempted=tried, lost=lost)
    else:
        facts = collect.completed(record.key, record.where, attempted=tried, failed=lost)
    started, ended = (record.fields.get(key) for key in ("start_time", "end_time"))
    if started is not None:
        facts = replace(facts, started_ns=values.epoch_ns(started, record.place("start_time")))
    run = collection.add(facts)
    if served is not None:
        reported.worked(run, "requests_completed", totals.fields["successful"], totals.place("successful"))
    if totals.count("incomplete"):
        collection.notice(f"{totals.where} {totals.count('incomplete')} requests were cut off at the end: not counted.")
    seconds = _seconds(record, started, ended)
    if seconds is not None:
        run.lasted(Numeral(repr(float(seconds))), record.place("duration"))
    for key in metrics.fields:
        _metric(collection, run, metrics, key)
    _rates(run, metrics, seconds, served)
    _requests(collection, run, record, served)
    for name, value, where in _settings(record, whole):
        if name.rpartition(".")[2] in (*OUTCOMES, *TARGETS):
            run.identified(name, value, where)
        else:
            run.configured(RENAMED.get(name, name), value, where)
    _checks(collection, run, metrics, served)


def _seconds(record: Record, started: Json, ended: Json) -> Fraction | None:
    """How long the benchmark took: as stated, or from its start to its end."""
    where = record.place("duration")
    if record.fields.get("duration") is not None:
        values.positive(record.fields["duration"], where)
        return Fraction(values.numeral(record.fields["duration"], where).text)
    if started is None or ended is None:
        return None
    first, last = (Fraction(values.numeral(moment, record.place("end_time")).text) for moment in (started, ended))
    if last <= first:
        raise MalformedEvidence(
            "it ended no later than it started", where=record.place("end_time"), code="not_positive"
        )
    return last - first


def _metric(collection: Collection, run: Run, metrics: Record, key: str) -> None:
    known = OF_REQUESTS.get(key) or OVER_TIME.get(key)
    if known is None:
        if key not in WORK and key != "request_totals":
            collection.leave([f"metrics.{key}"])
        return
    found = _part(_part(metrics, key), "successful")
    n = found.count("count")
    for stat, value, where in _distribution(found):
        reported.add(
            run, Meaning(known[0], stat, known[1]), value if n != 0 else None, where, n if key in OF_REQUESTS else None
        )


def _distribution(found: Record) -> Iterator[tuple[str, Json, str]]:
    for key, stat in STATS.items():
        if key in found.fields:
            yield stat, found.fields[key], found.place(key)
    percentiles = _part(found, "percentiles")
    for key, stat in PERCENTILES.items():
        if key in percentiles.fields:
            yield stat, percentiles.fields[key], percentiles.place(key)


def _rates(run: Run, metrics: Record, seconds: Fraction | None, served: int | None) -> None:
    """Work, and the rates that follow from it."""
    done: dict[str, int] = {}
    for key, name in WORK.items():
        found = _part(_part(metrics, key), "successful")
        value = found.fields.get("total_sum")
        if value is not None:
            done[name] = values.count(value, found.place("total_sum"))
            reported.worked(run, name, value, found.place("total_sum"))
    if seconds is None or not served:
        return
    where = metrics.where
    reported.rate(run, "request_throughput", served, seconds, where)
    for name, metric in (("input_tokens", "input_throughput"), ("output_tokens", "output_throughput")):
        if name in done:
            reported.rate(run, metric, done[name], seconds, where)
    if len(done) == len(WORK):
        reported.rate(run, "total_token_throughput", sum(done.values()), seconds, where)


def _requests(collection: Collection, run: Run, record: Record, served: int | None) -> None:
    """The requests themselves, when all of them are in the file."""
    requests = _part(record, "requests")
    successful = requests.fields.get("successful")
    if not isinstance(successful, list) or not successful:
        return
    where = requests.place("successful")
    if len(successful) != served:
        collection.notice(f"{where} holds {len(successful)} of {served} requests: a sample, so they are not read.")
        return
    for i, value in enumerate(successful):
        place = f"{where}[{i}]"
        request = values.fields(value, place)
        for key, (metric, unit) in OF_REQUESTS.items():
            if key in request:
                figure = reported.figure(Meaning(metric, "value", unit), request[key], inside(place, key))
                run.measured(metric, figure, raw(i))
        for key, metric in TOKENS.items():
            if request.get(key) is not None:
                values.count(request[key], inside(place, key))
                run.measured(metric, collect.finite(request[key], "1", inside(place, key)), raw(i))


def _settings(record: Record, whole: Record) -> Iterator[tuple[str, Json, str]]:
    """How it was run: plain values of the parts that hold settings, by their names inside the part."""
    for part in ("args", "config", "worker", "request_loader", "backend"):
        if isinstance(record.fields.get(part), dict):
            yield from _flat(part, record.fields[part], record.place(part))
    for part in ("args", "metadata"):
        if isinstance(whole.fields.get(part), dict):
            yield from _flat(f"file.{part}", whole.fields[part], whole.place(part))


def _flat(name: str, value: Json, where: str) -> Iterator[tuple[str, Json, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}", inner, f"{where}.{key}")
    else:
        yield name, value, where


def _checks(collection: Collection, run: Run, metrics: Record, served: int | None) -> None:
    collection.notice(serving.TOOL_PERCENTILES)
    if any(m.metric == "tpot" for m in run.measurements):
        collection.notice(TPOT)
    stats = [m.stat for m in run.measurements if m.metric in ("ttft", "e2e_latency")]
    reported.thin_tails(collection, metrics.where, stats, served)
    gap, per_token = (
        _part(_part(metrics, key), "successful").fields.get("mean")
        for key in ("inter_token_latency_ms", "time_per_output_token_ms")
    )
    reported.bundled(collection, metrics.where, gap, per_token)
    rate = next((s.value for s in run.settings if s.name == "request_rate"), "")
    if isinstance(values.number_in(rate), Numeral):
        collection.notice(serving.rate_limited(rate))


FORMAT: Final = Format(NAME, "GuideLLM benchmark", VERSION, looks_right, parse)
