"""Tables of the times of stages made by hand, in seconds."""

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.traced_runs import TracedRun
from analysis.traces.tables import StageTable

NOISE = (0.0, 0.013, 0.031, 0.022, 0.008, 0.027)


def table(stages: Mapping[str, Sequence[float]], whole: Sequence[float] = (), *, marked: bool = False) -> StageTable:
    """A table of stages, each with its repetitions."""
    return StageTable({name: np.array(times) for name, times in stages.items()}, np.array(whole), {}, marked)


def by_name(**calls: tuple[int, float]) -> StageTable:
    """A table by name, of kernels only."""
    seconds = sum(spent for _, spent in calls.values())
    return StageTable({"compute": np.array([seconds])}, np.zeros(0), calls)


def run(label: str, content: StageTable, block: str = "") -> TracedRun:
    """The run of a table."""
    return TracedRun(label, content, block=block)


def arm(at: int, count: int = 6, *, slower: float = 1.0, whole: bool = True) -> list[TracedRun]:
    """Runs of three stages that vary from run to run; the second stage of the candidate is slower by a factor."""
    found = []
    for n, noise in enumerate(NOISE[:count]):
        second = (2 + noise) * (slower if at else 1)
        stages = {"load": [1 + noise / 9] * 3, "forward": [second] * 3, "update": [3 + noise / 7] * 3}
        wholes = [4 + second + noise] * 3 if whole else ()
        found.append(run(f"{'ab'[at]}{n}", table(stages, wholes)))
    return found
