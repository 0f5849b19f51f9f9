"""Whether a plan can show that guardrails hold: the chance that a candidate that is equal passes each, and all of them.

The chance of all is the product, as if the guardrails varied independently.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.planning import fewest_runs, guardrail_power, upper_sd

ENOUGH: Final = 0.8


@dataclass(frozen=True, slots=True)
class Guarded:
    """A guardrail as a pilot shows it. margin: its distance on logs. sd: of run values on logs; runs: of the pilot."""

    name: str
    margin: float
    sd: float
    runs: int

    def upper(self, assurance: float) -> float:
        """The spread that the true one stays below in that share of pilots."""
        return upper_sd(self.sd, self.runs - 1, assurance=assurance)


@dataclass(frozen=True, slots=True)
class GuardedPower:
    """The chance that an equal candidate passes the guardrail: at the pilot's spread, and at its upper limit."""

    guarded: Guarded
    power: float
    assured: float

    @property
    def underpowered(self) -> bool:
        """Whether even an equal candidate fails too often, at the pilot's spread."""
        return self.power < ENOUGH


@dataclass(frozen=True, slots=True)
class Guardrails:
    """What a plan of `runs` per arm does for guardrails.

    together, together_assured: of passing all. needed, needed_assured: runs per arm that pass all of them with a chance
    of ENOUGH, None for more than the planner looks at.
    """

    runs: int
    each: tuple[GuardedPower, ...]
    together: float
    together_assured: float
    needed: int | None
    needed_assured: int | None

    @property
    def underpowered(self) -> bool:
        """Whether an equal candidate fails one of them too often, at the pilot's spread."""
        return self.together < ENOUGH


def power_of_guardrails(guarded: Sequence[Guarded], *, runs: int, confidence: float, assurance: float) -> Guardrails:
    """The guardrails, at least one, under a plan of independent arms.

    Raises:
        Refused: not_positive, not_a_probability, too_few_runs.
    """
    faces = [(one.margin, one.sd) for one in guarded]
    uppers = [(one.margin, one.upper(assurance)) for one in guarded]
    pairs = zip(guarded, _each(faces, runs, confidence), _each(uppers, runs, confidence), strict=True)
    each = tuple(GuardedPower(one, face, high) for one, face, high in pairs)
    return Guardrails(
        runs=runs,
        each=each,
        together=math.prod(one.power for one in each),
        together_assured=math.prod(one.assured for one in each),
        needed=_needed(faces, confidence),
        needed_assured=_needed(uppers, confidence),
    )


def _each(guarded: Sequence[tuple[float, float]], runs: int, confidence: float) -> list[float]:
    return [guardrail_power(runs, margin=margin, sd=sd, guardrails=1, confidence=confidence) for margin, sd in guarded]


def _needed(guarded: Sequence[tuple[float, float]], confidence: float) -> int | None:
    def enough(runs: int) -> bool:
        return math.prod(_each(guarded, runs, confidence)) >= ENOUGH

    return fewest_runs(enough)
