"""Runs `measure()` of every benchmark in this package, or of those named, and prints the ratios."""

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterable
from typing import Final

import benchmarks
from benchmarks.ratio import Ratio

PLUMBING: Final = frozenset({"__main__", "ratio"})
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def names() -> list[str]:
    """Every benchmark there is, by name."""
    return sorted({module.name for module in pkgutil.iter_modules(benchmarks.__path__)} - PLUMBING)


def line(ratio: Ratio) -> str:
    """One row of the table that is printed."""
    verdict = "held" if ratio.held else "ABOVE BUDGET"
    times = f"{ratio.ours_s * 1000:10.2f} ms {ratio.peer_s * 1000:10.2f} ms"
    return f"{ratio.name:44} {times}  {ratio.value:7.2f} × {ratio.peer} (budget {ratio.budget:g}: {verdict})"


def main(wanted: Iterable[str]) -> int:
    """Exit status: 1 when a ratio is above its budget, 2 when a name is unknown."""
    chosen = list(wanted) or names()
    if unknown := sorted(set(chosen) - set(names())):
        print(f"There is no benchmark {', '.join(unknown)}. There are: {', '.join(names())}", file=sys.stderr)
        return 2
    ratios: list[Ratio] = []
    for name in chosen:
        for ratio in importlib.import_module(f"benchmarks.{name}").measure():
            print(line(ratio), flush=True)
            ratios.append(ratio)
    return 0 if all(ratio.held for ratio in ratios) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
