"""Several claims at once: families judged by Holm, screenings by Benjamini and Hochberg, guardrails by intersection.

The primary metric of a plan is judged alone, without any correction. A guardrail needs none either: the ship
statement holds only if every one of them passes. Every further claim is one of a declared family.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis.claims import ConfidenceInterval, interval_of
from analysis.errors import Refused
from analysis.notices import Notice, named
from analysis.procedures import Spread
from analysis.verdict import Materiality, Verdict

SCREENING: Final = "Screening: to be confirmed by a new run set."
FALSE_DISCOVERIES: Final = 0.10
PASSES: Final[frozenset[Materiality]] = frozenset({"not_worse_than_margin", "within_margin", "better_than_margin"})


@dataclass(frozen=True, slots=True)
class FamilyClaim:
    """One claim of a declared family. established: by Holm, which the simultaneous interval only illustrates."""

    name: str
    p_value: float
    adjusted_p: float
    established: bool
    simultaneous: ConfidenceInterval


@dataclass(frozen=True, slots=True)
class Screened:
    """One slice of a screening. noted: worth a new run set; it never supports a verdict."""

    name: str
    p_value: float
    adjusted_p: float
    noted: bool


@dataclass(frozen=True, slots=True)
class ShipCheck:
    """Whether every guardrail passes. failing: those that do not, in the order given."""

    ships: bool
    failing: tuple[str, ...]
    sentence: str
    notices: tuple[Notice, ...]


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """The p-values adjusted by Holm (1979), in the order given; those up to alpha are established at alpha.

    Raises:
        Refused: no_claims, not_a_probability.
    """
    rows = _checked(p_values)
    adjusted, largest = [0.0] * len(rows), 0.0
    for passed, place in enumerate(_ascending(rows)):
        largest = max(largest, min(1.0, (len(rows) - passed) * rows[place]))
        adjusted[place] = largest
    return tuple(adjusted)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """The p-values adjusted by Benjamini and Hochberg (1995), in the order given; for screenings only.

    Raises:
        Refused: no_claims, not_a_probability.
    """
    rows = _checked(p_values)
    adjusted, smallest = [0.0] * len(rows), 1.0
    for before, place in enumerate(reversed(_ascending(rows))):
        smallest = min(smallest, len(rows) / (len(rows) - before) * rows[place])
        adjusted[place] = smallest
    return tuple(adjusted)


def _checked(p_values: Sequence[float]) -> Sequence[float]:
    if not p_values:
        raise Refused("no_claims", "The family holds no claim.", "Name at least one claim.")
    if not all(0 <= p <= 1 for p in p_values):
        raise Refused("not_a_probability", "A p-value lies outside 0 to 1.", "Give the p-values of the intervals.")
    return p_values


def _ascending(values: Sequence[float]) -> list[int]:
    return sorted(range(len(values)), key=values.__getitem__)


def simultaneous_confidence(claims: int, *, confidence: float) -> float:
    """The level at which each of `claims` intervals is made, so that all hold together at `confidence` (Bonferroni).

    Raises:
        Refused: no_claims.
    """
    if claims < 1:
        raise Refused("no_claims", "The family holds no claim.", "Name at least one claim.")
    return 1 - (1 - confidence) / claims


def at_confidence(interval: ConfidenceInterval, confidence: float) -> ConfidenceInterval:
    """The same procedure on the same runs, at another level.

    Raises:
        Refused: unbounded.
    """
    spread = Spread(interval.centre, interval.se, interval.df, interval.method, interval.units)
    again = interval_of(spread, confidence=confidence, frame=interval.frame, assumptions=interval.assumptions)
    return replace(again, method=interval.method)


def judge_family(family: Mapping[str, ConfidenceInterval], *, confidence: float) -> tuple[FamilyClaim, ...]:
    """The claims of a declared family, each with its adjusted p-value and its simultaneous interval.

    Raises:
        Refused: no_claims, unbounded.
    """
    adjusted = holm([interval.p_value for interval in family.values()])
    each = simultaneous_confidence(len(family), confidence=confidence)
    return tuple(
        FamilyClaim(name, interval.p_value, p, p <= 1 - confidence, at_confidence(interval, each))
        for (name, interval), p in zip(family.items(), adjusted, strict=True)
    )


def screen(slices: Mapping[str, float]) -> tuple[Screened, ...]:
    """The slices with their adjusted p-values, at a false discovery rate of 10 %; shown under `SCREENING`.

    Args:
        slices: p-value by name.

    Raises:
        Refused: no_claims, not_a_probability.
    """
    adjusted = benjamini_hochberg(tuple(slices.values()))
    return tuple(
        Screened(name, p_value, p, p <= FALSE_DISCOVERIES)
        for (name, p_value), p in zip(slices.items(), adjusted, strict=True)
    )


def ship_check(guardrails: Mapping[str, Verdict]) -> ShipCheck:
    """Whether the candidate is shown not to be worse by more than the margin of any guardrail.

    Raises:
        Refused: no_guardrails.
    """
    if not guardrails:
        raise Refused("no_guardrails", "No guardrail is declared.", "Declare at least one, with its margin.")
    failing = tuple(name for name, found in guardrails.items() if found.materiality not in PASSES)
    if failing:
        sentence = f"Not shown to be within its margin: {named(failing)}."
    else:
        sentence = "Not worse by more than its margin on any guardrail."
    return ShipCheck(not failing, failing, sentence, _on_power(len(guardrails)))


def _on_power(guardrails: int) -> tuple[Notice, ...]:
    if guardrails == 1:
        return ()
    return (
        Notice(
            "guardrail_power",
            f"All {guardrails} guardrails must pass, so the chance that an equal candidate passes falls with each: "
            "plan the runs for it.",
        ),
    )
