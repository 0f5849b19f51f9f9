"""MLPerf inference: the summary and the detail log of LoadGen.

In the file: one run; latencies in ns, rates per second. Here: one run, all numbers aggregates. A result that is
INVALID, or a mode that measures no performance, is a failed run without numbers. The scheduled rate of the scenario
Server is the load that was offered, not what was served. The seeds are configuration: equal seeds give the same order
of the work.
"""

import re
from dataclasses import replace
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, loadgen_lines, text_reader, values
from analysis.evidence.collect import Collection, Run, Sample, aggregate
from analysis.evidence.format import Document, Format
from analysis.evidence.loadgen_lines import Statement
from analysis.reading import Reading

NAME: Final = "mlperf-loadgen"
VERSION: Final = 1

SUMMARY: Final = re.compile(rb"^MLPerf Results Summary\s*$", re.MULTILINE)
DETAIL: Final = re.compile(rb':::MLLOG \{[^\n]*"key":\s*"(?:loadgen_version|requested_scenario|effective_scenario)"')
OLD_DETAIL: Final = re.compile(rb'\s*"pid": \d+, "tid": \d+, "ts": \d+ns : ')

OF: Final = r"(?P<stat>min|max|mean|\d+(?:\.\d+)?(?=(?:th)?[ _]percentile))(?:th)?(?:[ _]percentile)?"
LATENCIES: Final = (
    (re.compile(rf"{OF}[ _]first[ _]token[ _]latency(?: \(ns\)|_ns)"), "ttft"),
    (re.compile(rf"first_token_{OF}_latency_ns"), "ttft"),
    (re.compile(rf"{OF} time to output token \(ns\)"), "tpot"),
    (re.compile(rf"time_per_output_token_{OF}_ns"), "tpot"),
    (re.compile(r"time_to_output_token_(?P<stat>min|max|mean)"), "tpot"),
    (re.compile(rf"{OF}[ _]latency(?: \(ns\)|_ns)"), "latency"),
)
RATES: Final = {
    "samples per second": "throughput",
    "completed samples per second": "throughput",
    "samples_per_second": "throughput",
    "completed_samples_per_sec": "throughput",
    "scheduled samples per second": "offered_rate",
    "scheduled_samples_per_sec": "offered_rate",
    "completed tokens per second": "output_throughput",
    "tokens per second": "output_throughput",
    "completed_tokens_per_second": "output_throughput",
    "tokens_per_second": "output_throughput",
    "qps w/o loadgen overhead": "query_throughput",
    "qps_without_loadgen_overhead": "query_throughput",
    "qps w/ loadgen overhead": "query_throughput_with_overhead",
    "qps_with_loadgen_overhead": "query_throughput_with_overhead",
}
VALIDITY: Final = ("result is", "validity")
CONFIGURATION: Final = ("SUT name", "sut_name", "qsl_name", "loadgen_version", "Scenario", "Mode")
IDENTITY: Final = ("test_datetime", "power_begin", "power_end")
MODES: Final = ("Performance", "PerformanceOnly")

NO_RESULT: Final = "the file states no result"
OLD: Final = "The detail log of v0.5 has no results: attach the summary that was written beside it."
OFFERED: Final = (
    "Scheduled samples per second is the load that was offered: it is the same however fast the system is. Compare the "
    "completed rate, or latencies at equal load."
)
BEHIND: Final = "{done} of {offered} samples/s that were offered were completed: the system fell behind the load."
PREPARED: Final = "generated_query_count is what was prepared before the run, not what ran: it is not read as work."
ONE_QUERY: Final = "In the scenario Offline all samples are one query: their latencies say when each was done, no more."
MEAN: Final = "impossible: half of the latencies are at the median or above it, and none is below the minimum"


