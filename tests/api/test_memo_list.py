"""The list of memos over the API: what one finds in it, and how it is narrowed and paged."""

import pytest

from tests import cases
from tests.api.asking import as_person, good, problem

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
