"""AIPerf `profile_export.jsonl`: one object per request, with its metrics and its moments in epoch ns."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, genai_metrics, serving, values
from analysis.evidence.collect import Collection, Figure, Run, Sample, aggregate
from analysis.evidence.values import Json, Numeral
from analysis.measurements import Phase
from analysis.units import FACTORS

PHASES: Final[dict[str, Phase]] = {"warmup": "warmup", "profiling": "measured"}
MOMENTS: Final = ("min_request_timestamp", "max_response_timestamp", "error_request_count", "request_count")
GAPS: Final = "The gaps between chunks (inter_chunk_latency) are not kept one by one."
DERIVED: Final = "Rates are computed here: work / (last end - first start) of the requests that were served."


@dataclass(frozen=True, slots=True)
class Request:
    """One line. `failure` is what its error says, "" when it was served."""

    index: int
    metrics: dict[str, Json]
    started_ns: int
    ended_ns: int | None
    phase: Phase
    failure: str
    where: str


def parse(collection: Collection, lines: tuple[Json, ...]) -> None:
    """The run that the lines are of.

    Raises:
        MalformedEvidence: a line without metadata or start, an unknown phase, a metric that is no number.
    """
    requests = [_request(line, i, f"{collection.document.name}:[{i}]") for i, line in enumerate(lines)]
    measured = [request for request in requests if request.phase == "measured"]
    served = [request for request in measured if not request.failure]
    lost = len(measured) - len(served)
    where = collection.document.name
    if served:
        start = min(request.started_ns for request in measured)
        run = collection.add(collect.completed("0", where, attempted=len(measured), failed=lost, started_ns=start))
    else:
        run = collection.add(collect.failed("0", where, serving.NOTHING_SERVED, attempted=len(measured), lost=lost))
    for request in requests:
        for metric, figure in _figures(collection, request):
            run.measured(metric, figure, Sample("raw", "value", 1, request.index, request.started_ns, request.phase))
    if served:
        _totals(collection, run, served, where)
    collection.notice(genai_metrics.MEAN_GAPS)
    if lost:
        collection.notice(f"{lost} of {len(measured)} requests failed; latencies are of the others only.")


def _request(line: Json, index: int, where: str) -> Request:
    fields = values.fields(line, where)
    metadata = values.fields(values.needed(fields, "metadata", f"{where}.metadata"), f"{where}.metadata")
    word = metadata.get("benchmark_phase", metadata.get("credit_phase", "profiling"))
    if not isinstance(word, str) or word not in PHASES:
        message = f"{values.shown(word)} is no phase; known are {', '.join(PHASES)}"
        raise MalformedEvidence(message, where=f"{where}.metadata.benchmark_phase", code="unknown_phase")
    key = "request_start_ns" if "request_start_ns" in metadata else "timestamp_ns"
    start = values.count(values.needed(metadata, key, f"{where}.metadata.{key}"), f"{where}.metadata.{key}")
    metrics = values.fields(fields.get("metrics", {}), f"{where}.metrics")
    return Request(
        index, metrics, start, _end(metadata, metrics, where), PHASES[word], _failure(fields, metadata), where
    )


def _end(metadata: dict[str, Json], metrics: dict[str, Json], where: str) -> int | None:
    """The moment of its last response, in epoch ns, from whichever place this version has."""
    if metadata.get("request_end_ns") is not None:
        return values.count(metadata["request_end_ns"], f"{where}.metadata.request_end_ns")
    entry = metrics.get("max_response_timestamp")
    if isinstance(entry, dict):
        place = f"{where}.metrics.max_response_timestamp"
        return values.count(values.needed(entry, "value", place), place)
    return None


def _failure(fields: dict[str, Json], metadata: dict[str, Json]) -> str:
    error = fields.get("error")
    if error is not None:
        said = error.get("message", error.get("type")) if isinstance(error, dict) else error
        return f"the request failed: {values.written(said)}"[:300]
    return "the request was cancelled" if metadata.get("was_cancelled") is True else ""


def _figures(collection: Collection, request: Request) -> Iterator[tuple[str, Figure]]:
    if request.failure:
        yield "e2e_latency", collect.nothing(None, "s", f"{request.where}.error", request.failure)
        return
    for tag, entry in request.metrics.items():
        place = f"{request.where}.metrics.{tag}"
        fields = values.fields(entry, place)
        unit, value = fields.get("unit"), values.needed(fields, "value", f"{place}.value")
        if isinstance(value, list):
            collection.notice(GAPS)
        elif not isinstance(unit, str) or unit not in FACTORS:
            collection.leave([tag])
        elif tag not in MOMENTS:
            metric = genai_metrics.METRICS.get(tag, tag)
            yield metric, genai_metrics.figure(metric, "value", value, unit, place)


def _totals(collection: Collection, run: Run, served: list[Request], where: str) -> None:
    """The work of the run, and its rates where the moments of all its requests are known."""
    tokens = {name: _sum(served, tag) for name, tag in TOKENS.items()}
    done = {"requests_completed": len(served)} | {name: total for name, total in tokens.items() if total is not None}
    for name, amount in done.items():
        run.worked(name, Numeral(str(amount)), where)
    ends = [request.ended_ns for request in served if request.ended_ns is not None]
    span = max(ends) - min(request.started_ns for request in served) if len(ends) == len(served) else 0
    if span <= 0:
        return
    seconds = Fraction(span, 10**9)
    for metric, name in (("request_throughput", "requests_completed"), ("output_throughput", "output_tokens")):
        if done.get(name):
            written = f"{done[name]} / {float(seconds)!r}"
            run.measured(
                metric, collect.computed(done[name] / seconds, "1/s", written, where), aggregate("rate", done[name])
            )
    collection.notice(DERIVED)


TOKENS: Final = {"input_tokens": "input_sequence_length", "output_tokens": "output_sequence_length"}


def _sum(served: list[Request], tag: str) -> int | None:
    """The tokens of all requests; None where one of them does not state any."""
    total = 0
    for request in served:
        entry, place = request.metrics.get(tag), f"{request.where}.metrics.{tag}"
        if not isinstance(entry, dict):
            return None
        total += values.count(entry.get("value"), f"{place}.value")
    return total
