"""All comparisons of one memo or one command together: what ships, what a family of claims establishes, what was noted.

Each comparison has one part: the primary one is judged alone, the guardrails by intersection-union, claims by Holm,
screened slices by Benjamini and Hochberg. Every statement rests on the one interval that governs a comparison, widened
or for every look where that is the one; a secondary or struck interval enters none. Whatever has no verdict is named
with the reason and stays in the count: a claim has p = 1 then, and a guardrail does not pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from analysis.margin import margin_of
from analysis.multiplicity import (
    FAMILY_CONFIDENCE,
    PASSES,
    FamilyClaim,
    Judged,
    ShipCheck,
    judge_family,
    p_value_of,
    screen,
    ship_check,
)
from analysis.results import AssessmentResult
from analysis.verdict import Direction, Materiality, Verdict, verdict

Role = Literal["primary", "guardrail", "claim", "screening"]

NOT_COMPUTED: Final = "It is not computed yet."
ALONE: Final[Mapping[str, str]] = {
    "claim": "Taken alone, before its family is judged: ",
    "screening": "Screening, to be confirmed by a new run set: ",
}
DIRECTIONS: Final[Mapping[Direction, str]] = {
    "regression_established": "Regression",
    "improvement_established": "Improvement",
    "not_established": "Difference",
}


@dataclass(frozen=True, slots=True)
class Declared:
    """One comparison as it takes part. role: a value of Role, or "" for none; absent: why it has no result, or ""."""

    name: str
    role: str
    result: AssessmentResult | None
    absent: str


@dataclass(frozen=True, slots=True)
class GuardrailFound:
    """A guardrail. sentence: its verdict, or why it has none."""

    name: str
    passes: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class ClaimFound:
    """A claim as its family judges it.

    direction: not_established unless Holm establishes it. materiality: of the simultaneous interval against the
    margin of the claim, undecided without one.
    """

    name: str
    p_value: float
    adjusted_p: float
    direction: Direction
    materiality: Materiality
    simultaneous: Judged | None
    sentence: str


@dataclass(frozen=True, slots=True)
class SliceFound:
    """A screened slice. noted: worth a new run set; it supports nothing and harms nothing."""

    name: str
    p_value: float
    adjusted_p: float
    noted: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Together:
    """ship: None when no guardrail is declared. apart: the names of comparisons that have no part in a statement."""

    ship: ShipCheck | None
    guardrails: tuple[GuardrailFound, ...]
    claims: tuple[ClaimFound, ...]
    screened: tuple[SliceFound, ...]
    apart: tuple[str, ...]


def judge_together(declared: Sequence[Declared]) -> Together:
    """What the comparisons say together; their names are unique."""
    guardrails = _of(declared, "guardrail")
    verdicts = {one.name: verdict_of(one.result) for one in guardrails}
    return Together(
        ship=ship_check(verdicts) if verdicts else None,
        guardrails=tuple(_guardrail(one) for one in guardrails),
        claims=judge_claims(_of(declared, "claim")),
        screened=_screened(_of(declared, "screening")),
        apart=tuple(one.name for one in declared if not one.role),
    )


def _of(declared: Sequence[Declared], role: Role) -> tuple[Declared, ...]:
    return tuple(one for one in declared if one.role == role)


def verdict_of(result: AssessmentResult | None) -> Verdict | None:
    """The verdict that may support a claim; None for every other outcome, even where one is shown."""
    return result.verdict if result is not None and result.outcome == "verdict" else None


def why_none(one: Declared) -> str:
    """Why a comparison has no verdict, "" when it has one."""
    result = one.result
    if result is None:
        return one.absent or NOT_COMPUTED
    if verdict_of(result) is not None:
        return ""
    if result.outcome == "failed_to_serve":
        counts = "; ".join(f"{count.failed} of {count.runs} {count.arm} {count.counted}" for count in result.failures)
        return f"The candidate failed to serve: {counts} failed."
    refusal = result.refusal
    return f"No verdict, {result.outcome.replace('_', ' ')}: {refusal.message}" if refusal else "No verdict."


def _guardrail(one: Declared) -> GuardrailFound:
    found = verdict_of(one.result)
    if found is None:
        return GuardrailFound(one.name, passes=False, sentence=why_none(one))
    return GuardrailFound(one.name, passes=found.materiality in PASSES, sentence=f"{found.headline}.")


def judge_claims(family: Sequence[Declared]) -> tuple[ClaimFound, ...]:
    """Each claim of the family, judged by Holm at 95 % in all; empty for no family."""
    if not family:
        return ()
    rests_on = {one.name: _governing(one.result) for one in family}
    judged = judge_family(rests_on, confidence=FAMILY_CONFIDENCE)
    return tuple(_claim(one, found, len(family)) for one, found in zip(family, judged, strict=True))


def _governing(result: AssessmentResult | None) -> Judged | None:
    return result.governing if result is not None and verdict_of(result) is not None else None


def _claim(one: Declared, found: FamilyClaim, claims: int) -> ClaimFound:
    direction: Direction = "not_established"
    materiality: Materiality = "undecided"
    alone = verdict_of(one.result)
    if found.established and alone is not None:
        direction = alone.direction
    if one.result is not None and found.simultaneous is not None:
        materiality = _materiality(one.result, found.simultaneous)
    why = why_none(one)
    stays = f"It stays in the family of {claims} and is not established." if why else ""
    return ClaimFound(
        name=one.name,
        p_value=found.p_value,
        adjusted_p=found.adjusted_p,
        direction=direction,
        materiality=materiality,
        simultaneous=found.simultaneous,
        sentence=f"{why} {stays}" if why else _decided(direction, claims),
    )


def _materiality(result: AssessmentResult, simultaneous: Judged) -> Materiality:
    unit = next((point.unit for point in result.runs if point.status == "used"), "1")
    return verdict(simultaneous, margin_of(result.plan, unit=unit)).materiality


def _decided(direction: Direction, claims: int) -> str:
    found = "not established" if direction == "not_established" else "established"
    return f"{DIRECTIONS[direction]} {found} among {claims} declared {'claim' if claims == 1 else 'claims'} (Holm)."


def _screened(slices: Sequence[Declared]) -> tuple[SliceFound, ...]:
    if not slices:
        return ()
    p_values = {one.name: p_value_of(_governing(one.result), confidence=FAMILY_CONFIDENCE) for one in slices}
    return tuple(
        SliceFound(found.name, found.p_value, found.adjusted_p, found.noted, why_none(one) or _noted(noted=found.noted))
        for one, found in zip(slices, screen(p_values), strict=True)
    )


def _noted(*, noted: bool) -> str:
    return "Worth a new run set." if noted else "Nothing stands out."
