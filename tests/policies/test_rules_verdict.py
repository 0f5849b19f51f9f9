"""What the evidence says, sentence by sentence, in both directions."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.policies import gate
from reviews.policies.evidence_facts import ObservationFacts
from reviews.policies.facts import BudgetFacts, GateFacts, ReferenceFacts
from reviews.policies.facts import ProductionEventFacts as Event
from reviews.sections import ChangeRow, ExpectedMovement
from reviews.vocabulary import DecisionKind, RequirementState

from .asking import lines, said, state
from .open_gate import (
    CONTENT,
    NOW,
    OPEN,
    a_comparison,
    an_assessment,
    with_assessment,
    with_comparisons,
    with_section,
)

PRIMARY = "the_primary_metric_supports_it"
HARM = "no_harm_is_established"
GUARDRAIL = "every_guardrail_is_not_worse"
QUALITY = "quality_is_not_worse"
BUDGET = "cumulative_change_is_within_budget"
MET, UNMET = RequirementState.MET, RequirementState.UNMET
ROLLBACK, BOUNDED = DecisionKind.ROLLBACK, DecisionKind.BOUNDED
C1, C2 = CONTENT.comparisons.comparisons
QUIET = replace(OPEN, production_events=())


def expecting(low: str, high: str, facts: GateFacts = OPEN) -> GateFacts:
    movement = ExpectedMovement(metric="throughput", stat="rate", low=low, high=high, said="")
    return with_section(facts, "action", expected=(movement,))


SAME = {"direction": "not_established", "materiality": "within_margin", "headline": "Equivalent within 2 %"}


@pytest.mark.parametrize(
    ("better", "low", "high", "claims_better"),
    [
        ("higher", "1.05", "1.2", True),
        ("higher", "1", "", True),
        ("higher", "0.99", "1.2", False),
        ("higher", "", "1.2", False),
        ("lower", "0.8", "0.95", True),
        ("lower", "", "1", True),
        ("lower", "0.8", "1.01", False),
        ("lower", "0.8", "", False),
    ],
)
def test_a_claim_to_get_better_needs_an_improvement_in_both_directions(
    better: str, low: str, high: str, claims_better: bool
) -> None:
    facts = expecting(low, high, with_comparisons(OPEN, replace(C1, better=better), C2))

    assert state(PRIMARY, facts) == MET
    assert state(PRIMARY, with_assessment(facts, "C1", **SAME)) == (UNMET if claims_better else MET)


@pytest.mark.parametrize(
    ("materiality", "supports"),
    [
        ("within_margin", True),
        ("better_than_margin", True),
        ("not_worse_than_margin", True),
        ("not_better_than_margin", False),
        ("worse_than_margin", False),
        ("undecided", False),
    ],
)
def test_without_such_a_claim_not_worse_than_the_margin_is_enough(materiality: str, supports: bool) -> None:
    facts = with_assessment(expecting("0.99", "1.01"), "C1", direction="not_established", materiality=materiality)

    assert (state(PRIMARY, facts) == MET) is supports


def test_what_was_claimed_is_said() -> None:
    assert said(PRIMARY, with_assessment(OPEN, "C1", **SAME)) == [
        "C1 (throughput rate) is claimed to get better: Equivalent within 2 %."
    ]
    assert said(PRIMARY, with_assessment(expecting("0.99", ""), "C1", materiality="undecided", headline="Open")) == [
        "C1 (throughput rate): Open."
    ]


@pytest.mark.parametrize("outcome", ["withheld", "refused", "not_comparable", "failed_to_serve"])
def test_a_primary_without_a_verdict_supports_nothing(outcome: str) -> None:
    assert said(PRIMARY, with_assessment(OPEN, "C1", outcome=outcome)) == ["C1 (throughput rate) has no verdict."]


def test_a_primary_that_was_not_computed_supports_nothing() -> None:
    facts = with_comparisons(OPEN, replace(C1, assessment=""), C2)

    assert said(PRIMARY, facts) == ["C1 (throughput rate) has no verdict."]


def test_for_a_bounded_rollout_the_primary_is_only_shown() -> None:
    [line] = lines(PRIMARY, with_assessment(OPEN, "C1", **SAME), BOUNDED)

    assert line.state == UNMET
    assert not line.blocks


@pytest.mark.parametrize(
    ("key", "fields", "supports"),
    [
        ("C1", {"direction": "regression_established", "materiality": "not_better_than_margin"}, True),
        ("C1", {"direction": "regression_established", "outcome": "withheld"}, False),
        ("C2", {"direction": "regression_established", "materiality": "within_margin"}, False),
        ("C2", {"direction": "regression_established", "materiality": "worse_than_margin"}, True),
        ("C2", {"outcome": "failed_to_serve"}, True),
        ("C1", {}, False),
    ],
)
def test_a_rollback_is_supported_by_established_harm(key: str, fields: dict[str, Any], supports: bool) -> None:
    assert (state(PRIMARY, with_assessment(QUIET, key, **fields), ROLLBACK) == MET) is supports


@pytest.mark.parametrize(("kind", "supports"), [("rolled_back", True), ("deployed", False), ("advanced", False)])
def test_a_rollback_is_supported_by_production_having_rolled_back(kind: str, supports: bool) -> None:
    event = Event(kind=kind, what="pool a", by="kim", ratified_by="", at=NOW)

    assert (state(PRIMARY, replace(OPEN, production_events=(event,)), ROLLBACK) == MET) is supports


def observed(key: str, **fields: Any) -> ObservationFacts:
    return ObservationFacts(comparison=key, assessment=an_assessment(**fields), at=NOW)


HARMFUL = observed("C2", materiality="worse_than_margin", headline="Regression of at least 5 % established")


def test_harm_that_was_observed_since_supports_a_rollback_and_stands_before_the_rest() -> None:
    facts = replace(QUIET, observations=(HARMFUL,))

    assert said(PRIMARY, facts, ROLLBACK) == ["It got worse: C2 (latency p99, observed)."]
    assert said(HARM, facts, BOUNDED) == ["C2 (latency p99, observed): Regression of at least 5 % established."]
    assert said(GUARDRAIL, facts) == ["C2 (latency p99, observed): Regression of at least 5 % established."]


def test_an_observation_of_a_comparison_that_the_memo_does_not_hold_is_an_error() -> None:
    facts = replace(OPEN, observations=(observed("C9"),))

    assert state(HARM, facts, BOUNDED) == RequirementState.ERROR


def test_harm_is_said_with_what_was_seen() -> None:
    facts = with_assessment(OPEN, "C1", outcome="failed_to_serve", failed=2)

    assert said(HARM, facts, BOUNDED) == ["C1 (throughput rate): the candidate failed to serve in 2 of 6 runs."]


@pytest.mark.parametrize(
    "fields", [{"materiality": "undecided"}, {"materiality": "not_better_than_margin"}, {"outcome": "withheld"}]
)
def test_an_undecided_guardrail_is_watched_by_an_abort_threshold(fields: dict[str, str]) -> None:
    watched = with_assessment(OPEN, "C2", **fields)
    unwatched = with_section(watched, "rollout", abort_thresholds=())

    assert state(HARM, watched, BOUNDED) == MET
    assert said(HARM, unwatched, BOUNDED) == ["C2 (latency p99) is undecided and is no abort threshold of the rollout."]


def test_a_decided_guardrail_needs_no_abort_threshold() -> None:
    unwatched = with_section(OPEN, "rollout", abort_thresholds=())
    worse = with_assessment(unwatched, "C2", materiality="worse_than_margin", headline="Worse")

    assert state(HARM, unwatched, BOUNDED) == MET
    assert said(HARM, worse, BOUNDED) == ["C2 (latency p99): Worse."]


def test_an_undecided_primary_needs_no_abort_threshold_of_its_own() -> None:
    assert state(HARM, with_assessment(OPEN, "C1", materiality="undecided"), BOUNDED) == MET


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"outcome": "withheld"}, "C2 (latency p99) has no verdict."),
        ({"materiality": "undecided", "headline": "Not established"}, "C2 (latency p99): Not established."),
        (
            {"outcome": "failed_to_serve", "failed": 1},
            "C2 (latency p99): the candidate failed to serve in 1 of 6 runs.",
        ),
    ],
)
def test_a_guardrail_that_is_not_shown_to_hold_says_what_it_shows(fields: dict[str, Any], sentence: str) -> None:
    assert said(GUARDRAIL, with_assessment(OPEN, "C2", **fields)) == [sentence]


def test_a_guardrail_that_was_not_computed_does_not_hold() -> None:
    facts = with_comparisons(OPEN, C1, replace(C2, assessment=""))

    assert said(GUARDRAIL, facts) == ["C2 (latency p99) is not computed yet."]


def test_an_observation_of_another_comparison_does_not_touch_the_guardrails() -> None:
    facts = replace(OPEN, observations=(observed("C1", materiality="undecided"),))

    assert state(GUARDRAIL, facts) == MET


def changing(name: str, baseline: str = "a", candidate: str = "b") -> GateFacts:
    row = ChangeRow(name=name, baseline=baseline, candidate=candidate, on_purpose=True, source="file")
    return with_section(OPEN, "change", rows=(row,))


@pytest.mark.parametrize(
    "name",
    ["engine_version", "kernel", "compiler", "precision", "dtype", "quantization", "Quantisation", "speculative"],
)
def test_a_change_that_can_move_answers_needs_a_quality_guardrail(name: str) -> None:
    [line] = lines(QUALITY, changing(name))

    assert line.sentence == f"{name} changed, and no quality comparison is a guardrail."
    assert line.code == "quality_is_not_worse:comparison"
    assert line.waivable


def test_a_row_in_which_nothing_changed_touches_nothing() -> None:
    assert state(QUALITY, changing("kernel", "a", "a")) == RequirementState.NOT_APPLICABLE


@pytest.mark.parametrize(("section", "field"), [("change", "summary"), ("action", "smallest_reversible_change")])
def test_prose_is_read_for_such_a_change_too(section: str, field: str) -> None:
    facts = with_section(OPEN, section, **{field: "Switch to the FP8 kernel"})

    assert said(QUALITY, facts) == ["fp8 and kernel changed, and no quality comparison is a guardrail."]


@pytest.mark.parametrize(("materiality", "holds"), [("within_margin", True), ("undecided", False)])
def test_quality_is_judged_whether_or_not_the_change_could_move_it(materiality: str, holds: bool) -> None:
    quality = a_comparison("C3", "quality_exact_match", "rate", assessment="of C3")
    facts = with_comparisons(OPEN, C1, C2, quality)
    facts = replace(facts, assessments={**OPEN.assessments, "of C3": an_assessment(materiality=materiality)})

    assert (state(QUALITY, facts) == MET) is holds
    assert [line.code for line in lines(QUALITY, facts)] == [QUALITY if holds else f"{QUALITY}:C3"]


@pytest.mark.parametrize("within", [True, False, None])
def test_each_metric_stays_inside_the_budget_since_the_reference_build(within: bool | None) -> None:
    budget = BudgetFacts(metric="throughput", stat="rate", within=within, sentence="0.96, the budget is 0.97")
    facts = replace(OPEN, reference=ReferenceFacts(build="2026.1", budgets=(budget,)))

    sentence = {
        True: "Since 2026.1: throughput rate 0.96, the budget is 0.97.",
        False: "throughput rate against 2026.1: 0.96, the budget is 0.97.",
        None: "throughput rate against 2026.1: not measured: 0.96, the budget is 0.97.",
    }[within]
    assert said(BUDGET, facts) == [sentence]


def test_a_team_without_a_reference_build_has_no_budget() -> None:
    assert state(BUDGET, replace(OPEN, reference=None)) == RequirementState.NOT_APPLICABLE


SCREENED = a_comparison("C9", "queue_wait", "p99", role="screening", better="lower", margin="1.02")
HARMED = {"direction": "regression_established", "materiality": "worse_than_margin", "headline": "Worse"}


def test_a_screening_neither_supports_nor_harms_any_decision() -> None:
    facts = with_comparisons(QUIET, C1, C2, SCREENED)
    facts = replace(facts, assessments={**facts.assessments, "assessment of C9": an_assessment(**HARMED)})

    for kind in DecisionKind:
        plain = [(line.code, line.state, line.sentence) for line in gate.evaluate(QUIET, kind)]
        assert [(line.code, line.state, line.sentence) for line in gate.evaluate(facts, kind)] == plain


def test_harm_of_a_screening_that_was_observed_since_is_no_harm() -> None:
    facts = replace(with_comparisons(QUIET, C1, C2, SCREENED), observations=(observed("C9", **HARMED),))

    assert state(HARM, facts, BOUNDED) == MET
    assert state(PRIMARY, facts, ROLLBACK) == UNMET


def test_a_screening_alone_compares_nothing() -> None:
    facts = with_comparisons(OPEN, replace(C1, role="screening"))

    assert said(HARM, facts, BOUNDED) == ["Nothing was compared, so that harm could not have been seen."]
    assert state(PRIMARY, facts) == UNMET


def test_a_claim_is_held_to_its_interval_and_its_harm_closes_a_bounded_rollout() -> None:
    claim = replace(SCREENED, role="claim")
    facts = with_comparisons(QUIET, C1, C2, claim)
    harmed = replace(facts, assessments={**facts.assessments, "assessment of C9": an_assessment(**HARMED)})

    assert said(HARM, harmed, BOUNDED) == ["C9 (queue_wait p99): Worse."]
    assert state(PRIMARY, harmed, ROLLBACK) == MET
