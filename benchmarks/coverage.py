"""Coverage, width and false changes of our default intervals and of the peers', on the same simulated comparisons.

Both arms have the same law, so the true ratio is 1: an interval that leaves out 1 declares a false change.
"""

import math
import os
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final

import numpy as np

from benchmarks import grid
from benchmarks.contestants import REFERENCE, Contestant, Judged, contestants
from benchmarks.grid import Cell
from benchmarks.peers import Skipped
from benchmarks.ratio import Said, remark

SEED: Final = 20267
LEAST: Final = 0.938
AT_ONCE: Final = 2_000_000
FEWEST: Final = 100


@dataclass(frozen=True, slots=True)
class Score:
    """What a procedure did in a cell. coverage and width (over that of pooled t) are NaN when it gives no interval."""

    cell: Cell
    name: str
    ours: bool
    replications: int
    coverage: float
    width: float
    false_changes: float

    @property
    def held(self) -> bool:
        """Ours cover at least 93.8 %, up to three standard errors of the simulation."""
        slack = 3 * math.sqrt(LEAST * (1 - LEAST) / self.replications)
        return not self.ours or self.coverage >= LEAST - slack


def measure(*, quick: bool) -> Iterator[Said]:
    """One line for each cell and procedure, then what each procedure did over all cells of a number of runs."""
    cells = list(grid.quick() if quick else grid.full())
    replications = 400 if quick else 2000
    for one in contestants():
        if isinstance(one, Skipped):
            yield remark(f"skipped: {one.name}, {one.reason}")
    yield remark(f"{len(cells)} cells of {replications} comparisons without any change, nominal 95 %; seed {SEED}")
    yield remark(f"{'':30} coverage  width  false changes  comparisons")
    scores: list[Score] = []
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for found in pool.map(scores_of, range(len(cells)), cells, [replications] * len(cells)):
            yield from _lines(found)
            scores += found
    yield from summary(scores)


def scores_of(number: int, cell: Cell, replications: int) -> list[Score]:
    """The score of every procedure in one cell, whose random numbers depend on its number alone."""
    rng = np.random.default_rng([SEED, number])
    able = [one for one in contestants() if isinstance(one, Contestant)]
    parts: dict[str, list[Judged]] = {one.name: [] for one in able}
    left = {one.name: allowed(one, cell, replications) for one in able}
    while max(left.values()) > 0:
        size = max(1, min(AT_ONCE // (2 * cell.runs * cell.steps), *(n for n in left.values() if n > 0)))
        sample = grid.simulate(cell, size, rng)
        for one in able:
            if left[one.name] > 0:
                parts[one.name].append(one.judge(sample))
                left[one.name] -= size
    return _scored(cell, able, {name: _joined(found) for name, found in parts.items()})


def allowed(one: Contestant, cell: Cell, replications: int) -> int:
    """How many comparisons the procedure is given: fewer when it is slow, and never fewer than 100 or than all."""
    return min(replications, max(FEWEST, one.effort // (2 * cell.runs * (cell.steps if "steps" in one.name else 1))))


def _joined(parts: list[Judged]) -> Judged:
    return Judged(
        np.concatenate([part.low for part in parts]),
        np.concatenate([part.high for part in parts]),
        np.concatenate([part.changed for part in parts]),
    )


def _scored(cell: Cell, able: list[Contestant], found: Mapping[str, Judged]) -> list[Score]:
    pooled = float(np.median(found[REFERENCE].high - found[REFERENCE].low))
    return [_score(cell, one, found[one.name], pooled) for one in able]


def _score(cell: Cell, one: Contestant, found: Judged, pooled: float) -> Score:
    given = ~np.isnan(found.low)
    low, high = found.low[given], found.high[given]
    coverage = float(np.mean((low <= 0) & (high >= 0))) if low.size else math.nan
    width = float(np.median(high - low)) / pooled if low.size else math.nan
    return Score(cell, one.name, one.ours, found.low.size, coverage, width, float(found.changed.mean()))


def _lines(scores: Collection[Score]) -> Iterator[Said]:
    for place, score in enumerate(scores):
        if place == 0:
            yield remark(f"{score.cell}")
        numbers = f"{_or_dash(score.coverage):>8} {_or_dash(score.width):>6} {score.false_changes:14.3f}"
        yield Said(f"  {score.name:28} {numbers} {score.replications:12d}", score.held)


def _or_dash(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def summary(scores: Collection[Score]) -> Iterator[Said]:
    """For each number of runs and procedure: least and greatest coverage, median width, greatest false-change rate."""
    for runs in sorted({score.cell.runs for score in scores}):
        yield remark(f"{runs} runs per arm, over all cells: coverage from to, median width, most false changes")
        for name in dict.fromkeys(score.name for score in scores):
            of = [score for score in scores if score.name == name and score.cell.runs == runs]
            covered = [score.coverage for score in of]
            width = float(np.median([score.width for score in of]))
            most = max(score.false_changes for score in of)
            ends = f"{_or_dash(min(covered)):>8} {_or_dash(max(covered)):>6}"
            yield Said(f"  {name:28} {ends} {_or_dash(width):>6} {most:8.3f}", all(score.held for score in of))
