"""A scrape in the text format of Prometheus: what a server has counted since it started, and what it measures now.

In the file: counters, gauges and histograms, each series with its labels. Here: one scrape is one run, and a series
that stands again begins another. A counter is a total since the start; of a histogram the mean is read, and not its
buckets: a quantile between their edges is known to their width only. Labels that tell series apart are the stage. Times
of creation are not read. Series that end in `_info` are configuration.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, prometheus_lines, scale, steps, text_reader, values
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.format import Document, Format
from analysis.evidence.prometheus_lines import Series
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "prometheus"
VERSION: Final = 1

TYPED: Final = re.compile(
    rb"^# TYPE [a-zA-Z_:][\w:]* (?:counter|gauge|histogram|summary|untyped|unknown|info)\s*$", re.M
)
UNITS: Final = {"_seconds": "s", "_bytes": "B", "_joules": "J", "_watts": "W", "_milliseconds": "ms"}
KNOWN: Final = {
    "vllm:time_to_first_token_seconds": "ttft",
    "vllm:time_per_output_token_seconds": "tpot",
    "vllm:request_time_per_output_token_seconds": "tpot",
    "vllm:inter_token_latency_seconds": "itl",
    "vllm:e2e_request_latency_seconds": "e2e_latency",
    "vllm:request_queue_time_seconds": "queue_time",
    "DCGM_FI_DEV_POWER_USAGE": "power",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": "energy_counter",
}
OF_DCGM: Final = {"DCGM_FI_DEV_POWER_USAGE": "W"}
WORK: Final = {
    "vllm:prompt_tokens_total": "input_tokens",
    "vllm:generation_tokens_total": "output_tokens",
    "vllm:request_success_total": "requests_completed",
}
SUMMED: Final = ("_sum", "_count")
STARTED: Final = "process_start_time_seconds"
NOTHING: Final = "the server has measured nothing yet"
SINCE: Final = "Counters and means are since the server started: what a test did is the difference of two scrapes."
BUCKETS: Final = "Buckets are not read: a quantile between their edges is known to their width only."


def looks_right(document: Document) -> str | None:
    """The reason why this is a scrape, or None."""
    head, _ = text_reader.ends(document)
    return "it has lines # TYPE as Prometheus reads them" if TYPED.search(head) else None


def parse(document: Document) -> Reading:
    """A run for each scrape.

    Raises:
        MalformedEvidence: malformed_exposition, no_runs, and those of values.
    """
    lines, leniences = text_reader.lines(document)
    collection = Collection(document)
    for i, scrape in enumerate(_scrapes(prometheus_lines.read(document.name, lines))):
        run = collection.add(collect.completed(str(i), scrape[0].where))
        _take(collection, run, scrape)
    if not any(run.measurements for run in collection.runs):
        raise MalformedEvidence("no series has a number", where=document.name, code="no_runs")
    collection.notice(SINCE)
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _scrapes(series: Iterable[Series]) -> Iterator[list[Series]]:
    """The series of one scrape after the other: one that stands again begins the next."""
    found: dict[tuple[str, tuple[tuple[str, str], ...]], Series] = {}
    for one in series:
        key = one.name, one.labels
        if key in found:
            yield list(found.values())
            found = {}
        found[key] = one
    if found:
        yield list(found.values())


def _take(collection: Collection, run: Run, scrape: list[Series]) -> None:
    telling = _telling(scrape)
    pairs = {(one.family, one.labels, one.part): one for one in scrape}
    for one in scrape:
        stage = _stage(one, telling[one.name])
        if _is_stated(collection, run, one):
            continue
        if one.part not in SUMMED or one.kind not in ("histogram", "summary"):
            _one(run, one, stage)
            continue
        total, count = (pairs.get((one.family, one.labels, part)) for part in SUMMED)
        if total is None or count is None:
            collection.leave([one.name])
        elif one is total:
            _mean(run, total, count, stage)
    _work(run, scrape)


def _is_stated(collection: Collection, run: Run, one: Series) -> bool:
    """Whether a series is no measurement: information is kept as configuration, the start of the server as identity."""
    if one.name.endswith("_info"):
        for label, value in one.labels:
            run.configured(f"{steps.slug(one.name)}.{label}", value, one.where)
    elif one.name == STARTED:
        run.identified(STARTED, one.value, one.where)
    elif one.part == "_bucket":
        collection.notice(BUCKETS)
    elif any(label == "quantile" for label, _ in one.labels):
        collection.leave([one.name])
    else:
        return one.part == "_created"
    return True


def _work(run: Run, scrape: list[Series]) -> None:
    """What a server of vLLM has done since it started, over all its series."""
    for name, work in WORK.items():
        counted = [one for one in scrape if one.name == name]
        if counted:
            total = sum(values.count(values.number_in(one.value), one.where) for one in counted)
            run.worked(work, Numeral(str(total)), counted[0].where)


def _telling(scrape: Sequence[Series]) -> dict[str, set[str]]:
    """By name of a series, the labels that differ among its samples."""
    seen: dict[str, dict[str, set[str]]] = {}
    for one in scrape:
        labels = seen.setdefault(one.name, {})
        for label, value in one.labels:
            labels.setdefault(label, set()).add(value)
    return {name: {label for label, found in labels.items() if len(found) > 1} for name, labels in seen.items()}


def _stage(one: Series, telling: set[str]) -> str:
    """What tells a series from the others of its name; of DCGM, the GPU."""
    labels = dict(one.labels)
    if one.name.startswith("DCGM_") and labels.get("gpu", "").isdecimal():
        return f"gpu{labels['gpu']}"
    return values.text(" ".join(f"{label}={labels[label]}" for label in sorted(telling & labels.keys())), one.where)


def _mean(run: Run, total: Series, count: Series, stage: str) -> None:
    """The mean of a histogram: its sum divided by its count."""
    unit = _unit(total.family)
    base = scale.base_of(unit, total.where)
    n = values.count(values.number_in(count.value), count.where)
    written = f"{total.value} / {count.value}"
    summed = values.finite(values.number_in(total.value), total.where)
    mean = scale.in_base(total.value, unit) / n if n else 0.0
    empty = not n or (base not in ("1", "B") and summed <= 0)
    figure = Figure(None if empty else mean, base, written, unit, total.where, NOTHING if empty else "")
    run.measured(_metric(total.family), figure, Sample("aggregate", "mean", n, stage=stage))


def _unit(name: str) -> str:
    bare = name.removesuffix("_total")
    return next((unit for ending, unit in UNITS.items() if bare.endswith(ending)), OF_DCGM.get(name, "1"))


def _metric(name: str) -> str:
    return KNOWN.get(name) or steps.slug(name) or "value"


def _one(run: Run, one: Series, stage: str) -> None:
    """A counter, as a total since the start, or a gauge, as it is now."""
    counter = one.kind == "counter"
    sample = Sample(
        "aggregate" if counter else "raw",
        "total" if counter else "value",
        None if counter else 1,
        None,
        one.at,
        stage=stage,
    )
    metric, unit = _metric(one.name), _unit(one.name)
    if steps.NO_NUMBER.fullmatch(one.value):
        run.measured(metric, collect.nothing(one.value, unit, one.where, f"the server says {one.value}"), sample)
        return
    value = values.number_in(one.value)
    if metric == "energy_counter":
        value = Numeral(str(values.count(value, one.where)))
        sample = Sample("raw", "value", 1, None, one.at, stage=stage)
        if not any(s.name == "counter_unit" for s in run.settings):
            run.configured("counter_unit", "1 mJ", one.where)
    base = scale.base_of(unit, one.where)
    if base in ("1", "B"):
        run.measured(metric, steps.signed(value, unit, one.where), sample)
    else:
        run.measured(metric, collect.positive_or_nothing(value, unit, one.where, NOTHING), sample)


FORMAT: Final = Format(NAME, "Prometheus scrape", VERSION, looks_right, parse)
