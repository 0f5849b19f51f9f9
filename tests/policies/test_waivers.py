"""A waiver closes exactly the gap that it names, of a rule that may be waived, while it is in force."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from reviews.policies import gate, waivers
from reviews.policies.facts import GateFacts
from reviews.policies.preview import preview
from reviews.sections import FailingMetric
from reviews.vocabulary import DecisionKind, RequirementState

from .asking import lines
from .open_gate import CONTENT, CURVES, DAY, NOW, OPEN, a_waiver, an_artifact, with_section
from .test_gate import BROKEN, SHIP

ENERGY = FailingMetric(said="energy", metric="energy_per_request", stat="value", condition="")
CODE = "the_symptom_is_complete:energy_per_request.value"
WITHOUT_ENERGY = with_section(OPEN, "symptom", failing_metrics=(*CONTENT.symptom.failing_metrics, ENERGY))


def waived(facts: GateFacts, *codes: str, **fields: Any) -> GateFacts:
    return replace(facts, waivers=tuple(a_waiver(code, **fields) for code in codes))


def test_energy_without_a_comparison_is_waived_in_the_open() -> None:
    assert [line.code for line in gate.missing(gate.evaluate(WITHOUT_ENERGY, SHIP))] == [CODE]

    facts = waived(WITHOUT_ENERGY, CODE)

    assert gate.is_open(gate.evaluate(facts, SHIP))
    [line] = lines("the_symptom_is_complete", facts)
    assert line.state == RequirementState.WAIVED
    assert line.sentence.endswith("Waived until 2026-05-24 by bea for olga: The host has no power counter.")


NAMED_GAPS = [(rule, facts) for rule, kinds, facts in BROKEN if SHIP in kinds]


@pytest.mark.parametrize(("rule", "facts"), NAMED_GAPS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_waiver_closes_only_what_is_marked_as_waivable(rule: str, facts: GateFacts) -> None:
    closed = gate.missing(gate.evaluate(facts, SHIP))
    everything = waived(facts, rule, *(line.code for line in closed), *(f"{line.rule}:x" for line in closed))

    assert gate.is_open(gate.evaluate(everything, SHIP)) is all(line.waivable for line in closed)


def test_the_rules_that_can_be_waived_are_seven() -> None:
    assert {rule.name for rule in gate.RULES if rule.waivable} == {
        "the_symptom_is_complete",
        "every_started_run_is_accounted_for",
        "required_artifacts_are_attached",
        "evidence_is_fresh",
        "samples_are_large_enough",
        "quality_is_not_worse",
        "cumulative_change_is_within_budget",
    }


def test_each_of_the_seven_is_opened_by_a_waiver_of_its_gap() -> None:
    opened = {rule for rule, facts in NAMED_GAPS for line in gate.missing(gate.evaluate(facts, SHIP)) if line.waivable}

    assert opened | {"the_symptom_is_complete"} == {rule.name for rule in gate.RULES if rule.waivable}


def test_a_waiver_of_one_gap_leaves_the_other_of_the_same_rule() -> None:
    power = replace(ENERGY, metric="power", stat="mean")
    facts = with_section(OPEN, "symptom", failing_metrics=(*CONTENT.symptom.failing_metrics, ENERGY, power))

    closed = gate.missing(gate.evaluate(waived(facts, CODE), SHIP))

    assert [line.code for line in closed] == ["the_symptom_is_complete:power.mean"]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"state": "requested"}, "it is not approved"),
        ({"state": "declined"}, "it is not approved"),
        ({"approved_by": ""}, "it is not approved"),
        ({"owner": " "}, "it lacks an owner, a reason or a compensating control"),
        ({"reason": ""}, "it lacks an owner, a reason or a compensating control"),
        ({"compensating_control": ""}, "it lacks an owner, a reason or a compensating control"),
        ({"approver_on_board": False}, "it was approved by somebody who was not on the board"),
        ({"requested_by": "bea"}, "it was approved by the person who asked for it"),
        ({"approved_at": None}, "it runs longer than the template allows"),
        ({"expires_at": NOW + 30 * DAY}, "it runs longer than the template allows"),
        ({"expires_at": NOW}, "it has expired"),
    ],
)
def test_a_waiver_that_is_not_in_force_closes_nothing(fields: dict[str, Any], why: str) -> None:
    facts = waived(WITHOUT_ENERGY, CODE, **fields)

    assert waivers.lapse(facts.waivers[0], facts) == why
    assert not gate.is_open(gate.evaluate(facts, SHIP))


def test_a_waiver_counts_up_to_its_last_instant_and_to_the_cap_itself() -> None:
    last = waived(WITHOUT_ENERGY, CODE, expires_at=NOW + timedelta(microseconds=1))
    longest = waived(WITHOUT_ENERGY, CODE, expires_at=NOW + 29 * DAY)

    assert waivers.in_force(last, CODE) is not None
    assert waivers.in_force(longest, CODE) is not None


@pytest.mark.parametrize(
    ("code", "can"),
    [
        (CODE, True),
        ("the_symptom_is_complete", False),
        ("the_symptom_is_complete: ", False),
        ("nobody_objects:quin", False),
        ("the_weather_is_fine:today", False),
    ],
)
def test_a_waiver_may_only_name_a_gap_of_a_waivable_rule(code: str, can: bool) -> None:
    assert gate.can_be_waived(code, OPEN.template) is can


def test_the_preview_answers_for_all_four_and_names_the_least_restrictive() -> None:
    answer = preview(OPEN)

    assert [outlook.kind for outlook in answer.outlooks] == [
        DecisionKind.SHIP,
        DecisionKind.BOUNDED,
        DecisionKind.ROLLBACK,
        DecisionKind.ESCALATE,
    ]
    assert answer.least_restrictive == DecisionKind.SHIP
    assert all(outlook.allowed and not outlook.blockers for outlook in answer.outlooks)


def test_the_preview_tells_what_the_evidence_supports_from_what_may_be_recorded_now() -> None:
    facts = replace({rule: facts for rule, _, facts in BROKEN}["evidence_reaches_the_scope"], signatures=())

    answer = preview(facts)

    assert answer.supported == DecisionKind.BOUNDED
    assert answer.least_restrictive == DecisionKind.ESCALATE
    assert {line.rule for line in answer.outlooks[0].blockers} >= {"evidence_reaches_the_scope", "the_quorum_is_met"}


def test_a_decision_that_does_not_lead_on_from_the_state_is_not_allowed_and_says_why() -> None:
    answer = preview(replace(OPEN, state="rolling_out"))

    bounded = next(outlook for outlook in answer.outlooks if outlook.kind is DecisionKind.BOUNDED)
    assert (bounded.allowed, bounded.blockers) == (False, ())
    assert bounded.why_not_here == "“roll out” is not possible while the memo is rolling out."
    assert answer.supported is DecisionKind.SHIP


def test_the_preview_names_none_when_nothing_is_possible() -> None:
    facts = replace(
        with_section(OPEN, "symptom", failing_metric="", failing_metrics=()),
        artifacts={CURVES: an_artifact(parse_state="refused")},
        role_holders={},
    )

    answer = preview(facts)

    assert answer.least_restrictive is None
    assert answer.supported is None
