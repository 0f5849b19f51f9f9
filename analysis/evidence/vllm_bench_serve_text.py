"""The console block "Serving Benchmark Result" of vLLM and SGLang, alone, inside any log, or in a JSON wrapper.

In the file: labels with their units, `Mean TTFT (ms): 81.58`, rounded to two decimals; above them often the line
`Namespace(…)` with the whole configuration. Wrappers write `{"success": …, "raw_output": "…"}`. Here: one run per
block. A wrapper that reports no success, or has no block, is a failed run.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, python_text, reported, serving, text_reader, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document, Format
from analysis.evidence.reported import Meaning
from analysis.evidence.values import Json, Numeral
from analysis.evidence.vllm_bench_throughput import FILE_NAME
from analysis.reading import Reading

NAME: Final = "vllm-bench-serve-text"
VERSION: Final = 1

TITLE: Final = "Serving Benchmark Result"
WRAPPER: Final = re.compile(r'\s*\{.{0,2000}?"raw_output"\s*:\s*"', re.DOTALL)
SUCCESS: Final = re.compile(r'"success"\s*:\s*(true|false)')
SERVING: Final = re.compile(r"benchmark_?serving|bench_type='serve'|vllm bench serve", re.IGNORECASE)
END: Final = re.compile(r"={20,}\s*")
LATENCY: Final = re.compile(
    r"(?P<stat>Mean|Median|Std|Min|Max|P\d{1,2}(?:\.\d+)?) "
    r"(?P<metric>TTFT|TPOT|ITL|E2EL|E2E Latency) \((?P<unit>ms|s)\)"
)
METRICS: Final = {
    "TTFT": "ttft", "TPOT": "tpot", "ITL": "itl", "E2EL": "e2e_latency", "E2E Latency": "e2e_latency",
}  # fmt: skip
REPORTED: Final = {
    "request throughput (req/s)": Meaning("request_throughput", "rate", "req/s"),
    "request goodput (req/s)": Meaning("request_goodput", "rate", "req/s"),
    "input token throughput (tok/s)": Meaning("input_throughput", "rate", "tok/s"),
    "output token throughput (tok/s)": Meaning("output_throughput", "rate", "tok/s"),
    "peak output token throughput (tok/s)": Meaning("output_throughput", "max", "tok/s"),
    "total token throughput (tok/s)": Meaning("total_token_throughput", "rate", "tok/s"),
    "peak concurrent requests": Meaning("concurrent_requests", "max", "1"),
    "concurrency": Meaning("concurrency", "mean", "1"),
    "accept length": Meaning("accept_length", "mean", "1"),
}
WORK: Final = {
    "successful requests": "requests_completed",
    "failed requests": "requests_failed",
    "total input tokens": "input_tokens",
    "total generated tokens": "output_tokens",
    "total generated tokens (retokenized)": "output_tokens_retokenized",
}
SETTINGS: Final = {
    "request rate configured (rps)": "request_rate",
    "traffic request rate": "request_rate",
    "maximum request concurrency": "max_concurrency",
    "max request concurrency": "max_concurrency",
    "backend": "backend",
}
DURATION: Final = "benchmark duration (s)"
IDENTITY: Final = ("label", "base_url", "port", "request_id_prefix", "result_dir", "result_filename")
OF_PROCESS: Final = "dispatch_function"  # an address in memory
RENAMED: Final = {"host": "server_host"}
ROUNDED: Final = "The numbers are rounded as the console prints them: the result file of the tool holds them in full."
YET_A_RESULT: Final = "The wrapper reports no success, and yet a result was printed: its runs may be of use or not."
NO_BLOCK: Final = "the output holds no result"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the console, and its place."""

    text: str
    where: str


@dataclass(frozen=True, slots=True)
class Output:
    """What a wrapper kept of the console, whether it reports success, and whether its end is missing."""

    lines: list[Line]
    success: bool
    incomplete: bool


