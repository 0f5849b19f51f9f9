"""Memos over the API: find, file, revise under If-Match, move."""

from typing import Any

import pytest

from reviews.models import Memo
from reviews.queries import records
from reviews.services import memos
from reviews.vocabulary import State
from tests import cases
from tests.api.asking import as_person, as_token, good, of, problem, tag

pytestmark = pytest.mark.django_db


def test_the_list_shows_what_one_sees_the_newest_first() -> None:
    first, second = cases.a_draft("First"), cases.a_draft("Second")

    listed = good(as_person("ann").get("memos/"))

    assert [row["number"] for row in listed["results"]] == [second.number, first.number]
    assert listed["results"][0]["headline"]["sentence"] == "No primary comparison yet."


def test_a_stranger_finds_an_empty_list() -> None:
    cases.a_draft()

    assert good(as_person("eve").get("memos/"))["results"] == []


def test_the_list_shows_what_the_primary_comparison_says() -> None:
    cases.a_memo_with_evidence()

    (row,) = good(as_person("ann").get("memos/"))["results"]

    assert row["headline"]["comparison"] == "C1"
    assert row["headline"]["outcome"] == "verdict"


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ("state=draft", True),
        ("state=shipped", False),
        ("team=serving", True),
        ("team=other", False),
        ("template=batch-size-effects", True),
        ("template=throughput-regression", False),
        ("intent=planned_change", True),
        ("intent=incident", False),
        ("q=larger%20chat", True),
        ("q=larger%20nothing", False),
    ],
)
def test_each_filter_narrows_the_list(query: str, finds: bool) -> None:
    cases.a_draft()

    assert bool(good(as_person("ann").get(f"memos/?{query}"))["results"]) is finds


def test_a_filter_that_is_no_word_is_refused_at_its_place() -> None:
    cases.a_draft()

    body = problem(as_person("ann").get("memos/?state=asleep"), 422, "bad_input")

    assert [fault["pointer"] for fault in body["errors"]] == ["/state"]


def test_a_filter_that_does_not_exist_is_refused() -> None:
    cases.a_draft()

    body = problem(as_person("ann").get("memos/?colour=red"), 422, "bad_input")

    assert body["where"] == "/colour"


def test_the_list_is_paged_by_cursor() -> None:
    numbers = {cases.a_draft(title).number for title in ("One", "Two", "Three")}
    ann = as_person("ann")

    first = good(ann.get("memos/?page_size=2"))
    path = first["next"].removeprefix("http://testserver")
    second = good(ann.get(path))

    assert {row["number"] for page in (first, second) for row in page["results"]} == numbers
    assert second["next"] is None


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


def revised(memo: Memo, title: str) -> dict[str, Any]:
    """A change of the title."""
    header = {**records.revision_of(cases.again(memo)).sections["header"], "title": title}
    return {"sections": {"header": header}, "said": "Another title."}


def test_sections_are_revised_under_the_tag_that_was_seen() -> None:
    memo = cases.a_draft()

    response = as_person("ann").patch(of(memo), revised(memo, "Renamed"), If_Match=tag(memo))

    assert good(response)["title"] == "Renamed"
    assert good(response)["revision"]["number"] == 2
    assert response["ETag"] == tag(memo)


def test_a_write_without_if_match_is_asked_for_it() -> None:
    memo = cases.a_draft()

    problem(as_person("ann").patch(of(memo), revised(memo, "Renamed")), 428, "match_needed")


@pytest.mark.parametrize("said", ["*", 'W/"abc"', "abc", '"abc"'])
def test_what_is_no_tag_of_a_revision_does_not_match(said: str) -> None:
    memo = cases.a_draft()

    problem(as_person("ann").patch(of(memo), revised(memo, "Renamed"), If_Match=said), 412, "match_failed")


