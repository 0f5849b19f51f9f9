"""Output of `go test -bench` (the Go benchmark format).

In the file: a line per sample of a benchmark, with pairs of a number and its unit, below lines `key: value` that hold
for what follows. Here: one run per line, because repeated lines are the replicates of this tool; the lines of `-count`
come from one process. The suffix `-8` of a name is GOMAXPROCS. The number of iterations is calibrated: identity.
"""

import re
from collections.abc import Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, text_reader, values
from analysis.evidence.collect import VALUE, Collection, Figure, Run
from analysis.evidence.format import Document, Format
from analysis.reading import Reading

NAME: Final = "go-bench"
VERSION: Final = 1

NUMBER: Final = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
FIRST: Final = re.compile(rb"^Benchmark\S*[ \t]+\d+[ \t]+[\d.]+(?:e[-+]?\d+)?[ \t]+\S+/\S+", re.MULTILINE)
LINE: Final = re.compile(rf"(?P<name>Benchmark\S*)\s+(?P<iterations>\d+)(?P<pairs>(?:\s+{NUMBER}\s+\S+)+)\s*")
PAIR: Final = re.compile(rf"\s+({NUMBER})\s+(\S+)")
STATED: Final = re.compile(r"(?P<key>[a-z][^\s:A-Z]*):\s*(?P<value>.*?)\s*")
FAILED: Final = re.compile(r"\s*--- FAIL: (?P<name>Benchmark\S+)")
PROCS: Final = re.compile(r"(?P<name>.+)-(?P<procs>\d+)")

METRICS: Final = {
    "ns/op": ("wall_time", "ns"),
    "MB/s": ("throughput", "MB/s"),
    "B/op": ("bytes_per_op", "B"),
    "allocs/op": ("allocs_per_op", "1"),
}
CONFIGURATION: Final = ("goos", "goarch", "pkg", "cpu", "note", "toolchain", "experiments", "commit", "branch")
NO_TIME: Final = "the time is below the resolution of the timer"
ONE_PROCESS: Final = (
    "Each line is a run here. The lines that -count writes come from one process: what differs between processes, such "
    "as the layout of memory, is not among their differences."
)
FAILURE: Final = "the benchmark failed"


def looks_right(document: Document) -> str | None:
    """The reason why this is output of Go benchmarks, or None."""
    for part in text_reader.ends(document):
        if FIRST.search(part):
            return "it has lines of a benchmark, its iterations and a value per operation"
    return None


def parse(document: Document) -> Reading:
    """One run per line of a benchmark.

    Raises:
        MalformedEvidence: no line of a benchmark, a value that is no number, a time below zero.
    """
    lines, leniences = text_reader.lines(document)
    collection = Collection(document)
    stated: dict[str, tuple[str, str]] = {}
    seen: dict[str, int] = {}
    for line in lines:
        where = f"{document.name}:{line.number}"
        if found := LINE.fullmatch(line.text):
            run = _run(collection, found["name"], seen, where)
            _settings(run, found, stated, where)
            for metric, figure in _figures(collection, found["pairs"], where):
                run.measured(metric, figure, VALUE)
        elif found := STATED.fullmatch(line.text):
            stated[found["key"]] = (found["value"], where)
        elif found := FAILED.match(line.text):
            run = _run(collection, found["name"], seen, where)
            run.facts = collect.failed(run.facts.key, where, FAILURE)
            run.configured("benchmark", found["name"], where)
    if not any(run.measurements for run in collection.runs):
        raise MalformedEvidence("there is no line of a benchmark in it", where=document.name, code="no_runs")
    if any(count > 1 for count in seen.values()):
        collection.notice(ONE_PROCESS)
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _run(collection: Collection, name: str, seen: dict[str, int], where: str) -> Run:
    seen[name] = seen.get(name, 0) + 1
    return collection.add(collect.completed(f"{name}#{seen[name]}", where))


def _settings(run: Run, found: re.Match[str], stated: dict[str, tuple[str, str]], where: str) -> None:
    split = PROCS.fullmatch(found["name"])
    run.configured("benchmark", split["name"] if split else found["name"], where)
    if split:
        run.configured("gomaxprocs", split["procs"], where)
    run.identified("iterations", found["iterations"], where)
    for key, (value, place) in stated.items():
        if key in CONFIGURATION:
            run.configured(key, value, place)
        else:
            run.identified(key, value, place)


def _figures(collection: Collection, pairs: str, where: str) -> Iterator[tuple[str, Figure]]:
    for number, unit in PAIR.findall(pairs):
        place, value = f"{where}.{unit}", values.Numeral(number)
        if unit not in METRICS:
            collection.leave([unit])
            continue
        metric, known = METRICS[unit]
        if metric in ("wall_time", "throughput"):
            yield metric, collect.positive_or_nothing(value, known, place, NO_TIME)
        else:
            yield metric, collect.not_negative(value, known, place)


FORMAT: Final = Format(NAME, "Go benchmark output", VERSION, looks_right, parse)
