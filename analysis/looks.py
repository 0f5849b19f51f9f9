"""Looking at a comparison while its runs are added: what each look may say.

Looks that were declared share the error between them. Beyond those stands an interval that holds at every look, however
many there are: the anytime-valid t interval (right-Haar prior on the spread, normal prior of variance g on the
standardised effect; Lai 1976). It exists for blocks, and for two arms of equal counts and equal spread.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from analysis.claims import ConfidenceInterval, Frame, interval_within
from analysis.errors import Refused
from analysis.procedures import Spread, paired, t_quantile, two_sided_p, welch

Basis = Literal["declared", "anytime", "withheld"]

PRIOR: Final = 1.0
BLOCKS_ASSUMED: Final = ("blocks are independent of each other", "block effects are roughly normal")
ARMS_ASSUMED: Final = ("runs are independent of each other", "both arms have the same spread")
MOST_UNITS: Final = 10_000
ONLY_IF: Final = "valid only if this was the only look"
NAIVE_ERRORS: Final = ((5, 10), (10, 17), (20, 23), (30, 27))


@dataclass(frozen=True, slots=True)
class Counted:
    """Independent units that a look sees, and what they are called."""

    units: int
    name: str


@dataclass(frozen=True, slots=True)
class Lookout:
    """What a look rests on, at which confidence, and the sentence beside its interval."""

    basis: Basis
    confidence: float
    sentence: str


def of_look(look: int, *, declared: int, confidence: float, anytime_exists: bool, counted: Counted) -> Lookout:
    """What look number `look` may rest on. counted: the units that it sees, with their name ("blocks").

    Raises:
        Refused: bad_plan (no look).
    """
    if min(look, declared) < 1:
        raise Refused("bad_plan", "A comparison is looked at once at least.", "Declare one look or more.")
    if look <= declared:
        return Lookout("declared", 1 - (1 - confidence) / declared, _declared(look, declared))
    percent, by = next(((p, n) for n, p in NAIVE_ERRORS if counted.units <= n), NAIVE_ERRORS[-1][::-1])
    said = (
        f"This comparison has been looked at {look} times while runs were added. A plain 95% interval used this way is "
        f"wrong in up to {percent}% of null comparisons by {by} {counted.name}."
    )
    if anytime_exists:
        return Lookout("anytime", confidence, f"{said} The interval shown holds at every look.")
    return Lookout("withheld", confidence, f"{said} The verdict is withheld until the plan declares its looks.")


def _declared(look: int, declared: int) -> str:
    if declared == 1:
        return "The only look that the plan declares."
    return f"Look {look} of {declared} that the plan declares; they share the error between them."


def anytime_paired(
    pairs: Sequence[tuple[float, float]], *, confidence: float, prior: float, frame: Frame
) -> ConfidenceInterval:
    """The interval over blocks that holds at every look; pairs (baseline, candidate) on the additive scale.

    Raises:
        Refused: too_few_blocks, zero_variance, too_few_for_anytime, bad_prior, unbounded.
    """
    return _anytime(paired(pairs), float(len(pairs)), confidence, prior, frame)


def anytime_two_arms(
    baseline: Sequence[float], candidate: Sequence[float], *, confidence: float, prior: float, frame: Frame
) -> ConfidenceInterval:
    """The same over independent runs of two arms, as many in each; the spread is pooled.

    Raises:
        Refused: unequal_arms, too_few_runs, zero_variance, too_few_for_anytime, bad_prior, unbounded.
    """
    n = len(baseline)
    if n != len(candidate):
        raise Refused(
            "unequal_arms",
            f"{n} baseline and {len(candidate)} candidate runs: an interval for every look needs as many in each arm.",
            "Add runs to the smaller arm, or declare the looks in the plan.",
        )
    # With equal counts the pooled standard error is Welch's; only the degrees of freedom differ.
    spread = replace(welch(baseline, candidate), df=2 * n - 2, method="two_arms")
    return _anytime(spread, n / 2, confidence, prior, frame)


def anytime_multiplier(units: float, df: float, *, confidence: float, prior: float) -> float:
    """How many standard errors the half-width has; infinite while the interval is the whole line.

    units: the inverse of the squared standard error in squared standard deviations: n for n blocks, n / 2 for two arms.

    Raises:
        Refused: bad_prior.
    """
    if not prior > 0:
        raise Refused("bad_prior", "The prior variance of the effect is not positive.", "Use 1.")
    widening = 1 + units * prior
    c = (widening / (1 - confidence) ** 2) ** (1 / (df + 1))
    return math.sqrt(df * (c - 1) / (1 - c / widening)) if c < widening else math.inf


def multiplier_at(interval: ConfidenceInterval, units: int, df: float) -> float:
    """How many standard errors the half-width of the interval's own procedure has at `units` of its units."""
    if not interval.method.startswith("anytime_"):
        return t_quantile(df, interval.confidence)
    counted = _effective_units(interval, units)
    return anytime_multiplier(counted, df, confidence=interval.confidence, prior=PRIOR)


