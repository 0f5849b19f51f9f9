"""Our own format for measurements of any tool, as JSON or CSV; docs/formats.md describes it with examples.

In the file: runs with settings, work, identity and measurements, each number with its unit. Because the format is ours
nothing is guessed: an unknown field, a missing unit, a null without a reason are refused by their place.
"""

from collections.abc import Collection as Names
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import csv_reader, generic, json_reader, timing, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document, Format
from analysis.evidence.generic import Entry, RunFacts
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "countersign-measurements"
VERSION: Final = 2
DECLARED: Final = "measurements"

COLUMNS: Final = ("run", "metric", "stat", "value", "unit")
OPTIONAL: Final = (
    "kind", "n", "index", "phase", "stage", "item", "subject", "started_at", "status", "reason", "attempted", "failed",
    "tool", "at", "ended_at", "window_start", "window_end",
)  # fmt: skip
WORDS: Final = ("metric", "stat", "unit", "kind", "phase", "stage", "item", "subject")
OF_ROW: Final = (*WORDS, "value", "n", "index", "reason", "at")
PREFIXES: Final = ("setting:", "work:", "identity:")
OF_FILE: Final = ("countersign", "tool", "runs")
OF_RUN: Final = (
    "run", "status", "reason", "started_at", "attempted", "failed", "settings", "work", "identity", "measurements",
    "ended_at", "window_start", "window_end",
)  # fmt: skip
OF_MEASUREMENT: Final = (
    "metric", "unit", "stat", "kind", "value", "values", "n", "index", "phase", "stage", "item", "subject", "reason",
    "at",
)  # fmt: skip
FACTS: Final = ("status", "reason", "started_at", "attempted", "failed", "ended_at", "window_start", "window_end")
ONE_VALUE: Final = ("index", "n", "item", "subject")


def looks_right(document: Document) -> str | None:
    """The reason why this is the generic measurement format, or None."""
    if generic.declares(document, DECLARED):
        return f'it says "countersign": "{DECLARED}/…"'
    if csv_reader.header_in(document, COLUMNS):
        return f"its header names {', '.join(COLUMNS)}"
    return None


def parse(document: Document) -> Reading:
    """The runs of the file.

    Raises:
        MalformedEvidence: unsupported_version, unknown_field, missing, unknown_unit, repeated_run, and those of values.
    """
    collection = Collection(document)
    if generic.declares(document, DECLARED):
        read = json_reader.read(document)
        whole = generic.declared(read, DECLARED, document.name)
        _file(collection, whole, f"{document.name}:")
        return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)
    table = csv_reader.read(document, COLUMNS)
    _table(collection, table)
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def _file(collection: Collection, whole: dict[str, Json], where: str) -> None:
    _refuse_unknown(whole, OF_FILE, where)
    tool = values.text(whole["tool"], f"{where}tool") if "tool" in whole else ""
    runs = values.items(values.needed(whole, "runs", f"{where}runs"), f"{where}runs")
    if not runs:
        raise MalformedEvidence("there is no run in it", where=f"{where}runs", code="no_runs")
    for i, entry in enumerate(runs):
        place = f"{where}runs[{i}]"
        _run(collection, values.fields(entry, place), tool, place)


def _run(collection: Collection, entry: dict[str, Json], tool: str, where: str) -> None:
    _refuse_unknown(entry, OF_RUN, where)
    named = {part: values.fields(entry.get(part, {}), f"{where}.{part}") for part in ("settings", "work", "identity")}
    facts = RunFacts(
        key=values.written(_plain(values.needed(entry, "run", f"{where}.run"), f"{where}.run")),
        fields={key: entry[key] for key in FACTS if key in entry},
        settings=_with_tool(tool, named["settings"]),
        work=named["work"],
        identity=named["identity"],
        where=where,
    )
    run = generic.begin(collection, facts)
    place = f"{where}.measurements"
    for i, entered in enumerate(values.items(values.needed(entry, "measurements", place), place)):
        spot = f"{place}[{i}]"
        _measure(run, values.fields(entered, spot), spot)


