"""google-benchmark `--benchmark_format=json`.

In the file: an entry per repetition, times of one iteration in the unit of each entry, and entries that summarise the
repetitions. Here: one run per benchmark, because its repetitions share a process; a repetition is raw, a summary is
aggregate, and the two are never mixed. The number of iterations is calibrated by the tool: identity. Refused: a library
that was built for debugging. Not read: cv, BigO, RMS, and counters, which have no unit in the file.
"""

import re
from dataclasses import replace
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, text_reader, values
from analysis.evidence.collect import Collection, Run, aggregate, inside, raw
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "google-benchmark"
VERSION: Final = 1

ENTRIES: Final = re.compile(rb'"benchmarks"\s*:\s*\[')
TIMES: Final = re.compile(rb'"real_time"\s*:')
UNITS: Final = re.compile(rb'"time_unit"\s*:\s*"(?:ns|us|ms|s)"')
SUMMARY: Final = re.compile(r"(?P<name>.+)_(?P<stat>mean|median|stddev|cv|BigO|RMS)")

STATS: Final = {"mean": "mean", "median": "median", "stddev": "std", "min": "min", "max": "max"}
METRICS: Final = {"real_time": "wall_time", "cpu_time": "cpu_time"}
RATES: Final = {"items_per_second": "throughput", "bytes_per_second": "bytes_per_second"}
SETTINGS: Final = ("threads", "repetitions", "label")
IDENTITY: Final = ("date", "host_name", "executable", "load_avg", "json_schema_version")
KNOWN: Final = (
    "name", "run_name", "run_type", "iterations", "time_unit", "repetition_index", "family_index",
    "per_family_instance_index", "aggregate_name", "aggregate_unit", "error_occurred", "error_message", "skipped",
    "skip_message",
)  # fmt: skip
SCALING: Final = "The frequency of the CPU was scaled while this ran: times vary with it."
TOO_FAST: Final = "the time is below the resolution of the timer"


def looks_right(document: Document) -> str | None:
    """The reason why this is a google-benchmark result, or None."""
    head, _ = text_reader.ends(document)
    if re.match(rb"\s*\{", head) and all(key.search(head) for key in (ENTRIES, TIMES, UNITS)):
        return 'its benchmarks have "real_time" and "time_unit"'
    return None


def parse(document: Document) -> Reading:
    """One run per benchmark.

    Raises:
        MalformedEvidence: no JSON, an entry without a name, a time below zero, a library built for debugging.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    whole, where = values.fields(read.only(document.name), document.name), f"{document.name}:"
    context = values.fields(whole.get("context", {}), inside(where, "context"))
    _refuse_debug(context, inside(where, "context"))
    place = inside(where, "benchmarks")
    entries = [
        values.fields(entry, f"{place}[{i}]")
        for i, entry in enumerate(values.items(values.needed(whole, "benchmarks", place), place))
    ]
    runs: dict[str, Run] = {}
    names = {
        values.text(values.needed(entry, "name", f"{place}[{i}]"), f"{place}[{i}].name")
        for i, entry in enumerate(entries)
    }
    for i, entry in enumerate(entries):
        _entry(collection, runs, entry, names, f"{place}[{i}]")
    if not runs:
        raise MalformedEvidence("no benchmark was run", where=document.name, code="no_runs")
    for run in runs.values():
        if run.facts.status == "failed":  # one repetition that failed takes the numbers of the others with it
            run.measurements = [replace(m, value=None, reason=run.facts.reason) for m in run.measurements]
        _context(run, context, inside(where, "context"))
    if context.get("cpu_scaling_enabled") is True:
        collection.notice(SCALING)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _refuse_debug(context: dict[str, Json], where: str) -> None:
    if context.get("library_build_type") == "debug":
        message = "the benchmark library was built for debugging: its times are not those of the code"
        raise MalformedEvidence(message, where=f"{where}.library_build_type", code="debug_build")


def _entry(collection: Collection, runs: dict[str, Run], entry: dict[str, Json], names: set[str], where: str) -> None:
    name, stat = _whose(entry, names, where)
    if stat is not None and (stat not in STATS or entry.get("aggregate_unit") == "percentage"):
        collection.leave([f"{stat} of the repetitions"])
        return
    if name not in runs:
        runs[name] = collection.add(collect.completed(name, where))
        runs[name].configured("benchmark", name, f"{where}.name")
        for key in SETTINGS:
            if key in entry:
                runs[name].configured(key, entry[key], f"{where}.{key}")
    run = runs[name]
    failure = _failure(entry)
    if failure:
        run.facts = collect.failed(name, run.facts.where, failure)
    _numbers(run, entry, stat, where, failed=bool(failure))
    collection.leave(
        f"counter {key}"
        for key, value in entry.items()
        if key not in (*KNOWN, *SETTINGS, *METRICS, *RATES) and isinstance(value, Numeral)
    )


def _whose(entry: dict[str, Json], names: set[str], where: str) -> tuple[str, str | None]:
    """The benchmark that an entry is of, and which summary of its repetitions it is, None for a repetition."""
    name = values.text(entry["name"], f"{where}.name")
    base = values.text(entry.get("run_name", name), f"{where}.run_name")
    found = SUMMARY.fullmatch(name)
    if entry.get("run_type") == "aggregate":
        stat = entry.get("aggregate_name", found["stat"] if found else "summary")
        return base if "run_name" in entry or not found else found["name"], values.text(stat, f"{where}.aggregate_name")
    if "run_type" not in entry and found and found["name"] in names:
        return found["name"], found["stat"]
    return base, None


def _failure(entry: dict[str, Json]) -> str:
    if entry.get("error_occurred") is True:
        return f"the benchmark reported an error: {values.written(entry.get('error_message', ''))}"[:300]
    if entry.get("skipped") is True:
        return f"the benchmark was skipped: {values.written(entry.get('skip_message', ''))}"[:300]
    return ""


def _numbers(run: Run, entry: dict[str, Json], stat: str | None, where: str, *, failed: bool) -> None:
    unit = values.text(entry.get("time_unit", "ns"), f"{where}.time_unit")
    count = values.count(entry["iterations"], f"{where}.iterations") if "iterations" in entry else None
    index = sum(m.kind == "raw" and m.metric == "wall_time" for m in run.measurements)
    sample = raw(index) if stat is None else aggregate(STATS[stat], count)
    for key, metric in (METRICS | RATES).items():
        if key not in entry:
            continue
        given, place = (unit if key in METRICS else "1/s"), f"{where}.{key}"
        if failed:
            figure = collect.nothing(entry[key], given, place, run.facts.reason)
        elif sample.stat == "std":
            figure = collect.not_negative(entry[key], given, place)
        else:
            figure = collect.positive_or_nothing(entry[key], given, place, TOO_FAST)
        run.measured(metric, figure, sample)
    if stat is None and "iterations" in entry:
        run.identified(
            "iterations" if not index else f"iterations[{index}]", entry["iterations"], f"{where}.iterations"
        )


def _context(run: Run, context: dict[str, Json], where: str) -> None:
    for key, value in context.items():
        if key in IDENTITY:
            run.identified(key, value, f"{where}.{key}")
        else:
            run.configured(key, value, f"{where}.{key}")


FORMAT: Final = Format(NAME, "google-benchmark result", VERSION, looks_right, parse)
