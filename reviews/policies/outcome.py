"""What recording an outcome asks: a recheck in ordinary execution, with the same work and quality; and what moved."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Literal

from reviews.errors import Missing
from reviews.policies.case import Case, Result, named
from reviews.policies.facts import GateFacts
from reviews.policies.numbers import fraction
from reviews.policies.rules_verdict import NOT_WORSE, QUALITY_METRICS
from reviews.vocabulary import ComparisonRole, DecisionKind


@dataclass(frozen=True, slots=True)
class Movement:
    """An expected ratio interval against the observed one; "" is an open end."""

    metric: str
    stat: str
    expected: tuple[str, str]
    observed: tuple[str, str]
    seen: Literal["inside", "outside", "undecided"]


def missing(facts: GateFacts, decided_at: datetime) -> tuple[Missing, ...]:
    """What the outcome still needs; empty when it can be recorded. decided_at: when the decision took effect."""
    case = Case(facts, DecisionKind.SHIP)
    lacks = (*_unchecked(case, decided_at), *_different(case, decided_at))
    return tuple(Missing(code, sentence, case.attachers, "#evidence") for code, sentence in lacks)


def movements(facts: GateFacts, decided_at: datetime) -> tuple[Movement, ...]:
    """Each expected movement beside the latest recheck of its metric; those without a recheck are left out."""
    results = {
        (r.comparison.metric, r.comparison.stat): r for r in _rechecks(Case(facts, DecisionKind.SHIP), decided_at)
    }
    found = []
    for expected in facts.content.action.expected:
        result = results.get((expected.metric, expected.stat))
        interval = result.assessment.interval if result else None
        if interval is not None:
            ends, seen = (expected.low, expected.high), (interval.low, interval.high)
            found.append(Movement(expected.metric, expected.stat, ends, seen, _placed(ends, seen)))
    return tuple(found)


def _rechecks(case: Case, decided_at: datetime) -> tuple[Result, ...]:
    """What was observed after the decision, oldest first."""
    times = [seen.at for seen in case.facts.observations]
    pairs = sorted(zip(times, case.observed, strict=True), key=lambda pair: pair[0])
    return tuple(result for at, result in pairs if at > decided_at)


def _unchecked(case: Case, decided_at: datetime) -> Iterator[tuple[str, str]]:
    """Primary and quality comparisons that nobody has repeated since."""
    repeated = {r.comparison.key for r in _rechecks(case, decided_at) if r.has_verdict or r.failed_to_serve}
    primaries = [c for c in case.judged if c.role == ComparisonRole.PRIMARY]
    if not primaries:
        yield "recheck", "The memo has no primary comparison that a recheck could repeat."
    for comparison in (*primaries, *(c for c in case.judged if QUALITY_METRICS.search(c.metric))):
        if comparison.key not in repeated:
            yield f"recheck:{comparison.key}", f"{named(comparison)} was not rechecked since the decision."


def _different(case: Case, decided_at: datetime) -> Iterator[tuple[str, str]]:
    """Rechecks of other work, or of worse quality."""
    for result in _rechecks(case, decided_at):
        key, quality = result.comparison.key, QUALITY_METRICS.search(result.comparison.metric)
        if any(row.blocks for row in result.assessment.audit):
            yield f"same_work:{key}", f"The recheck of {named(result.comparison)} did not do the same work."
        elif quality and result.assessment.materiality not in NOT_WORSE:
            yield f"quality:{key}", f"The recheck does not show that {named(result.comparison)} is not worse."


def _placed(expected: tuple[str, str], observed: tuple[str, str]) -> Literal["inside", "outside", "undecided"]:
    low, high = (_end(text) for text in expected)
    seen_low, seen_high = (fraction(text, "An end of the observed interval") for text in observed)
    if (high is not None and seen_low > high) or (low is not None and seen_high < low):
        return "outside"
    if (low is None or seen_low >= low) and (high is None or seen_high <= high):
        return "inside"
    return "undecided"


def _end(text: str) -> Fraction | None:
    return fraction(text, "An end of the expected movement") if text else None
