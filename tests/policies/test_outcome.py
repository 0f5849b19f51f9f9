"""What recording an outcome asks, and what moved."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.policies import outcome
from reviews.policies.evidence_facts import ObservationFacts
from reviews.policies.facts import GateFacts, RuleError
from reviews.sections import ExpectedMovement

from .open_gate import (
    CONTENT,
    DAY,
    NOW,
    OPEN,
    a_comparison,
    an_assessment,
    an_interval,
    with_comparisons,
    with_section,
)

DECIDED = NOW - 3 * DAY
C1, C2 = CONTENT.comparisons.comparisons
QUALITY = a_comparison("C3", "quality_exact_match", "rate", assessment="assessment of C2")
WITH_QUALITY = with_comparisons(OPEN, C1, C2, QUALITY)


def recheck(key: str, days: int = 1, **fields: Any) -> ObservationFacts:
    return ObservationFacts(comparison=key, assessment=an_assessment(**fields), at=NOW - days * DAY)


def after(*observations: ObservationFacts, facts: GateFacts = OPEN) -> list[str]:
    return [missing.code for missing in outcome.missing(replace(facts, observations=observations), DECIDED)]


def test_an_outcome_needs_a_recheck_of_the_primary_since_the_decision() -> None:
    assert after() == ["recheck:C1"]
    assert after(recheck("C2")) == ["recheck:C1"]
    assert after(recheck("C1", days=3)) == ["recheck:C1"]
    assert after(recheck("C1")) == []


@pytest.mark.parametrize(("kind", "counts"), [("verdict", True), ("failed_to_serve", True), ("withheld", False)])
def test_a_recheck_says_something(kind: str, counts: bool) -> None:
    assert (after(recheck("C1", outcome=kind)) == []) is counts


def test_what_is_missing_says_who_can_supply_it_and_where() -> None:
    [missing] = outcome.missing(OPEN, DECIDED)

    assert missing.sentence == "C1 (throughput rate) was not rechecked since the decision."
    assert missing.who == "sam (contributor) or ann (author)"
    assert missing.where == "#evidence"


def test_a_memo_without_a_primary_comparison_has_nothing_to_recheck() -> None:
    assert after(facts=with_comparisons(OPEN, C2)) == ["recheck"]


def test_the_recheck_did_the_same_work() -> None:
    blocked = replace(an_assessment().audit[0], blocks=True)

    assert after(recheck("C1", audit=(blocked,))) == ["same_work:C1"]


def test_quality_is_rechecked_too_and_not_worse() -> None:
    assert after(recheck("C1"), facts=WITH_QUALITY) == ["recheck:C3"]
    assert after(recheck("C1"), recheck("C3", materiality="undecided"), facts=WITH_QUALITY) == ["quality:C3"]
    assert after(recheck("C1"), recheck("C3"), facts=WITH_QUALITY) == []


def moved(low: str, high: str, *observations: ObservationFacts) -> list[str]:
    movement = ExpectedMovement(metric="throughput", stat="rate", low=low, high=high, said="")
    facts = replace(with_section(OPEN, "action", expected=(movement,)), observations=observations)
    return [m.seen for m in outcome.movements(facts, DECIDED)]


@pytest.mark.parametrize(
    ("low", "high", "seen"),
    [
        ("1.05", "1.2", "inside"),
        ("1.06", "1.12", "inside"),
        ("1.05", "", "inside"),
        ("", "1.2", "inside"),
        ("1.08", "1.2", "undecided"),
        ("1", "1.1", "undecided"),
        ("", "1.1", "undecided"),
        ("1.08", "", "undecided"),
        ("1.13", "1.2", "outside"),
        ("0.9", "1.05", "outside"),
    ],
)
def test_the_expected_movement_is_set_beside_the_observed(low: str, high: str, seen: str) -> None:
    assert moved(low, high, recheck("C1", interval=an_interval(low="1.06", high="1.12"))) == [seen]


def test_the_latest_recheck_counts_whatever_the_order_in_which_they_come() -> None:
    early = recheck("C1", days=2, interval=an_interval(low="0.5", high="0.6"))

    assert moved("1.05", "1.2", recheck("C1"), early) == ["inside"]


def test_without_a_recheck_or_an_interval_nothing_is_set_beside() -> None:
    assert moved("1", "2") == []
    assert moved("1", "2", recheck("C1", outcome="failed_to_serve", interval=None)) == []


def test_an_expected_movement_that_is_no_number_is_an_error() -> None:
    with pytest.raises(RuleError, match="An end of the expected movement is “more”"):
        moved("more", "", recheck("C1"))
