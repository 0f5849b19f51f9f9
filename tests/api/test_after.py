"""Comments, observations, production events, outcomes and the trail over the API."""

import pytest
from django.utils import timezone

from reviews.models import Artifact
from reviews.services import parsing
from tests import cases
from tests.api.asking import as_person, as_token, good, of, problem

pytestmark = pytest.mark.django_db


def test_a_comment_is_added_answered_and_resolved_once() -> None:
    memo = cases.a_draft()
    bea = as_token("bea", "file", "read")

    first = good(bea.post(of(memo, "comments/"), {"anchor": "symptom", "text": "Which slice?"}), 201)
    reply = {"anchor": "symptom", "text": "Chat.", "answers": first["id"]}
    good(as_person("ann").post(of(memo, "comments/"), reply), 201)
    resolved = good(bea.post(of(memo, f"comments/{first['id']}/resolve/"), {"note": "Clear."}))

    assert [(row["author"], row["answers"]) for row in good(bea.get(of(memo, "comments/")))] == [
        ("Bea", None),
        ("Ann", first["id"]),
    ]
    assert (first["resolved_by"], resolved["resolved_by"]) == (None, "Bea")
    problem(bea.post(of(memo, f"comments/{first['id']}/resolve/"), {}), 409, "resolved_already")


def test_a_comment_at_no_section_or_to_no_comment_is_refused() -> None:
    memo = cases.a_draft()
    bea = as_person("bea")

    problem(bea.post(of(memo, "comments/"), {"anchor": "weather", "text": "x"}), 422, "bad_input")
    problem(bea.post(of(memo, "comments/"), {"anchor": "symptom", "text": "x", "answers": 9}), 404, "not_found")
    problem(bea.post(of(memo, "comments/9/resolve/"), {}), 404, "not_found")


def test_a_token_reports_what_was_seen_and_what_was_deployed() -> None:
    memo = cases.a_memo_rolling_out()
    sam = as_token("sam", "report", "read")
    event = {"kind": "deployed", "build": "sha256:1", "scope_percent": "5", "happened_at": "2026-01-02T00:00:00Z"}

    seen = good(sam.post(of(memo, "observations/"), {"text": "The queue is calm."}), 201)
    reported = good(sam.post(of(memo, "production-events/"), event), 201)

    assert (seen["observed_by"], seen["decision"], seen["assessment"]) == ("token nightly of Sam", 1, "")
    assert (reported["reported_by"], reported["scope_percent"]) == ("token nightly of Sam", "5.0000")
    assert good(sam.get(of(memo, "observations/"))) == [seen]
    assert good(sam.get(of(memo, "production-events/"))) == [reported]


def test_an_observation_before_a_decision_is_refused() -> None:
    memo = cases.a_draft()

    problem(as_person("sam").post(of(memo, "observations/"), {"text": "Too early."}), 409, "wrong_state")


def test_a_production_event_that_lies_ahead_is_refused() -> None:
    memo = cases.a_memo_rolling_out()
    event = {"kind": "deployed", "build": "sha256:1", "happened_at": "2999-01-01T00:00:00Z"}

    problem(as_person("sam").post(of(memo, "production-events/"), event), 422, "future_time")


def test_an_outcome_is_recorded_only_after_the_end() -> None:
    memo = cases.a_memo_rolling_out()

    problem(as_person("ann").post(of(memo, "outcomes/"), {"text": "All well."}), 409, "wrong_state")
    assert good(as_person("ann").get(of(memo, "outcomes/"))) == []


def test_the_trail_is_whole_and_in_order() -> None:
    memo = cases.a_memo_with_evidence()

    trail = good(as_token("aud", "read").get(of(memo, "trail/")))

    assert trail["whole"]
    assert trail["faults"] == []
    assert [event["sequence"] for event in trail["events"]] == list(range(1, len(trail["events"]) + 1))
    assert trail["head"] == trail["events"][-1]["hash"]
    assert {"file", "register_plan", "seal", "assess"} <= {event["action"] for event in trail["events"]}


def test_a_comparison_is_measured_again_after_the_decision() -> None:
    memo = cases.a_memo_rolling_out()
    sam = as_token("sam")
    sha256 = good(sam.send_file(cases.runs_file(cases.AS_MEASURED, timezone.now())), 201)["sha256"]
    parsing.parse(Artifact.objects.get(sha256=sha256), asked="")
    files = [
        {"artifact": sha256, "kind": "benchmark_run", "use": "confirming", "arm": arm, "run": f"{b}-{arm}", "block": b}
        for b in cases.BLOCKS
        for arm in ("baseline", "candidate")
    ]
    body = {"comparison": "C1", "title": "Recheck", "text": "As in production.", "files": files}

    made = good(sam.post(of(memo, "rechecks/"), body), 201)

    assert made["observed_by"] == "token nightly of Sam"
    assert good(sam.get(of(memo, f"assessments/{made['assessment']}/")))["comparison"] == "C1"
    assert good(sam.get(of(memo, "observations/"))) == [made]
