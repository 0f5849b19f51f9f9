"""A file is recalled: memos that cite it are flagged, gates close, permits end, signers and owners are told."""

import pytest

from reviews.errors import BadInput, GateClosed, NotPermitted, NotVisible, WrongState
from reviews.models import Memo, Recall
from reviews.queries import gate, people
from reviews.queries.memo_page import memo_page
from reviews.queries.queue import queue_of
from reviews.services import events, recalls
from reviews.vocabulary import State
from tests import cases
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


def runs_of(memo: Memo) -> str:
    """The file of runs that the memo cites."""
    return next(part.artifact for part in deeds.content(memo).evidence.sets[0].attachments if part.arm)


def recall(sha256: str, name: str = "sam", reason: str = "The clock was throttled.") -> Recall:
    return recalls.recall(actor=cases.person(name), sha256=sha256, reason=reason)


def said_to(name: str) -> list[str]:
    groups = [group for group in queue_of(cases.person(name)) if group.title == "Recalled evidence"]
    return [item.sentence for group in groups for item in group.items]


def test_every_memo_that_cites_it_is_told_and_its_gate_closes() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    assert gate.preview(memo.pk).least_restrictive == "bounded"

    row = recall(runs_of(memo))

    last, of_file = events.chain_of(memo).last(), events.chain_of(row.artifact).last()
    assert last is not None
    assert of_file is not None
    assert (last.action, last.detail["artifact"]) == ("recall", row.artifact.sha256)
    assert (of_file.action, of_file.detail["memos"]) == ("recall", [memo.number])
    assert gate.preview(memo.pk).least_restrictive != "bounded"
    with refused(GateClosed) as caught:
        cases.decide(memo)
    assert any("was recalled by sam (The clock was throttled.)" in one.sentence for one in caught.value.missing)
    assert memo_page(cases.person("ann"), people.memo_for(cases.person("ann"), memo.number)).flags.flagged_by_recall
    assert events.verify(memo) == []
    assert events.verify(row.artifact) == []


def test_signers_the_rollback_owner_the_author_and_the_board_find_it_in_their_queue() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    row = recall(runs_of(memo))

    for name in ("olga", "pat", "rob", "ann", "bea"):
        assert said_to(name) == [
            f"{row.artifact.name} was recalled by Sam: The clock was throttled. The memo stands on it."
        ]
    for name in ("esk", "aud"):
        assert said_to(name) == []


def test_signers_of_a_shipped_memo_are_told_too_until_it_is_rolled_back() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    deeds.put_into(memo, State.SHIPPED)
    recall(runs_of(memo))

    assert len(said_to("olga")) == 1
    deeds.put_into(memo, State.ROLLED_BACK)
    assert said_to("olga") == []


def test_a_rollback_procedure_is_cited_too() -> None:
    memo = cases.a_memo_in_review()
    procedure = deeds.content(memo).rollout.procedure

    row = recall(procedure)

    assert events.chain_of(row.artifact).last().detail["memos"] == [memo.number]  # type: ignore[union-attr]
    assert len(said_to("ann")) == 1


@pytest.mark.parametrize("name", ["ann", "sam", "bea"])
def test_author_contributor_and_board_recall(name: str) -> None:
    memo = cases.a_memo_with_evidence()
    assert recall(runs_of(memo), name).by_name == name.title()


def test_others_do_not_and_nothing_is_recalled_twice_or_without_a_reason() -> None:
    sha256 = runs_of(cases.a_memo_with_evidence())
    for name in ("olga", "rob", "aud", "adi"):
        with refused(NotPermitted):
            recall(sha256, name)
    with refused(NotVisible):
        recall(sha256, "eve")
    with refused(NotVisible):
        recall("f" * 64)
    with refused(BadInput, "no_reason", "reason"):
        recall(sha256, reason=" ")
    recall(sha256)
    with refused(WrongState, "recalled_already"):
        recall(sha256, "bea")
    assert Recall.objects.count() == 1


def test_who_sent_a_file_that_no_memo_cites_recalls_it() -> None:
    cases.set_up()
    row = recall(deeds.file_of(b"x", "notes.txt", read=False).sha256)

    assert events.chain_of(row.artifact).last().detail["memos"] == []  # type: ignore[union-attr]
