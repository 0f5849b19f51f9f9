"""What MLPerf LoadGen writes, in its three forms, as statements with one vocabulary.

Summary: `key : value` under three banners. Detail since v0.7: `:::MLLOG {json}`. Detail of v0.5:
`"pid": N, "tid": N, "ts": 7733ns : key : value`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from analysis.evidence import mlperf_lines, values
from analysis.evidence.format import Document
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Json

Part = Literal["result", "statistic", "setting", "other"]

BANNERS: Final[dict[str, Part]] = {
    "MLPerf Results Summary": "result",
    "Additional Stats": "statistic",
    "Test Parameters Used": "setting",
}
PAIR: Final = re.compile(r"\s*(?P<key>[^:*]+?)\s*:\s*(?P<value>.*?)\s*")
OLD: Final = re.compile(r'"pid": \d+, "tid": \d+, "ts": \d+ns : (?P<said>.*)')
OLD_POWER: Final = re.compile(r'(?P<key>POWER_BEGIN|POWER_END): .*"time" : (?P<time>.+)')
OLD_NAMES: Final = {"Scenario": "scenario", "Test mode": "mode"}
UNIT_IN_NAME: Final = re.compile(r"\s*\((ns|ms)\)$")
PARAMETER: Final = re.compile(r"[a-z]\w*(?:\s*\((?:ns|ms)\))?")
WARNED: Final = re.compile(r"\s*(?P<kind>WARNING|ERROR)\s*:\s*(?P<said>.+?)\s*")
SETTINGS: Final = {"scenario": "scenario", "test_mode": "mode"}


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that LoadGen says. part: where it stands; "other" is what belongs to no run."""

    part: Part
    key: str
    value: Json
    where: str


def of_summary(document: Document, lines: tuple[Line, ...]) -> Iterator[Statement]:
    """The statements of a summary; before its first banner there are none.

    Under the parameters only names as LoadGen writes them count: the lines of a program may follow.
    """
    part: Part = "other"
    for line in lines:
        found, where = PAIR.fullmatch(line.text), f"{document.name}:{line.number}"
        if line.text.strip() in BANNERS:
            part = BANNERS[line.text.strip()]
            yield Statement(part, "", None, where)
        elif part != "other" and (warned := WARNED.fullmatch(line.text)):
            yield Statement("other", warned["kind"].lower(), warned["said"], where)
        elif part == "setting" and found and found["value"] and PARAMETER.fullmatch(found["key"]):
            yield Statement(part, UNIT_IN_NAME.sub(r"_\1", found["key"]), values.number_in(found["value"]), where)
        elif part not in ("other", "setting") and found and found["value"]:
            yield Statement(part, found["key"], values.number_in(found["value"]), where)


def of_detail(document: Document, lines: tuple[Line, ...], leniences: dict[str, None]) -> Iterator[Statement]:
    """The statements of a detail log since v0.7; an entry that is an error or a warning says so by its key."""
    for event in mlperf_lines.events(document, lines, leniences):
        key = event.key
        if event.metadata.get("is_error") is True or event.metadata.get("is_warning") is True:
            kind = "error" if event.metadata.get("is_error") is True else "warning"
            yield Statement("other", kind, event.value, event.where)
        elif key.startswith("effective_"):
            name = key.removeprefix("effective_")
            yield Statement("setting", SETTINGS.get(name, name), event.value, event.where)
        elif key.startswith("result_"):
            yield Statement("statistic", key.removeprefix("result_"), event.value, event.where)
        else:
            yield Statement("result", key, event.value, event.where)


def of_old_detail(document: Document, lines: tuple[Line, ...]) -> Iterator[Statement]:
    """The settings of a detail log of v0.5, those that took effect: results stand only in its summary."""
    effective = False
    for line in lines:
        found, where = OLD.fullmatch(line.text), f"{document.name}:{line.number}"
        said = found["said"].strip() if found else ""
        if power := OLD_POWER.fullmatch(said):
            yield Statement("result", power["key"].lower(), power["time"], where)
        elif said in ("Effective Settings:", "Requested Settings:"):
            effective = said == "Effective Settings:"
        elif effective and (pair := PAIR.fullmatch(said)) and pair["value"]:
            key = UNIT_IN_NAME.sub(r"_\1", pair["key"])
            yield Statement("setting", OLD_NAMES.get(key, key), values.number_in(pair["value"]), where)
