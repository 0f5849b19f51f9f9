"""The symptom and the hypotheses, sentence by sentence."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.policies.facts import GateFacts
from reviews.sections import FailingMetric, HypothesisResolution, Unfilled
from reviews.vocabulary import DecisionKind, RequirementState

from .asking import lines, said, state
from .open_gate import (
    CONTENT,
    HYPOTHESES,
    OPEN,
    a_comparison,
    a_prediction,
    an_assessment,
    with_assessment,
    with_comparisons,
    with_section,
)

COMPLETE = "the_symptom_is_complete"
C1, C2 = CONTENT.comparisons.comparisons
H1, H2 = HYPOTHESES
ENERGY = FailingMetric(said="energy per inference", metric="energy_per_request", stat="value", condition="")


def with_energy(facts: GateFacts = OPEN) -> GateFacts:
    return with_section(facts, "symptom", failing_metrics=(*CONTENT.symptom.failing_metrics, ENERGY))


def hypotheses(*changed: Any) -> GateFacts:
    return with_section(OPEN, "hypotheses", hypotheses=changed)


def test_a_metric_that_nobody_compared_is_named_with_the_code_of_its_waiver() -> None:
    [line] = lines(COMPLETE, with_energy())

    assert line.code == "the_symptom_is_complete:energy_per_request.value"
    assert line.waivable
    assert line.sentence == "energy_per_request value is not compared: compare it, or have that waived."
    assert line.who == "sam (contributor) or ann (author)"


def test_a_comparison_that_says_why_it_has_no_assessment_needs_the_waiver_too() -> None:
    absent = a_comparison("C3", "energy_per_request", "value", assessment="", absent_reason="no power counter")

    [line] = lines(COMPLETE, with_comparisons(OPEN, C1, C2, absent))

    assert line.code == "the_symptom_is_complete:energy_per_request.value"
    assert "(no power counter)" in line.sentence


def test_a_reason_beside_an_assessment_changes_nothing() -> None:
    facts = with_comparisons(OPEN, C1, replace(C2, absent_reason="not needed"))

    assert state(COMPLETE, facts) == RequirementState.MET


def test_an_ambiguous_metric_is_asked_for_and_not_called_uncompared() -> None:
    vague = FailingMetric(said="latency", metric="latency", stat="", condition="")
    facts = with_section(OPEN, "symptom", failing_metrics=(*CONTENT.symptom.failing_metrics, vague))

    assert said(COMPLETE, facts) == ["“latency” can mean several metrics: choose one."]


def test_a_placeholder_whose_field_is_blank_is_left() -> None:
    facts = with_section(OPEN, "header", unfilled=(Unfilled(field="hypotheses.missing_evidence", wanted="trace"),))

    assert said(COMPLETE, facts) == ["hypotheses.missing_evidence is a placeholder still: the text wants trace."]
    assert not lines(COMPLETE, facts)[0].waivable


def test_a_placeholder_whose_field_is_filled_since_is_settled() -> None:
    facts = with_section(OPEN, "header", unfilled=(Unfilled(field="symptom.workload_slice", wanted="name"),))

    assert state(COMPLETE, facts) == RequirementState.MET


def test_a_placeholder_in_the_symptom_is_said_once() -> None:
    facts = with_section(OPEN, "header", unfilled=(Unfilled(field="symptom.workload_slice", wanted="name"),))

    assert said(COMPLETE, with_section(facts, "symptom", workload_slice="")) == [
        "The symptom names no workload or traffic slice."
    ]


@pytest.mark.parametrize(
    ("key", "margin", "looser"),
    [
        ("C1", "0.97", True),
        ("C1", "0.98", False),
        ("C1", "0.99", False),
        ("C2", "1.06", True),
        ("C2", "1.05", False),
        ("C2", "1.04", False),
    ],
)
def test_a_margin_looser_than_the_templates_needs_a_waiver_in_both_directions(
    key: str, margin: str, looser: bool
) -> None:
    changed = [replace(c, margin=margin) if c.key == key else c for c in (C1, C2)]

    codes = [line.code for line in lines(COMPLETE, with_comparisons(OPEN, *changed)) if line.blocks]

    assert codes == ([f"{COMPLETE}:{key}.margin"] if looser else [])


@pytest.mark.parametrize(("margin", "looser"), [("0.02", True), ("0.01", False), ("0.005", False)])
def test_a_margin_of_a_difference_is_looser_when_it_is_larger(margin: str, looser: bool) -> None:
    metric = replace(OPEN.template.metrics[0], metric="error_rate", scale="proportion", better="lower", margin="0.01")
    facts = replace(OPEN, template=replace(OPEN.template, metrics=(*OPEN.template.metrics, metric)))
    rate = a_comparison("C3", "error_rate", "rate", scale="proportion", better="lower", margin=margin)

    assert any(line.blocks for line in lines(COMPLETE, with_comparisons(facts, C1, C2, rate))) is looser


def test_better_and_worse_cannot_be_swapped() -> None:
    [line] = lines(COMPLETE, with_comparisons(OPEN, replace(C1, better="lower"), C2))

    assert line.sentence == (
        "C1 (throughput rate) is compared as ratio, lower is better; the template says ratio, higher is better."
    )
    assert not line.waivable


def test_a_metric_that_the_template_does_not_know_has_no_margin_to_loosen() -> None:
    other = a_comparison("C3", "queue_wait", "p50", better="lower", margin="9")

    assert state(COMPLETE, with_comparisons(OPEN, C1, C2, other)) == RequirementState.MET


def test_a_margin_that_is_no_number_is_an_error() -> None:
    facts = with_comparisons(OPEN, replace(C1, margin="two percent"), C2)

    assert state(COMPLETE, facts) == RequirementState.ERROR
    assert said(COMPLETE, facts) == [
        "The margin of C1 (throughput rate) is “two percent”, which is not a decimal number."
    ]


def test_a_rollback_needs_no_more_than_what_hurts() -> None:
    facts = with_section(OPEN, "symptom", failing_metrics=(), workload_slice="", failing_metric="it is slow")

    assert state(COMPLETE, facts, DecisionKind.ROLLBACK) == RequirementState.MET


def test_two_primary_hypotheses_are_one_too_many() -> None:
    facts = hypotheses(H1, H2, replace(H1, key="H3"))

    assert said("a_primary_hypothesis_is_stated", facts) == ["2 hypotheses are called primary: exactly one can be."]


@pytest.mark.parametrize("change", [{"statement": " "}, {"mechanism": "magic"}])
def test_a_primary_hypothesis_has_a_statement_and_a_class(change: dict[str, Any]) -> None:
    facts = hypotheses(replace(H1, **change), H2)

    assert state("a_primary_hypothesis_is_stated", facts) == RequirementState.UNMET


RIVAL = "a_competing_hypothesis_is_stated"


def test_a_planned_change_needs_no_rival() -> None:
    facts = with_section(hypotheses(H1), "header", intent="planned_change")

    assert state(RIVAL, facts) == RequirementState.NOT_APPLICABLE


def test_a_rival_that_predicts_the_same_does_not_count() -> None:
    facts = hypotheses(H1, replace(H2, predictions=(a_prediction("P2", "1.050", "1.2"),)))

    assert said(RIVAL, facts) == ["H2: no prediction differs from the primary hypothesis on a metric of this memo."]


def test_an_open_end_differs_from_a_closed_one() -> None:
    facts = hypotheses(H1, replace(H2, predictions=(a_prediction("P2", "1.05", ""),)))

    assert state(RIVAL, facts) == RequirementState.MET


def test_a_rival_counts_only_for_a_metric_of_this_memo() -> None:
    ours, theirs = (replace(a_prediction("P9", low, "3"), metric="power") for low in ("1", "2"))
    facts = hypotheses(replace(H1, predictions=(ours,)), replace(H2, predictions=(theirs,)))

    assert state(RIVAL, facts) == RequirementState.UNMET

    power = a_comparison("C3", "power", "rate", assessment="assessment of C2")

    assert state(RIVAL, with_comparisons(facts, C1, C2, power)) == RequirementState.MET


def test_a_rival_has_to_differ_where_the_primary_says_something() -> None:
    facts = hypotheses(replace(H1, predictions=()), H2)

    assert state(RIVAL, facts) == RequirementState.UNMET


RESOLVED = "every_hypothesis_is_resolved"


def resolved(state: str, **fields: str) -> GateFacts:
    return hypotheses(H1, replace(H2, resolution=HypothesisResolution(state=state, **fields)))


def judged(*judgements: str, post_hoc: bool = False) -> GateFacts:
    """The open gate with these judgements of H1, which is resolved as supported."""
    mine = [j for j in an_assessment().judgements if j.hypothesis == "H2"]
    others = [replace(an_assessment().judgements[0], judgement=j, post_hoc=post_hoc) for j in judgements]
    return with_assessment(OPEN, "C1", judgements=(*mine, *others))


def test_an_open_hypothesis_with_owner_and_date_is_resolved_and_named() -> None:
    facts = resolved("open", owner="pat", due="2026-06-01")

    assert state(RESOLVED, facts) == RequirementState.MET
    assert said(RESOLVED, facts) == ["Open: H2 (pat, by 2026-06-01)."]


@pytest.mark.parametrize("fields", [{"owner": "pat"}, {"due": "2026-06-01"}, {}])
def test_an_open_hypothesis_needs_an_owner_and_a_date(fields: dict[str, str]) -> None:
    assert said(RESOLVED, resolved("open", **fields)) == ["H2 is open without an owner and a date."]


def test_the_date_of_an_open_hypothesis_is_a_date() -> None:
    assert state(RESOLVED, resolved("open", owner="pat", due="soon")) == RequirementState.ERROR


def test_a_refuted_hypothesis_needs_a_reason_or_a_refuted_prediction() -> None:
    facts = with_assessment(resolved("refuted"), "C1", judgements=an_assessment().judgements[:1])

    assert said(RESOLVED, facts) == [
        "H2 is resolved as refuted without a reason, and no registered prediction of it was refuted."
    ]
    assert state(RESOLVED, resolved("refuted")) == RequirementState.MET


def test_support_needs_a_supported_prediction() -> None:
    assert said(RESOLVED, judged("inconclusive")) == [
        "H1 is resolved as supported, and no prediction registered before the runs was."
    ]


def test_a_prediction_after_the_fact_never_counts_as_support() -> None:
    assert state(RESOLVED, judged("supported", post_hoc=True)) == RequirementState.UNMET


def test_support_does_not_stand_beside_a_refuted_prediction() -> None:
    assert said(RESOLVED, judged("supported", "refuted")) == [
        "H1 is resolved as supported, and a registered prediction of it was refuted."
    ]


def test_an_unknown_resolution_is_none() -> None:
    assert said(RESOLVED, resolved("probably")) == ["H2 is not resolved."]


ORDER = "predictions_are_judged_in_order"


def test_a_prediction_that_is_not_judged_is_named() -> None:
    assert said(ORDER, with_assessment(OPEN, "C1", judgements=an_assessment().judgements[:1])) == [
        "The prediction P2 of H2 is not judged yet."
    ]


def test_a_prediction_after_the_fact_is_flagged() -> None:
    assert said(ORDER, judged("supported", post_hoc=True)) == [
        "The prediction P1 of H1 was not registered before the runs, and never counts as support."
    ]


def test_a_memo_that_predicts_nothing_is_told_so() -> None:
    facts = hypotheses(replace(H1, predictions=()), replace(H2, predictions=()))

    assert said(ORDER, facts) == ["No hypothesis predicts anything."]
