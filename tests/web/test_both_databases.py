"""What the lists ask the database in its own words (JSON as text, dates, subqueries), on SQLite and on PostgreSQL."""

import pytest
from django.http import QueryDict

from reviews.queries.memo_page import memo_page
from reviews.queries.memos import memo_list
from reviews.queries.people import memo_for
from reviews.queries.queue import queue_of
from reviews.queries.trail import trail_of
from reviews.services import events
from tests import cases

FOUND = ("", "q=größer+prompts", "verdict=better_than_margin", "decision=bounded", "author=ann", "since=2026-01-01")
NOT_FOUND = ("q=nowhere", "verdict=withheld", "verdict=undecided", "decision=none", "until=2020-01-01")


def test_lists_pages_and_queue_say_the_same(either_database: str) -> None:
    memo = cases.a_memo_rolling_out("Größere Stapel")
    bea = cases.person("bea")

    for query in FOUND:
        assert [row.memo.number for row in memo_list(bea, QueryDict(query)).rows] == [memo.number], query
    for query in NOT_FOUND:
        assert memo_list(bea, QueryDict(query)).rows == (), query
    assert len(memo_page(bea, memo_for(bea, memo.number)).owners) == 5
    assert trail_of(memo).decisions[0].sequence > 0
    assert events.verify(memo) == []
    assert queue_of(bea) == ()


@pytest.mark.parametrize("name", ["olga", "bea", "sam", "ann", "tess"])
def test_the_queue_finds_what_waits(either_database: str, name: str) -> None:
    cases.ask_for_waiver(cases.a_memo_with_evidence())
    cases.an_open_set(cases.a_memo_in_review("Another"))
    cases.a_draft("A third")

    assert queue_of(cases.person(name))
