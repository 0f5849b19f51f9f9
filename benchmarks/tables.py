"""What it costs to read a table of ten million requests, in time and memory, against pyarrow.csv into the same types.

The table is synthetic, as LMBench writes it. Ours reads the file in blocks, checks every line, and gives measurements;
the peer gives the six columns: exact decimals of nine places for the two times of a clock, integers, and floats. Beside
it, without a budget, the peer's floats alone, which do not hold the nanoseconds of a clock.
"""

import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyarrow import csv

from analysis.evidence import lmbench_request_csv
from analysis.evidence.format import Document
from analysis.evidence.request_columns import COLUMNS
from analysis.evidence.stored import Stored
from analysis.reading import Reading
from benchmarks.ratio import NO_BUDGET, Measured, Ratio, Said, in_turns, remark

MEBI: Final = 2**20
TIME: Final = 1.5
MEMORY: Final = 3.0
CHUNK: Final = 100_000
CLOCK: Final = pa.decimal128(28, 9)
EXACT: Final = (pa.int64(), pa.int64(), pa.float64(), pa.float64(), CLOCK, CLOCK)
FLOATS: Final = (pa.int64(), pa.int64(), *(pa.float64(),) * 4)


def measure(*, quick: bool) -> Iterator[Measured]:
    """Time and memory of ten million rows, or of one million."""
    rows = 1_000_000 if quick else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "qps_50.csv"
        write(path, rows)
        size = path.stat().st_size
        yield remark(f"a request table of {rows:,} rows, {size / MEBI:.0f} MiB; ours, the peer's, ours over the peer's")
        for name, types, budget in (("the same types", EXACT, TIME), ("floats for the clock", FLOATS, NO_BUDGET)):
            ours, peer = in_turns(partial(read, path), partial(columns, path, types), rounds=3)
            yield Ratio("request table to measurements", ours, peer, f"pyarrow.csv, {name}", budget)
        peak = memory(path)
        said = f"greatest memory of the process {peak / MEBI:.0f} MiB, {peak / size:.2f} of the file"
        yield Said(f"{said}; budget {MEMORY} at ten million rows", held=quick or peak / size <= MEMORY)


def read(path: Path) -> Reading:
    """The file as evidence."""
    return lmbench_request_csv.parse(Document(Stored(path.open("rb")), path.name))


def columns(path: Path, types: tuple[pa.DataType, ...]) -> pa.Table:
    """The file as pyarrow reads it."""
    convert = csv.ConvertOptions(column_types=dict(zip(COLUMNS, types, strict=True)))
    return csv.read_csv(path, convert_options=convert)


def memory(path: Path) -> int:
    """The greatest memory, in bytes, of a process that reads the file and does nothing else."""
    told = subprocess.run([sys.executable, "-m", __name__, str(path)], check=True, capture_output=True, text=True)
    return int(told.stdout) * 1024


def write(path: Path, rows: int) -> None:
    """A table of so many requests; every hundred thousand are the same."""
    draw, clock, lines = random.Random(1), 1_714_000_000.1, []  # noqa: S311 -- no secret
    for _ in range(CHUNK):
        clock += draw.expovariate(50)
        first, rest = draw.uniform(0.05, 0.5), draw.uniform(1, 3)
        tokens = f"{draw.randrange(100, 4000)},{draw.randrange(1, 300)}"
        lines.append(f"{tokens},{first!r},{rest!r},{round(clock, 7)!r},{round(clock + first + rest, 7)!r}\n")
    with path.open("w", encoding="ascii") as file:
        file.write(",".join(COLUMNS) + "\n")
        for _ in range(rows // CHUNK):
            file.writelines(lines)


if __name__ == "__main__":
    read(Path(sys.argv[1]))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
