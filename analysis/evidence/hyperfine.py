"""hyperfine `--export-json`.

In the file: one object per command, with the wall time of each process run in s. Here: each time is a run of its own,
because each is a process of its own. Not read: the summaries (mean, stddev, median, min, max, user, system), so that an
edited mean cannot reach a memo. Refused: a time that is not positive, in a command that did not fail.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, text_reader, values
from analysis.evidence.collect import VALUE, Collection, Run
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json
from analysis.reading import Reading

NAME: Final = "hyperfine"
VERSION: Final = 1

START: Final = re.compile(rb'\s*\{\s*"results"\s*:\s*\[')
COMMAND: Final = re.compile(rb'"command"\s*:\s*"')
TIMES: Final = re.compile(rb'"(?:times|stddev)"\s*:')
MARKED: Final = "[ERROR]"
SUMMARIES: Final = (
    "The summaries of hyperfine (mean, stddev, median, min, max, user, system) are not read but recomputed."
)
READ: Final = ("command", "times", "exit_codes", "parameters", "memory_usage_byte")
SUMMARY: Final = ("mean", "stddev", "median", "min", "max", "user", "system")


def looks_right(document: Document) -> str | None:
    """The reason why this is a hyperfine export, or None."""
    head, _ = text_reader.ends(document)
    if START.match(head) and COMMAND.search(head) and TIMES.search(head):
        return 'it has "results" with a "command" and "times"'
    return None


def parse(document: Document) -> Reading:
    """One run per process.

    Raises:
        MalformedEvidence: no JSON, a command without times, a time that is not positive.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    found = values.fields(read.only(document.name), document.name)
    results = values.items(values.needed(found, "results", f"{document.name}:results"), f"{document.name}:results")
    for i, entry in enumerate(results):
        key = f"results[{i}]"
        _command(collection, key, values.fields(entry, f"{document.name}:{key}"), f"{document.name}:{key}")
    if not collection.runs:
        raise MalformedEvidence("no command was timed", where=f"{document.name}:results", code="no_runs")
    collection.notice(SUMMARIES)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _command(collection: Collection, key: str, result: dict[str, Json], where: str) -> None:
    command = values.text(values.needed(result, "command", f"{where}.command"), f"{where}.command")
    times = values.items(values.needed(result, "times", f"{where}.times"), f"{where}.times")
    codes = _column(result, "exit_codes", len(times), where)
    memory = _column(result, "memory_usage_byte", len(times), where)
    for i, seconds in enumerate(times):
        spot = f"{where}.times[{i}]"
        failure = _failure(command, codes, i)
        name = f"{key}.times[{i}]"
        run = collection.add(collect.failed(name, spot, failure) if failure else collect.completed(name, spot))
        _settings(run, result, where)
        figure = collect.nothing(seconds, "s", spot, failure) if failure else collect.positive(seconds, "s", spot)
        run.measured("wall_time", figure, VALUE)
        if memory is not None and not failure:
            place = f"{where}.memory_usage_byte[{i}]"
            run.measured("memory", collect.not_negative(memory[i], "B", place), VALUE)
    collection.leave([key for key in result if key not in (*READ, *SUMMARY)])


def _column(result: dict[str, Json], key: str, length: int, where: str) -> list[Json] | None:
    """One value per process run, where the file has them."""
    if result.get(key) is None:
        return None
    column = values.items(result[key], f"{where}.{key}")
    if len(column) != length:
        message = f"there are {length} times and {len(column)} {key}"
        raise MalformedEvidence(message, where=f"{where}.{key}", code="lengths_differ")
    return column


def _failure(command: str, codes: list[Json] | None, i: int) -> str:
    """Why the process run gave no time; "" when it did."""
    if command.rstrip().endswith(MARKED):
        return f"hyperfine marked the command {MARKED}"
    if codes is None or values.written(codes[i]) == "0":
        return ""
    return "the process was killed" if codes[i] is None else f"the exit code was {values.shown(codes[i])}"


def _settings(run: Run, result: dict[str, Json], where: str) -> None:
    run.configured("command", result["command"], f"{where}.command")
    parameters = result.get("parameters")
    if parameters is not None:
        for name, value in values.fields(parameters, f"{where}.parameters").items():
            run.configured(f"parameter.{name}", value, f"{where}.parameters.{name}")


FORMAT: Final = Format(NAME, "hyperfine export", VERSION, looks_right, parse)
