"""Comparisons, hypotheses and the gate over the API."""

from typing import Any

import pytest

from reviews.plan_content import plan_to_json
from tests import cases, families, staged
from tests.api.asking import as_person, as_token, good, of, problem

pytestmark = pytest.mark.django_db


def test_a_comparison_carries_its_row_its_sentence_and_its_frozen_result() -> None:
    memo = cases.a_memo_with_evidence()
    bea = as_person("bea")

    listed = good(bea.get(of(memo, "comparisons/")))
    one = good(bea.get(of(memo, "comparisons/C1/")))

    assert {row["key"] for row in listed} == {"C1", "C2", "C3"}
    assert one in listed
    assert one["comparison"]["margin"] == "0.98"
    assert one["sentence"] == one["assessment"]["result"]["verdict"]["headline"]
    assert one["assessment"]["digest"] == one["comparison"]["assessment"]


def test_what_is_not_compared_says_why() -> None:
    memo = cases.a_memo_with_evidence()

    one = good(as_person("bea").get(of(memo, "comparisons/C3/")))

    assert one["assessment"] is None
    assert one["sentence"] == "the machine shows no power counter"
    problem(as_person("bea").get(of(memo, "comparisons/C9/")), 404, "not_found")


def test_a_comparison_is_computed_and_again_it_is_the_same() -> None:
    memo = cases.a_memo_in_review()
    sam = as_token("sam", "attach", "read")
    problem(sam.post(of(memo, "comparisons/C1/compute/")), 409, "no_sealed_set")
    number = cases.an_open_set(memo).number
    good(sam.post(of(memo, f"evidence-sets/{number}/seal/")))

    first = good(sam.post(of(memo, "comparisons/C1/compute/")))
    second = good(sam.post(of(memo, "comparisons/C1/compute/")))

    assert first == second
    assert first["assessment"]["outcome"] == "verdict"
    assert good(sam.get(of(memo, f"assessments/{first['assessment']['digest']}/"))) == first["assessment"]
    problem(sam.get(of(memo, f"assessments/{'0' * 64}/")), 404, "not_found")


def test_a_difference_is_explained_and_accepted_by_somebody_else() -> None:
    memo = cases.a_memo_with_evidence()
    where = of(memo, "comparisons/C1/explanations/")
    said = {"setting": "seed", "text": "The order of requests differs.", "greatest_effect": "1.01"}

    explained = good(as_token("ann", "file").post(where, said))
    problem(as_person("ann").post(f"{where}accept/", {"setting": "seed"}), 403, "not_permitted")
    accepted = good(as_person("sam").post(f"{where}accept/", {"setting": "seed"}))

    assert explained["comparison"]["explanations"][0]["accepted_by"] == ""
    assert accepted["comparison"]["explanations"][0]["accepted_by"] == "sam"
    problem(as_person("sam").post(f"{where}accept/", {"setting": "colour"}), 404, "not_found")


def test_an_effect_that_is_no_ratio_is_refused() -> None:
    memo = cases.a_memo_with_evidence()
    said = {"setting": "seed", "text": "It does not matter.", "greatest_effect": "0.9"}

    problem(as_person("ann").post(of(memo, "comparisons/C1/explanations/"), said), 422, "bad_effect")


def test_a_setting_that_no_file_records_is_stated() -> None:
    memo = cases.a_memo_with_evidence()
    said = {"setting": "governor", "arm": "baseline", "value": "performance"}

    stated = good(as_token("ann", "file").post(of(memo, "comparisons/C1/statements/"), said))

    assert stated["comparison"]["stated"] == [{**said, "by": "ann"}]
    assert stated["sentence"] == "Not computed yet."


def test_a_comparison_is_left_out_with_a_reason() -> None:
    memo = cases.a_planned_draft()

    left = good(as_person("ann").post(of(memo, "comparisons/C2/absence/"), {"reason": "No clock."}))

    assert left["comparison"]["absent_reason"] == "No clock."
    problem(as_person("ann").post(of(memo, "comparisons/C2/absence/"), {"reason": ""}), 422, "bad_input")