def _anytime(spread: Spread, units: float, confidence: float, prior: float, frame: Frame) -> ConfidenceInterval:
    multiplier = anytime_multiplier(units, spread.df, confidence=confidence, prior=prior)
    if math.isinf(multiplier):
        raise _too_few(spread, confidence, prior)
    return interval_within(
        replace(spread, method=f"anytime_{spread.method}"),
        multiplier * spread.se,
        confidence=confidence,
        p_value=_p_value(spread, 1 + units * prior),
        frame=frame,
        assumptions=BLOCKS_ASSUMED if spread.method == "paired" else ARMS_ASSUMED,
    )


def p_value_beyond(interval: ConfidenceInterval, allowance: float) -> float:
    """The p-value of the interval's own procedure against every effect within `allowance` of none; 1 inside it.

    allowance: on the scale where effects add, at least 0.
    """
    beyond = max(0.0, abs(interval.centre) - allowance)
    if not interval.method.startswith("anytime_"):
        return two_sided_p(interval.df, beyond / interval.se)
    spread = Spread(beyond, interval.se, interval.df, interval.method, interval.units)
    return _p_value(spread, 1 + _effective_units(interval, interval.units) * PRIOR)


def _effective_units(interval: ConfidenceInterval, units: int) -> float:
    """What `anytime_multiplier` counts: blocks, or half the runs of an arm."""
    return units / 2 if interval.method.startswith("anytime_two_arms") else float(units)


def _p_value(spread: Spread, widening: float) -> float:
    """The greatest error level at which the interval leaves out no effect: the inverse of the evidence, at most 1."""
    squared = (spread.centre / spread.se) ** 2
    c = (spread.df + squared) / (spread.df + squared / widening)
    return min(1.0, math.sqrt(widening) * math.pow(c, -(spread.df + 1) / 2))


def _too_few(spread: Spread, confidence: float, prior: float) -> Refused:
    two = spread.method == "two_arms"
    sizes = ((n, n / 2, 2 * n - 2) if two else (n, float(n), n - 1) for n in range(spread.units, MOST_UNITS))
    enough = next(
        (n for n, units, df in sizes if anytime_multiplier(units, df, confidence=confidence, prior=prior) < math.inf),
        MOST_UNITS,
    )
    what = "runs per arm" if two else "blocks"
    return Refused(
        "too_few_for_anytime",
        f"{spread.units} {what} allow no interval that holds at every look.",
        f"Go on to {enough} {what}, or declare the looks in the plan.",
    )


def declared_multiplier(units: int, *, declared: int, confidence: float) -> float:
    """How much wider each of `declared` looks is than a single one, over `units` blocks."""
    return t_quantile(units - 1, 1 - (1 - confidence) / declared) / t_quantile(units - 1, confidence)