def looks_right(document: Document) -> str | None:
    """The reason why this is a log of LoadGen, or None."""
    head, _ = text_reader.ends(document)
    if SUMMARY.search(head):
        return 'it has the line "MLPerf Results Summary"'
    if DETAIL.search(head):
        return "its entries have the keys of LoadGen"
    return "its lines begin with pid, tid and ts in ns" if OLD_DETAIL.match(head) else None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no log of LoadGen, several runs, a latency or a rate that is no number.
    """
    lines, decoding = text_reader.lines(document)
    leniences = dict.fromkeys(decoding)
    head, _ = text_reader.ends(document)
    if SUMMARY.search(head):
        statements = list(loadgen_lines.of_summary(document, lines))
    elif OLD_DETAIL.match(head):
        statements = list(loadgen_lines.of_old_detail(document, lines))
    else:
        statements = list(loadgen_lines.of_detail(document, lines, leniences))
    if not statements:
        raise MalformedEvidence("there is no statement of LoadGen in it", where=document.name, code="no_runs")
    _refuse_several(statements)
    collection = Collection(document)
    _run(collection, statements, old=bool(OLD_DETAIL.match(head)) and not SUMMARY.search(head))
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _refuse_several(statements: list[Statement]) -> None:
    said = [s for s in statements if s.key.lower() in VALIDITY]
    if len(said) > 1:
        raise MalformedEvidence("it holds several results", where=said[1].where, code="several_runs")


def _run(collection: Collection, statements: list[Statement], *, old: bool) -> None:
    where = collection.document.name
    failure = "" if old else _failure(statements)
    run = collection.add(collect.failed("0", where, failure) if failure else collect.completed("0", where))
    for statement in statements:
        if not statement.key:
            continue
        if statement.part == "setting":
            _configured(run, statement.key, statement)
        else:
            _said(collection, run, statement)
    if old:
        collection.notice(OLD)
    for kind in ("error", "warning"):
        messages = [values.written(s.value) for s in statements if (s.part, s.key) == ("other", kind)]
        if messages:
            collection.notice(f"Logged by LoadGen as {kind}, {len(messages)} times; the first: {messages[0]}"[:300])
    _without_impossible_means(run)
    _remarks(collection, run, statements)


def _failure(statements: list[Statement]) -> str:
    """Why the run gives no numbers; "" when it does."""
    modes = [values.written(s.value) for s in statements if s.key.lower() == "mode"]
    if modes and modes[0] not in MODES:
        return f"the mode is {modes[0]}: performance was not measured"
    said = [values.written(s.value) for s in statements if s.key.lower() in VALIDITY]
    if said == ["VALID"]:
        return ""
    if not said:
        return NO_RESULT
    unmet = [s.key for s in statements if values.written(s.value).lower() in ("no", "false") and _is_condition(s.key)]
    return f"the result is {said[0]}" + (f" (not met: {'; '.join(unmet)})" if unmet else "")


def _is_condition(key: str) -> bool:
    return key.lower().endswith(("satisfied", "_met"))


def _said(collection: Collection, run: Run, statement: Statement) -> None:
    key, where = statement.key, statement.where
    lower = key.lower()
    if statement.part == "other" or lower in VALIDITY or _is_condition(key):
        return
    if key in CONFIGURATION:
        _configured(run, lower.replace(" ", "_"), statement)
    elif key in IDENTITY:
        run.identified(key, statement.value, where)
    elif lower in RATES:
        _measured(run, RATES[lower], statement, "1/s", aggregate("rate", None))
    elif statement.part == "result" and lower == "samples per query":
        _measured(run, "samples_per_query", statement, "1", aggregate("value", None))
    elif found := _latency(lower):
        headline = statement.part == "result" and "percentile" in lower
        _measured(run, f"headline_{found[0]}" if headline else found[0], statement, "ns", found[1])
    else:
        collection.leave([key])


def _latency(lower: str) -> tuple[str, Sample] | None:
    """The metric of a latency, and what it stands for; None when the key is none."""
    for pattern, metric in LATENCIES:
        found = pattern.fullmatch(lower)
        if found:
            stat = found["stat"]
            if stat not in ("min", "max", "mean"):
                stat = "median" if float(stat) == 50 else f"p{float(stat):g}"
            return metric, aggregate(stat, None)
    return None


def _configured(run: Run, name: str, statement: Statement) -> None:
    if name not in {setting.name for setting in run.settings}:
        run.configured(name, statement.value, statement.where)


def _measured(run: Run, metric: str, statement: Statement, unit: str, sample: Sample) -> None:
    """Add a number, once: the summary says some of them twice."""
    if any((m.metric, m.stat) == (metric, sample.stat) for m in run.measurements):
        return
    if run.facts.status == "failed":
        figure = collect.nothing(statement.value, unit, statement.where, run.facts.reason)
    else:
        figure = collect.positive(statement.value, unit, statement.where)
    run.measured(metric, figure, sample)


def _without_impossible_means(run: Run) -> None:
    """Take the number from a mean that cannot be one: the tool's sum overflows on long runs."""
    found = {(m.metric, m.stat): m.value for m in run.measurements if m.value is not None}
    for i, m in enumerate(run.measurements):
        low, median = found.get((m.metric, "min")), found.get((m.metric, "median"))
        if m.stat != "mean" or m.value is None or low is None or median is None:
            continue
        if m.value < (low + median) / 2 * (1 - 1e-9):
            run.measurements[i] = replace(m, value=None, reason=MEAN)


def _remarks(collection: Collection, run: Run, statements: list[Statement]) -> None:
    found = {(m.metric, m.stat): m.value for m in run.measurements if m.value is not None}
    offered, done = found.get(("offered_rate", "rate")), found.get(("throughput", "rate"))
    if offered is not None:
        collection.notice(OFFERED)
        if done is not None and done < offered * 0.95:
            collection.notice(BEHIND.format(done=f"{done:g}", offered=f"{offered:g}"))
    if any(s.key == "generated_query_count" for s in statements):
        collection.notice(PREPARED)
    if any(s.value == "Offline" for s in statements if s.key.lower() == "scenario"):
        collection.notice(ONE_QUERY)


FORMAT: Final = Format(NAME, "MLPerf LoadGen log", VERSION, looks_right, parse)
