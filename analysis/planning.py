"""How many runs, and how long, from the spread of a pilot: searched over whole numbers, never rounded afterwards.

Everything is on the scale where effects add: a half-width of .01 is about 1 % of a ratio. The half-width that a plan
promises is the expected one, which half of all repetitions exceed. For assurance plan with the upper limit of the
pilot's spread (`upper_sd`).
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from analysis.errors import Refused
from analysis.procedures import mean, t_quantile

Layout = Literal["independent", "blocked"]

MOST_RUNS: Final = 5000
MOST_STEPS: Final = 10**9
FAR: Final = 8.0  # standard errors away, the opposite tail is below 1e-15, and its series gives no number
FEWEST_PLACEMENTS: Final = 3
MOST_PLACEMENTS: Final = 500


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """The spread of a pilot. between: variance of runs beyond that of their steps, 0 when it came out negative.

    mean_square: of the runs (MSB). steps_per_run: n0, the effective number of steps of a run.
    """

    within: float
    between: float
    mean_square: float
    steps_per_run: float
    between_was_negative: bool


@dataclass(frozen=True, slots=True)
class Noise:
    """Variances to plan with.

    run: of one run beyond its steps. step: of one step, times the autocorrelation time. placement: of the effect from
    placement to placement; only `plan_placements` counts it.
    """

    run: float
    step: float
    placement: float


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds that one run takes before its steps, that one step takes, and that one more placement takes."""

    run_s: float
    step_s: float
    placement_s: float


@dataclass(frozen=True, slots=True)
class RunPlan:
    """runs: per arm, on each placement. placements: 1 when only this placement is asked about."""

    placements: int
    runs: int
    steps: int
    cost_s: float
    half_width: float


def variance_components(runs: Sequence[Sequence[float]]) -> VarianceComponents:
    """The one-way analysis of variance of the steps of runs, which need not be equally long.

    Multiply `within` by the autocorrelation time of the steps before planning with it.

    Raises:
        Refused: too_few_runs (fewer than two), too_few_steps (an empty run, or none has two steps).
    """
    if len(runs) < 2:
        raise Refused("too_few_runs", "One run says nothing of how runs differ.", "Pilot at least two runs.")
    sizes = [len(run) for run in runs]
    total, groups = sum(sizes), len(runs)
    if min(sizes) == 0 or total == groups:
        raise Refused("too_few_steps", "The runs hold too few steps.", "Pilot runs of two steps or more.")
    centres = [mean(run) for run in runs]
    centre = math.fsum(n * c for n, c in zip(sizes, centres, strict=True)) / total
    mean_square = math.fsum(n * (c - centre) ** 2 for n, c in zip(sizes, centres, strict=True)) / (groups - 1)
    squares = math.fsum((x - c) ** 2 for run, c in zip(runs, centres, strict=True) for x in run)
    within = squares / (total - groups)
    each = (total - math.fsum(n * n for n in sizes) / total) / (groups - 1)
    between = (mean_square - within) / each
    return VarianceComponents(within, max(0.0, between), mean_square, each, between < 0)


def upper_sd(sd: float, df: float, *, assurance: float) -> float:
    """The standard deviation that the true one stays below in a share `assurance` of pilots with `df` degrees.

    Raises:
        Refused: not_positive, not_a_probability.
    """
    from scipy.special import chdtri  # noqa: PLC0415

    _positive("The pilot's spread and its degrees of freedom", sd, df)
    _inside("assurance", assurance)
    return float(sd * math.sqrt(df / chdtri(df, assurance)))


def plan_runs(noise: Noise, cost: Cost, *, half_width: float, layout: Layout, confidence: float) -> RunPlan:
    """The cheapest runs and steps for one placement whose expected half-width is at most the one asked for.

    Raises:
        Refused: not_positive, not_a_probability, out_of_reach.
    """
    _check(noise, cost, half_width, confidence)

    def at(runs: int) -> RunPlan | None:
        df = runs - 1 if layout == "blocked" else 2 * (runs - 1)
        return _with_steps(replace(noise, placement=0.0), cost, (1, runs), t_quantile(df, confidence), half_width)

    found = _cheapest(at, MOST_RUNS, first=2, least=lambda runs: _cost(cost, 1, runs, 1))
    return _or_out_of_reach(found, "Make the runs quieter, or ask for a wider half-width.")


def plan_placements(noise: Noise, cost: Cost, *, half_width: float, confidence: float) -> RunPlan:
    """The cheapest placements, runs and steps for an effect on placements like these: both arms on 3 or more.

    Raises:
        Refused: not_positive, not_a_probability, out_of_reach.
    """
    _check(noise, cost, half_width, confidence)

    def on(placements: int) -> RunPlan | None:
        t = t_quantile(placements - 1, confidence)
        if (half_width / t) ** 2 <= noise.placement / placements:
            return None
        return _cheapest(
            lambda runs: _with_steps(noise, cost, (placements, runs), t, half_width),
            MOST_RUNS,
            first=1,
            least=lambda runs: _cost(cost, placements, runs, 1),
        )

    found = _cheapest(on, MOST_PLACEMENTS, first=FEWEST_PLACEMENTS, least=lambda p: _cost(cost, p, 1, 1))
    return _or_out_of_reach(found, "Use more alike placements, or ask for a wider half-width; more runs do not help.")


