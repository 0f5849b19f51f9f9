"""Series of power and of energy counters as `countersign inspect` tells of them: of what, how long, how closely."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from analysis.power import GAP
from analysis.power_rows import ROWS
from analysis.reading import Reading
from analysis.table import NONE, Floats, Table
from reviews import printing


@dataclass(frozen=True, slots=True)
class PowerSeries:
    """The timed rows of one run, device and phase. seconds: from the first to the last; every: the median distance.

    gaps: how many distances are above 2.5 times the median.
    """

    run: str
    metric: str
    stage: str
    phase: str
    rows: int
    seconds: float
    every: float
    gaps: int

    @property
    def sentence(self) -> str:
        """In words."""
        of = f"{self.metric} of {self.stage}" if self.stage else self.metric
        gaps = printing.plural(self.gaps, "gap") if self.gaps else "no gap"
        return (
            f"run {self.run}: {of}, {self.phase}, {printing.count(self.rows)} rows over "
            f"{printing.quantity(self.seconds, 's')}, one every {printing.quantity(self.every, 's')}, {gaps}"
        )

    @property
    def as_json(self) -> dict[str, object]:
        """As JSON values."""
        return asdict(self)


def power_series(reading: Reading) -> Iterator[PowerSeries]:
    """Every series of at least two timed rows in the file."""
    for metric in ROWS.values():
        held = reading.measurements.only(metric=metric, kind="raw").measured()
        timed = held.where(held.number("started_ns") != NONE)
        for run, stage, phase in timed.combinations("run", "stage", "phase"):
            rows = timed.only(run=run, stage=stage, phase=phase)
            if len(rows) > 1:
                yield _series((run, metric, stage, phase), rows)


def _series(about: tuple[str, str, str, str], rows: Table) -> PowerSeries:
    apart: Floats = np.diff(np.sort(rows.number("started_ns"))).astype(np.float64) / 1e9
    every = float(np.median(apart))
    return PowerSeries(*about, len(rows), float(apart.sum()), every, int((apart > float(GAP) * every).sum()))
