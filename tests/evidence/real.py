"""What is expected of the real evidence files, read from them by other means than our parsers."""

import csv
from dataclasses import dataclass
from pathlib import Path

import pytest

from analysis import evidence
from analysis.evidence.format import Document
from analysis.reading import Reading

HERE = Path(__file__).parent
FOLDER = HERE.parents[2] / "shared" / "evidence"


@dataclass(frozen=True)
class Expected:
    """One file. spots: "run metric stat index" and the value there, "none" for a null; "… @stage" for a stage.

    Where a file has no numbers: "run setting name" and its value, or "run status" and the word; "-" for nothing.
    """

    path: str
    format: str
    runs: int
    measurements: int
    spots: tuple[tuple[str, str], tuple[str, str]]


def _rows() -> list[list[str]]:
    with (HERE / "expected.tsv").open(encoding="utf-8", newline="") as table:
        return list(csv.reader(table, delimiter="\t"))[1:]


ROWS = _rows()
EXPECTED = tuple(
    Expected(r[0], r[1], int(r[2]), int(r[3]), ((r[4], r[5]), (r[6], r[7]))) for r in ROWS if r[1] != "refused"
)
REFUSED = {r[0]: (r[5], r[7]) for r in ROWS if r[1] == "refused"}
"""Files that hold nothing to read: the code of their refusal, and the place inside the file, "" for all of it."""


def document(folder: Path, path: str) -> Document:
    """A real file, named by its path in the folder."""
    return Document((folder / path).read_bytes(), path)


def read(folder: Path, path: str) -> Reading:
    """What we read from a real file."""
    return evidence.read(document(folder, path))


def holds(reading: Reading, spot: str, written: str) -> bool:
    """Whether what was read at a spot is what was expected there."""
    if spot == "-":
        return True
    run, what, *rest = spot.split(" ")
    if what == "setting":
        return [s.value for s in reading.settings_of(run) if s.name == rest[0]] == [written]
    if what == "status":
        return [r.status for r in reading.runs if r.key == run] == [written]
    value = value_at(reading, spot)
    return value is None if written == "none" else value == pytest.approx(float(written), rel=1e-12)


def value_at(reading: Reading, spot: str) -> float | None:
    """The only value at "run metric stat index", in a stage when one is named; without one, of no stage first."""
    named, _, stage = spot.partition(" @")
    run, metric, stat, index = named.rsplit(" ", 3)
    wanted = None if index == "-" else int(index)
    found = [m for m in reading.of_run(run) if (m.metric, m.stat, m.index) == (metric, stat, wanted)]
    [value] = [m.value for m in found if m.stage == stage] or [m.value for m in found if not stage]
    return value
