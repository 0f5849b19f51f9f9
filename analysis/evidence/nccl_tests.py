"""nccl-tests and rccl-tests output.

In the file: a table per collective, a row per message size, with the mean time of its iterations in µs and bandwidths
in GB/s, out-of-place and in-place. Here: one run per row and placement, because sizes are compared one by one. Wrong
values make a failed run. Not read: the average bus bandwidth, which is over all sizes, small ones too.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, nccl_json, text_reader, values
from analysis.evidence.collect import Collection, Run, aggregate
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "nccl-tests"
VERSION: Final = 1

PARAMETERS: Final = re.compile(rb"# nThreads?:? \d+ nGpus:? \d+ minBytes:? \d+")
HEADER: Final = re.compile(rb"#\s+size\s+count\s+type\b[^\n]*\bbusbw\b")
STARTING: Final = re.compile(r"#\s*Collective test starting:\s*(?P<name>\S+)")
PARAMETER: Final = re.compile(r"(?P<name>[A-Za-z]+(?: iters)?):? (?P<value>\d+(?:\(\w+\))?)")
VERSIONS: Final = re.compile(r"#\s*nccl-tests version (?P<tests>\S+)(?:.*nccl-library=(?P<library>\S+))?")
RANK: Final = re.compile(r"#\s+Rank\s+\d+ .*?\bon\s+(?P<host>\S+) device\s+\d+ \[[^\]]*\] (?P<device>.+?)\s*")
AVERAGE: Final = re.compile(r"#\s*Avg bus bandwidth\s*:")
OUT_OF_BOUNDS: Final = re.compile(r"#\s*Out of bounds values\s*:\s*(?P<said>\d+ FAILED)")

PLACEMENTS: Final = ("out-of-place", "in-place")
CELLS: Final = 4  # of one placement: time, algbw, busbw, error or #wrong
ROUNDED: Final = "printed as 0.00: less than 0.005 GB/s"
AVERAGES: Final = (
    "The average bus bandwidth is over all sizes of a table, small ones too: it is not read. Compare by size."
)
UNNAMED: Final = "The file does not say which collective was tested: state it yourself."
EMPTY: Final = "A table has a header and no row: that test did not finish."


@dataclass(slots=True)
class Table:
    """What stands above the rows of one collective. iterations: behind each time, when the file says so."""

    settings: dict[str, tuple[str, str]] = field(default_factory=dict)
    hosts: list[str] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    placements: int = 0
    wrong: bool = False
    rows: int = 0
    finished: bool = False

    iterations: int | None = None


def looks_right(document: Document) -> str | None:
    """The reason why this is output of nccl-tests, or None."""
    head, _ = text_reader.ends(document)
    if PARAMETERS.search(head):
        return "it has the line # nThread … nGpus … minBytes"
    if nccl_json.looks_right(head):
        return "it has nccl_version and a config with nthreads"
    return "it has a header with size, count, type and busbw" if HEADER.search(head) else None


def parse(document: Document) -> Reading:
    """One run per row and placement.

    Raises:
        MalformedEvidence: no row, a row that does not fit its header, a time that is no number.
    """
    collection = Collection(document)
    if nccl_json.looks_right(text_reader.ends(document)[0]):
        found = nccl_json.read(collection)
        return collection.reading(NAME, VERSION, found.leniences, incomplete=found.incomplete)
    lines, leniences = text_reader.lines(document)
    tables: list[Table] = [Table()]
    for line in lines:
        where = f"{document.name}:{line.number}"
        text = line.text.strip()
        if text.startswith("#"):
            _comment(collection, tables, text, where)
        elif tables[-1].placements and re.match(r"\d+\s+\d+\s+[a-z]", text):
            _row(collection, tables[-1], text.split(), (len(tables), where))
    if not collection.runs:
        raise MalformedEvidence("there is no row under the header", where=document.name, code="no_rows")
    if any(table.placements and not table.rows for table in tables):
        collection.notice(EMPTY)
    if any("collective" not in table.settings for table in tables if table.rows):
        collection.notice(UNNAMED)
    return collection.reading(NAME, VERSION, leniences, incomplete=tables[-1].rows > 0 and not tables[-1].finished)


def _comment(collection: Collection, tables: list[Table], text: str, where: str) -> None:
    """A line that says something about the table that it stands over, or under."""
    starting = STARTING.match(text)
    parameters = re.match(r"# nThreads?:? \d", text)
    version = VERSIONS.match(text)
    if tables[-1].placements and (starting or parameters or version):
        tables.append(Table())
    table = tables[-1]
    if starting:
        table.settings["collective"] = (starting["name"], where)
    elif parameters:
        table.settings |= {found["name"]: (found["value"], where) for found in PARAMETER.finditer(text)}
        if "iters" in table.settings:
            table.iterations = values.count(values.number_in(table.settings["iters"][0]), f"{where}.iters")
    elif version:
        table.settings["nccl_tests_version"] = (version["tests"], where)
        table.settings["nccl_library"] = (version["library"] or "unknown", where)
    elif found := RANK.fullmatch(text):
        table.hosts.append(found["host"])
        table.devices.append(found["device"])
    elif HEADER.match(text.encode()):
        words = text.split()
        table.placements, table.wrong = words.count("busbw"), "#wrong" in words
    elif AVERAGE.match(text):
        table.finished = True
        collection.notice(AVERAGES)
    elif found := OUT_OF_BOUNDS.match(text):
        collection.notice(f"{where}: out of bounds values, {found['said']}.")


def _row(collection: Collection, table: Table, cells: list[str], place: tuple[int, str]) -> None:
    number, where = place
    before = len(cells) - CELLS * table.placements
    if not 3 <= before <= 5:
        message = f"the row has {len(cells)} cells, and the header {CELLS * table.placements} of numbers"
        raise MalformedEvidence(message, where=where, code="ragged_row")
    table.rows += 1
    for i, placement in enumerate(PLACEMENTS[: table.placements]):
        half = cells[before + CELLS * i : before + CELLS * (i + 1)]
        key = f"[{number}].{cells[0]}.{placement}.{table.rows}"
        wrong = half[3] if table.wrong and half[3] not in ("0", "N/A") else ""
        run = collection.add(
            collect.failed(key, where, f"{wrong} values were wrong") if wrong else collect.completed(key, where)
        )
        _settings(run, table, [*cells[:before], placement], where)
        _numbers(run, table, half, where)


def _settings(run: Run, table: Table, cells: list[str], where: str) -> None:
    for name, (value, place) in table.settings.items():
        run.configured(name.replace(" ", "_"), value, place)
    size, count, kind, *more, placement = cells
    run.configured("size", Numeral(size), where, unit="B")
    run.configured("count", Numeral(count), where)
    run.configured("type", kind, where)
    for name, value in zip(("redop", "root"), more, strict=False):
        run.configured(name, value, where)
    run.configured("placement", placement, where)
    run.worked("bytes", Numeral(size), where)
    if table.devices:
        run.configured("ranks", Numeral(str(len(table.devices))), where)
        run.configured("devices", "; ".join(dict.fromkeys(table.devices)), where)
        run.identified("hosts", "; ".join(dict.fromkeys(table.hosts)), where)


def _numbers(run: Run, table: Table, cells: list[str], where: str) -> None:
    names = (("latency", "us", "mean"), ("algbw", "GB/s", "rate"), ("busbw", "GB/s", "rate"))
    for (metric, unit, stat), cell in zip(names, cells, strict=False):
        value, place = values.number_in(cell), f"{where}.{metric}"
        if run.facts.status == "failed":
            figure = collect.nothing(value, unit, place, run.facts.reason)
        elif unit == "us":
            figure = collect.positive(value, unit, place)
        else:
            figure = collect.positive_or_nothing(value, unit, place, ROUNDED)
        run.measured(metric, figure, aggregate(stat, table.iterations))


FORMAT: Final = Format(NAME, "nccl-tests output", VERSION, looks_right, parse)
