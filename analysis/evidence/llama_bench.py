"""llama.cpp llama-bench, in all its outputs: `-o json`, `jsonl`, `csv`, `md` and `sql`.

In the file: one row per test, with what was measured in each repetition (`samples_ns`, `samples_ts`; the warm-up is not
in it) or only mean and deviation (csv, md, sql). A test is named as the tool names it: `pp512` processes a prompt of
512 tokens, `tg128` generates 128, `pp512_tg128` does both, and `_d4096` says how much context was there before. Here:
one run for each configuration, because its tests share a process; the metric is the name of the test, in tokens per
second, and `…_time` is the time of a repetition. The path of the model is identity, not configuration.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, llama_bench_tables, reported, text_reader, values
from analysis.evidence.collect import Collection, Run, inside, raw
from analysis.evidence.format import Document, Format
from analysis.evidence.llama_bench_tables import Row
from analysis.evidence.reported import Meaning
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "llama-bench"
VERSION: Final = 1

JSON: Final = (re.compile(rb'"avg_ts"\s*:'), re.compile(rb'"samples_ns"\s*:\s*\['))
TEST: Final = ("n_prompt", "n_gen", "n_depth")
STATISTICS: Final = {
    "avg_ts": ("", "mean", "1/s"), "stddev_ts": ("", "std", "1/s"),
    "avg_ns": ("_time", "mean", "ns"), "stddev_ns": ("_time", "std", "ns"),
}  # fmt: skip
SAMPLES: Final = {"samples_ts": ("", "1/s"), "samples_ns": ("_time", "ns")}
IDENTITY: Final = ("model_filename", "test_time")
RENAMED: Final = {"model_type": "model"}
OLD_TEST: Final = re.compile(r"\b(pp|tg) (\d)")  # "pp 512", until 2024
NO_ROW: Final = "the tool printed no result"


def looks_right(document: Document) -> str | None:
    """The reason why this is an output of llama-bench, or None."""
    head, _ = text_reader.ends(document)
    if all(mark.search(head) for mark in JSON):
        return "it has avg_ts and samples_ns"
    return llama_bench_tables.looks_right(document)


def parse(document: Document) -> Reading:
    """One run per configuration.

    Raises:
        MalformedEvidence: no test, a number that is none, a time or rate that is not positive.
    """
    collection = Collection(document)
    found = llama_bench_tables.read(document)
    if found is None:
        read = json_reader.read(document)
        rows, leniences, incomplete = list(_objects(read.values, document.name)), read.leniences, read.incomplete
        failure = "" if incomplete else llama_bench_tables.trouble_beside_json(document)
    else:
        rows, leniences, incomplete, failure = list(found.rows), found.leniences, False, found.failure
    runs: dict[tuple[str, ...], list[tuple[Run, set[str]]]] = {}
    for row in rows:
        _row(collection, runs, row)
    if not collection.runs:
        if found is None:
            raise MalformedEvidence("no test is in it", where=document.name, code="no_runs")
        collection.add(collect.failed("0", document.name, f"{NO_ROW}: {failure}"[:300] if failure else NO_ROW))
    elif failure:
        last = collection.runs[-1]
        last.facts = replace(last.facts, status="partial", reason=f"the output says: {failure}"[:300])
    for run in collection.runs:
        reported.folders(run, document.name)
    return collection.reading(NAME, VERSION, leniences, incomplete=incomplete)


def _objects(found: tuple[Json, ...], name: str) -> Iterator[Row]:
    flat: list[Json] = []
    for value in found:
        flat.extend(value if isinstance(value, list) else [value])
    for i, value in enumerate(flat):
        where = f"{name}:[{i}]"
        yield Row(values.fields(value, where), where)


def _row(collection: Collection, runs: dict[tuple[str, ...], list[tuple[Run, set[str]]]], row: Row) -> None:
    """Add a test to the first run of its configuration that does not have it yet."""
    metric = _test(row)
    known = (*TEST, "test", *STATISTICS, *SAMPLES, *IDENTITY)
    settings = {key: value for key, value in row.fields.items() if key not in known}
    alike = runs.setdefault(tuple(f"{key}={values.written(value)}" for key, value in settings.items()), [])
    run = next((run for run, tests in alike if metric not in tests), None)
    if run is None:
        run = collection.add(collect.completed(str(len(collection.runs)), row.where))
        alike.append((run, set()))
        for key, value in settings.items():
            if isinstance(value, list | dict):
                collection.leave([key])
            else:
                run.configured(RENAMED.get(key, key), value, inside(row.where, key))
        for key in IDENTITY:
            if key in row.fields:
                run.identified(key, row.fields[key], inside(row.where, key))
        run.facts = replace(run.facts, started_ns=_moment(row))
    next(tests for other, tests in alike if other is run).add(metric)
    _numbers(collection, run, row, metric)


def _test(row: Row) -> str:
    """The name of the test, from its sizes or as a table prints it ("pp512+tg128 @ d4096")."""
    if "test" in row.fields:
        printed = values.text(row.fields["test"], inside(row.where, "test")).strip()
        name = re.sub(r"\W+", "_", OLD_TEST.sub(r"\1\2", printed)).strip("_")
        if not re.fullmatch(r"(?:pp\d+)?_?(?:tg\d+)?(?:_d\d+)?", name) or not name:
            raise MalformedEvidence(f"{values.shown(printed)} is no test", where=row.where, code="unknown_metric")
        return name
    sizes = {}
    for key in TEST:
        where = inside(row.where, key)
        value = row.fields.get(key, Numeral("0")) if key == "n_depth" else values.needed(row.fields, key, where)
        sizes[key] = values.count(value, where)
    parts = [
        f"{word}{sizes[key]}" for key, word in (("n_prompt", "pp"), ("n_gen", "tg"), ("n_depth", "d")) if sizes[key]
    ]
    return "_".join(parts) or "nothing"


def _moment(row: Row) -> int | None:
    """When the test began, in epoch nanoseconds; None when the output does not say."""
    if "test_time" not in row.fields:
        return None
    where = inside(row.where, "test_time")
    try:
        moment = datetime.fromisoformat(values.text(row.fields["test_time"], where))
    except ValueError as error:
        raise MalformedEvidence("it is no time", where=where, code="not_a_time") from error
    return values.epoch_ns(Numeral(repr(moment.timestamp())), where) if moment.tzinfo else None


def _numbers(collection: Collection, run: Run, row: Row, metric: str) -> None:
    n = None
    for key, (ending, unit) in SAMPLES.items():
        if row.fields.get(key) is not None:
            where = inside(row.where, key)
            samples = values.items(row.fields[key], where)
            n = len(samples)
            for i, sample in enumerate(samples):
                run.measured(metric + ending, collect.positive(sample, unit, f"{where}[{i}]"), raw(i))
    values.needed(row.fields, "avg_ts", inside(row.where, "avg_ts"))
    for key, (ending, stat, unit) in STATISTICS.items():
        if key in row.fields:
            reported.add(run, Meaning(metric + ending, stat, unit), row.fields[key], inside(row.where, key), n)
    if n == 1:
        collection.notice(f"{row.where} {metric} was measured once: its deviation of 0 is no lack of noise.")


FORMAT: Final = Format(NAME, "llama-bench output", VERSION, looks_right, parse)
