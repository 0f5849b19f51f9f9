"""The requests of trtllm-bench, one object each: `--request_json`.

In the file: start, first token and end in ns of a monotonic clock, tokens that went in and came out, and the text of
the answer, which is not read. Here: the file is one run. Where an answer is not streamed, no moment of a first token
need be in it (-1). What the tool computed of a request is not read but computed from its moments.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, profiles, reported, serving, values
from analysis.evidence.collect import Collection, Figure, Run, raw
from analysis.evidence.serving import Record
from analysis.evidence.values import Json, Numeral

MARKS: Final = (
    re.compile(rb'\s*\[\s*\{\s*"id"\s*:'),
    re.compile(rb'"num_input_tokens"\s*:'),
    re.compile(rb'"first_token_timestamp"\s*:'),
    re.compile(rb'"end_timestamp"\s*:'),
)
NS: Final = 10**9
READ: Final = (
    "id", "num_input_tokens", "error_tokens", "start_timestamp", "first_token_timestamp", "end_timestamp",
    "output_tokens", "num_total_output_tokens", "num_output_tokens",
)  # fmt: skip
NO_FIRST: Final = "the file has no moment of the first token"
FAILED: Final = "the request has tokens with an error"
MONOTONIC: Final = "The moments are those of a monotonic clock: the file does not say when it was measured."


@dataclass(frozen=True, slots=True)
class Request:
    """One request, its moments in nanoseconds. first: None when the file does not tell."""

    start: int
    end: int
    first: int | None
    tokens: tuple[int, int]
    failed: bool


def looks_right(head: bytes) -> bool:
    """Whether a file that begins like this lists the requests of trtllm-bench."""
    return MARKS[0].match(head) is not None and all(mark.search(head) for mark in MARKS[1:])


def read(collection: Collection, found: tuple[Json, ...]) -> None:
    """Add the one run of the file.

    Raises:
        MalformedEvidence: missing, not_a_time, not_positive (an end that is not after its start), and those of values.
    """
    name = collection.document.name
    records = list(serving.records(found, name))
    requests = [_request(collection, record) for record in records]
    served = [request for request in requests if not request.failed]
    tried = len(requests)
    run = collection.add(serving.outcome("0", name, served=len(served), attempted=tried, lost=tried - len(served)))
    for i, (record, request) in enumerate(zip(records, requests, strict=True)):
        _measure(run, record, request, i)
    if served:
        _totals(run, served, name)
    reported.folders(run, name)
    collection.notice(MONOTONIC)


def _request(collection: Collection, record: Record) -> Request:
    where = record.place("end_timestamp")
    start, end = profiles.span(record.needed("start_timestamp"), record.needed("end_timestamp"), where)
    if end == start:
        raise MalformedEvidence("the request ended no later than it was started", where=where, code="not_positive")
    first = Fraction(values.numeral(record.needed("first_token_timestamp"), record.place("first_token_timestamp")).text)
    counted = next((key for key in READ[-3:] if key in record.fields), READ[-3])
    tokens = [values.count(record.needed(key), record.place(key)) for key in ("num_input_tokens", counted)]
    lost = values.count(record.fields.get("error_tokens", Numeral("0")), record.place("error_tokens"))
    collection.leave(key for key in record.fields if key not in READ)
    return Request(start, end, int(first) if start < first <= end else None, (tokens[0], tokens[1]), lost > 0)


def _measure(run: Run, record: Record, request: Request, index: int) -> None:
    sample, where = raw(index), record.where
    if request.failed:
        run.measured("e2e_latency", collect.nothing(None, "s", where, FAILED), sample)
        return
    run.measured("e2e_latency", _time(request.end - request.start, where), sample)
    first, after = request.first, request.tokens[1] - 1
    if first is None:
        run.measured("ttft", collect.nothing(None, "s", where, NO_FIRST), sample)
    else:
        run.measured("ttft", _time(first - request.start, where), sample)
        if after < 1 or request.end == first:
            run.measured("tpot", collect.nothing(None, "s", where, serving.ONE_TOKEN), sample)
        else:
            run.measured("tpot", _time((request.end - first) / after, where), sample)
    for metric, amount in zip(("input_tokens", "output_tokens"), request.tokens, strict=True):
        run.measured(metric, collect.finite(Numeral(str(amount)), "1", where), sample)


def _time(nanoseconds: float, where: str) -> Figure:
    return Figure(nanoseconds / NS, "s", f"{nanoseconds:.15g}", "ns", where, "")


def _totals(run: Run, served: list[Request], where: str) -> None:
    window = max(request.end for request in served) - min(request.start for request in served)
    run.lasted(Numeral(repr(window / NS)), where)
    went, came = (sum(request.tokens[i] for request in served) for i in (0, 1))
    for name, amount in (("requests_completed", len(served)), ("input_tokens", went), ("output_tokens", came)):
        run.worked(name, Numeral(str(amount)), where)
    for metric, amount in (
        ("request_throughput", len(served)), ("output_throughput", came), ("total_token_throughput", went + came),
    ):  # fmt: skip
        reported.rate(run, metric, amount, Fraction(window, NS), where)
