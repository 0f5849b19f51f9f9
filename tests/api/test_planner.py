"""The planner of the API: what `countersign plan --json` prints, with the guardrails of the memo."""

import pytest

from tests.api.asking import as_nobody, as_token, good, problem
from tests.web.test_planner_page import STATED, a_file, a_pilot, address, of_memo

pytestmark = pytest.mark.django_db


def test_a_pilot_gives_plan_assurance_and_guardrails() -> None:
    memo = a_pilot(a_file(tails=(20.0, 26.0, 16.0, 22.0)))

    found = good(as_token("pat", "read").get(of_memo(memo).removeprefix("/")))

    assert found["pilot"]["metric"] == "throughput rate"
    assert found["assurance"]["plan"]["runs"] > found["plan"]["runs"] >= 2
    assert found["plan"]["placements"] == 1
    [one] = found["guardrails"]["each"]
    assert (one["underpowered"], found["guardrails"]["declared"]) == (True, True)
    assert found["guardrails"]["runs"] == found["plan"]["runs"]
    assert found["guardrails"]["together"]["power"] == pytest.approx(one["power"])
    assert found["guardrails"]["together"]["runs_needed"] > found["plan"]["runs"]


def test_stated_spreads_know_neither_pilot_nor_guardrails() -> None:
    a_pilot()
    found = good(as_token("pat", "read").get(address(**STATED).removeprefix("/")))

    assert (found["plan"]["runs"], found["plan"]["steps"], round(found["plan"]["cost_s"])) == (10, 68, 1336)
    assert (found["pilot"], found["assurance"], found["guardrails"]) == (None, None, None)


def test_a_guardrail_that_the_pilot_does_not_show_is_listed() -> None:
    memo = a_pilot(a_file(tails=(20.0,) * 4))
    found = good(as_token("pat", "read").get(of_memo(memo).removeprefix("/")))

    assert found["guardrails"]["together"] is None
    assert [row["guardrail"] for row in found["guardrails"]["unknown"]] == ["e2e_latency p99"]


def test_what_cannot_be_planned_is_refused_with_its_code() -> None:
    memo = a_pilot()
    pat = as_token("pat", "read")

    problem(pat.get("planner/?half_width=1%25"), 422, "spread_not_given")
    problem(pat.get("planner/?run_sd=1%25&step_sd=1%25"), 422, "nothing_asked")
    problem(pat.get(of_memo(memo, arm="candidate").removeprefix("/")), 422, "no_pilot")
    problem(pat.get(of_memo(memo, metric="").removeprefix("/")), 422, "metric_not_chosen")
    problem(pat.get("planner/?memo=ARM-2026-9999&half_width=1%25"), 404, "not_found")
    assert as_nobody().get("planner/").status_code == 401
