"""All comparisons of a memo together, as every face shows them: guardrails, family, screening, attribution.

It is made of the frozen results alone, without any query of its own. Numbers are decimal texts, as in the results, so
that the dossier can hold it as it is.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from analysis import canonical, families, restored
from analysis.claims import WidenedInterval
from analysis.families import ClaimFound, Declared, SliceFound
from analysis.multiplicity import SCREENING, Judged
from reviews.policies.case import deciding, named
from reviews.policies.numbers import listed
from reviews.queries.comparisons import Compared
from reviews.queries.intervals import ShownInterval
from reviews.queries.ladder import Attributed, attributed
from reviews.sections import Comparison, MemoContent
from reviews.vocabulary import ComparisonRole, Purpose

NO_GUARDRAILS: Final = "No guardrail is declared."
NO_CLAIMS: Final = "No further claim is declared."
NO_SCREENING: Final = "Nothing was screened."


@dataclass(frozen=True, slots=True)
class GuardrailLine:
    """key: of the comparison; name: as sentences call it. sentence: its verdict, or why it has none."""

    key: str
    name: str
    passes: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """A claim as its family judges it. interval: the simultaneous one, None without one; it illustrates the verdict."""

    key: str
    name: str
    direction: str
    materiality: str
    p_value: str
    adjusted_p: str
    interval: ShownInterval | None
    sentence: str


@dataclass(frozen=True, slots=True)
class SliceLine:
    """A screened slice. noted: worth a new run set."""

    key: str
    name: str
    noted: bool
    p_value: str
    adjusted_p: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """ships: whether every guardrail passes, None without any; ship: the same as a sentence.

    family, screening: what stands over the claims and over the slices. set_aside: why comparisons take no part.
    """

    ships: bool | None
    ship: str
    notices: tuple[str, ...]
    guardrails: tuple[GuardrailLine, ...]
    family: str
    claims: tuple[ClaimLine, ...]
    screening: str
    screened: tuple[SliceLine, ...]
    set_aside: tuple[str, ...]
    attribution: Attributed


def together(content: MemoContent, rows: Iterable[Compared]) -> Together:
    """What the comparisons of the content say together. rows: the same, each with its assessment."""
    results = {one.row.key: restored.from_json(one.result) for one in rows if one.result is not None}
    searching = [row for row in content.comparisons.comparisons if row.places_a_build]
    every = [row for row in content.comparisons.comparisons if row not in searching]
    claiming = [row for row in every if row.role != ComparisonRole.SCREENING and not _absent(row)]
    replaced = [row for row in claiming if row.role == ComparisonRole.GUARDRAIL and row not in deciding(claiming)]
    named_rows = {row.key: row for row in every if row not in replaced}
    found = families.judge_together(
        [Declared(key, row.role, results.get(key), _absent(row)) for key, row in named_rows.items()]
    )
    return Together(
        ships=found.ship.ships if found.ship else None,
        ship=_ship(found, named_rows),
        notices=tuple(notice.sentence for notice in found.ship.notices) if found.ship else (),
        guardrails=tuple(
            GuardrailLine(one.name, named(named_rows[one.name]), one.passes, one.sentence) for one in found.guardrails
        ),
        family=_family(len(found.claims)),
        claims=tuple(_claim(named_rows[one.name], one) for one in found.claims),
        screening=SCREENING if found.screened else NO_SCREENING,
        screened=tuple(_slice(named_rows[one.name], one) for one in found.screened),
        set_aside=(
            *(f"{named(row)}: {_why_replaced(row)}" for row in replaced),
            *(f"{named(named_rows[key])}: it has no role, and takes no part." for key in found.apart),
            *(f"{named(row)}: it is a step of a bisection, which the triage board judges." for row in searching),
        ),
        attribution=attributed(content, results),
    )


def _why_replaced(row: Comparison) -> str:
    if row.purpose == Purpose.RECHECK:
        return "it is a recheck, which belongs to the outcome."
    return "the fix check of the same metric and slice takes its place."


def _absent(row: Comparison) -> str:
    if row.assessment or not row.absent_reason:
        return ""
    return f"There will be no number: {row.absent_reason.rstrip('.')}."


def _ship(found: families.Together, rows: dict[str, Comparison]) -> str:
    if found.ship is None:
        return NO_GUARDRAILS
    if found.ship.ships:
        return found.ship.sentence
    return f"Not shown to be within its margin: {listed([named(rows[key]) for key in found.ship.failing])}."


def _family(claims: int) -> str:
    if not claims:
        return NO_CLAIMS
    counted = "One further claim is" if claims == 1 else f"{claims} further claims are"
    return f"{counted} declared, and judged by Holm at 95 % together; the simultaneous interval only illustrates it."


def _claim(row: Comparison, found: ClaimFound) -> ClaimLine:
    return ClaimLine(
        key=row.key,
        name=named(row),
        direction=found.direction,
        materiality=found.materiality,
        p_value=_text(found.p_value),
        adjusted_p=_text(found.adjusted_p),
        interval=_shown(found.simultaneous) if found.simultaneous is not None else None,
        sentence=found.sentence,
    )


def _slice(row: Comparison, found: SliceFound) -> SliceLine:
    return SliceLine(
        row.key, f"{named(row)}{f', {row.slice}' if row.slice else ''}", found.noted, _text(found.p_value),
        _text(found.adjusted_p), found.sentence,
    )  # fmt: skip


def _shown(judged: Judged) -> ShownInterval:
    inner = judged.statistical if isinstance(judged, WidenedInterval) else judged
    return ShownInterval(
        estimate=_text(inner.estimate),
        low=_text(judged.lo),
        high=_text(judged.hi),
        level=_text(inner.confidence),
        method=f"{inner.method} widened" if isinstance(judged, WidenedInterval) else inner.method,
        replicates=f"{inner.units} {inner.frame.counted}",
        scope=inner.frame.scope,
    )


def _text(number: float) -> str:
    return str(canonical.as_json(number))
