"""AIPerf `profile_export.jsonl`: one object per request, with its metrics and its moments in epoch ns."""

from collections.abc import Iterator
from dataclasses import dataclass, field
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
TOKENS: Final = {"input_tokens": "input_sequence_length", "output_tokens": "output_sequence_length"}
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


@dataclass(slots=True)
class Tally:
    """What the requests of a run come to. tokens: None where one that was served does not state any."""

    first: int = 0
    started_ns: int = 0
    ended_ns: int | None = 0
    measured: int = 0
    served: int = 0
    tokens: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(TOKENS, 0))

    def add(self, request: Request) -> None:
        """One more request. Raises MalformedEvidence: tokens that are no count."""
        if request.phase != "measured":
            return
        self.first = min(self.first, request.started_ns) if self.measured else request.started_ns
        self.measured += 1
        if request.failure:
            return
        self.started_ns = min(self.started_ns, request.started_ns) if self.served else request.started_ns
        ended = self.ended_ns
        self.ended_ns = None if ended is None or request.ended_ns is None else max(ended, request.ended_ns)
        self.served += 1
        for name, total in self.tokens.items():
            more = None if total is None else _tokens(request, TOKENS[name])
            self.tokens[name] = None if total is None or more is None else total + more

    @property
    def lost(self) -> int:
        """How many failed."""
        return self.measured - self.served


def parse(collection: Collection, lines: tuple[Json, ...]) -> None:
    """The run that the lines are of.

    Raises:
        MalformedEvidence: a line without metadata or start, an unknown phase, a metric that is no number.
    """
    requests = [request(line, i, f"{collection.document.name}:[{i}]") for i, line in enumerate(lines)]
    tally = Tally()
    for one in requests:
        tally.add(one)
    run = begin(collection, tally)
    for one in requests:
        for metric, figure, _ in figures(collection, one):
            run.measured(metric, figure, Sample("raw", "value", 1, one.index, one.started_ns, one.phase))
    finish(collection, run, tally)


def begin(collection: Collection, tally: Tally) -> Run:
    """The run of these requests."""
    where = collection.document.name
    if not tally.served:
        lost = tally.measured
        return collection.add(collect.failed("0", where, serving.NOTHING_SERVED, attempted=lost, lost=lost))
    return collection.add(
        collect.completed("0", where, attempted=tally.measured, failed=tally.lost, started_ns=tally.first)
    )


def finish(collection: Collection, run: Run, tally: Tally) -> None:
    """The work and the rates of the run, and what is to be said of it."""
    if tally.served:
        _totals(collection, run, tally)
    collection.notice(genai_metrics.MEAN_GAPS)
    if tally.lost:
        collection.notice(f"{tally.lost} of {tally.measured} requests failed; latencies are of the others only.")


def request(line: Json, index: int, where: str) -> Request:
    """A line. Raises MalformedEvidence."""
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


def figures(collection: Collection, request: Request) -> Iterator[tuple[str, Figure, str]]:
    """The metrics of a request, each with its figure and where it stands in the line."""
    if request.failure:
        yield "e2e_latency", collect.nothing(None, "s", f"{request.where}.error", request.failure), "error"
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
            yield metric, genai_metrics.figure(metric, "value", value, unit, place), f"metrics.{tag}"


def _totals(collection: Collection, run: Run, tally: Tally) -> None:
    """The work of the run, and its rates where the moments of all its requests are known."""
    where = collection.document.name
    done = {"requests_completed": tally.served} | {n: total for n, total in tally.tokens.items() if total is not None}
    for name, amount in done.items():
        run.worked(name, Numeral(str(amount)), where)
    span = 0 if tally.ended_ns is None else tally.ended_ns - tally.started_ns
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


def _tokens(request: Request, tag: str) -> int | None:
    """The tokens of a request; None where it does not state any."""
    entry, place = request.metrics.get(tag), f"{request.where}.metrics.{tag}"
    return values.count(entry.get("value"), f"{place}.value") if isinstance(entry, dict) else None