@dataclass(slots=True)
class Block:
    """What was printed for one run: its labels in lower case, and the arguments above it."""

    where: str
    arguments: Line | None
    labels: dict[str, tuple[str, Line]]
    closed: bool = False


def looks_right(document: Document) -> str | None:
    """The reason why this is the console report of a serving benchmark, or None."""
    head, tail = text_reader.ends(document)
    if TITLE.encode() in head or TITLE.encode() in tail:
        return f'it has a block "{TITLE}"'
    text = (head + tail).decode(errors="replace")
    success = SUCCESS.search(text)
    if WRAPPER.match(text) and success and (success[1] == "false" or SERVING.search(text)):
        return "it is a wrapper with raw_output and without success"
    return None


def parse(document: Document) -> Reading:
    """One run per block.

    Raises:
        MalformedEvidence: no block, a number that is none, a time or rate below zero.
    """
    collection = Collection(document)
    decoded = text_reader.decode(document)
    output = _unwrapped(decoded.text, document.name) if WRAPPER.match(decoded.text) else None
    lines = output.lines if output else _plain(document)
    blocks = list(_blocks(lines))
    for i, block in enumerate(blocks):
        _run(collection, block, str(i))
    if output and not blocks:
        _without_result(collection, output)
    elif output and not output.success:
        collection.notice(YET_A_RESULT)
    elif not blocks:
        raise MalformedEvidence(NO_BLOCK, where=document.name, code="no_runs")
    found = FILE_NAME.fullmatch(PurePosixPath(document.name).stem)
    for run in collection.runs:
        if found:
            run.configured("tensor_parallel_size", Numeral(found["tp"]), document.name, "file name")
        reported.folders(run, document.name)
    cut = output is not None and output.incomplete
    leniences = decoded.leniences + ((json_reader.LAST_CUT,) if cut else ())
    return collection.reading(NAME, VERSION, leniences, incomplete=cut or not all(b.closed for b in blocks[-1:]))


def _plain(document: Document) -> list[Line]:
    return [Line(line.text, f"{document.name}:{line.number}") for line in text_reader.lines(document)[0]]


def _unwrapped(text: str, name: str) -> Output:
    """What the wrapper holds. When its end is missing, the output is what there is of it."""
    incomplete = False
    try:
        whole, _ = json_reader.value_at_start(text.strip(), name)
    except MalformedEvidence:
        whole, _ = json_reader.value_at_start(text.strip().rstrip("\\") + '"}', name)
        incomplete = True
    record = values.fields(whole, name)
    where = f"{name}:raw_output"
    parts = text_reader.LINE_END.split(values.written(values.needed(record, "raw_output", where)))
    lines = [Line(part, f"{where}:{i}") for i, part in enumerate(parts, start=1)]
    return Output(lines, record.get("success") is True, incomplete)


def _without_result(collection: Collection, output: Output) -> None:
    last = next((line.text.strip() for line in reversed(output.lines) if line.text.strip()), "")
    reason = NO_BLOCK if output.success else "the wrapper reports no success"
    collection.add(collect.failed("0", collection.document.name, f"{reason}: {last}"[:300] if last else reason))


def _blocks(lines: list[Line]) -> Iterator[Block]:
    arguments: Line | None = None
    block: Block | None = None
    for line in lines:
        if TITLE in line.text:
            if block:
                yield block
            block, arguments = Block(line.where, arguments, {}), None
        elif "Namespace(" in line.text:
            arguments = line
        elif block and END.fullmatch(line.text.strip()):
            block.closed = True
            yield block
            block = None
        elif block and (found := reported.labelled(line.text)):
            label, value = found
            block.labels.setdefault(label.lower(), (label, Line(value, line.where)))
    if block:
        yield block


