"""The requests of inference-perf, one object each: `per_request_lifecycle_metrics.json`.

In the file: start and end on a monotonic clock in s, tokens, the moments at which parts of the answer came, and the
error of a request that failed. Prompt and answer are in it as well: they are not read. Here: the file is one run, all
stages pooled. The moments are those of events of the stream, of which several may be one token: gaps are not read.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, reported, serving, values
from analysis.evidence.collect import Collection, Figure, Run, raw
from analysis.evidence.serving import Record
from analysis.evidence.values import Json, Numeral

MARKS: Final = (
    re.compile(rb'\s*\[\s*\{\s*"start_time"\s*:'),
    re.compile(rb'"end_time"\s*:'),
    re.compile(rb'"(?:info|response)"\s*:'),
)
READ: Final = ("start_time", "end_time", "info", "error", "request", "response")
NO_ANSWER: Final = "no part of the answer has its moment in the file"
ALL_STAGES: Final = "The requests of all stages are in the file: its latencies are those of no one load."
EVENTS: Final = "The first moment is that of the first event of the stream; gaps between events are not read."


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it went. first: when the first part of the answer came, None when the file does not tell."""

    start: Fraction
    end: Fraction
    first: Fraction | None
    tokens: tuple[int, int]
    error: str


def looks_right(head: bytes) -> bool:
    """Whether a file that begins like this lists the requests of inference-perf."""
    return all(mark.search(head) for mark in MARKS[1:]) and MARKS[0].match(head) is not None


def read(collection: Collection, found: tuple[Json, ...]) -> None:
    """Add the one run of the file.

    Raises:
        MalformedEvidence: no_runs, missing, not_positive (an end that is not after its start), and those of values.
    """
    name = collection.document.name
    records = list(serving.records(found, name))
    requests = [_request(collection, record) for record in records]
    served = [request for request in requests if not request.error]
    tried = len(requests)
    run = collection.add(serving.outcome("0", name, served=len(served), attempted=tried, lost=tried - len(served)))
    for i, (record, request) in enumerate(zip(records, requests, strict=True)):
        _measure(run, record, request, i)
    if served:
        _totals(run, served, name)
    reported.folders(run, name)
    collection.notice(ALL_STAGES)
    collection.notice(EVENTS)


def _request(collection: Collection, record: Record) -> Request:
    start, end = (_moment(record.needed(key), record.place(key)) for key in ("start_time", "end_time"))
    if float(end - start) <= 0:
        message = "the request ended no later than it was started"
        raise MalformedEvidence(message, where=record.place("end_time"), code="not_positive")
    info = record.fields.get("info")
    first, tokens = _answer(record, info) if info is not None else (None, (0, 0))
    collection.leave(key for key in record.fields if key not in READ)
    return Request(start, end, first, tokens, _error(record))


def _error(record: Record) -> str:
    error = record.fields.get("error")
    if error is None:
        return ""
    where = record.place("error")
    kind = values.fields(error, where).get("error_type") or "unknown"
    return f"the request failed: {values.text(kind, f'{where}.error_type')}"[:300]


def _answer(record: Record, value: Json) -> tuple[Fraction | None, tuple[int, int]]:
    """When the first part of the answer came, and how many tokens went in and came out; newer files nest both."""
    where = record.place("info")
    info = values.fields(value, where)
    answer = values.fields(info.get("response_metrics") or {}, f"{where}.response_metrics")
    asked = values.fields(info.get("request_metrics") or {}, f"{where}.request_metrics")
    text = values.fields(asked.get("text") or {}, f"{where}.request_metrics.text")
    moments = values.items(answer.get("output_token_times", info.get("output_token_times", [])), f"{where}.times")
    went = values.count(info.get("input_tokens", text.get("input_tokens", Numeral("0"))), f"{where}.input_tokens")
    came = values.count(answer.get("output_tokens", info.get("output_tokens", Numeral("0"))), f"{where}.output_tokens")
    return (_moment(moments[0], f"{where}.output_token_times[0]") if moments else None), (went, came)


def _moment(value: Json, where: str) -> Fraction:
    values.epoch_ns(value, where)
    return Fraction(values.numeral(value, where).text)


def _measure(run: Run, record: Record, request: Request, index: int) -> None:
    sample, where = raw(index, int(request.start * 10**9)), record.where
    whole = Figure(float(request.end - request.start), "s", "end_time - start_time", "s", where, "")
    if request.error:
        run.measured("e2e_latency", collect.nothing(None, "s", where, request.error), sample)
        return
    run.measured("e2e_latency", whole, sample)
    first = request.first
    if first is None or first > request.end or float(first - request.start) <= 0:
        run.measured("ttft", collect.nothing(None, "s", where, NO_ANSWER), sample)
    else:
        run.measured("ttft", Figure(float(first - request.start), "s", "first - start_time", "s", where, ""), sample)
        _per_token(run, request, first, (where, index))
    for metric, amount in zip(("input_tokens", "output_tokens"), request.tokens, strict=True):
        run.measured(metric, collect.finite(Numeral(str(amount)), "1", f"{where}.info"), sample)


def _per_token(run: Run, request: Request, first: Fraction, place: tuple[str, int]) -> None:
    where, index = place
    sample = raw(index, int(request.start * 10**9))
    after = request.tokens[1] - 1
    seconds = float((request.end - first) / max(after, 1))
    if after < 1 or seconds <= 0:
        figure = collect.nothing(None, "s", where, serving.ONE_TOKEN)
    else:
        figure = Figure(seconds, "s", f"(end_time - first) / {after}", "s", where, "")
    run.measured("tpot", figure, sample)


def _totals(run: Run, served: list[Request], where: str) -> None:
    seconds = max(request.end for request in served) - min(request.start for request in served)
    run.lasted(Numeral(repr(float(seconds))), where)
    went, came = (sum(request.tokens[i] for request in served) for i in (0, 1))
    for name, amount in (("requests_completed", len(served)), ("input_tokens", went), ("output_tokens", came)):
        run.worked(name, Numeral(str(amount)), where)
    for metric, amount in (("request_throughput", len(served)), ("output_throughput", came)):
        reported.rate(run, metric, amount, seconds, where)
