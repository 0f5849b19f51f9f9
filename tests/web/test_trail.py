"""The audit trail page."""

import pytest
from django.db import connection
from django.db.models import QuerySet

from reviews.models import Event, Memo
from reviews.models.event import AggregateKind
from reviews.services import memos
from tests import cases
from tests.web.asking import page

pytestmark = pytest.mark.django_db


def events_of(memo: Memo) -> QuerySet[Event]:
    return Event.objects.filter(aggregate_kind=AggregateKind.MEMO, aggregate_id=memo.pk).order_by("sequence")


def tamper(sql: str, pk: int) -> None:
    """Change history behind its triggers' back; the test's transaction brings them back."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'reviews_event'")
        for (name,) in cursor.fetchall():
            cursor.execute(f'DROP TRIGGER "{name}"')
        cursor.execute("DELETE FROM reviews_notification WHERE event_id = %s", [pk])
        cursor.execute(sql, [pk])


def test_every_event_stands_with_who_what_when_and_hash() -> None:
    memo = cases.a_memo_with_evidence()
    html = page("aud", f"/memos/{memo.number}/trail/")

    assert "The chain holds" in html
    for event in events_of(memo):
        assert f'id="event-{event.sequence}"' in html
        assert event.hash in html
    assert "Sealed evidence set 1: Three blocks." in html


def test_a_decision_stands_on_the_event_that_came_before_it() -> None:
    memo = cases.a_memo_rolling_out()
    decision = memo.decisions.get()
    before = events_of(memo).get(hash=decision.chain_head)
    html = page("aud", f"/memos/{memo.number}/trail/")

    assert f'It stands on <a href="#event-{before.sequence}">event {before.sequence}</a>' in html
    assert "Decision 1 stands on this event." in html


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE reviews_event SET actor_name = 'Somebody' WHERE id = %s", "(submit) is not what was written"),
        ("DELETE FROM reviews_event WHERE id = %s", "is missing before event"),
    ],
)
def test_changed_history_is_found_and_named(sql: str, said: str) -> None:
    memo = cases.a_memo_with_evidence()
    tamper(sql, events_of(memo).get(action="submit").pk)
    html = page("aud", f"/memos/{memo.number}/trail/")

    assert "The chain does not hold" in html
    assert said in html


def test_a_decision_on_no_event_of_the_chain_is_said() -> None:
    memo = cases.a_memo_rolling_out()
    before = events_of(memo).get(hash=memo.decisions.get().chain_head)
    tamper("DELETE FROM reviews_event WHERE id = %s", before.pk)

    assert "No event has the hash that it stands on." in page("aud", f"/memos/{memo.number}/trail/")


def test_a_long_detail_is_shortened_with_its_length() -> None:
    memo = cases.a_draft()
    memos.withdraw(actor=cases.person("ann"), memo_id=memo.pk, reason="why " * 75)

    assert "(300 characters)" in page("aud", f"/memos/{memo.number}/trail/")
