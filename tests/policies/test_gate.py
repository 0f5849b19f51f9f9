"""The gate as a whole: from an open one, break one thing."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.policies import gate
from reviews.policies.evidence_facts import ArmFacts, FileFacts
from reviews.policies.facts import GateFacts
from reviews.sections import HypothesisResolution, Prediction
from reviews.template_content import RoleRule
from reviews.vocabulary import DecisionKind, RequirementState

from .open_gate import (
    ARTIFACTS,
    CONTENT,
    CURVES,
    DAY,
    HYPOTHESES,
    NOW,
    OPEN,
    ROLES,
    RUNS,
    a_comparison,
    a_signature,
    an_artifact,
    an_assessment,
    an_interval,
    with_assessment,
    with_comparisons,
    with_rules,
    with_section,
    with_template,
)

SHIP, BOUNDED, ROLLBACK, ESCALATE = gate.COLUMNS
NAMES = [rule.name for rule in gate.RULES]


def blockers(facts: GateFacts, kind: DecisionKind) -> set[str]:
    return {line.rule for line in gate.missing(gate.evaluate(facts, kind))}


def states(facts: GateFacts, kind: DecisionKind, rule: str) -> set[RequirementState]:
    return {line.state for line in gate.evaluate(facts, kind) if line.rule == rule}


def hypotheses(*changed: Any) -> GateFacts:
    return with_section(OPEN, "hypotheses", hypotheses=changed)


H1, H2 = HYPOTHESES
C1, C2 = CONTENT.comparisons.comparisons
TESS = RoleRule(role="thermal", title="thermal architect", signs=(), required_when="")
UNSHAPED = replace(
    with_rules(OPEN, roles=(*ROLES, TESS)), role_holders={**OPEN.role_holders, "thermal": ("tess", "olga")}
)
SAME_AS_H1 = Prediction(key="P2", metric="throughput", stat="rate", condition="", low="1.05", high="1.20", plan="n1")
RECHECKED = replace(
    with_comparisons(
        OPEN, C1, C2, a_comparison("C3", "latency", "p99", purpose="recheck", better="lower", margin="1.05")
    ),
    assessments={**OPEN.assessments, "assessment of C3": an_assessment(outcome="refused", interval=None)},
)
UNDECIDED = with_section(
    with_assessment(OPEN, "C2", materiality="undecided"),
    "rollout",
    abort_thresholds=(replace(CONTENT.rollout.abort_thresholds[0], comparison="C1", metric="throughput", stat="rate"),),
)
KERNEL = replace(CONTENT.change.rows[0], name="attention_kernel")

# A rule, the decisions that it alone closes, and the facts in which it does.
BROKEN: list[tuple[str, tuple[DecisionKind, ...], GateFacts]] = [
    ("the_symptom_is_complete", (SHIP, BOUNDED, ESCALATE), with_section(OPEN, "symptom", workload_slice=" ")),
    ("the_symptom_is_complete", (ROLLBACK,), with_section(OPEN, "symptom", failing_metric="", failing_metrics=())),
    (
        "a_primary_hypothesis_is_stated",
        (SHIP, BOUNDED),
        hypotheses(
            H1, H2, replace(H1, key="H3", resolution=HypothesisResolution(state="refuted", reason="it cannot be both"))
        ),
    ),
    (
        "a_competing_hypothesis_is_stated",
        (SHIP, BOUNDED),
        hypotheses(H1, replace(H2, predictions=(SAME_AS_H1,))),
    ),
    ("every_hypothesis_is_resolved", (SHIP,), hypotheses(H1, replace(H2, resolution=HypothesisResolution()))),
    ("every_claimed_effect_has_an_interval", (SHIP, BOUNDED), RECHECKED),
    (
        "both_arms_did_the_same_work",
        (SHIP, BOUNDED),
        with_assessment(OPEN, "C1", audit=(replace(an_assessment().audit[0], state="differs", blocks=True),)),
    ),
    (
        "every_started_run_is_accounted_for",
        (SHIP, BOUNDED),
        replace(OPEN, plans=(replace(OPEN.plans[0], runs=(replace(OPEN.plans[0].runs[1], accounted=" "),)),)),
    ),
    (
        "required_artifacts_are_attached",
        (SHIP, BOUNDED, ROLLBACK),
        replace(OPEN, artifacts={**OPEN.artifacts, CURVES: an_artifact(parse_state="refused")}),
    ),
    (
        "evidence_is_fresh",
        (SHIP, BOUNDED),
        with_assessment(OPEN, "C1", files=(FileFacts(artifact=RUNS, started_at=NOW - 181 * DAY),)),
    ),
    (
        "samples_are_large_enough",
        (SHIP, BOUNDED),
        with_assessment(OPEN, "C1", arms=(an_assessment().arms[0], ArmFacts(arm="candidate", runs=1, fewest=1200))),
    ),
    (
        "intervals_come_from_this_evidence",
        (SHIP, BOUNDED),
        with_assessment(OPEN, "C1", files=(FileFacts(artifact=CURVES, started_at=NOW - DAY),)),
    ),
    ("the_primary_metric_supports_it", (SHIP,), with_assessment(OPEN, "C1", direction="not_established")),
    ("the_primary_metric_supports_it", (ROLLBACK,), replace(OPEN, production_events=())),
    ("no_harm_is_established", (BOUNDED,), UNDECIDED),
    ("every_guardrail_is_not_worse", (SHIP,), UNDECIDED),
    ("quality_is_not_worse", (SHIP, BOUNDED), with_section(OPEN, "change", rows=(KERNEL,))),
    (
        "evidence_reaches_the_scope",
        (SHIP,),
        with_assessment(OPEN, "C1", interval=an_interval(scope="this placement only")),
    ),
    (
        "required_owners_are_named",
        (SHIP, BOUNDED, ROLLBACK),
        replace(UNSHAPED, role_holders=OPEN.role_holders),
    ),
    ("required_owners_have_signed", (SHIP, BOUNDED, ROLLBACK), UNSHAPED),
    (
        "nobody_objects",
        (SHIP, BOUNDED),
        replace(OPEN, signatures=(*OPEN.signatures, a_signature("quin", "sre", position="object", kinds=()))),
    ),
    ("the_quorum_is_met", (SHIP, BOUNDED, ROLLBACK), with_template(OPEN, quorum=3)),
    (
        "signers_are_independent",
        (SHIP, BOUNDED, ROLLBACK),
        replace(UNSHAPED, signatures=(*OPEN.signatures, a_signature("olga", "thermal"))),
    ),
    (
        "the_decider_is_independent",
        (SHIP, BOUNDED, ESCALATE),
        replace(OPEN, role_holders={**OPEN.role_holders, "board": ("ann",)}),
    ),
    ("the_action_is_reversible", (SHIP, BOUNDED, ROLLBACK), with_section(OPEN, "action", rollback_target="")),
    ("the_rollout_is_bounded", (BOUNDED,), with_section(OPEN, "rollout", ends_at="")),
    (
        "the_escalation_is_addressed",
        (ESCALATE,),
        with_section(OPEN, "signoff", escalation=replace(CONTENT.signoff.escalation, to="")),
    ),
    (
        "follow_ups_are_not_overdue",
        (SHIP,),
        replace(OPEN, follow_ups=(replace(OPEN.follow_ups[0], met=False),)),
    ),
    (
        "cumulative_change_is_within_budget",
        (SHIP,),
        replace(
            OPEN,
            reference=replace(OPEN.reference, budgets=(replace(OPEN.reference.budgets[0], within=False),)),  # type: ignore[type-var, union-attr]
        ),
    ),
]


@pytest.mark.parametrize("kind", gate.COLUMNS)
def test_an_open_gate_misses_nothing(kind: DecisionKind) -> None:
    requirements = gate.evaluate(OPEN, kind)

    assert gate.missing(requirements) == ()
    assert gate.is_open(requirements)


@pytest.mark.parametrize(
    ("rule", "kind", "facts"),
    [(rule, kind, facts) for rule, kinds, facts in BROKEN for kind in kinds],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_rule_alone_closes_the_gate(rule: str, kind: DecisionKind, facts: GateFacts) -> None:
    assert blockers(facts, kind) == {rule}
    assert not gate.is_open(gate.evaluate(facts, kind))


def test_every_rule_has_a_case_above_for_every_decision_that_requires_it() -> None:
    shown = {(rule, kind) for rule, kinds, _ in BROKEN for kind in kinds}
    required = {(rule.name, kind) for rule in gate.RULES for kind in gate.COLUMNS if rule.mark(kind) == "●"}

    assert shown == required


NOTHING_COMPARED = with_comparisons(OPEN)
NOTHING_BELIEVED = hypotheses()
NOBODY_SIGNED = replace(OPEN, signatures=())

# A rule, what is empty, and a decision that then is closed.
EMPTY: list[tuple[str, DecisionKind, GateFacts]] = [
    ("the_symptom_is_complete", SHIP, with_section(OPEN, "symptom", failing_metrics=())),
    ("the_symptom_is_complete", ROLLBACK, with_section(OPEN, "symptom", failing_metric="", failing_metrics=())),
    ("a_primary_hypothesis_is_stated", SHIP, NOTHING_BELIEVED),
    ("a_competing_hypothesis_is_stated", SHIP, NOTHING_BELIEVED),
    ("a_competing_hypothesis_is_stated", SHIP, hypotheses(H1, replace(H2, predictions=()))),
    ("every_hypothesis_is_resolved", SHIP, NOTHING_BELIEVED),
    ("every_claimed_effect_has_an_interval", BOUNDED, NOTHING_COMPARED),
    ("both_arms_did_the_same_work", BOUNDED, NOTHING_COMPARED),
    ("both_arms_did_the_same_work", BOUNDED, with_assessment(OPEN, "C1", audit=())),
    ("every_started_run_is_accounted_for", SHIP, replace(OPEN, plans=())),
    ("every_started_run_is_accounted_for", SHIP, replace(OPEN, plans=(replace(OPEN.plans[0], runs=()),))),
    ("required_artifacts_are_attached", ROLLBACK, with_section(OPEN, "evidence", sets=())),
    ("required_artifacts_are_attached", ROLLBACK, with_rules(OPEN, artifacts=())),
    ("evidence_is_fresh", SHIP, NOTHING_COMPARED),
    ("evidence_is_fresh", SHIP, with_assessment(OPEN, "C1", files=())),
    ("samples_are_large_enough", SHIP, NOTHING_COMPARED),
    ("samples_are_large_enough", SHIP, with_assessment(OPEN, "C1", arms=())),
    ("intervals_come_from_this_evidence", SHIP, NOTHING_COMPARED),
    ("intervals_come_from_this_evidence", SHIP, with_section(OPEN, "evidence", sets=())),
    ("the_primary_metric_supports_it", SHIP, NOTHING_COMPARED),
    ("the_primary_metric_supports_it", SHIP, with_section(OPEN, "action", expected=())),
    ("no_harm_is_established", BOUNDED, NOTHING_COMPARED),
    ("quality_is_not_worse", BOUNDED, with_section(OPEN, "change", rows=())),
    ("evidence_reaches_the_scope", SHIP, NOTHING_COMPARED),
    ("evidence_reaches_the_scope", SHIP, with_assessment(OPEN, "C1", placements=())),
    ("required_owners_are_named", ROLLBACK, with_rules(OPEN, roles=())),
    ("required_owners_are_named", ROLLBACK, replace(OPEN, role_holders={})),
    ("required_owners_have_signed", ROLLBACK, with_rules(OPEN, roles=())),
    ("required_owners_have_signed", ROLLBACK, replace(OPEN, role_holders={})),
    ("required_owners_have_signed", ROLLBACK, NOBODY_SIGNED),
    ("the_quorum_is_met", ROLLBACK, NOBODY_SIGNED),
    ("the_quorum_is_met", ROLLBACK, replace(OPEN, contributions=())),
    ("signers_are_independent", ROLLBACK, NOBODY_SIGNED),
    ("the_decider_is_independent", ESCALATE, replace(OPEN, role_holders={**OPEN.role_holders, "board": ()})),
    ("the_decider_is_independent", ESCALATE, replace(OPEN, contributions=())),
    ("the_action_is_reversible", SHIP, with_section(OPEN, "action", risks=())),
    ("the_rollout_is_bounded", BOUNDED, with_section(OPEN, "rollout", stages=())),
    ("the_rollout_is_bounded", BOUNDED, with_section(OPEN, "rollout", abort_thresholds=())),
    ("the_rollout_is_bounded", BOUNDED, NOBODY_SIGNED),
    (
        "the_escalation_is_addressed",
        ESCALATE,
        with_section(OPEN, "signoff", escalation=replace(CONTENT.signoff.escalation, to="", by="", question="")),
    ),
    (
        "cumulative_change_is_within_budget",
        SHIP,
        replace(OPEN, reference=replace(OPEN.reference, budgets=())),  # type: ignore[type-var]
    ),
]

# The collections that may be empty: the rule prints "none", or that there is nothing to measure against.
MAY_BE_EMPTY: dict[str, GateFacts] = {
    "nobody_objects": OPEN,
    "every_guardrail_is_not_worse": with_comparisons(OPEN, C1),
    "follow_ups_are_not_overdue": replace(OPEN, follow_ups=()),
}


@pytest.mark.parametrize(("rule", "kind", "facts"), EMPTY, ids=lambda value: value if isinstance(value, str) else "")
def test_an_empty_collection_is_never_a_pass(rule: str, kind: DecisionKind, facts: GateFacts) -> None:
    assert rule in blockers(facts, kind)


@pytest.mark.parametrize("rule", MAY_BE_EMPTY)
def test_a_few_collections_may_be_empty_and_say_so(rule: str) -> None:
    lines = [line for line in gate.evaluate(MAY_BE_EMPTY[rule], SHIP) if line.rule == rule]

    assert [line.state for line in lines] == [RequirementState.NOT_APPLICABLE]
    assert lines[0].sentence.endswith(": none.")


def test_no_waiver_is_a_gate_without_waived_lines() -> None:
    assert RequirementState.WAIVED not in {line.state for line in gate.evaluate(OPEN, SHIP)}


def test_every_rule_has_its_empty_case() -> None:
    only_shown = {rule.name for rule in gate.RULES if "●" not in rule.marks}

    assert {rule for rule, _, _ in EMPTY} | set(MAY_BE_EMPTY) | only_shown == set(NAMES)
    assert only_shown == {"predictions_are_judged_in_order"}


@pytest.mark.parametrize("kind", [SHIP, BOUNDED])
def test_predictions_are_only_shown(kind: DecisionKind) -> None:
    facts = hypotheses(replace(H1, predictions=()), H2)
    facts = with_assessment(facts, "C1", judgements=())

    assert states(facts, kind, "predictions_are_judged_in_order") == {RequirementState.UNMET}
    assert "predictions_are_judged_in_order" not in blockers(facts, kind)


@pytest.mark.parametrize("kind", gate.COLUMNS)
def test_the_lines_follow_the_table_and_leave_out_what_is_not_asked(kind: DecisionKind) -> None:
    expected = [rule.name for rule in gate.RULES if rule.mark(kind) in "●○"]

    assert [line.rule for line in gate.evaluate(OPEN, kind)] == expected


def test_a_rule_with_several_gaps_has_a_line_for_each() -> None:
    facts = with_section(OPEN, "action", rollback_target="", rollback_owner="")

    lines = [line for line in gate.missing(gate.evaluate(facts, SHIP)) if line.rule == "the_action_is_reversible"]

    assert [line.sentence for line in lines] == [
        "The action names no rollback target.",
        "The action names no rollback owner.",
    ]


def test_each_line_says_who_can_supply_it_and_where() -> None:
    for _, kinds, facts in BROKEN:
        for kind in kinds:
            for line in gate.missing(gate.evaluate(facts, kind)):
                assert line.who
                assert line.where
                assert line.sentence.endswith(".")


def test_what_a_rule_cannot_judge_is_an_error_and_blocks() -> None:
    facts = with_assessment(OPEN, "C1", materiality="splendid")

    line = next(line for line in gate.evaluate(facts, BOUNDED) if line.rule == "no_harm_is_established")

    assert line.state == RequirementState.ERROR
    assert line.blocks
    assert line.sentence == "The assessment of C1 (throughput rate) says “splendid”, which no rule knows."


def test_a_fault_of_the_program_is_not_taken_for_an_answer() -> None:
    with pytest.raises(TypeError):
        gate.evaluate(replace(OPEN, now=None), SHIP)  # type: ignore[arg-type]


def test_a_rule_set_that_is_not_known_here_blocks_every_line() -> None:
    lines = gate.evaluate(with_template(OPEN, rules_version="7"), SHIP)

    assert {line.state for line in lines} == {RequirementState.ERROR}
    assert {line.rules_version for line in lines} == {"7"}
    assert "rule set 7" in lines[0].sentence


def test_no_requirement_at_all_is_not_an_open_gate() -> None:
    assert not gate.is_open(())


def test_a_template_that_does_not_know_the_decision_is_an_error() -> None:
    facts = with_template(OPEN, decisions={})

    assert states(facts, SHIP, "required_artifacts_are_attached") == {RequirementState.ERROR}


def test_a_line_can_be_listed_by_a_refusal() -> None:
    line = gate.missing(gate.evaluate(BROKEN[0][2], SHIP))[0]

    assert line.as_missing().code == "the_symptom_is_complete"
    assert line.as_missing().who == "ann (author)"


def test_requirements_carry_the_rule_set_that_judged() -> None:
    assert {line.rules_version for line in gate.evaluate(OPEN, SHIP)} == {gate.RULES_VERSION}


def test_evidence_grows_old() -> None:
    old = {**OPEN.artifacts, CURVES: an_artifact(created_at=NOW - 181 * DAY)}

    assert blockers(replace(OPEN, artifacts=old), ROLLBACK) == {"required_artifacts_are_attached"}
    assert ARTIFACTS[0].kind == "curve_pack"
