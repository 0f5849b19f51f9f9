"""HolisticTraceAnalysis, measured in an environment and a process of its own: it brings its own pandas.

`PYTHON -m benchmarks.holistic ROUNDS BASE CAND`, with the Python of that environment, prints the seconds of one
comparison of the two traces: reading both, and its table of operators and kernels.
"""

import io
import statistics
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

from benchmarks.peers import Skipped

NAME: Final = "HolisticTraceAnalysis"
ROOT: Final = Path(__file__).resolve().parents[1]
PYTHON: Final = ROOT / ".cache/hta-venv/bin/python"


def seconds(baseline: Path, candidate: Path, *, rounds: int) -> float | Skipped:
    """The median seconds of one comparison; or why that cannot be measured here."""
    if not PYTHON.exists():
        return Skipped(NAME, "its environment is not there")
    told = subprocess.run(
        [PYTHON, "-m", "benchmarks.holistic", str(rounds), baseline, candidate],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if told.returncode:
        return Skipped(NAME, told.stderr.strip().rpartition("\n")[2])
    return float(told.stdout.strip().rpartition("\n")[2])


def measured(baseline: str, candidate: str, rounds: int) -> float:
    """The same, here and now; one comparison before is not measured."""
    from hta.common.trace import Trace  # noqa: PLC0415 -- only there in its own environment
    from hta.trace_diff import TraceDiff  # noqa: PLC0415

    def compare() -> float:
        start = time.perf_counter()
        TraceDiff.compare_traces(*(Trace(trace_files={0: path}) for path in (baseline, candidate)))
        return time.perf_counter() - start

    compare()
    return statistics.median(compare() for _ in range(rounds))


if __name__ == "__main__":
    with redirect_stdout(io.StringIO()):  # it prints what it does
        found = measured(sys.argv[2], sys.argv[3], int(sys.argv[1]))
    print(found)
