"""The plan for what is asked: the cheapest size, the same with assurance, and the runs that power needs."""

import math
from dataclasses import dataclass, replace
from typing import Final

from analysis.errors import Refused
from analysis.planning import (
    Cost,
    Layout,
    Noise,
    RunPlan,
    kalibera_jones_allocation,
    plan_placements,
    plan_runs,
    runs_for_power,
)
from reviews.planner.pilot import NotSaid, Pilot

USUAL_POWERS: Final = (0.8, 0.9)
EFFECTS_OF_A_HALF_WIDTH: Final = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class PowerRow:
    """Runs per arm that establish `effect` with the chance `power`; assured: with the upper spread, None if unknown."""

    effect: float
    power: float
    runs: int | None
    assured: int | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A half-width, what runs and steps cost, how arms are laid out, and the level.

    placement_sd: how the effect differs from placement to placement, None to plan for one placement.
    """

    half_width: float
    cost: Cost
    layout: Layout
    confidence: float
    placement_sd: float | None = None

    def of(self, noise: Noise) -> RunPlan:
        """The cheapest plan. Raises Refused."""
        if self.placement_sd is not None:
            spread = replace(noise, placement=self.placement_sd**2)
            return plan_placements(spread, self.cost, half_width=self.half_width, confidence=self.confidence)
        return plan_runs(noise, self.cost, half_width=self.half_width, layout=self.layout, confidence=self.confidence)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked: the noise with its pilot, if any, a half-width, an effect with its power, and the level.

    steps: of a run, where no half-width is asked for. blocked: one run of each arm per block, which has no power here.
    """

    noise: Noise
    pilot: Pilot | None
    wanted: Wanted | None
    effect: float | None
    power: float | None
    steps: int | None
    confidence: float
    blocked: bool


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
    asked_power: float | None

    @property
    def asked_row(self) -> PowerRow | None:
        """The row of the effect and the power that were asked for."""
        return next((row for row in self.power if row.power == self.asked_power), None)


def planned_of(asked: Asked) -> Planned:
    """The plan.

    Raises:
        NotSaid: steps_not_given. Refused: not_positive, not_a_probability, out_of_reach.
    """
    wanted, noise = asked.wanted, asked.noise
    upper = asked.pilot.upper_noise if asked.pilot else None
    plan = wanted.of(noise) if wanted else None
    steps = asked.steps or (plan.steps if plan else _steps_of(asked))
    return Planned(
        pilot=asked.pilot,
        noise=noise,
        upper=upper,
        wanted=wanted,
        confidence=asked.confidence,
        plan=plan,
        assured=_in_reach(wanted, upper),
        steps_by_formula=kalibera_jones_allocation(noise, wanted.cost) if wanted and noise.run and noise.step else None,
        steps=steps,
        power=() if asked.blocked else _power(asked, upper, steps),
        asked_power=asked.power,
    )


def sd_of_run(noise: Noise, steps: int) -> float:
    """The standard deviation of the number of a run of so many steps."""
    return math.sqrt(noise.run + noise.step / steps)


def _in_reach(wanted: Wanted | None, noise: Noise | None) -> RunPlan | None:
    """The plan, or None when nothing is known or nothing gets there."""
    if wanted is None or noise is None:
        return None
    try:
        return wanted.of(noise)
    except Refused as refused:
        if refused.code != "out_of_reach":
            raise
        return None


def _steps_of(asked: Asked) -> int:
    """Steps of a run as in the pilot; 1 when steps do not differ."""
    if asked.pilot is not None:
        return max(1, int(asked.pilot.spread.steps_per_run))
    if asked.noise.step:
        raise NotSaid("steps_not_given", "Power depends on the steps of a run.", "Say how many steps a run has.")
    return 1


def _power(asked: Asked, upper: Noise | None, steps: int) -> tuple[PowerRow, ...]:
    """Rows for the effect that was asked for, which is refused out of reach; else for one to three half-widths."""
    face = sd_of_run(asked.noise, steps)
    high = sd_of_run(upper, steps) if upper else None
    if asked.effect is not None and asked.power is not None:
        runs_for_power(asked.power, effect=asked.effect, sd=face, confidence=asked.confidence)
    powers = sorted({*USUAL_POWERS, asked.power}) if asked.power is not None else USUAL_POWERS
    return tuple(
        PowerRow(effect, power, _runs(asked, power, effect, face), _runs(asked, power, effect, high))
        for effect in _effects(asked)
        for power in powers
    )


def _effects(asked: Asked) -> tuple[float, ...]:
    if asked.effect is not None:
        return (asked.effect,)
    return tuple(times * asked.wanted.half_width for times in EFFECTS_OF_A_HALF_WIDTH) if asked.wanted else ()


def _runs(asked: Asked, power: float, effect: float, sd: float | None) -> int | None:
    """None when nothing is known, or more runs are needed than the planner looks at."""
    if sd is None:
        return None
    try:
        return runs_for_power(power, effect=effect, sd=sd, confidence=asked.confidence)
    except Refused as refused:
        if refused.code != "out_of_reach":
            raise
        return None
