"""Memos over the API: read, file, check, move."""

import pytest

from reviews.vocabulary import State
from tests import cases
from tests.api.asking import as_person, as_token, good, of, problem, tag

pytestmark = pytest.mark.django_db


def test_a_memo_carries_sections_digests_actions_and_the_tag_of_its_revision() -> None:
    memo = cases.a_draft()

    response = as_person("ann").get(of(memo))
    body = good(response)

    assert response["ETag"] == tag(memo) == f'"{body["revision"]["digest"]}"'
    assert set(body["sections"]) == set(body["section_digests"])
    assert {"edit", "submit", "withdraw"} <= set(body["allowed_actions"])
    assert "sign" not in body["allowed_actions"]


def test_a_memo_that_one_does_not_see_is_not_there() -> None:
    memo = cases.a_draft()

    problem(as_person("eve").get(of(memo)), 404, "not_found")


def test_a_memo_is_filed_from_its_text_with_notes_by_line() -> None:
    cases.a_draft()
    text = "ACCELERATOR REVIEW MEMO - Short\n\n1. Symptom\n   - Failing metric: <name the metric>\n"
    body = {"text": text, "team": "serving", "template": cases.TEMPLATE, "intent": "regression"}

    response = as_token("ann", "file").post("memos/", body)
    filed = good(response, 201)

    assert response["Location"] == f"/api/v1/memos/{filed['memo']['number']}/"
    assert filed["memo"]["title"] == "Short"
    assert filed["memo"]["state"] == "draft"
    assert response["ETag"] == f'"{filed["memo"]["revision"]["digest"]}"'
    assert all(set(note) == {"line", "sentence"} for note in filed["notes"])


def test_a_memo_is_filed_from_records() -> None:
    memo = cases.a_draft()
    ann = as_person("ann")
    sections = good(ann.get(of(memo)))["sections"]
    sections["header"]["title"] = "From records"

    filed = good(ann.post("memos/", {"sections": sections}), 201)

    assert filed["memo"]["title"] == "From records"
    assert filed["memo"]["number"] != memo.number


def test_text_and_records_together_are_refused() -> None:
    cases.a_draft()

    problem(as_person("ann").post("memos/", {"sections": {}, "text": "x"}), 422, "bad_input")


def test_who_is_no_author_files_nothing() -> None:
    cases.a_draft()
    body = {"text": "x", "team": "serving", "template": cases.TEMPLATE, "intent": "regression"}

    problem(as_person("sam").post("memos/", body), 403, "not_permitted")


def test_a_field_that_does_not_exist_is_refused_not_dropped() -> None:
    memo = cases.a_draft()

    body = problem(
        as_person("ann").patch(of(memo), {"sections": {}, "said": "x", "force": True}, If_Match=tag(memo)),
        422,
        "bad_input",
    )

    assert body["where"] == "/force"


def test_a_draft_is_submitted_under_its_tag() -> None:
    memo = cases.a_planned_draft()
    ann = as_token("ann", "file")

    problem(ann.post(of(memo, "submit/")), 428, "match_needed")
    submitted = good(ann.post(of(memo, "submit/"), If_Match=tag(memo)))

    assert submitted["state"] == "in_review"


def test_submitting_lists_what_the_memo_does_not_say() -> None:
    cases.a_draft()
    body = {
        "text": "ACCELERATOR REVIEW MEMO - Short\n",
        "team": "serving",
        "template": cases.TEMPLATE,
        "intent": "regression",
    }
    ann = as_person("ann")
    filed = ann.post("memos/", body)

    refused = problem(
        ann.post(f"memos/{filed.json()['memo']['number']}/submit/", If_Match=filed["ETag"]), 422, "incomplete"
    )

    assert {"code", "sentence", "who", "where"} == set(refused["missing"][0])


def test_the_board_returns_a_memo_with_a_reason() -> None:
    memo = cases.a_memo_in_review()
    bea = as_person("bea")

    problem(bea.post(of(memo, "return/"), {"reason": " "}), 422, "no_reason")
    returned = good(bea.post(of(memo, "return/"), {"reason": "The slice is unclear."}))

    assert returned["state"] == "draft"


def test_an_author_withdraws_a_memo_once() -> None:
    memo = cases.a_draft()
    ann = as_person("ann")

    assert good(ann.post(of(memo, "withdraw/"), {"reason": "Not needed."}))["state"] == State.WITHDRAWN
    problem(ann.post(of(memo, "withdraw/"), {"reason": "Not needed."}), 409, "wrong_state")


def test_a_text_is_checked_and_not_stored() -> None:
    cases.a_draft()
    ann = as_token("ann", "read")
    before = good(ann.get("memos/"))["results"]
    text = (
        "ACCELERATOR REVIEW MEMO - Short\n\n1. Symptom\n   - Workload or traffic slice: <which slice>\n   - odd line\n"
    )

    checked = good(ann.post("memo-text/check", {"template": cases.TEMPLATE, "text": text}))

    assert checked["sections"]["header"]["title"] == "Short"
    assert {"field": "symptom.workload_slice", "wanted": "which slice"} in checked["unfilled"]
    assert checked["missing"]
    assert checked["notes"]
    assert good(ann.get("memos/"))["results"] == before


def test_templates_are_shown_with_their_versions() -> None:
    cases.a_draft()
    ann = as_person("ann")

    assert "batch-size-effects" in {row["slug"] for row in good(ann.get("templates/"))}
    newest = good(ann.get("templates/batch-size-effects/"))
    assert newest == good(ann.get("templates/batch-size-effects/versions/2/"))
    assert newest["content"]["slug"] == "batch-size-effects"
    problem(ann.get("templates/nothing/"), 404, "not_found")
    problem(ann.get("templates/batch-size-effects/versions/99/"), 404, "not_found")
