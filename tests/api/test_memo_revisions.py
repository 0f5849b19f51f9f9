"""Memos over the API: revised under If-Match, and what changed between revisions."""

from typing import Any

import pytest

from reviews.models import Memo
from reviews.queries import records
from reviews.services import memos
from tests import cases
from tests.api.asking import as_person, good, of, problem, tag

pytestmark = pytest.mark.django_db


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
