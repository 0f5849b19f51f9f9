"""What an emergency left to be done is called met by the board."""

import pytest
from django.test import Client
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible, WrongState
from reviews.models import FollowUp, Memo
from reviews.queries.gate import gate_facts
from reviews.services import decisions, events, follow_ups
from tests import cases
from tests.web.asking import as_, page

pytestmark = pytest.mark.django_db


def after_an_emergency() -> tuple[Memo, FollowUp]:
    memo = cases.a_memo_in_review()
    decisions.emergency_rollback(
        actor=cases.person("bea"),
        memo_id=memo.pk,
        reason="p99 doubled.",
        effective_at=timezone.now(),
        authentication=cases.proof(),
    )
    return cases.again(memo), memo.follow_ups.earliest("pk")


@pytest.mark.parametrize("name", ["bea", "ben"])
def test_the_board_calls_a_follow_up_met_in_words(name: str) -> None:
    memo, owed = after_an_emergency()

    done = follow_ups.meet(actor=cases.person(name), follow_up_id=owed.pk, note="Olga has signed since.")

    assert done.note == "Olga has signed since."
    last = events.chain_of(memo).last()
    assert last is not None
    assert last.action == "meet_follow_up"
    met = [one.met for one in gate_facts(memo.pk, decider=None, requested_percent=None).follow_ups]
    assert met.count(True) == 1


@pytest.mark.parametrize(
    ("name", "note", "refusal"),
    [("sam", "done", NotPermitted), ("ann", "done", NotPermitted), ("eve", "done", NotVisible), ("ben", " ", BadInput)],
)
def test_nobody_else_does_and_not_without_a_word(name: str, note: str, refusal: type[Exception]) -> None:
    _, owed = after_an_emergency()

    with pytest.raises(refusal):
        follow_ups.meet(actor=cases.person(name), follow_up_id=owed.pk, note=note)


def test_it_is_met_once_and_there_must_be_one() -> None:
    _, owed = after_an_emergency()
    follow_ups.meet(actor=cases.person("ben"), follow_up_id=owed.pk, note="done")

    with pytest.raises(WrongState):
        follow_ups.meet(actor=cases.person("ben"), follow_up_id=owed.pk, note="again")
    with pytest.raises(NotVisible):
        follow_ups.meet(actor=cases.person("ben"), follow_up_id=0, note="none")


def test_the_page_offers_it_to_those_who_may() -> None:
    memo, owed = after_an_emergency()
    address = f"/memos/{memo.number}/follow-ups/{owed.pk}/meet/"
    client: Client = as_("ben")

    assert address in page("ben", f"/memos/{memo.number}/")
    assert address not in page("sam", f"/memos/{memo.number}/")
    assert client.post(address, {"note": "done"}).status_code == 302
    assert address not in page("ben", f"/memos/{memo.number}/")
