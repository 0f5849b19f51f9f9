"""OpenVINO benchmark_app: `benchmark_report.csv`, its counters reports, and its console output.

In the file: `;` between a key and its value, in blocks; or a table of layers; or lines `[ INFO ] Count: …`. Times are
ms whether the key says so or not; the latency is a median unless the key names a percentile; throughput (FPS) is
batch * iterations / time. With several requests in flight latency * throughput is not 1. Here: one file is one run.
How many iterations there were follows from the duration, so it is identity.
"""

import re
from collections.abc import Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_reader, reported, text_reader, values
from analysis.evidence.collect import Collection, Run, Sample
from analysis.evidence.format import Document, Format
from analysis.evidence.reported import Meaning
from analysis.evidence.text_reader import Line
from analysis.reading import Reading

NAME: Final = "openvino-benchmark-app"
VERSION: Final = 1

COMMAND: Final = "Command line parameters"
SETUP: Final = "Configuration setup"
RESULTS: Final = "Execution results"
TITLES: Final = (COMMAND, SETUP, RESULTS)
LAYERS: Final = ("layerName", "execStatus", "layerType", "realTime (ms)")
STEP: Final = re.compile(rb"\[Step 11/11\]")
COUNT: Final = re.compile(rb"Count:\s+\d+ iterations")
DURATION: Final = re.compile(rb"Duration:\s+[\d.]+ ms")
INFO: Final = "[ INFO ]"
ON_CONSOLE_UNITS: Final = ("iterations", "ms", "FPS")
OF_CONSOLE: Final = re.compile(r"(\d{1,2}) percentile")
REPORTED: Final = {
    "avg latency": Meaning("latency", "mean", "ms"),
    "average latency (ms)": Meaning("latency", "mean", "ms"),
    "min latency": Meaning("latency", "min", "ms"),
    "min latency (ms)": Meaning("latency", "min", "ms"),
    "max latency": Meaning("latency", "max", "ms"),
    "max latency (ms)": Meaning("latency", "max", "ms"),
    "latency (ms)": Meaning("latency", "median", "ms"),
    "median latency (ms)": Meaning("latency", "median", "ms"),
    "throughput": Meaning("throughput", "rate", "FPS"),
    "read model time (ms)": Meaning("read_model_time", "value", "ms"),
    "read network time (ms)": Meaning("read_model_time", "value", "ms"),
    "compile model time (ms)": Meaning("compile_model_time", "value", "ms"),
    "load network time (ms)": Meaning("compile_model_time", "value", "ms"),
    "first inference time (ms)": Meaning("first_inference_time", "value", "ms"),
}
ON_CONSOLE: Final = {
    "latency": "latency (ms)", "median": "latency (ms)", "average": "avg latency", "avg": "avg latency",
    "min": "min latency", "max": "max latency", "throughput": "throughput", "count": "total number of iterations",
    "duration": "total execution time (ms)",
}  # fmt: skip
PERCENTILE: Final = re.compile(r"latency \((\d{1,2}(?:\.\d+)?) percentile\) \(ms\)")
ITERATIONS: Final = "total number of iterations"
TOTAL_TIME: Final = "total execution time (ms)"
CHOSEN: Final = ("number of iterations", "duration (ms)", "report_folder", "dump_config")
RENAMED: Final = {"topology": "model", "target device": "device", "batch size": "batch_size"}
IN_FLIGHT: Final = "With several requests in flight, latency and throughput are not each other's inverse."


