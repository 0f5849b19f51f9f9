"""Plans over the API."""

from typing import Any

import pytest

from reviews.plan_content import plan_to_json
from tests import cases
from tests.api.asking import as_person, as_token, good, of, problem
from tests.services import metered

pytestmark = pytest.mark.django_db


def plan() -> Any:
    return plan_to_json(cases.plan_content())


def test_a_plan_is_registered_and_its_comparisons_stand_in_the_memo() -> None:
    memo = cases.a_draft()
    ann = as_token("ann", "file", "read")

    made = good(ann.post(of(memo, "plans/"), {"plan": plan()}), 201)

    assert made["witnessed"]
    assert [row["nonce"] for row in good(ann.get(of(memo, "plans/")))] == [made["nonce"]]
    assert good(ann.get(of(memo, f"plans/{made['nonce']}/"))) == made
    assert {row["key"] for row in good(ann.get(of(memo, "comparisons/")))} == {"C1", "C2", "C3"}


def test_an_imported_plan_keeps_its_nonce_and_is_not_witnessed() -> None:
    memo = cases.a_draft()
    body = {"plan": plan(), "nonce": "written-before", "registered_at": "2026-01-02T03:04:05Z"}

    made = good(as_person("ann").post(of(memo, "plans/"), body), 201)

    assert (made["nonce"], made["witnessed"], made["registered_at"]) == (
        "written-before",
        False,
        "2026-01-02T03:04:05Z",
    )


def test_a_plan_that_does_not_fit_is_refused_with_its_path() -> None:
    memo = cases.a_draft()

    body = problem(as_person("ann").post(of(memo, "plans/"), {"plan": {**plan(), "looks": "two"}}), 422, "bad_plan")

    assert "$.looks" in body["detail"]


def test_a_plan_that_the_memo_lacks_is_not_there() -> None:
    memo = cases.a_draft()

    problem(as_person("ann").get(of(memo, "plans/none/")), 404, "not_found")


def test_a_run_is_accounted_for_once() -> None:
    memo = cases.a_planned_draft()
    sam = as_token("sam", "attach", "read")
    where = of(memo, f"plans/plan-of-{memo.number}/run-accounts/")
    body = {"run": "b1-baseline", "reason": "The host was rebooted."}

    assert good(sam.post(where, body), 201)["run"] == "b1-baseline"
    assert [row["reason"] for row in good(sam.get(where))] == ["The host was rebooted."]
    problem(sam.post(where, body), 422, "accounted_already")


def test_a_plan_declares_how_power_is_measured_and_is_refused_by_the_place_that_does_not_fit() -> None:
    memo = cases.a_draft()
    sent = plan_to_json(metered.a_plan())
    bad = {**sent, "comparisons": [{**sent["comparisons"][0], "metering": {"source": "counter", "cap": "many"}}]}
    ann = as_token("ann", "file", "read")

    said = problem(ann.post(of(memo, "plans/"), {"plan": bad}), 422, "bad_number")
    made = good(ann.post(of(memo, "plans/"), {"plan": sent}), 201)

    assert said["where"] == "comparisons.C1.metering.cap"
    assert made["content"]["comparisons"][0]["metering"]["relative"] == "0.01"
