"""What `countersign plan` found, before it is printed."""

import math
from dataclasses import dataclass

from analysis.planning import Cost, Layout, Noise, RunPlan, plan_runs
from reviews.cli.pilot import Pilot


@dataclass(frozen=True, slots=True)
class PowerRow:
    """Runs per arm that establish `effect` with the chance `power`; assured: with the upper spread, None if unknown."""

    effect: float
    power: float
    runs: int | None
    assured: int | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A half-width, what runs and steps cost, how arms are laid out, and the level."""

    half_width: float
    cost: Cost
    layout: Layout
    confidence: float

    def of(self, noise: Noise) -> RunPlan:
        """The cheapest plan. Raises Refused."""
        return plan_runs(noise, self.cost, half_width=self.half_width, layout=self.layout, confidence=self.confidence)


@dataclass(frozen=True, slots=True)
class Planned:
    """All that is printed. upper: the noise at its upper limit; None without a pilot.

    plan, assured: for the half-width, at face value and at the upper limit; None when not asked for, and for assured
    also when out of reach. steps: of a run in the rows of power.
    """

    pilot: Pilot | None
    noise: Noise
    upper: Noise | None
    wanted: Wanted | None
    confidence: float
    plan: RunPlan | None
    assured: RunPlan | None
    steps_by_formula: int | None
    steps: int
    power: tuple[PowerRow, ...]


def sd_of_run(noise: Noise, steps: int) -> float:
    """The standard deviation of the number of a run of so many steps."""
    return math.sqrt(noise.run + noise.step / steps)
