"""What is expected of the real evidence files, read from them by other means than our parsers."""

import csv
from dataclasses import dataclass
from pathlib import Path

from analysis import evidence
from analysis.evidence.format import Document
from analysis.reading import Reading

HERE = Path(__file__).parent
FOLDER = HERE.parents[2] / "shared" / "evidence"


@dataclass(frozen=True)
class Expected:
    """One file. spots: "run metric stat index", perhaps with a stage, and the value there, "none" for a null."""

    path: str
    format: str
    runs: int
    measurements: int
    spots: tuple[tuple[str, str], tuple[str, str]]


def _expected() -> tuple[Expected, ...]:
    with (HERE / "expected.tsv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.reader(table, delimiter="\t"))[1:]
    return tuple(Expected(r[0], r[1], int(r[2]), int(r[3]), ((r[4], r[5]), (r[6], r[7]))) for r in rows)


EXPECTED = _expected()
REFUSED = {  # files of a format that hold nothing to read, and the code of their refusal
    "awkward/a04_pytorch_trace_missing_quote.json": "malformed_json",
}


def document(folder: Path, path: str) -> Document:
    """A real file, named by its path in the folder."""
    return Document((folder / path).read_bytes(), path)


def read(folder: Path, path: str) -> Reading:
    """What we read from a real file."""
    return evidence.read(document(folder, path))


def value_at(reading: Reading, spot: str) -> float | None:
    """The only value at "run metric stat index", of no stage unless one follows; %20 is a blank in a name."""
    run, metric, stat, index, *stages = (part.replace("%20", " ") for part in spot.split(" "))
    wanted, stage = None if index == "-" else int(index), "".join(stages)
    rows = [m for m in reading.of_run(run).only(metric=metric) if (m.stat, m.index) == (stat, wanted)]
    [value] = [m.value for m in rows if m.stage == stage]
    return value