def test_hypotheses_come_with_what_the_assessments_judge() -> None:
    memo = cases.a_memo_with_evidence()

    body = good(as_person("bea").get(of(memo, "hypotheses/")))

    assert [row["key"] for row in body["hypotheses"]] == ["H1", "H2"]
    assert body["missing_evidence"][0]["what"].startswith("energy per inference")
    judged = {(row["hypothesis"], row["prediction"]): row for row in body["judgements"] if row["comparison"] == "C1"}
    assert set(judged) == {("H1", "P1"), ("H2", "P2")}
    assert not any(row["post_hoc"] for row in judged.values())


def test_a_hypothesis_is_resolved_by_its_author() -> None:
    memo = cases.a_memo_with_evidence()
    address, due = of(memo, "hypotheses/H2/resolution/"), {"state": "open", "owner": "sam", "due": "2031-01-01"}

    body = good(as_token("ann", "file").post(address, due))

    assert body["hypotheses"][1]["resolution"] == {**due, "reason": ""}
    problem(as_person("ann").post(address, {"state": "refuted"}), 422, "no_reason")
    problem(as_person("ann").post(of(memo, "hypotheses/H9/resolution/"), due), 404, "not_found")
    problem(as_person("sam").post(address, due), 403, "not_permitted")


def test_the_gate_answers_for_all_four_decisions() -> None:
    memo = cases.a_memo_ready_to_roll_out()

    body = good(as_token("bea", "read").get(of(memo, "gate/")))

    assert body["least_restrictive"] == "bounded"
    assert {row["kind"]: row["allowed"] for row in body["outlooks"]} == {
        "ship": False,
        "bounded": True,
        "rollback": False,
        "escalate": False,
    }
    assert body["outlooks"][0]["kind"] == "ship"


def test_a_closed_gate_says_what_is_missing_who_and_where() -> None:
    memo = cases.a_memo_ready_to_roll_out()

    ship = good(as_person("bea").get(of(memo, "gate/ship/")))

    assert not ship["allowed"]
    blocker: dict[str, Any] = next(row for row in ship["blockers"] if row["rule"] == "evidence_reaches_the_scope")
    assert blocker["required"]
    assert blocker["sentence"]
    problem(as_person("bea").get(of(memo, "gate/celebrate/")), 404, "not_found")


def test_all_comparisons_are_said_together() -> None:
    memo = families.a_memo_with_claims(computed=("C4", "C6"))

    said = good(as_person("bea").get(of(memo, "together/")))

    assert (said["ships"], [one["key"] for one in said["guardrails"]]) == (True, ["C2"])
    assert [(one["key"], one["direction"]) for one in said["claims"]] == [
        ("C4", "improvement_established"), ("C5", "not_established"),
    ]  # fmt: skip
    assert (said["claims"][0]["interval"]["level"], said["claims"][1]["interval"]) == ("0.975", None)
    assert [(one["key"], one["noted"]) for one in said["screened"]] == [("C6", True), ("C7", False)]
    assert said["attribution"]["rung"] == 2
    assert {one["what"] for one in said["attribution"]["facts"]} == {
        "effect", "design", "quality", "replay", "fix check",
    }  # fmt: skip
    problem(as_person("eve").get(of(memo, "together/")), 404, "not_found")


def test_stages_and_counters_are_members_of_the_result_with_how_they_were_made() -> None:
    memo = staged.a_memo()

    result = good(as_person("bea").get(of(memo, "comparisons/C4/")))["assessment"]["result"]

    assert (result["stages"]["kind"], result["stages"]["found"]) == ("stages", ["run"])
    assert result["stages"]["basis"]["together"] == "0.95"
    assert [split["of"] for split in result["splits"]] == ["stages", "work, cycles and clock"]
    assert result["mechanisms"]["dominant"] == "scheduling"
    assert result["ladder_rung"] == 2


def test_a_plan_takes_what_it_says_of_stages_and_refuses_what_is_none() -> None:
    memo = cases.a_draft()
    ann = as_token("ann", "file", "read")
    plan = plan_to_json(staged.planned("C4", "fix_check", stages="summed"))
    bad = {**plan, "comparisons": [{**plan["comparisons"][0], "stages": "nested"}]}

    refused = ann.post(of(memo, "plans/"), {"plan": bad})
    kept = good(ann.post(of(memo, "plans/"), {"plan": plan}), 201)

    assert problem(refused, 422, "bad_plan")["where"] == "comparisons.C4.stages"
    assert kept["content"]["comparisons"][0]["stages"] == "summed"
