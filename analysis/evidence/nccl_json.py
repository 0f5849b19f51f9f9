"""The JSON file of nccl-tests (`-J`): what the console prints, without its rounding, and times of iterations if asked.

In the file: arguments, environment, devices, and for each size the mean time of its iterations in µs and bandwidths in
GB/s, out of place and in place. Here, as of the console: one run per size and placement. Not read: the environment, and
the average over all sizes.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, reported, values
from analysis.evidence.collect import Collection, Run, aggregate, raw
from analysis.evidence.values import Json, Numeral

MARKS: Final = (re.compile(rb'"nccl_version"\s*:'), re.compile(rb'"config"\s*:\s*\{\s*"nthreads"\s*:'))
PLACEMENTS: Final = {"out_of_place": "out-of-place", "in_place": "in-place"}
NUMBERS: Final = (("alg_bw", "algbw"), ("bus_bw", "busbw"))
STATS: Final = {"min_us": "min", "max_us": "max", "p50_us": "p50", "p95_us": "p95", "p99_us": "p99", "stdev_us": "std"}
CONFIGURED: Final = ("nthreads", "ngpus", "warmup_iters", "iterations", "aggregated_iterations", "graph")
NO_BANDWIDTH: Final = "the tool reports 0"
CPU: Final = "The times are of the CPU (-C): they are no times of the collective on the device."


def looks_right(head: bytes) -> bool:
    """Whether a file that begins like this is JSON of nccl-tests."""
    return all(mark.search(head) for mark in MARKS)


def read(collection: Collection) -> json_reader.JsonText:
    """Add the runs; returns the text as it was read.

    Raises:
        MalformedEvidence: no_rows, missing, several_files, and those of JSON and of values.
    """
    name = collection.document.name
    text = json_reader.read(collection.document)
    whole = values.fields(text.only(name), name)
    where = f"{name}:"
    config = values.fields(values.needed(whole, "config", f"{where}config"), f"{where}config")
    rows = values.items(values.needed(whole, "results", f"{where}results"), f"{where}results")
    for i, value in enumerate(rows):
        row = values.fields(value, f"{where}results[{i}]")
        for key, placement in PLACEMENTS.items():
            if row.get(key) is not None:
                _row(collection, (whole, config, row), key, f"{where}results[{i}]")
                _settings(collection.runs[-1], (whole, config, row), placement, f"{where}results[{i}]")
    if not collection.runs:
        raise MalformedEvidence("no size was measured", where=name, code="no_rows")
    collection.leave(["average_bus_bandwidth", "env"])
    return text


def _row(collection: Collection, found: tuple[dict[str, Json], ...], key: str, where: str) -> None:
    _, config, row = found
    place = f"{where}.{key}"
    half = values.fields(row[key], place)
    wrong = half.get("nwrong")
    lost = wrong is not None and values.not_negative(wrong, f"{place}.nwrong") > 0
    name = f"{where.partition(':')[2]}.{key}"
    facts = collect.completed(name, place)
    if lost:
        facts = collect.failed(name, place, f"{values.written(wrong)} values were wrong")
    run = collection.add(facts)
    iterations = row.get("actual_iterations", config.get("iterations"))
    n = None if iterations is None else values.count(iterations, f"{where}.iterations")
    time = "cpu_time" if "cpu_time" in half else "time"
    if time == "cpu_time":
        collection.notice(CPU)
    _number(run, "latency", (half, time, "us"), aggregate("mean", n), place)
    for field, metric in NUMBERS:
        _number(run, metric, (half, field, "GB/s"), aggregate("rate", n), place)
    if not lost and isinstance(row.get(f"{key}_per_iter"), dict):
        _iterations(run, values.fields(row[f"{key}_per_iter"], f"{place}_per_iter"), f"{place}_per_iter")


def _number(run: Run, metric: str, found: tuple[dict[str, Json], str, str], sample: collect.Sample, where: str) -> None:
    half, field, unit = found
    spot = f"{where}.{field}"
    value = values.needed(half, field, spot)
    if run.facts.status == "failed":
        figure = collect.nothing(value, unit, spot, run.facts.reason)
    elif value == "nan":
        figure = collect.nothing(value, unit, spot, "the tool reports nan")
    else:
        figure = collect.positive_or_nothing(value, unit, spot, NO_BANDWIDTH)
    run.measured(metric, figure, sample)


def _iterations(run: Run, found: dict[str, Json], where: str) -> None:
    """The time of each iteration, the largest over the processes, and the tool's own spread of them."""
    times = values.items(found.get("times_us", []), f"{where}.times_us")
    for i, time in enumerate(times):
        spot = f"{where}.times_us[{i}]"
        run.measured("iteration_time", collect.positive_or_nothing(time, "us", spot, NO_BANDWIDTH), raw(i))
    for key, stat in STATS.items():
        if key in found:
            meaning = reported.Meaning("iteration_time", stat, "us")
            reported.add(run, meaning, found[key], f"{where}.{key}", len(times) or None)


def _settings(run: Run, found: tuple[dict[str, Json], ...], placement: str, where: str) -> None:
    whole, config, row = found
    for key in CONFIGURED:
        if key in config:
            run.configured(key, config[key], where)
    for key, unit in (("size", "B"), ("count", ""), ("type", ""), ("redop", ""), ("root", "")):
        value = values.needed(row, key, f"{where}.{key}")
        plain = value.strip() if isinstance(value, str) else value
        run.configured(key, plain, f"{where}.{key}", unit=unit)
    run.configured("placement", placement, where)
    values.count(row["size"], f"{where}.size")
    run.worked("bytes", row["size"], f"{where}.size")
    run.configured("nccl_library", whole.get("nccl_version"), where)
    arguments = whole.get("args")
    if isinstance(arguments, list) and arguments:
        program = values.written(arguments[0]).rpartition("/")[2]
        run.configured("collective", program.removesuffix("_perf"), where, "command line inside file")
    devices = config.get("devices")
    if isinstance(devices, list) and devices:
        run.configured("ranks", Numeral(str(len(devices))), where)
        named = [values.fields(one, where) for one in devices]
        run.configured("devices", _each(named, "device_info"), where)
        run.identified("hosts", _each(named, "hostname"), where)


def _each(named: list[dict[str, Json]], key: str) -> str:
    return "; ".join(dict.fromkeys(values.written(one.get(key)) for one in named))
