"""The log of a vLLM server, for the configuration that it states; nothing in it is a measurement of a benchmark.

In the file: the version, the arguments that are not defaults, the configuration of the engine as Python prints it, the
attention backend, and how large the KV cache is. Here: one run per start of the server, with settings only. A server
that did not start is a failed run. Not read: the throughputs that the server logs every few seconds, which are averages
over its own windows.
"""

import re
from collections.abc import Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, limits, python_text, reported, text_reader, values, vllm_config_yaml
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document, Format
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Json, Numeral
from analysis.evidence.vllm_bench_serve_text import TITLE
from analysis.measurements import SettingSource
from analysis.reading import Reading

NAME: Final = "vllm-server-log"
VERSION: Final = 1

VERSION_LINE: Final = re.compile(r"vLLM API server version v?(\S+)|[█▀▄]\s+version\s+(\S+)")
ARGUMENTS: Final = re.compile(r"(non-default args: \{|\bargs: Namespace\()")
ENGINE: Final = re.compile(r"Initializing an? (?:V\d )?LLM engine \(v?([^)\s]+)\) with config: (.*)")
CACHE: Final = re.compile(r"GPU KV cache size: ([\d,]+) tokens")
BLOCKS: Final = re.compile(r"# (?:GPU|cuda|rocm) blocks: (\d+)", re.IGNORECASE)
BACKEND: Final = re.compile(r"Using (?:(\w+) attention backend|(\w+) Attention backend|([A-Z]\w+) backend\b)")
HIT_RATE: Final = re.compile(r"Prefix cache hit rate: (?:GPU: )?([\d.]+)%")
DEAD: Final = re.compile(
    r"engine ?core (?:initialization failed|failed to start)|engine process failed to start", re.IGNORECASE
)
AVERAGES: Final = re.compile(r"Avg prompt throughput:")
ADDRESSES: Final = {"host": "server_host", "port": "port"}
PATHS: Final = ("download_dir", "config")
COMMAND: Final = re.compile(r"\s*(?:\$ |\+ )?vllm serve (\S+)(.*)")
HEARD: Final = (
    "This log states configuration only: the averages that the server logs are no measurements of a benchmark."
)
NOT_STARTED: Final = "the server did not start"


def looks_right(document: Document) -> str | None:
    """The reason why this is the log of a vLLM server, or None."""
    head, tail = text_reader.ends(document)
    if TITLE.encode() in head + tail:
        return None
    text = text_reader.ANSI.sub("", head.decode(errors="replace"))
    if VERSION_LINE.search(text) or ENGINE.search(text):
        return "it has the version or the engine configuration of a vLLM server"
    if vllm_config_yaml.looks_right(text):
        return "it is nothing but options of vllm serve, as its --config reads them"
    return "it is the command of a vLLM server" if COMMAND.fullmatch(text.strip()) else None


def parse(document: Document) -> Reading:
    """One run per start of the server.

    Raises:
        MalformedEvidence: no_runs, when no server states its version or configuration.
    """
    lines, leniences = text_reader.lines(document)
    collection = Collection(document)
    for i, start in enumerate(_starts(lines)):
        _start(collection, start, str(i))
    if not collection.runs and vllm_config_yaml.looks_right("\n".join(line.text for line in lines)):
        _options_file(collection, lines)
    if not collection.runs:
        raise MalformedEvidence("no server states its version in it", where=document.name, code="no_runs")
    collection.notice(HEARD)
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _options_file(collection: Collection, lines: tuple[Line, ...]) -> None:
    run = collection.add(collect.completed("0", collection.document.name))
    for line in lines:
        for name, value in vllm_config_yaml.option(line.text):
            _state(run, name, value, f"{collection.document.name}:{line.number}", "file field")


def _starts(lines: tuple[Line, ...]) -> Iterator[tuple[Line, ...]]:
    """The lines of each start: from a line with the version on, or from the engine's when the log has none."""
    marks = [i for i, line in enumerate(lines) if VERSION_LINE.search(line.text)]
    if not marks:
        marks = [i for i, line in enumerate(lines) if ENGINE.search(line.text) or COMMAND.fullmatch(line.text)][:1]
    for start, end in zip(marks, [*marks[1:], len(lines)], strict=False):
        yield lines[start:end]


def _start(collection: Collection, lines: tuple[Line, ...], key: str) -> None:
    name = collection.document.name
    where = f"{name}:{lines[0].number}"
    dead = next((line for line in lines if DEAD.search(line.text)), None)
    reason = "" if dead is None else f"{NOT_STARTED}: {dead.text.strip()}"[:300]
    run = collection.add(collect.failed(key, where, reason) if dead else collect.completed(key, where))
    said: set[str] = set()  # ranks and engines repeat what the server says
    hit = ""
    for line in lines:
        place = f"{name}:{line.number}"
        command = COMMAND.fullmatch(line.text)
        for setting, value in _options(command) if command else _settings(line.text):
            if len(values.written(value)) > limits.TEXT:
                collection.leave([setting])
            elif setting not in said:
                said.add(setting)
                _state(run, setting, value, place, "command line inside file" if command else "file field")
        rate = HIT_RATE.search(line.text)
        hit = rate[1] if rate else hit
        if AVERAGES.search(line.text):
            collection.leave(["Avg prompt throughput", "Avg generation throughput"])
    if hit and hit.strip("0."):
        collection.notice(
            f"{where} the prefix cache was hit for {hit} % of its queries at the end: "
            "that part of the prompts was not computed."
        )


def _options(command: re.Match[str]) -> Iterator[tuple[str, Json]]:
    yield "model", command[1]
    for name, value in reported.flags(command[2]):
        yield name.replace("-", "_"), value


def _settings(line: str) -> Iterator[tuple[str, Json]]:
    version = VERSION_LINE.search(line)
    if version:
        yield "vllm_version", version[1] or version[2]
    arguments = ARGUMENTS.search(line)
    if arguments:
        yield from python_text.settings(python_text.inside(line[arguments.start() :], arguments[1][-1]))
    engine = ENGINE.search(line)
    if engine:
        yield "vllm_version", engine[1]
        yield from python_text.settings(engine[2].rstrip(", "))
    cache, blocks, backend = CACHE.search(line), BLOCKS.search(line), BACKEND.search(line)
    if cache:
        yield "kv_cache_tokens", Numeral(cache[1].replace(",", ""))
    if blocks:
        yield "kv_cache_blocks", Numeral(blocks[1])
    if backend:
        yield "attention_backend", backend[1] or backend[2] or backend[3]


def _state(run: Run, name: str, value: Json, where: str, source: SettingSource) -> None:
    plain = values.number_in(value) if isinstance(value, str) else value
    shown: Json = None if plain == "None" else plain
    if name in ADDRESSES or name in PATHS:
        run.identified(ADDRESSES.get(name, name), shown, where, source)
    else:
        run.configured(name, shown, where, source)


FORMAT: Final = Format(NAME, "vLLM server log", VERSION, looks_right, parse)