def _run(collection: Collection, block: Block, key: str) -> None:
    served, lost = (_count(block, label) for label in ("successful requests", "failed requests"))
    tried = served + lost if served is not None and lost is not None else None
    if served == 0:
        facts = collect.failed(key, block.where, serving.NOTHING_SERVED, attempted=tried, lost=lost)
    else:
        facts = collect.completed(key, block.where, attempted=tried, failed=lost)
    run = collection.add(facts)
    written: dict[str, Json] = {}
    for label, (shown, line) in block.labels.items():
        _field(collection, run, shown, line, served, written)
        if label == DURATION:
            run.lasted(reported.cell(line.text), line.where)
    if block.arguments:
        _arguments(collection, run, block.arguments)
    if not run.measurements:
        raise MalformedEvidence("the block holds no number", where=block.where, code="no_runs")
    _checks(collection, run, block.where, served, written)


def _count(block: Block, label: str) -> int | None:
    if label not in block.labels:
        return None
    _, line = block.labels[label]
    return values.count(reported.cell(line.text), line.where)


def _field(
    collection: Collection, run: Run, label: str, line: Line, served: int | None, written: dict[str, Json]
) -> None:
    known, value = label.lower(), reported.cell(line.text)
    latency = LATENCY.fullmatch(label)
    if latency:
        metric, stat = METRICS[latency["metric"]], latency["stat"].lower()
        meaning = Meaning(metric, stat, latency["unit"])
        written[f"{metric} {stat}"] = value
    elif known in REPORTED:
        meaning = REPORTED[known]
        written[f"{meaning.metric} {meaning.stat}"] = value
    else:
        if known in WORK:
            reported.worked(run, WORK[known], value, line.where)
        elif known in SETTINGS:
            run.configured(SETTINGS[known], _setting(line.text), line.where)
        elif known != DURATION:
            collection.leave([label])
        return
    if served == 0:
        figure = collect.nothing(value, meaning.unit, line.where, serving.NOTHING_SERVED)
        run.measured(meaning.metric, figure, collect.aggregate(meaning.stat, 0))
    else:
        reported.add(run, meaning, value, line.where, None if meaning.metric == "itl" else served)


def _setting(text: str) -> Json:
    """A setting as the result file writes it: null and not None, and numbers as numbers."""
    return None if text == "None" else values.number_in(text)


def _arguments(collection: Collection, run: Run, line: Line) -> None:
    """The whole command line, as Python printed it. What the block says itself is not repeated."""
    said = {setting.name for setting in run.settings}
    for name, text in python_text.settings(python_text.inside(line.text, "Namespace(")):
        known = RENAMED.get(name, name)
        if name == OF_PROCESS:
            collection.leave([name])
        elif name in IDENTITY or name in RENAMED:
            run.identified(known, text, line.where, "command line inside file")
        elif known not in said:
            run.configured(known, _setting(text), line.where, "command line inside file")


def _checks(collection: Collection, run: Run, where: str, served: int | None, written: dict[str, Json]) -> None:
    collection.notice(ROUNDED)
    if any(m.stat.startswith("p") for m in run.measurements):
        collection.notice(serving.TOOL_PERCENTILES)
    reported.thin_tails(collection, where, [m.stat for m in run.measurements if m.metric != "itl"], served)
    for stat in ("mean", "median"):
        reported.bundled(collection, where, written.get(f"itl {stat}"), written.get(f"tpot {stat}"))
    peak, mean = written.get("output_throughput max"), written.get("output_throughput rate")
    if isinstance(peak, Numeral) and isinstance(mean, Numeral) and float(peak.text) < float(mean.text):
        collection.notice(f"{where} the peak output throughput is below the mean: one of the two is wrong.")
    for setting in run.settings:
        if setting.name == "request_rate" and isinstance(values.number_in(setting.value), Numeral):
            collection.notice(serving.rate_limited(setting.value))


FORMAT: Final = Format(NAME, "vLLM or SGLang console report", VERSION, looks_right, parse)
