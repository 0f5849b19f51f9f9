"""The grid of simulated comparisons: two arms of the same law, so that every reported change is a false one."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

Law = Literal["normal", "lognormal", "skewed"]
Numbers = NDArray[np.float64]

LOG_DEVIATION: Final = {"normal": 0.05, "lognormal": 0.5, "skewed": 0.05}
ICC: Final = (0.0, 0.2, 0.5, 0.9)


@dataclass(frozen=True, slots=True)
class Cell:
    """runs in each arm, of `steps` steps. icc: share of the variance between runs. rho: AR(1) inside a run."""

    runs: int
    steps: int
    icc: float
    rho: float
    law: Law

    def __str__(self) -> str:
        return f"{self.runs} runs x {self.steps} steps, ICC {self.icc:g}, AR(1) {self.rho:g}, {self.law}"


@dataclass(frozen=True, slots=True)
class Sample:
    """Replications of one comparison: values of steps (arm, replication, run, step), and their means over steps."""

    steps: Numbers
    runs: Numbers


def full() -> Iterator[Cell]:
    """Every cell. One step has no autocorrelation; the largest cells have the first law alone."""
    for runs, law in product((2, 3, 5, 10, 30), LOG_DEVIATION):
        for steps in (1, 10, 100, 1000):
            left_out = (steps == 100 and runs > 5) or (steps == 1000 and runs == 30 and law != "normal")
            if not left_out:
                rhos = (0.0, 0.9) if steps > 1 else (0.0,)
                yield from (_cell(runs, steps, icc, rho, law) for icc, rho in product(ICC, rhos))


def quick() -> Iterator[Cell]:
    """A small grid of its own: 20 steps, and what moves the procedures most."""
    for runs in (2, 3, 5, 10):
        yield from (_cell(runs, 20, icc, 0.0, "normal") for icc in (0.0, 0.5, 0.9))
        yield _cell(runs, 20, 0.5, 0.9, "normal")
        yield _cell(runs, 20, 0.5, 0.0, "skewed")


def _cell(runs: int, steps: int, icc: float, rho: float, law: str) -> Cell:
    laws: dict[str, Law] = {"normal": "normal", "lognormal": "lognormal", "skewed": "skewed"}
    return Cell(runs, steps, icc, rho, laws[law])


def simulate(cell: Cell, replications: int, rng: np.random.Generator) -> Sample:
    """Both arms of the same law."""
    shape = (2, replications, cell.runs)
    if cell.law == "skewed":
        between = rng.exponential(size=shape) - 1
        within = rng.standard_t(3, size=(*shape, cell.steps)) / np.sqrt(3)
    else:
        between, within = rng.standard_normal(shape), rng.standard_normal((*shape, cell.steps))
    if cell.rho:
        within[..., 1:] *= np.sqrt(1 - cell.rho**2)
        within = lfilter([1.0], [1.0, -cell.rho], within, axis=-1)
    logs = np.sqrt(cell.icc) * between[..., None] + np.sqrt(1 - cell.icc) * within
    values = np.exp(LOG_DEVIATION[cell.law] * logs)
    return Sample(values, values.mean(axis=-1))
