"""The lines of an MLPerf training log, in the three forms that were written since 2018, as events.

`:::MLLOG {json}` (v0.7 and later, `time_ms` in epoch ms), `:::MLPv0.5.0 model 1541635520.02 (file.py:12) key: value`
(epoch s) and `MLPerf: model [06/13/19 00:30:56], key: value` (local time without zone, whole seconds).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final, Literal

from analysis.errors import MalformedEvidence
from analysis.evidence import json_reader, values
from analysis.evidence.format import Document
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Json, Numeral

Form = Literal["json", "epoch", "local"]

MLLOG: Final = re.compile(r":::MLL(?:OG|v[\d.]+)\s+(?=\{)")
EPOCH: Final = re.compile(
    r":::MLPv[\d.]+ (?P<model>\S+) (?P<time>\d+(?:\.\d+)?) \([^)]*\) (?P<key>\w+)(?::\s*(?P<value>.*))?"
)
LOCAL: Final = re.compile(
    r"MLPerf: (?P<model>\S+) \[(?P<time>[\d/]+ [\d:]+)\], (?P<key>[\w ]+?)(?::\s*(?P<value>.*))?$"
)
PERCENT: Final = re.compile(r'\{"value": (?P<value>[\d.]+)%(?:, "epoch": (?P<epoch>\d+))?\}')


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the log.

    time_ns: nanoseconds, since the epoch; for "local" on the wall clock of the machine, zone unknown.
    metadata: of the entry; holds "samples_count", "epoch_num" or "status" where the log states them.
    """

    key: str
    value: Json
    time_ns: int
    metadata: dict[str, Json]
    form: Form
    where: str


def events(document: Document, lines: tuple[Line, ...], leniences: dict[str, None]) -> Iterator[Event]:
    """The events in the order of the file. Passed over: lines of other programs, and an entry cut off at the end."""
    for line in lines:
        where = f"{document.name}:{line.number}"
        for found in MLLOG.finditer(line.text):
            try:
                entry, needed = json_reader.value_at_start(line.text[found.end() :], where)
            except MalformedEvidence:
                if line.number < len(lines):
                    raise
                leniences.setdefault("the last entry is cut off: it was left out")
                continue
            leniences.update(dict.fromkeys(needed))
            yield _json_event(values.fields(entry, where), where)
        if old := EPOCH.search(line.text):
            yield _event(old, "epoch", int(Fraction(old["time"]) * 10**9), where)
        elif old := LOCAL.search(line.text):
            yield _event(old, "local", _local_ns(old["time"], where), where)


def _json_event(entry: dict[str, Json], where: str) -> Event:
    time_ms = values.not_negative(values.needed(entry, "time_ms", f"{where}.time_ms"), f"{where}.time_ms")
    if time_ms > values.BIGGEST_COUNT / 10**6:
        raise MalformedEvidence("this is no epoch time", where=f"{where}.time_ms", code="not_a_time")
    key = values.text(values.needed(entry, "key", f"{where}.key"), f"{where}.key")
    metadata = entry.get("metadata")
    exact = Fraction(values.numeral(entry["time_ms"], where).text)
    return Event(
        key, entry.get("value"), int(exact * 10**6), metadata if isinstance(metadata, dict) else {}, "json", where
    )


def _event(found: re.Match[str], form: Form, time_ns: int, where: str) -> Event:
    if time_ns > values.BIGGEST_COUNT:
        raise MalformedEvidence("this is no epoch time", where=where, code="not_a_time")
    metadata: dict[str, Json] = {"model": found["model"]}
    if share := PERCENT.fullmatch(found["value"] or ""):
        if share["epoch"]:
            metadata["epoch_num"] = Numeral(share["epoch"])
        return Event(found["key"], f"{share['value']}%", time_ns, metadata, form, where)
    value = _plain(found["value"])
    if isinstance(value, dict):
        metadata = value | metadata
        value = value.get("value", value)
    return Event(found["key"], value, time_ns, metadata, form, where)


def _plain(text: str | None) -> Json:
    """The value after the colon: JSON where it is JSON, else the text."""
    if text is None:
        return None
    try:
        value: Json = json.loads(text, parse_float=Numeral, parse_int=Numeral, parse_constant=Numeral)
    except (ValueError, RecursionError):
        return text.strip()
    return value


def _local_ns(moment: str, where: str) -> int:
    try:
        parsed = datetime.strptime(moment, "%m/%d/%y %H:%M:%S").replace(tzinfo=UTC)
    except ValueError as error:
        raise MalformedEvidence("this is no time", where=where, code="not_a_time") from error
    return int(parsed.timestamp()) * 10**9