def _check(noise: Noise, cost: Cost, half_width: float, confidence: float) -> None:
    _positive("The half-width and the seconds of a step", half_width, cost.step_s)
    _inside("confidence", confidence)
    if not all(0 <= x < math.inf for x in (noise.run, noise.step, noise.placement, cost.run_s, cost.placement_s)):
        raise Refused("not_positive", "A variance or a cost is below 0.", "Give variances and seconds.")


def _with_steps(noise: Noise, cost: Cost, size: tuple[int, int], t: float, half_width: float) -> RunPlan | None:
    """The plan with the fewest steps that do, of placements and runs; None when no number of steps does."""
    placements, runs = size
    arms = 2 / (placements * runs)
    room = ((half_width / t) ** 2 - noise.placement / placements) / arms - noise.run
    if room <= 0 or noise.step > room * MOST_STEPS:
        return None
    steps = max(1, math.ceil(noise.step / room))
    variance = noise.placement / placements + arms * (noise.run + noise.step / steps)
    return RunPlan(placements, runs, steps, _cost(cost, placements, runs, steps), t * math.sqrt(variance))


def _cost(cost: Cost, placements: int, runs: int, steps: int) -> float:
    return placements * (cost.placement_s + 2 * runs * (cost.run_s + steps * cost.step_s))


def _cheapest(
    plan_of: Callable[[int], RunPlan | None], most: int, *, first: int, least: Callable[[int], float]
) -> RunPlan | None:
    """The cheapest plan over sizes; the search ends where even the least cost of a size is no cheaper."""
    best: RunPlan | None = None
    for size in range(first, most + 1):
        if best is not None and least(size) >= best.cost_s:
            break
        found = plan_of(size)
        if found is not None and (best is None or found.cost_s < best.cost_s):
            best = found
    return best


def _or_out_of_reach(found: RunPlan | None, needs: str) -> RunPlan:
    if found is None:
        raise Refused("out_of_reach", "No plan of a reasonable size gets there.", needs)
    return found


def kalibera_jones_allocation(noise: Noise, cost: Cost) -> int:
    """The steps per run that Kalibera and Jones (2013) call optimal, to show beside the searched plan.

    Raises:
        Refused: not_positive, when runs do not differ or steps cost nothing.
    """
    _positive("The variance of runs and the seconds of a step", noise.run, cost.step_s)
    return max(1, math.ceil(math.sqrt(cost.run_s / cost.step_s * noise.step / noise.run)))


def power_two_sample(runs: int, *, effect: float, sd: float, confidence: float) -> float:
    """The chance that `runs` runs per arm establish a true effect; Welch's interval has up to 2 points less.

    Args:
        effect, sd: on the scale where effects add; sd of run values, equal in both arms.

    Raises:
        Refused: too_few_runs, not_positive, not_a_probability.
    """
    below, above = _tails(runs, effect, sd, confidence)
    return below + above


def fewest_runs(enough: Callable[[int], bool]) -> int | None:
    """The fewest runs per arm, from 2 on, that are enough, where more are enough too; None beyond MOST_RUNS."""
    found = 2 + bisect_left(range(2, MOST_RUNS + 1), 1, key=enough)  # false is 0, true is 1
    return found if found <= MOST_RUNS else None


def runs_for_power(power: float, *, effect: float, sd: float, confidence: float) -> int:
    """The fewest runs per arm that establish a true effect with at least the chance `power`.

    Raises:
        Refused: not_positive, not_a_probability, out_of_reach.
    """
    _inside("power", power)
    _positive("The effect", abs(effect))

    def enough(runs: int) -> bool:
        return power_two_sample(runs, effect=effect, sd=sd, confidence=confidence) >= power

    found = fewest_runs(enough)
    if found is None:
        raise Refused("out_of_reach", f"More than {MOST_RUNS} runs per arm.", "Ask for a larger effect or less power.")
    return found


def guardrail_power(runs: int, *, margin: float, sd: float, guardrails: int, confidence: float) -> float:
    """The chance that an equal candidate passes all of its guardrails, when these vary independently.

    Args:
        margin: the distance to the margin on the scale where effects add: -ln .98 for 2 %.

    Raises:
        Refused: no_guardrails, too_few_runs, not_positive, not_a_probability.
    """
    if guardrails < 1:
        raise Refused("no_guardrails", "No guardrail is declared.", "Declare at least one, with its margin.")
    _positive("The margin", margin)
    return _tails(runs, margin, sd, confidence)[1] ** guardrails


def _tails(runs: int, effect: float, sd: float, confidence: float) -> tuple[float, float]:
    """The chances that the interval lies below, and above, no effect."""
    from scipy.special import nctdtr  # noqa: PLC0415

    if runs < 2:
        raise Refused("too_few_runs", "One run per arm establishes nothing.", "Plan at least two runs per arm.")
    _positive("The spread of runs", sd)
    _inside("confidence", confidence)
    df = 2 * (runs - 1)
    away, t = effect / (sd * math.sqrt(2 / runs)), t_quantile(df, confidence)
    below = float(nctdtr(df, away, -t)) if away < FAR else 0.0
    return below, float(1 - nctdtr(df, away, t))


def _positive(what: str, *values: float) -> None:
    if not all(0 < value < math.inf for value in values):
        raise Refused("not_positive", f"{what} must be above 0.", "Give positive numbers.")


def _inside(what: str, share: float) -> None:
    if not 0 < share < 1:
        raise Refused("not_a_probability", f"The {what} must lie between 0 and 1.", "Give a share, such as 0.95.")
