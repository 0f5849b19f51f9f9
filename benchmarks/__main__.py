"""Runs `measure()` of every benchmark in this package, or of those named, and prints what it tells.

`--quick` takes sizes that end within two minutes for each benchmark, and says less about small differences.
"""

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterable
from typing import Final

import benchmarks
from benchmarks.ratio import NO_BUDGET, Measured, Ratio

PLUMBING: Final = frozenset(
    {"__main__", "ratio", "peers", "grid", "contestants", "steps", "growth", "holistic", "opponents", "otava"}
)
QUICK: Final = "--quick"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def names() -> list[str]:
    """Every benchmark there is, by name."""
    return sorted({module.name for module in pkgutil.iter_modules(benchmarks.__path__)} - PLUMBING)


def time_of(seconds: float) -> str:
    """A time in the unit that it reads best in."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.2f} {unit}"
    return f"{seconds * 1e6:.1f} µs"


def line(measured: Measured) -> str:
    """One row of the table that is printed."""
    if not isinstance(measured, Ratio):
        return measured.text if measured.held else f"{measured.text}  NOT HELD"
    times = f"{time_of(measured.ours_s):>10} {time_of(measured.peer_s):>10}"
    if measured.budget == NO_BUDGET:
        budget = "no budget"
    else:
        budget = f"budget {measured.budget:g}: {'held' if measured.held else 'ABOVE BUDGET'}"
    return f"{measured.name:44} {times}  {measured.value:9.3g} × {measured.peer} ({budget})"


def main(arguments: Iterable[str]) -> int:
    """Exit status: 1 when a budget is broken, 2 when a name is unknown."""
    given = list(arguments)
    quick = QUICK in given
    chosen = [name for name in given if name != QUICK] or names()
    if unknown := sorted(set(chosen) - set(names())):
        print(f"There is no benchmark {', '.join(unknown)}. There are: {', '.join(names())}", file=sys.stderr)
        return 2
    held = True
    for name in chosen:
        for measured in importlib.import_module(f"benchmarks.{name}").measure(quick=quick):
            print(line(measured), flush=True)
            held = held and measured.held
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
