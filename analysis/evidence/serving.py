"""What the result files of LLM serving benchmarks share: records, latency keys, rates, lists of requests."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, reported, values
from analysis.evidence.collect import Collection, Run, aggregate, inside, raw
from analysis.evidence.values import Json, Numeral
from analysis.measurements import FileRun

LATENCY: Final = re.compile(
    r"(?P<stat>mean|median|std|min|max|p\d{1,3}(?:\.\d+)?)_(?P<metric>ttft|tpot|itl|e2el|e2e_latency)(?P<ms>_ms)?"
)
METRICS: Final = {"ttft": "ttft", "tpot": "tpot", "itl": "itl", "e2el": "e2e_latency", "e2e_latency": "e2e_latency"}
DETAILS: Final = ("input_lens", "output_lens", "ttfts", "itls", "start_times", "errors", "latencies", "queue_times")
UNREAD_DETAILS: Final = ("generated_texts",)

NOTHING_MEASURED: Final = "the tool writes 0 or null when nothing was measured"
NOTHING_SERVED: Final = "no request was completed"
ONE_TOKEN: Final = "undefined for an output of at most one token"  # noqa: S105
TOOL_PERCENTILES: Final = (
    "The percentiles are the tool's own, usually interpolated: not to be mixed with computed ones."
)
GAPS: Final = "The gaps between tokens (itls) went into the end-to-end times and are not kept one by one."
BUNDLED: Final = "Some responses came in fewer chunks than tokens: inter-token latency counts chunks here, not tokens."


@dataclass(frozen=True, slots=True)
class Record:
    """One result object: its fields and its place ("run.json:" or "run.json:[2]")."""

    fields: dict[str, Json]
    where: str
    key: str

    def place(self, key: str) -> str:
        """The place of one field."""
        return inside(self.where, key)

    def needed(self, key: str) -> Json:
        """A field that must be there."""
        return values.needed(self.fields, key, self.place(key))

    def count(self, key: str) -> int | None:
        """A count, or None when the field is absent or null."""
        value = self.fields.get(key)
        return None if value is None else values.count(value, self.place(key))

    def moment(self, key: str) -> int | None:
        """Epoch nanoseconds of a field in epoch seconds, or None when the field is absent or null."""
        value = self.fields.get(key)
        return None if value is None else values.epoch_ns(value, self.place(key))


def outcome(key: str, where: str, *, served: int, attempted: int | None, lost: int | None) -> FileRun:
    """A run that came to its end; one that failed, when it served nothing."""
    if served:
        return collect.completed(key, where, attempted=attempted, failed=lost)
    return collect.failed(key, where, NOTHING_SERVED, attempted=attempted, lost=lost)


def records(found: tuple[Json, ...], name: str) -> Iterator[Record]:
    """The objects of a file in its order: one object, several one after the other, or lists of them."""
    flat: list[Json] = []
    for value in found:
        flat.extend(value if isinstance(value, list) else [value])
    if not flat:
        raise MalformedEvidence("there is no result in it", where=name, code="no_runs")
    alone = len(flat) == 1 and isinstance(found[0], dict)
    for i, value in enumerate(flat):
        where = f"{name}:" if alone else f"{name}:[{i}]"
        yield Record(values.fields(value, where), where, str(i))


def latency(run: Run, record: Record, key: str, served: int | None) -> bool:
    """Whether the key is a latency that the tool computed; then it was added to the run, in seconds.

    Keys end in "_ms"; those of forks that write seconds do not.
    """
    found = LATENCY.fullmatch(key)
    if found is None:
        return False
    stat, metric, unit = found["stat"], METRICS[found["metric"]], "ms" if found["ms"] else "s"
    value, where = record.fields[key], record.place(key)
    if served == 0:
        figure = collect.nothing(value, unit, where, NOTHING_SERVED)
    elif stat == "std" and value is not None:
        figure = collect.not_negative(value, unit, where)
    else:
        figure = collect.positive_or_nothing(value, unit, where, NOTHING_MEASURED)
    run.measured(metric, figure, aggregate(stat, None if metric == "itl" else served))
    return True


def work(run: Run, name: str, value: Json, where: str) -> None:
    """Add an amount of work; null adds nothing."""
    if value is not None:
        values.count(value, where)
        run.worked(name, value, where)


def rate(run: Run, metric: str, record: Record, key: str, *, done: int | None) -> None:
    """Add a rate of the run; when nothing was done in it, the zero of the tool is no rate."""
    value, where = record.fields[key], record.place(key)
    if value is None or done == 0:
        figure = collect.nothing(value, "1/s", where, NOTHING_SERVED if done == 0 else NOTHING_MEASURED)
    else:
        figure = collect.positive(value, "1/s", where)
    run.measured(metric, figure, aggregate("rate", done))


def check_rate(collection: Collection, record: Record, key: str, work: int | None) -> None:
    """A notice when a rate of the file is not work / duration within 1e-6."""
    value = record.fields.get(key)
    if not isinstance(value, Numeral) or not work or "duration" not in record.fields:
        return
    reported.check_rate(collection, value, Fraction(work), record.fields["duration"], record.place(key))


def misread(collection: Collection, record: Record, served: int | None) -> None:
    """Notices for numbers that are easily misread: tails of few requests, and gaps between chunks of several tokens."""
    found = [known for key in record.fields if (known := LATENCY.fullmatch(key))]
    tails = [known["stat"] for known in found if known["metric"] != "itl" and record.fields[known[0]] is not None]
    reported.thin_tails(collection, record.where, tails, served)
    for stat in ("mean", "median"):
        for ending in ("", "_ms"):
            between, each = (record.fields.get(f"{stat}_{metric}{ending}") for metric in ("itl", "tpot"))
            reported.bundled(collection, record.where, between, each)


def offered_load(collection: Collection, record: Record) -> None:
    """A notice when the load was offered at a rate: then throughput is bounded by it."""
    value = record.fields.get("request_rate")
    if isinstance(value, Numeral) and math.isfinite(float(value.text)):
        collection.notice(rate_limited(value.text))


def rate_limited(rate_text: str) -> str:
    """The sentence for a load that was offered at a rate."""
    return (
        f"The load was offered at {rate_text} requests/s: throughput is bounded by it, "
        "so equal throughputs say nothing. Compare latencies at equal load."
    )


def request_details(collection: Collection, run: Run, record: Record) -> None:
    """Add what the file has of each request. Times are in seconds; a failed request has a reason instead of times."""
    present = {k: values.items(record.fields[k], record.place(k)) for k in DETAILS if record.fields.get(k) is not None}
    if len({len(column) for column in present.values()}) > 1:
        sizes = ", ".join(f"{key} {len(column)}" for key, column in present.items())
        raise MalformedEvidence(f"the lists differ in length: {sizes}", where=record.where, code="lengths_differ")
    for i in range(max((len(column) for column in present.values()), default=0)):
        _request(run, Request(i, {key: column[i] for key, column in present.items()}, record))
    if "itls" in present:
        collection.notice(GAPS)
        if any(map(_bundled, present["itls"], present.get("output_lens", []))):
            collection.notice(BUNDLED)


@dataclass(frozen=True, slots=True)
class Request:
    """What a file has of one request."""

    index: int
    fields: dict[str, Json]
    record: Record

    def place(self, key: str) -> str:
        """The place of one of its values."""
        return f"{self.record.place(key)}[{self.index}]"

    def failure(self) -> str:
        """What its error says; "" when it was served."""
        error = self.fields.get("errors")
        return "" if error is None else values.text(error, self.place("errors")).strip()

    def started_ns(self) -> int | None:
        """Its start on the clock of the client."""
        start = self.fields.get("start_times")
        return None if start is None else values.epoch_ns(start, self.place("start_times"))


def _request(run: Run, request: Request) -> None:
    sample = raw(request.index, request.started_ns())
    for key, metric in (("input_lens", "input_tokens"), ("output_lens", "output_tokens")):
        if key in request.fields:
            values.count(request.fields[key], request.place(key))
            run.measured(metric, collect.finite(request.fields[key], "1", request.place(key)), sample)
    for metric, figure in _times(request):
        run.measured(metric, figure, sample)


def _times(request: Request) -> Iterator[tuple[str, collect.Figure]]:
    failure = request.failure()
    if failure:
        for key, metric in (("ttfts", "ttft"), ("itls", "e2e_latency"), ("latencies", "e2e_latency")):
            if key in request.fields and not (key == "itls" and "latencies" in request.fields):
                yield metric, collect.nothing(None, "s", request.place(key), f"the request failed: {failure}"[:300])
        return
    if "ttfts" in request.fields:
        place = request.place("ttfts")
        yield "ttft", collect.positive_or_nothing(request.fields["ttfts"], "s", place, NOTHING_MEASURED)
    if "queue_times" in request.fields:
        yield "queue_time", collect.not_negative(request.fields["queue_times"], "s", request.place("queue_times"))
    whole = _whole(request)
    if whole is not None:
        yield "e2e_latency", whole
        if "output_lens" in request.fields and "ttfts" in request.fields:
            yield "tpot", _per_token(request, whole)


def _whole(request: Request) -> collect.Figure | None:
    """The end-to-end time: the tool's own, else the time to the first token and all gaps after it."""
    if "latencies" in request.fields:
        place = request.place("latencies")
        return collect.positive_or_nothing(request.fields["latencies"], "s", place, NOTHING_MEASURED)
    if "itls" not in request.fields or "ttfts" not in request.fields:
        return None
    place = request.place("itls")
    gaps = [
        values.not_negative(gap, f"{place}[{j}]") for j, gap in enumerate(values.items(request.fields["itls"], place))
    ]
    first = values.not_negative(request.fields["ttfts"], request.place("ttfts"))
    total = math.fsum([first, *gaps])
    if total == 0:
        return collect.nothing(None, "s", place, NOTHING_MEASURED)
    return collect.Figure(total, "s", "ttft + sum of itls", "s", place, "")


def _per_token(request: Request, whole: collect.Figure) -> collect.Figure:
    place = request.place("output_lens")
    tokens = values.count(request.fields["output_lens"], place)
    first = values.not_negative(request.fields["ttfts"], request.place("ttfts"))
    if tokens <= 1:
        return collect.nothing(request.fields["output_lens"], "s", place, ONE_TOKEN)
    if whole.value is None or whole.value <= first:
        return collect.nothing(None, "s", place, NOTHING_MEASURED)
    return collect.Figure((whole.value - first) / (tokens - 1), "s", "(e2e - ttft) / (output_len - 1)", "s", place, "")


def _bundled(gaps: Json, tokens: Json) -> bool:
    return isinstance(gaps, list) and isinstance(tokens, Numeral) and 0 < len(gaps) < float(tokens.text) - 1
