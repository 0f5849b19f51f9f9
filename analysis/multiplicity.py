"""Several claims at once: families judged by Holm, screenings by Benjamini and Hochberg, guardrails by intersection.

The primary metric of a plan is judged alone, without any correction. A guardrail needs none either: the ship
statement holds only if every one of them passes. Every further claim is one of a declared family. A claim or a
guardrail without a verdict stays in the count: it is not established, or does not pass.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis.claims import ConfidenceInterval, WidenedInterval, interval_within, widen
from analysis.errors import Refused
from analysis.looks import multiplier_at, p_value_beyond
from analysis.notices import Notice, named
from analysis.procedures import Spread
from analysis.verdict import Materiality, Verdict

SCREENING: Final = "Screening: to be confirmed by a new run set."
FAMILY_CONFIDENCE: Final = 0.95
FALSE_DISCOVERIES: Final = 0.10
PASSES: Final[frozenset[Materiality]] = frozenset({"not_worse_than_margin", "within_margin", "better_than_margin"})
BY_T_OR_ANYTIME: Final = ("welch", "paired", "stratified", "placement", "clustered", "anytime_")

Judged = ConfidenceInterval | WidenedInterval


@dataclass(frozen=True, slots=True)
class FamilyClaim:
    """One claim of a declared family. established: by Holm, which the simultaneous interval only illustrates.

    p_value: 1 for a claim without a verdict. simultaneous: None without one, or where its procedure has none.
    """

    name: str
    p_value: float
    adjusted_p: float
    established: bool
    simultaneous: Judged | None


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


def p_value_of(judged: Judged | None, *, confidence: float) -> float:
    """The p-value of a claim at `confidence` in all; 1 without an interval.

    A widened interval is tested against every effect within its allowance, as far as its procedure can. A look of
    several is judged at a level of its own, so its p-value counts as many times as the looks share the error.
    """
    if judged is None:
        return 1.0
    inner, allowance = _parts(judged)
    if allowance and not _is_by_t(inner):
        return 1.0
    alone = p_value_beyond(inner, allowance) if allowance else inner.p_value
    return min(1.0, alone * max(1.0, (1 - confidence) / (1 - inner.confidence)))


def _parts(judged: Judged) -> tuple[ConfidenceInterval, float]:
    return (judged.statistical, judged.allowance) if isinstance(judged, WidenedInterval) else (judged, 0.0)


def _is_by_t(interval: ConfidenceInterval) -> bool:
    """Whether its ends are the centre -+ a multiple of the standard error, so that other levels follow from it."""
    return interval.method.startswith(BY_T_OR_ANYTIME)


def at_confidence(judged: Judged, confidence: float) -> Judged:
    """The same procedure on the same runs, with the same allowance, at another level.

    Raises:
        Refused: unbounded, no_other_level.
    """
    inner, allowance = _parts(judged)
    if not _is_by_t(inner):
        raise Refused("no_other_level", f"{inner.method} gives one level only.", "Compare at this level as the plan's.")
    half = multiplier_at(replace(inner, confidence=confidence), inner.units, inner.df) * inner.se
    if math.isinf(half):
        raise Refused("unbounded", "At this level the interval is the whole line.", "Add runs.")
    again = replace(
        interval_within(
            Spread(inner.centre, inner.se, inner.df, inner.method, inner.units),
            half,
            confidence=confidence,
            p_value=inner.p_value,
            frame=inner.frame,
            assumptions=inner.assumptions,
        ),
        method=inner.method,
    )
    if not isinstance(judged, WidenedInterval):
        return again
    return widen(again, baseline=0.0, candidate=allowance, shared_gain=False, reasons=judged.reasons)


def judge_family(family: Mapping[str, Judged | None], *, confidence: float) -> tuple[FamilyClaim, ...]:
    """The claims of a declared family, each with its adjusted p-value and its simultaneous interval.

    Args:
        family: the interval of each claim's verdict by name; None for a claim without a verdict, which stays in the
            count and is not established.

    Raises:
        Refused: no_claims.
    """
    p_values = [p_value_of(judged, confidence=confidence) for judged in family.values()]
    return tuple(
        FamilyClaim(name, alone, p, p <= 1 - confidence, _simultaneous(judged, len(family), confidence))
        for (name, judged), alone, p in zip(family.items(), p_values, holm(p_values), strict=True)
    )


def _simultaneous(judged: Judged | None, claims: int, confidence: float) -> Judged | None:
    """The interval at a level that all claims share; one of several looks keeps its own share of the error."""
    if judged is None:
        return None
    error = min(1 - confidence, 1 - _parts(judged)[0].confidence)
    try:
        return at_confidence(judged, simultaneous_confidence(claims, confidence=1 - error))
    except Refused:
        return None


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


def ship_check(guardrails: Mapping[str, Verdict | None]) -> ShipCheck:
    """Whether the candidate is shown not to be worse by more than the margin of any guardrail.

    Args:
        guardrails: the verdict of each; None for one without a verdict, which does not pass.

    Raises:
        Refused: no_guardrails.
    """
    if not guardrails:
        raise Refused("no_guardrails", "No guardrail is declared.", "Declare at least one, with its margin.")
    failing = tuple(name for name, found in guardrails.items() if found is None or found.materiality not in PASSES)
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