def test_an_old_tag_does_not_match_and_the_difference_says_why() -> None:
    memo = cases.a_draft()
    old, ann = tag(memo), as_person("ann")
    good(ann.patch(of(memo), revised(memo, "Renamed"), If_Match=old))

    body = problem(ann.patch(of(memo), revised(memo, "Again"), If_Match=old), 412, "match_failed")

    assert body["difference"] == [
        {"section": "header", "record": "title", "before": "Larger batches for chat", "after": "Renamed"}
    ]
    assert good(ann.get(of(memo)))["title"] == "Renamed"


def test_records_that_do_not_fit_are_refused_with_their_path() -> None:
    memo = cases.a_draft()
    change = {"sections": {"action": {"risks": [{"kind": 7}]}}, "said": "Nonsense."}

    body = problem(as_person("ann").patch(of(memo), change, If_Match=tag(memo)), 422, "bad_records")

    assert "$.risks[0].kind" in body["detail"]


def test_a_contributor_changes_no_section_of_the_author() -> None:
    memo = cases.a_draft()

    problem(as_person("sam").patch(of(memo), revised(memo, "Mine"), If_Match=tag(memo)), 403, "not_permitted")


def test_the_text_goes_out_and_comes_back_changed() -> None:
    memo = cases.a_draft()
    ann = as_person("ann")

    out = ann.get(of(memo, "text/"))
    text = out.content.decode().replace("Larger batches for chat", "Larger batches for mail")
    back = good(ann.put(of(memo, "text/"), {"text": text, "said": "Mail."}, If_Match=out["ETag"]))

    assert out["Content-Type"] == "text/plain; charset=utf-8"
    assert back["memo"]["title"] == "Larger batches for mail"


def test_a_text_needs_if_match_as_well() -> None:
    memo = cases.a_draft()

    problem(as_person("ann").put(of(memo, "text/"), {"text": "x", "said": "y"}), 428, "match_needed")


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


def test_revisions_and_what_changed_between_two() -> None:
    memo = cases.a_draft()
    memos.revise(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo), **revised(memo, "Renamed"))
    ann = as_person("ann")

    listed = good(ann.get(of(memo, "revisions/")))
    one = ann.get(of(memo, "revisions/1/"))
    changes = good(ann.get(of(memo, "difference/?old=1&new=2")))

    assert [(row["number"], row["base"], row["said"]) for row in listed] == [
        (1, None, "Filed."),
        (2, 1, "Another title."),
    ]
    assert one["ETag"] == f'"{listed[0]["digest"]}"'
    assert good(one)["sections"]["header"]["title"] == "Larger batches for chat"
    assert changes == [
        {"section": "header", "record": "title", "before": "Larger batches for chat", "after": "Renamed"}
    ]


def test_a_revision_that_is_none_is_not_there() -> None:
    memo = cases.a_draft()
    ann = as_person("ann")

    problem(ann.get(of(memo, "revisions/9/")), 404, "not_found")
    problem(ann.get(of(memo, "difference/?old=1&new=9")), 404, "not_found")
    problem(ann.get(of(memo, "difference/?old=1")), 422, "bad_input")


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
    assert newest == good(ann.get("templates/batch-size-effects/versions/1/"))
    assert newest["content"]["slug"] == "batch-size-effects"
    problem(ann.get("templates/nothing/"), 404, "not_found")
    problem(ann.get("templates/batch-size-effects/versions/99/"), 404, "not_found")


def test_the_tag_of_a_revision_that_the_memo_never_had_does_not_match() -> None:
    memo = cases.a_draft()
    said = f'"{"0" * 64}"'

    assert (
        problem(as_person("ann").patch(of(memo), revised(memo, "x"), If_Match=said), 412, "match_failed")["difference"]
        == []
    )


def test_sections_that_are_no_object_are_refused() -> None:
    memo = cases.a_draft()

    body = problem(
        as_person("ann").patch(of(memo), {"sections": [], "said": "x"}, If_Match=tag(memo)), 422, "bad_input"
    )

    assert body["where"] == "/sections"
