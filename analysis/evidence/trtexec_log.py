"""The log of trtexec, in the forms of TensorRT 7 ("Host Latency") and 8 and later ("=== Performance summary ===").

One run for each `&&&& RUNNING … PASSED`, or for the whole log when it has no such lines. What counts as a query
changed: with an implicit batch (`Batch: 8` in the log) queries are samples, with an explicit one they are batches. So
`throughput` is in samples per second, where the batch size is known; what the tool calls qps is `query_throughput`
where it counts batches.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from analysis.evidence import collect, reported, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.reported import Meaning
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Json, Numeral
from analysis.measurements import FileRun

STATUS: Final = re.compile(
    r"&&&& (RUNNING|PASSED|FAILED) TensorRT\.trtexec(?: \[TensorRT v(\d+)\])?(?: \[b\d+\])? *#? *(.*)"
)
STAMP: Final = re.compile(r"^\[\d\d/\d\d/\d{4}-[\d:]+\] \[[VIWEF]\] ")
SUMMARY: Final = re.compile(
    r"(Latency|Enqueue Time|H2D Latency|GPU Compute Time|D2H Latency): (min = .*)", re.IGNORECASE
)
PART: Final = re.compile(r"(min|max|mean|median|percentile\((\d+(?:\.\d+)?)%\)) = (\S+) ms")
SECTION: Final = re.compile(r"(Host Latency|Enqueue Time|GPU Compute)")
OLD: Final = re.compile(
    r"(min|max|mean|median|percentile): (\S+) ms(?: at (\d+(?:\.\d+)?)%)?(?: \(end to end (\S+) ms(?: at [\d.]+%)?\))?"
)
QPS: Final = re.compile(r"throughput: (\S+) qps", re.IGNORECASE)
WALL: Final = re.compile(r"(?:walltime|Total Host Walltime): (\S+) s", re.IGNORECASE)
QUERIES: Final = re.compile(r"Timing trace has (\d+) queries over")
WARMUP: Final = re.compile(r"Warmup completed (\d+) queries over")
BATCH: Final = re.compile(r"(?:Max )?[Bb]atch: (\d+|[Ee]xplicit.*)")
DEVICE: Final = re.compile(r"Selected Device: (.+)")
PRECISION: Final = re.compile(r"Precision: (.+)")
MODEL: Final = re.compile(r"(?:Model|Prototxt): (\S.*)")
BLOCKS: Final = re.compile(r"Average on \d+ runs - ")
METRICS: Final = {
    "latency": "latency", "host latency": "latency", "enqueue time": "enqueue_time", "h2d latency": "h2d_latency",
    "gpu compute time": "gpu_compute_time", "gpu compute": "gpu_compute_time", "d2h latency": "d2h_latency",
}  # fmt: skip
EXPORTS: Final = re.compile(r"export\w+|saveEngine|timingCacheFile|dumpOutput")
NO_QUERIES: Final = "the timing trace has 0 queries"
NO_SUMMARY: Final = "the log has no performance summary"
UNKNOWN_BATCH: Final = (
    "The batch size is not in the log: query_throughput counts batches of unknown size, and is not comparable."
)
RUNS: Final = "Average on … runs"


@dataclass(slots=True)
class Log:
    """One run of the log while it is read."""

    where: str
    command: tuple[str, str] = ("", "")
    version: str = ""
    status: str = ""
    numbers: list[tuple[Meaning, Json, str]] = field(default_factory=list)
    found: dict[str, tuple[str, str]] = field(default_factory=dict)

    def number(self, name: str) -> Json:
        """A number that was found, or None."""
        return values.number_in(self.found[name][0]) if name in self.found else None

    def note(self, name: str, found: re.Match[str] | None, where: str) -> None:
        """Keep what was found, the first time."""
        if found:
            self.found.setdefault(name, (found[1].strip(), where))


def read(collection: Collection, lines: tuple[Line, ...]) -> None:
    """Add the runs of the log."""
    for i, log in enumerate(_logs(lines, collection.document.name)):
        _run(collection, log, str(i))


def _logs(lines: tuple[Line, ...], name: str) -> Iterator[Log]:
    log, section, seen = Log(f"{name}:1"), "", False
    for line in lines:
        where = f"{name}:{line.number}"
        status = STATUS.search(line.text)
        if status and status[1] == "RUNNING" and seen:
            yield log
            log, section, seen = Log(where), "", False
        if status:
            log.where = where if status[1] == "RUNNING" else log.where
            log.command = (status[3], where) if status[3] else log.command
            log.version, log.status = status[2] or log.version, status[1]
            seen = True
            if status[1] != "RUNNING":
                yield log
                log, section, seen = Log(where), "", False
            continue
        text = STAMP.sub("", line.text).strip()
        section = _line(log, text, section, where)
        seen = seen or bool(log.numbers)
    if seen:
        yield log


def _line(log: Log, text: str, section: str, where: str) -> str:
    """Read one line; returns the section of an old log that is open after it."""
    for name, pattern in (
        ("qps", QPS), ("walltime", WALL), ("queries", QUERIES), ("warmup", WARMUP), ("batch", BATCH),
        ("device", DEVICE), ("precision", PRECISION), ("model", MODEL),
    ):  # fmt: skip
        log.note(
            name, pattern.fullmatch(text) or (pattern.match(text) if name in ("queries", "warmup") else None), where
        )
    log.note("blocks", re.match(f"({BLOCKS.pattern})", text), where)
    new, opened, old = SUMMARY.fullmatch(text), SECTION.fullmatch(text), OLD.fullmatch(text)
    if new:
        for part in PART.finditer(new[2]):
            stat = f"p{part[2]}" if part[2] else part[1]
            log.numbers.append((Meaning(METRICS[new[1].lower()], stat, "ms"), reported.cell(part[3]), where))
    elif opened:
        return opened[1]
    elif old and section:
        stat = f"p{old[3]}" if old[3] else old[1]
        log.numbers.append((Meaning(METRICS[section.lower()], stat, "ms"), reported.cell(old[2]), where))
        if old[4]:
            log.numbers.append((Meaning("e2e_latency", stat, "ms"), reported.cell(old[4]), where))
    return section


def _run(collection: Collection, log: Log, key: str) -> None:
    run = collection.add(_facts(log, key))
    _settings(run, log)
    per_query, explicit = _batch(log)
    queries = log.number("queries")
    if queries is not None:
        reported.calibrated(run, "queries", queries, log.found["queries"][1])
    if run.facts.status == "failed":
        return
    n = None
    if queries is not None:
        n = values.count(queries, log.found["queries"][1]) // (1 if explicit else per_query or 1)
    for meaning, value, where in log.numbers:
        reported.add(run, meaning, value, where, n)
    if "walltime" in log.found:
        reported.lasted(run, log.number("walltime"), "s", log.found["walltime"][1])
    _throughput(collection, run, log)
    reported.thin_tails(collection, log.where, [m.stat for m in run.measurements], n)
    if "blocks" in log.found:
        collection.leave([RUNS])


def _facts(log: Log, key: str) -> FileRun:
    queries = log.number("queries")
    if log.status == "FAILED":
        return collect.failed(key, log.where, "trtexec reported FAILED")
    if queries is not None and values.count(queries, log.found["queries"][1]) == 0:
        return collect.failed(key, log.where, NO_QUERIES)
    if not log.numbers:
        return collect.failed(key, log.where, NO_SUMMARY)
    return collect.completed(key, log.where)


def _batch(log: Log) -> tuple[int | None, bool]:
    """How many samples a batch holds, None when the log does not tell; and whether queries are batches."""
    stated, _ = log.found.get("batch", ("", ""))
    options = dict(reported.flags(log.command[0]))
    if stated.isdigit() and "shapes" not in options:
        return values.count(Numeral(stated), log.found["batch"][1]), False
    if not stated and options.get("batch", "").isdigit():
        return values.count(Numeral(options["batch"]), log.command[1]), False
    shapes = options.get("shapes") or options.get("optShapes", "")
    sizes = {found[1] for found in re.finditer(r":'?(\d+)x", shapes)}
    return (values.count(Numeral(sizes.pop()), log.command[1]) if len(sizes) == 1 else None), True


def _throughput(collection: Collection, run: Run, log: Log) -> None:
    if "qps" not in log.found:
        return
    per_query, explicit = _batch(log)
    where, value = log.found["qps"][1], log.number("qps")
    name = "query_throughput" if explicit else "throughput"
    reported.add(run, Meaning(name, "rate", "qps"), value, where)
    if explicit and per_query is None:
        collection.notice(UNKNOWN_BATCH)
    elif explicit and run.measurements[-1].value is not None:
        samples = Fraction(values.numeral(value, where).text) * (per_query or 1)
        figure = collect.Figure(float(samples), "1/s", f"{log.found['qps'][0]} qps * {per_query}", "1/s", where, "")
        run.measured("throughput", figure, collect.aggregate("rate", None))


def _settings(run: Run, log: Log) -> None:
    command, where = log.command
    said = set()
    for name, value in reported.flags(command):
        if EXPORTS.fullmatch(name):
            run.identified(name, value, where, "command line inside file")
        elif name not in said:
            said.add(name)
            run.configured(name, values.number_in(value), where, "command line inside file")
    if log.version:
        run.configured("tensorrt_version", log.version, where or log.where)
    for name in ("model", "precision", "device"):
        if name in log.found:
            run.configured(name, *log.found[name])
    stated, place = log.found.get("batch", ("", ""))
    per_query, explicit = _batch(log)
    if per_query:
        run.configured("batch_size", Numeral(str(per_query)), place or where)
    if stated or command:
        run.configured("batch_mode", "explicit" if explicit else "implicit", place or where)
    if "warmup" in log.found:
        run.identified("warmup_queries", *log.found["warmup"])
