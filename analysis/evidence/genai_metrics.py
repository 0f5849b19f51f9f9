"""What AIPerf and genai-perf share: names of metrics and statistics, and blocks of statistics with their unit."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, serving, values
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.values import Json, Numeral
from analysis.measurements import FileRun
from analysis.units import FACTORS

METRICS: Final[Mapping[str, str]] = {
    "ttft": "ttft",
    "time_to_first_token": "ttft",
    "ttst": "ttst",
    "time_to_second_token": "ttst",
    "inter_token_latency": "itl",
    "request_latency": "e2e_latency",
    "output_token_throughput": "output_throughput",
    "output_token_throughput_per_user": "output_throughput_per_user",
    "request_goodput": "request_goodput",
    "goodput": "request_goodput",
    "input_sequence_length": "input_tokens",
    "output_sequence_length": "output_tokens",
    "num_input_token": "input_tokens",
    "num_output_token": "output_tokens",
    "gpu_power_usage": "power",
}
WORK: Final[Mapping[str, str]] = {
    "request_count": "requests_completed",
    "total_isl": "input_tokens",
    "total_input_sequence_length": "input_tokens",
    "total_osl": "output_tokens",
    "total_output_sequence_length": "output_tokens",
    "total_output_tokens": "output_tokens_without_reasoning",
    "total_reasoning_tokens": "reasoning_tokens",
}
PER_REQUEST: Final = (
    "ttft",
    "ttst",
    "itl",
    "e2e_latency",
    "output_throughput_per_user",
    "input_tokens",
    "output_tokens",
)
STATS: Final[Mapping[str, str]] = {
    "avg": "mean",
    "p50": "median",
    "min": "min",
    "max": "max",
    "std": "std",
    "sum": "total",
    "value": "value",
}
PERCENTILE: Final = re.compile(r"p\d{1,2}(?:\.\d+)?")
HEADER: Final = re.compile(r"(?P<name>.+?)\s*\((?P<unit>[^()]*)\)")
ABOVE_ZERO: Final = ("s", "1/s", "J", "W")
RATES: Final = ("output_throughput", "request_throughput", "total_token_throughput", "request_goodput")
STARTS: Final = ("min_request_timestamp", "minimum_request_timestamp")
ENDS: Final = ("max_response_timestamp", "maximum_response_timestamp")
SINGLE: Final = ("benchmark_duration", "error_request_count", *STARTS, *ENDS)
COUNTERS: Final = ("energy_consumption",)

IDENTITY: Final = ("artifact_directory", "artifact_dir", "url", "urls", "profile_export_file", "profile_export_prefix")
MODEL: Final = "model"

FEW: Final = 100
MEAN_GAPS: Final = (
    "Inter-token latency here is the mean gap of each request, (latency - ttft) / (tokens - 1): other tools call it "
    "time per output token."
)
NOT_ASKED: Final = "the tool writes a negative goodput when none was asked for"
NOTHING_SERVED: Final = "no request was completed"


@dataclass(frozen=True, slots=True)
class Block:
    """The statistics of one metric.

    stats: by the tool's own key ("avg", "p99", "value"), each with its place.
    count: samples behind them, where the file says so. stage: the GPU that they are of, or "".
    """

    tag: str
    unit: str
    stats: Mapping[str, tuple[Json, str]]
    count: int | None = None
    stage: str = ""

    def single(self) -> tuple[Json, str] | None:
        """The only value of a metric of the whole run; None when it is null."""
        found = self.stats.get("avg", self.stats.get("value"))
        return None if found is None or found[0] is None else found


def tag_of(title: str) -> tuple[str, str]:
    """The tag and the unit of the title of a row: "Time to First Token (ms)" gives "time_to_first_token" and "ms"."""
    found = HEADER.fullmatch(title.strip())
    name, unit = (found["name"], found["unit"]) if found else (title.strip(), "1")
    return re.sub(r"\W+", "_", name.lower()).strip("_"), unit


def report(collection: Collection, blocks: Sequence[Block], where: str) -> Run:
    """The run that the blocks tell of, with its numbers and its work.

    Raises:
        MalformedEvidence: no block, a count that is none, a time or rate below zero.
    """
    whole = {block.tag: found for block in blocks if not block.stage and (found := block.single()) is not None}
    if not blocks:
        raise MalformedEvidence("no metric stands in it", where=where, code="no_runs")
    served, lost = (_count(whole, tag) for tag in ("request_count", "error_request_count"))
    run = collection.add(_facts(whole, served, lost, where))
    if "benchmark_duration" in whole:
        run.lasted(*whole["benchmark_duration"])
    for block in blocks:
        if block.unit not in FACTORS or block.tag in COUNTERS:
            collection.leave([block.tag])
        elif block.tag in WORK and not block.stage:
            _work(run, block)
        elif block.tag not in SINGLE:
            _statistics(run, block, served)
    _remarks(collection, {m.metric for m in run.measurements}, served)
    if lost:
        collection.notice(f"{lost} of {(served or 0) + lost} requests failed; latencies are of the others only.")
    return run


def _count(whole: Mapping[str, tuple[Json, str]], tag: str) -> int | None:
    return values.count(*whole[tag]) if tag in whole else None


def _facts(whole: Mapping[str, tuple[Json, str]], served: int | None, lost: int | None, where: str) -> FileRun:
    tried = None if served is None else served + (lost or 0)
    lost = lost if tried is None else (lost or 0)
    failed = served == 0
    return FileRun(
        key="0",
        status="failed" if failed else "completed",
        reason=NOTHING_SERVED if failed else "",
        started_ns=_moment(whole, STARTS),
        ended_ns=_moment(whole, ENDS),
        attempted=tried,
        failed=lost,
        where=where,
    )


def _moment(whole: Mapping[str, tuple[Json, str]], tags: tuple[str, ...]) -> int | None:
    """Epoch nanoseconds; the tool prints them as a float, so the last digits are lost."""
    found = [whole[tag] for tag in tags if tag in whole]
    if not found:
        return None
    value, where = found[0]
    if values.not_negative(value, where) >= values.BIGGEST_COUNT:
        raise MalformedEvidence(f"{values.shown(value)} is no epoch time", where=where, code="not_a_time")
    return int(Decimal(values.numeral(value, where).text))


def _work(run: Run, block: Block) -> None:
    found = block.single()
    if found is not None:
        values.count(*found)
        run.worked(WORK[block.tag], *found)


def _statistics(run: Run, block: Block, served: int | None) -> None:
    metric = METRICS.get(block.tag, block.tag)
    n = block.count if block.count is not None else (served if metric in PER_REQUEST else None)
    for key, (value, where) in block.stats.items():
        stat = STATS.get(key) or (key if PERCENTILE.fullmatch(key) else None)
        if stat is None or value is None:
            continue
        if metric in RATES:
            stat, n = "rate" if stat in ("mean", "value") else stat, served if metric == "request_throughput" else None
        if served == 0 and not block.stage:
            found = collect.nothing(value, block.unit, where, NOTHING_SERVED)
        else:
            found = figure(metric, stat, value, block.unit, where)
        run.measured(metric, found, Sample("aggregate", stat, n, stage=block.stage))


def figure(metric: str, stat: str, value: Json, unit: str, where: str) -> Figure:
    """The number; a zero where only a positive one can be is nothing, and so is a goodput that nobody asked for."""
    if metric == "request_goodput" and isinstance(value, Numeral) and values.finite(value, where) < 0:
        return collect.nothing(value, unit, where, NOT_ASKED)
    if stat == "std" or FACTORS[unit][0] == "B":
        return collect.not_negative(value, unit, where)
    if FACTORS[unit][0] in ABOVE_ZERO:
        return collect.positive_or_nothing(value, unit, where, serving.NOTHING_MEASURED)
    return collect.finite(value, unit, where)


def _remarks(collection: Collection, metrics: set[str], served: int | None) -> None:
    if "itl" in metrics:
        collection.notice(MEAN_GAPS)
    if metrics & set(PER_REQUEST):
        collection.notice(serving.TOOL_PERCENTILES)
        if served is not None and 0 < served < FEW:
            collection.notice(few(served))


def few(requests: int) -> str:
    """The sentence for a p99 of less than a hundred requests."""
    return f"p99 of {requests} requests is their maximum, or next to it: it says little about another run."


def blocks_in(record: Mapping[str, Json], where: str) -> Iterator[Block]:
    """The fields of a record that are statistics with a unit; null stands for a metric that was not measured."""
    for tag, value in record.items():
        if isinstance(value, dict) and isinstance(value.get("unit"), str):
            place = f"{where}{tag}" if where.endswith(":") else f"{where}.{tag}"
            stats = {key: (found, f"{place}.{key}") for key, found in value.items()}
            yield Block(tag, values.text(value["unit"], f"{place}.unit"), stats, _samples(value, place))


def _samples(block: Mapping[str, Json], where: str) -> int | None:
    value = block.get("count")
    return None if value is None else values.count(value, f"{where}.count")


def configure(collection: Collection, run: Run, config: Json, where: str) -> None:
    """The fields of `input_config` as settings, "endpoint.type"; a rate of the load is said to bound throughput."""
    for name, value, place in _flat(config, "", where):
        if name.rpartition(".")[2] in IDENTITY:
            run.identified(name, value, place)
        elif name == "cli_command":
            run.identified(name, value, place, "command line inside file")
        else:
            run.configured(MODEL if name.rpartition(".")[2] == "model_names" else name, value, place)
            if name.rpartition(".")[2] == "request_rate" and isinstance(value, Numeral):
                collection.notice(serving.rate_limited(value.text))
                _fell_behind(collection, run, values.finite(value, place))


def _fell_behind(collection: Collection, run: Run, offered: float) -> None:
    """A notice when clearly less was completed than was offered: that point is saturation, not a load that was met."""
    for m in run.measurements:
        if m.metric == "request_throughput" and m.value is not None and m.value < 0.95 * offered:
            collection.notice(
                f"{m.value:.6g} requests/s were completed of {offered:.6g} that were offered: server or load generator "
                "fell behind."
            )


def _flat(value: Json, name: str, where: str) -> Iterator[tuple[str, Json, str]]:
    if not isinstance(value, dict):
        if name:
            yield name, value, where
        return
    for key, inner in value.items():
        yield from _flat(inner, f"{name}.{key}" if name else key, f"{where}.{key}")
