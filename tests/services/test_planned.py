"""The procedures that a plan names: taken into the request, refused by path, and computed again digit by digit."""

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from analysis.inputs import MeasurementError
from reviews.errors import BadInput
from reviews.plan_content import PlannedComparison, PlannedError, PlannedLevel, plan_from_json, plan_to_json
from reviews.policies.gate import evaluate
from reviews.queries.gate import gate_facts
from reviews.services import assessments, wellformed
from reviews.services.planned import procedures_of, require_procedures
from reviews.vocabulary import DecisionKind, RequirementState
from tests.services.asked import (
    GOODPUT,
    ITEMS,
    QUALITY,
    USUAL,
    a_run,
    by_item,
    by_sweep,
    computed,
    document,
    planned,
    scores,
)
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


def test_a_quality_guardrail_is_compared_by_item_and_answers_the_gate() -> None:
    made = by_item()

    assert made.outcome == "verdict", made.result["refusal"]
    assert made.result["design"]["kind"] == "items"
    assert (made.result["interval"]["counted"], made.result["interval"]["units"]) == ("subjects", 10)
    assert made.result["verdict"]["materiality"] == "within_margin"
    assert made.inputs["plan"]["unit"] == "item"
    assert assessments.recompute(made)
    facts = gate_facts(made.memo_id, decider=None, requested_percent=None)
    (line,) = (line for line in evaluate(facts, DecisionKind.BOUNDED) if line.rule == "quality_is_not_worse")
    assert line.state == RequirementState.MET
    assert "exact_match" in line.sentence


def test_an_item_that_an_arm_lacks_is_named_in_the_refusal() -> None:
    data = document(a_run("base", 4, scores([1])), a_run("cand", 16, scores([1], ITEMS[:39])))
    made = computed(QUALITY, data, ("baseline", "base", ""), ("candidate", "cand", ""))

    assert (made.outcome, made.result["refusal"]["code"]) == ("refused", "items_differ")
    assert "1 of 40 items are not scored by every run (1 in the candidate): q39." in made.result["refusal"]["message"]


def test_a_goodput_of_sweeps_is_computed_and_recomputed() -> None:
    made = by_sweep()

    assert made.inputs["plan"]["service_level"] == {"limits": {"ttft": "0.2"}, "share": "0.9"}
    assert [sweep["goodput"] for sweep in made.result["sweeps"]] == ["16", "8", "4", "16", "4", "4"]
    assert len(made.result["runs"]) == 6
    assert made.outcome == "verdict", made.result["refusal"]
    assert assessments.recompute(made)


def test_the_procedures_reach_the_analysis_as_they_are_written() -> None:
    row = replace(
        USUAL.comparisons[0],
        estimator="ratio_of_means",
        equivalence_level="0.90",
        measurement_error=PlannedError(baseline="1.005", candidate="1.002", shared_gain=True),
    )
    found = procedures_of(row)

    assert (found["unit"], found["estimator"], found["equivalence_level"]) == ("run", "ratio_of_means", 0.9)
    assert found["measurement_error"] == MeasurementError(Fraction("1.005"), Fraction("1.002"), shared_gain=True)
    assert found["service_level"] is None


def test_a_plan_with_named_procedures_is_read_back_from_its_json() -> None:
    content = replace(
        USUAL,
        comparisons=(QUALITY, GOODPUT, replace(QUALITY, measurement_error=PlannedError(baseline="1", candidate="2"))),
    )

    assert plan_from_json(json.loads(json.dumps(plan_to_json(content)))) == content


def test_a_plan_from_before_names_no_procedure() -> None:
    older = plan_to_json(USUAL)
    for row in older["comparisons"]:
        for name in ("unit", "estimator", "equivalence_level", "measurement_error", "service_level"):
            del row[name]

    assert plan_from_json(older) == USUAL


BAD: Sequence[tuple[PlannedComparison, str, str]] = [
    (replace(QUALITY, scale="ratio", margin="0.98"), "comparisons.Q1.unit", "bad_unit"),
    (replace(QUALITY, unit="token"), "comparisons.Q1.unit", "bad_unit"),
    (replace(QUALITY, estimator="mode"), "comparisons.Q1.unit", "bad_unit"),
    (replace(QUALITY, unit="run", estimator="mode"), "comparisons.Q1.estimator", "bad_estimator"),
    (replace(QUALITY, equivalence_level="0.8"), "comparisons.Q1.equivalence_level", "bad_equivalence_level"),
    (replace(QUALITY, equivalence_level="high"), "comparisons.Q1.equivalence_level", "bad_number"),
    (
        replace(QUALITY, measurement_error=PlannedError(baseline="0.9", candidate="1")),
        "comparisons.Q1.measurement_error",
        "bad_measurement_error",
    ),
    (
        replace(QUALITY, measurement_error=PlannedError(baseline="1", candidate="1 %")),
        "comparisons.Q1.measurement_error.candidate",
        "bad_number",
    ),
    (
        replace(QUALITY, measurement_error=PlannedError(baseline="", candidate="1")),
        "comparisons.Q1.measurement_error.baseline",
        "bad_number",
    ),
    (replace(GOODPUT, service_level=None), "comparisons.G1.service_level", "no_service_level"),
    (replace(GOODPUT, stat="mean"), "comparisons.G1.service_level", "bad_goodput"),
    (
        replace(GOODPUT, service_level=PlannedLevel(limits={"ttft": "fast"})),
        "comparisons.G1.service_level.limits.ttft",
        "bad_number",
    ),
    (
        replace(GOODPUT, service_level=PlannedLevel(limits={"ttft": "1"}, share="most")),
        "comparisons.G1.service_level.share",
        "bad_number",
    ),
    (replace(GOODPUT, service_level=PlannedLevel(limits={})), "comparisons.G1.service_level", "bad_service_level"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "where", "code"), BAD, ids=[f"{where}-{code}" for _, where, code in BAD])
def test_procedures_that_do_not_fit_are_refused_by_path(row: PlannedComparison, where: str, code: str) -> None:
    with refused(BadInput, code, where):
        require_procedures(replace(USUAL, comparisons=(row,)))


def test_registering_refuses_them() -> None:
    with refused(BadInput, "bad_unit", "comparisons.Q1.unit"):
        planned(replace(QUALITY, unit="token"))


def test_a_limit_that_no_text_can_hold_is_refused() -> None:
    row = replace(GOODPUT, service_level=PlannedLevel(limits={"a\0b": "1"}))

    with refused(BadInput, "bad_character"):
        wellformed.require_plan(replace(USUAL, comparisons=(row,)), "")


def test_a_worse_quality_closes_the_gate() -> None:
    made = by_item(range(20))
    facts = gate_facts(made.memo_id, decider=None, requested_percent=None)
    lines = [line for line in evaluate(facts, DecisionKind.BOUNDED) if line.rule == "quality_is_not_worse"]

    assert made.result["verdict"]["materiality"] == "worse_than_margin"
    assert [line.state for line in lines] == [RequirementState.UNMET]