def _with_tool(tool: str, settings: dict[str, Json]) -> dict[str, Json]:
    """The settings, the tool first."""
    return {"tool": tool, **settings} if tool else settings


def _measure(run: Run, entered: dict[str, Json], where: str) -> None:
    """Add one value, or several raw ones."""
    _refuse_unknown(entered, OF_MEASUREMENT, where)
    if ("value" in entered) == ("values" in entered):
        raise MalformedEvidence('it needs either "value" or "values"', where=where, code="missing")
    if "value" in entered:
        generic.measure(run, Entry(entered, f"{where}.value"))
        return
    if entered.get("stat", "value") != "value" or any(key in entered for key in ONE_VALUE):
        message = '"values" are raw, one after the other: they take no "stat", "n", "index", "item" or "subject"'
        raise MalformedEvidence(message, where=where, code="unknown_field")
    place = f"{where}.values"
    generic.measure_all(run, Entry(entered, place), values.items(entered["values"], place))


def _plain(value: Json, where: str) -> Json:
    """A text or a number."""
    return value if isinstance(value, Numeral) else values.text(value, where)


def _refuse_unknown(record: dict[str, Json], known: Names[str], where: str) -> None:
    unknown = [key for key in record if key not in known]
    if unknown:
        message = f'"{values.shown(unknown[0])[1:-1]}" is no field here; known are {", ".join(known)}'
        raise MalformedEvidence(message, where=where, code="unknown_field")


def _table(collection: Collection, table: csv_reader.Table) -> None:
    known = (*COLUMNS, *OPTIONAL)
    for column in table.columns:
        if column not in known and not column.startswith(PREFIXES):
            message = f'"{column}" is no column here; known are {", ".join(known)} and {", ".join(PREFIXES)}<name>'
            raise MalformedEvidence(message, where=collection.document.name, code="unknown_field")
    about = [column for column in table.columns if column not in OF_ROW]
    runs: dict[str, tuple[csv_reader.Row, Run]] = {}
    for row in table.rows:
        key = row.text("run")
        if key not in runs:
            runs[key] = row, generic.begin(collection, _facts(row, table.columns))
        first, run = runs[key]
        _refuse_change(first, row, about)
        generic.measure(run, Entry(_cells(row, run.facts.status), row.place("value")))


def _facts(row: csv_reader.Row, columns: tuple[str, ...]) -> RunFacts:
    def named(prefix: str) -> dict[str, Json]:
        return {c.removeprefix(prefix): row.number(c) for c in columns if c.startswith(prefix) and row.text(c)}

    fields: dict[str, Json] = {key: row.text(key) for key in ("status", "started_at", "ended_at") if row.text(key)}
    fields |= {key: row.number(key) for key in ("attempted", "failed", *timing.WINDOW) if row.text(key)}
    if row.text("status") in ("failed", "partial"):
        fields["reason"] = row.text("reason")
    return RunFacts(
        row.text("run"),
        fields,
        _with_tool(row.text("tool"), named("setting:")),
        named("work:"),
        named("identity:"),
        row.where,
    )


def _refuse_change(first: csv_reader.Row, now: csv_reader.Row, columns: list[str]) -> None:
    """A run says the same about itself in each of its rows."""
    changed = [column for column in columns if first.cells[column] != now.cells[column]]
    if changed:
        message = f'the run "{now.text("run")}" says otherwise about {", ".join(changed)} in {first.where}'
        raise MalformedEvidence(message, where=now.where, code="contradiction")


def _cells(row: csv_reader.Row, status: str) -> dict[str, Json]:
    cells: dict[str, Json] = {key: row.text(key) for key in WORDS}
    cells = {key: cell for key, cell in cells.items() if cell}
    cells |= {key: row.number(key) for key in ("n", "index", "at") if row.text(key)}
    cells["value"] = row.number("value") if row.text("value") else None
    if cells["value"] is None:
        cells["reason"] = row.text("reason") or ("the run failed" if status == "failed" else "")
    return cells


FORMAT: Final = Format(NAME, "Countersign measurements", VERSION, looks_right, parse)
