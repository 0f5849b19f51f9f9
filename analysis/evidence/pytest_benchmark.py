"""pytest-benchmark JSON (`--benchmark-json`, or the storage), from version 2.5 on.

In the file: one entry per benchmark, times of one call in s. With `--benchmark-save-data` also `stats.data`, the mean
time of a call in each round. Here: one run per entry (rounds share a process, so they are never runs); raw rounds where
all of them are saved, else the aggregates of the tool. The number of rounds and of calls in a round is calibrated by
the tool: kept as identity, not as work. Not read: iqr, outliers and the like.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, text_reader, values
from analysis.evidence.collect import Collection, Run, aggregate, inside, raw
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json
from analysis.reading import Reading

NAME: Final = "pytest-benchmark"
VERSION: Final = 1

KEYS: Final = tuple(re.compile(rb'"' + key + rb'"\s*:') for key in (b"fullname", b"stats", b"rounds"))
ENTRIES: Final = re.compile(rb'\s*(?:\[|\{(?s:.)*"benchmarks"\s*:\s*\[)')
STATS: Final = {
    "mean": "mean", "median": "median", "min": "min", "max": "max", "q1": "p25", "q3": "p75", "total": "total",
}  # fmt: skip
UNREAD: Final = ("iqr", "iqr_outliers", "stddev_outliers", "outliers", "ld15iqr", "hd15iqr")
IDENTITY: Final = ("node", "time", "author_time", "hz_actual", "hz_actual_raw", "hz_actual_friendly")
CALIBRATED: Final = ("rounds", "iterations")
DIRTY: Final = "The working tree was dirty: the commit does not name the code that ran."
TOO_FAST: Final = "the time is below the resolution of the timer"


def looks_right(document: Document) -> str | None:
    """The reason why this is a pytest-benchmark file, or None."""
    head, _ = text_reader.ends(document)
    if ENTRIES.match(head) and all(key.search(head) for key in KEYS):
        return 'its benchmarks have "fullname" and "stats" with "rounds"'
    return None


def parse(document: Document) -> Reading:
    """One run per benchmark.

    Raises:
        MalformedEvidence: no JSON, a benchmark without stats, a time that is not positive.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    whole, where = read.only(document.name), f"{document.name}:"
    if isinstance(whole, list):
        _entries(collection, whole, {}, where, "")
    else:
        found = values.fields(whole, document.name)
        entries = values.items(values.needed(found, "benchmarks", inside(where, "benchmarks")), where)
        _entries(collection, entries, found, where, "benchmarks")
    if not collection.runs:
        raise MalformedEvidence("no benchmark was run", where=document.name, code="no_runs")
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _entries(collection: Collection, entries: list[Json], found: dict[str, Json], where: str, name: str) -> None:
    for i, entry in enumerate(entries):
        key = f"{name}[{i}]"
        benchmark = values.fields(entry, where + key)
        run = collection.add(collect.completed(key, where + key))
        _settings(run, benchmark, where + key)
        for part in ("machine_info", "commit_info"):
            _flat(run, part, found.get(part), inside(where, part))
        for moment in ("datetime", "version"):
            if moment in found:
                run.identified(moment, found[moment], inside(where, moment))
        stats = values.needed(benchmark, "stats", f"{where}{key}.stats")
        _times(collection, run, values.fields(stats, f"{where}{key}.stats"), f"{where}{key}.stats")
    commit = found.get("commit_info")
    if isinstance(commit, dict) and commit.get("dirty") is True:
        collection.notice(DIRTY)


def _settings(run: Run, benchmark: dict[str, Json], where: str) -> None:
    for key, value in benchmark.items():
        if key in ("options", "params", "extra_info"):
            _flat(run, key, value, f"{where}.{key}")
        elif key != "stats":
            run.configured(key, value, f"{where}.{key}")


def _flat(run: Run, name: str, value: Json, where: str) -> None:
    """The fields of an object as settings "name.field"; who and when it was are identity."""
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        if isinstance(inner, dict):
            _flat(run, f"{name}.{key}", inner, f"{where}.{key}")
        elif key in IDENTITY:
            run.identified(f"{name}.{key}", inner, f"{where}.{key}")
        else:
            run.configured(f"{name}.{key}", inner, f"{where}.{key}")


def _times(collection: Collection, run: Run, stats: dict[str, Json], where: str) -> None:
    rounds = values.count(values.needed(stats, "rounds", f"{where}.rounds"), f"{where}.rounds")
    for key in CALIBRATED:
        if key in stats:
            values.count(stats[key], f"{where}.{key}")
            run.identified(key, stats[key], f"{where}.{key}")
    data = stats.get("data")
    if isinstance(data, list) and len(data) == rounds > 0:
        for i, seconds in enumerate(data):
            spot = f"{where}.data[{i}]"
            run.measured("wall_time", collect.positive(seconds, "s", spot), raw(i))
    elif isinstance(data, list) and data:
        collection.notice(
            f"{where}.data has {len(data)} items for {rounds} rounds: it is not complete, so it is not read."
        )
    _aggregates(run, stats, rounds, where)
    collection.leave([key for key in UNREAD if key in stats])


def _aggregates(run: Run, stats: dict[str, Json], rounds: int, where: str) -> None:
    values.needed(stats, "mean", f"{where}.mean")
    for key, stat in STATS.items():
        if key in stats:
            figure = collect.positive_or_nothing(stats[key], "s", f"{where}.{key}", TOO_FAST)
            run.measured("wall_time", figure, aggregate(stat, rounds))
    if stats.get("stddev") is not None:
        spread = collect.not_negative(stats["stddev"], "s", f"{where}.stddev")
        run.measured("wall_time", spread, aggregate("std", rounds))
    if "ops" in stats:
        calls = collect.positive_or_nothing(stats["ops"], "1/s", f"{where}.ops", TOO_FAST)
        run.measured("throughput", calls, aggregate("rate", rounds))


FORMAT: Final = Format(NAME, "pytest-benchmark result", VERSION, looks_right, parse)