def looks_right(document: Document) -> str | None:
    """The reason why benchmark_app wrote this, or None."""
    head, tail = text_reader.ends(document)
    if head.lstrip().startswith(COMMAND.encode()) and b";" in head:
        return f'it begins with "{COMMAND}"'
    if csv_reader.header_in(document, LAYERS):
        return f"its header names {', '.join(LAYERS)}"
    if any((COUNT.search(part) and DURATION.search(part)) or STEP.search(part) for part in (head, tail)):
        return "it has the last step, or the count and the duration, of benchmark_app"
    return None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no result, a number that is none, a time or rate below zero.
    """
    collection = Collection(document)
    if csv_reader.header_in(document, LAYERS):
        table = csv_reader.read(document, LAYERS)
        _layers(collection, table)
        return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)
    lines, leniences = text_reader.lines(document)
    pairs = list(_report(lines))
    if not pairs:
        pairs = list(_console(lines))
    _results(collection, pairs)
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _report(lines: tuple[Line, ...]) -> Iterator[tuple[str, str, str, int]]:
    """Block, key, value and line of each pair of a report."""
    block = ""
    for line in lines:
        text = line.text.strip().rstrip(";")
        if text in TITLES:
            block = text
        elif block and ";" in line.text:
            key, _, value = line.text.strip().partition(";")
            yield block, key.strip(), value.strip().rstrip(";"), line.number


def _console(lines: tuple[Line, ...]) -> Iterator[tuple[str, str, str, int]]:
    for line in lines:
        label, _, value = line.text.strip().removeprefix(INFO).partition(":")
        number, _, unit = value.strip().partition(" ")
        percentile = OF_CONSOLE.fullmatch(label.strip())
        key = f"latency ({percentile[1]} percentile) (ms)" if percentile else ON_CONSOLE.get(label.strip().lower())
        if key and unit.strip() in ON_CONSOLE_UNITS:
            yield RESULTS, key, number, line.number


def _results(collection: Collection, pairs: list[tuple[str, str, str, int]]) -> None:
    name = collection.document.name
    results = {key: (value, f"{name}:{line}") for block, key, value, line in reversed(pairs) if block == RESULTS}
    if not results:
        raise MalformedEvidence("there are no execution results in it", where=name, code="no_runs")
    error, place = results.pop("error", ("", name))
    run = collection.add(
        collect.failed("0", place, f"the tool reported: {error}"[:300]) if error else collect.completed("0", name)
    )
    n = None
    if ITERATIONS in results:
        value, where = results[ITERATIONS]
        n = values.count(reported.cell(value), where)
        reported.calibrated(run, "iterations", reported.cell(value), where)
    for key, (value, where) in reversed(results.items()):
        percentile = PERCENTILE.fullmatch(key)
        meaning = Meaning("latency", f"p{percentile[1]}", "ms") if percentile else REPORTED.get(key)
        if error:
            continue
        if meaning:
            one = meaning.stat in ("value", "rate")
            reported.add(run, meaning, reported.cell(value), where, None if one else n)
        elif key == TOTAL_TIME:
            reported.lasted(run, reported.cell(value), "ms", where)
        elif key != ITERATIONS:
            collection.leave([key])
    for block, key, value, line in pairs:
        _setting(run, block, key, value, f"{name}:{line}")
    reported.thin_tails(collection, run.facts.where, [m.stat for m in run.measurements], n)
    collection.notice(IN_FLIGHT)


def _setting(run: Run, block: str, key: str, value: str, where: str) -> None:
    if block == RESULTS:
        return
    if key in CHOSEN:
        run.identified(key, value, where)
    elif block == COMMAND:
        run.configured(f"option.{key}", values.number_in(value), where, "command line inside file")
    else:
        run.configured(RENAMED.get(key, key), values.number_in(value), where)


def _layers(collection: Collection, table: csv_reader.Table) -> None:
    run = collection.add(collect.completed("0", collection.document.name))
    columns = {"realTime (ms)": "layer_time", "cpuTime (ms)": "layer_cpu_time"}
    for row in table.rows:
        name = row.text("layerName")
        if name in ("layerName", "Total", ""):
            continue
        for column, metric in columns.items():
            if column in table.columns:
                reason = f"the layer was not executed: {row.text('execStatus')}"[:300]
                figure = collect.positive_or_nothing(row.number(column), "ms", row.place(column), reason)
                run.measured(metric, figure, Sample("aggregate", "mean", None, stage=values.text(name, row.where)))
    if not run.measurements:
        raise MalformedEvidence("there is no layer in it", where=collection.document.name, code="no_runs")
    collection.leave(c for c in table.columns if c not in (*columns, "layerName", "execStatus"))


FORMAT: Final = Format(NAME, "OpenVINO benchmark_app report", VERSION, looks_right, parse)
