"""The list of memos and its filters."""

import re

import pytest

from reviews.services import memos
from tests import cases
from tests.web.asking import page

pytestmark = pytest.mark.django_db


def found(query: str, name: str = "bea") -> set[str]:
    """The numbers on the list with these filters."""
    link = r'<th scope="row" role="rowheader"><a href="/memos/([A-Z0-9-]+)/">'
    return set(re.findall(link, page(name, f"/memos/?{query}")))


def test_the_list_shows_state_verdict_with_its_interval_and_decision() -> None:
    memo = cases.a_memo_rolling_out()
    html = page("bea", "/memos/")

    assert memo.number in html
    for said in (
        "rolling out",
        "better than the margin",
        "95\N{NO-BREAK SPACE}% confidence",
        "3 blocks",
        "Bounded rollout",
    ):
        assert said in html


def test_a_stranger_sees_no_memo_on_the_list() -> None:
    cases.a_draft()

    assert found("", "eve") == set()


@pytest.mark.parametrize(
    "query", ["state=draft", "decision=none", "q=night", "q=A+policy+night", "author=ann&state=draft"]
)
def test_a_filter_finds_the_draft_and_not_the_rollout(query: str) -> None:
    cases.a_memo_rolling_out()
    draft = cases.a_draft("A policy for the night")

    assert found(query) == {draft.number}


@pytest.mark.parametrize(
    "query",
    [
        "state=rolling_out",
        "decision=bounded",
        "verdict=better_than_margin",
        "q=ZEBRA+chat",
        "q=prompts&state=rolling_out",
    ],
)
def test_a_filter_finds_the_rollout_and_not_the_draft(query: str) -> None:
    memo = cases.a_memo_rolling_out("Zebra stripes")
    cases.a_draft("A policy for the night")

    assert found(query) == {memo.number}


@pytest.mark.parametrize(
    "query",
    [
        "",
        "team=serving",
        "template=batch-size-effects",
        "intent=planned_change",
        "author=ann",
        "since=2026-01-01",
        "until=2126-01-01",
        "q=queue+full",
    ],
)
def test_a_filter_that_fits_all_finds_all(query: str) -> None:
    numbers = {cases.a_draft().number, cases.a_draft("Another").number}

    assert found(query) == numbers


@pytest.mark.parametrize(
    "query",
    [
        "state=shipped",
        "verdict=withheld",
        "verdict=undecided",
        "intent=incident",
        "until=2020-01-01",
        "since=2126-01-01",
        "template=throughput-regression",
        "decision=ship",
        "q=nowhere",
        "state=nonsense",
    ],
)
def test_a_filter_that_fits_none_says_so(query: str) -> None:
    cases.a_memo_with_evidence()

    assert found(query) == set()
    assert "No memo that you can see fits these filters." in page("bea", f"/memos/?{query}")


def test_a_verdict_that_the_memo_no_longer_cites_is_not_found() -> None:
    memo = cases.a_memo_with_evidence()
    assert found("verdict=better_than_margin") == {memo.number}

    text = cases.again(memo).current_revision.sections["comparisons"]  # type: ignore[union-attr]
    rows = [row | {"margin": "0.99"} for row in text["comparisons"]]
    memos.revise(
        actor=cases.person("ann"),
        memo_id=memo.pk,
        base=cases.base_of(memo),
        sections={"comparisons": {"comparisons": rows}},
        said="Another margin.",
    )

    assert found("verdict=better_than_margin") == set()


def test_words_outside_of_ascii_are_found() -> None:
    memo = cases.a_draft("Größere Stapel")

    assert found("q=Größere") == {memo.number}
    assert found("q=Größeres") == set()


def test_the_list_goes_from_page_to_page_with_its_filters() -> None:
    for number in range(26):
        cases.a_draft(f"Memo {number}")

    first = page("bea", "/memos/?state=draft")
    assert "Page 1 of 2" in first
    assert "state=draft&amp;page=2" in first
    assert len(found("state=draft&page=2")) == 1
