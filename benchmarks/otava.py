"""apache-otava, measured in an environment and a process of its own: it wants an older numpy than the product has.

`PYTHON -m benchmarks.otava CALLS < values.json`, with the Python of that environment, prints the seconds of one call.
"""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.peers import Skipped

NAME: Final = "apache-otava"
ROOT: Final = Path(__file__).resolve().parents[1]
PYTHON: Final = ROOT / ".cache/otava-venv/bin/python"


def seconds(values: Sequence[float], *, calls: int) -> float | Skipped:
    """Seconds of one call for the change points of the values; or why that cannot be measured here."""
    if not PYTHON.exists():
        return Skipped(NAME, "its environment is not there")
    told = subprocess.run(
        [PYTHON, "-m", "benchmarks.otava", str(calls)],
        cwd=ROOT,
        input=json.dumps(list(values)),
        capture_output=True,
        text=True,
        check=False,
    )
    return float(told.stdout) if told.returncode == 0 else Skipped(NAME, told.stderr.strip().rpartition("\n")[2])


def measured(values: Sequence[float], calls: int) -> float:
    """The same, here and now."""
    from otava.analysis import compute_change_points  # noqa: PLC0415 -- only there in its own environment

    compute_change_points(values)
    start = time.perf_counter()
    for _ in range(calls):
        compute_change_points(values)
    return (time.perf_counter() - start) / calls


if __name__ == "__main__":
    print(measured(json.load(sys.stdin), int(sys.argv[1])))
