"""The outputs of llama-bench that are tables: markdown, CSV and SQL, inside the log lines of ggml."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import csv_reader, text_reader, values
from analysis.evidence.format import Document
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Json

COLUMNS: Final = ("build_commit", "model_type", "n_prompt", "n_gen", "avg_ts")
MARKDOWN: Final = re.compile(r"\s*\|\s*model\s*\|.*\|\s*test\s*\|\s*t/s\s*\|\s*")
RULE: Final = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*")
CELL: Final = re.compile(r"\s*(\S+)\s*(?:±|\+/-)\s*(\S+)\s*")
BUILD: Final = re.compile(r"build: (\w+) \((\d+)\)")
TROUBLE: Final = re.compile(
    r"\b(?:error|failed|crashed|abort(?:ed)?|terminated?|killed|core dumped|segmentation fault)\b", re.IGNORECASE
)
BEFORE: Final = re.compile(r"main: error:|Failed to connect")
OF_JSON: Final = ("{", "[", "]", "}", '"', ",")
INSERT: Final = re.compile(r"INSERT INTO \w+ \(([^)]*)\) VALUES \((.*)\);?\s*")
QUOTED: Final = re.compile(r"'((?:[^']|'')*)'")
NAMES: Final = {
    "model": "model_type", "size": "model_size", "params": "model_n_params", "backend": "backends",
    "ngl": "n_gpu_layers", "fa": "flash_attn", "threads": "n_threads", "mmap": "use_mmap", "sm": "split_mode",
}  # fmt: skip
TABLE: Final = "the table stands between other lines: passed over"


@dataclass(frozen=True, slots=True)
class Row:
    """One test: its fields by the names of the JSON output, and its place."""

    fields: dict[str, Json]
    where: str


@dataclass(frozen=True, slots=True)
class Tests:
    """The rows of a table. failure: a line that says what broke."""

    rows: tuple[Row, ...]
    leniences: tuple[str, ...]
    failure: str


def looks_right(document: Document) -> str | None:
    """The reason why this is a table of llama-bench, or None."""
    head, _ = text_reader.ends(document)
    if csv_reader.header_in(document, COLUMNS):
        return f"its header names {', '.join(COLUMNS)}"
    for line in text_reader.LINE_END.split(head.decode(errors="replace")):
        if MARKDOWN.fullmatch(line):
            return "it has a table with model, test and t/s"
        inserted = INSERT.fullmatch(line.strip())
        if inserted and set(COLUMNS) <= {name.strip() for name in inserted[1].split(",")}:
            return "it inserts the fields of llama-bench into a table"
    return None


def read(document: Document) -> Tests | None:
    """The rows of a table, or None when it is none. Raises MalformedEvidence: ragged_row, and those of csv_reader."""
    if csv_reader.header_in(document, COLUMNS):
        table = csv_reader.read(document, COLUMNS)
        rows = tuple(Row({c: row.number(c) for c in table.columns}, row.where) for row in table.rows)
        return Tests(rows, table.leniences, failure="the last row is cut off" if table.incomplete else "")
    lines, leniences = text_reader.lines(document)
    if any(MARKDOWN.fullmatch(line.text) for line in lines):
        return _markdown(lines, leniences, document.name)
    inserted = tuple(_inserted(lines, document.name))
    return Tests(inserted, leniences, failure="") if inserted else None


def trouble_beside_json(document: Document) -> str:
    """A line before or after the JSON that says what broke; "" when there is none."""
    failure, after = "", False
    for line in text_reader.lines(document)[0]:
        if line.text.lstrip().startswith(OF_JSON):
            after = True
        elif not failure:
            failure = _trouble(line.text, after=after)
    return failure


def _trouble(line: str, *, after: bool) -> str:
    """The line when it says that something broke; before the results only what ends a run counts."""
    return line.strip() if (TROUBLE if after else BEFORE).search(line) else ""


def _inserted(lines: tuple[Line, ...], name: str) -> Iterator[Row]:
    for line in lines:
        found = INSERT.fullmatch(line.text.strip())
        if found is None:
            continue
        where = f"{name}:{line.number}"
        names = [column.strip() for column in found[1].split(",")]
        cells = [cell.replace("''", "'") for cell in QUOTED.findall(found[2])]
        if len(names) != len(cells):
            message = f"{len(names)} fields and {len(cells)} values"
            raise MalformedEvidence(message, where=where, code="ragged_row")
        yield Row({column: values.number_in(cell) for column, cell in zip(names, cells, strict=True)}, where)


def _markdown(lines: tuple[Line, ...], leniences: tuple[str, ...], name: str) -> Tests:
    columns: list[str] = []
    rows: list[Row] = []
    built_before = 0
    failure, others = "", False
    for line in lines:
        where = f"{name}:{line.number}"
        built = BUILD.fullmatch(line.text.strip())
        if MARKDOWN.fullmatch(line.text):
            columns = _cells(line.text)
        elif built:
            build: dict[str, Json] = {"build_commit": built[1], "build_number": values.number_in(built[2])}
            rows[built_before:] = [Row(build | row.fields, row.where) for row in rows[built_before:]]
            built_before = len(rows)
        elif columns and line.text.lstrip().startswith("|") and not RULE.fullmatch(line.text):
            rows.append(_table_row(columns, _cells(line.text), where))
        elif line.text.strip() and not RULE.fullmatch(line.text):
            others = True
            failure = failure or _trouble(line.text, after=bool(columns))
    return Tests(tuple(rows), leniences + ((TABLE,) if others else ()), failure=failure)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _table_row(columns: list[str], cells: list[str], where: str) -> Row:
    if len(cells) != len(columns):
        message = f"the row has {len(cells)} cells, and the header {len(columns)}"
        raise MalformedEvidence(message, where=where, code="ragged_row")
    fields: dict[str, Json] = {}
    for column, cell in zip(columns, cells, strict=True):
        spread = CELL.fullmatch(cell)
        if column == "t/s":
            fields["avg_ts"] = values.number_in(spread[1] if spread else cell)
            if spread:
                fields["stddev_ts"] = values.number_in(spread[2])
        elif column == "test":
            fields["test"] = cell
        else:
            fields[NAMES.get(column, column)] = values.number_in(cell)
    return Row(fields, where)
