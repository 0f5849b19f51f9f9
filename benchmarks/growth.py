"""How time and memory grow with the number of steps: `python -m benchmarks.growth STEPS` measures one size, alone.

A process of its own for every size, because the greatest memory of a process never goes down again.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from analysis.assess import assess, to_json
from analysis.parquet import from_parquet
from analysis.reading import Reading
from benchmarks import steps
from benchmarks.ratio import Said, remark, seconds

RUNS: Final = 5
KIB_IN_MIB: Final = 1024


@dataclass(frozen=True, slots=True)
class Size:
    """Times in s and greatest resident memory in MiB for `steps` steps in 2 x 5 runs. start: before they were made."""

    steps: int
    read_s: float
    report_s: float
    start_mib: float
    peak_mib: float


def measured(total: int) -> Size:
    """Reads the Parquet files of all runs and assesses them, once, in this process."""
    start = _greatest()
    contents = steps.files(steps.simulated(RUNS, total // (2 * RUNS)))
    readings: list[Reading] = []
    read = seconds(lambda: readings.extend(from_parquet(content) for content in contents))
    report = seconds(lambda: to_json(assess(steps.request(readings))))
    return Size(total, read, report, start, _greatest())


def _greatest() -> float:
    """From Linux's own account: `getrusage` would tell the peak of the process that started this one."""
    told = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert told is not None
    return int(told[1]) / KIB_IN_MIB


def sizes(totals: Sequence[int]) -> Iterator[Size]:
    """Every size, in a process of its own."""
    for total in totals:
        told = subprocess.run(
            [sys.executable, "-m", "benchmarks.growth", str(total)], check=True, capture_output=True, text=True
        ).stdout
        yield Size(**json.loads(told))


def lines(found: Iterable[Size]) -> Iterator[Said]:
    """Each size beside the one before it, and the memory of one step."""
    before: Size | None = None
    for size in found:
        memory = f"peak {size.peak_mib:6.0f} MiB, {(size.peak_mib - size.start_mib) * 2**20 / size.steps:7.0f} B a step"
        times = f"read {size.read_s:8.3f} s, report {size.report_s:8.3f} s"
        grown = (
            f", × {size.read_s / before.read_s:5.2f} and × {size.report_s / before.report_s:5.2f} of the size before"
            if before
            else ""
        )
        before = size
        yield remark(f"  {size.steps:>10,} steps: {times}, {memory}{grown}")


if __name__ == "__main__":
    print(json.dumps(asdict(measured(int(sys.argv[1])))))
