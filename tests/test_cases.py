"""The cases stand where they say: every test of pages, API and command line begins from them."""

import pytest

from reviews.queries import gate
from reviews.vocabulary import DecisionKind, State
from tests import cases

pytestmark = pytest.mark.django_db


def blockers(memo_id: int, kind: DecisionKind) -> set[str]:
    outlook = next(one for one in gate.preview(memo_id).outlooks if one.kind is kind)
    return {line.rule for line in outlook.blockers}


def test_a_draft_lacks_nothing_to_be_submitted() -> None:
    assert cases.a_memo_in_review().state == State.IN_REVIEW


def test_with_evidence_and_waiver_only_people_are_missing_for_a_bounded_rollout() -> None:
    memo = cases.a_memo_with_waiver()

    assert gate.preview(memo.pk).supported is DecisionKind.BOUNDED
    assert blockers(memo.pk, DecisionKind.BOUNDED) == {
        "required_owners_have_signed",
        "the_quorum_is_met",
        "signers_are_independent",
        "the_rollout_is_bounded",
    }


def test_when_everybody_has_signed_the_board_may_roll_out_and_not_ship() -> None:
    memo = cases.a_memo_ready_to_roll_out()

    assert gate.preview(memo.pk).least_restrictive is DecisionKind.BOUNDED
    assert "evidence_reaches_the_scope" in blockers(memo.pk, DecisionKind.SHIP)


def test_after_the_decision_the_memo_is_rolling_out() -> None:
    assert cases.a_memo_rolling_out().state == State.ROLLING_OUT


def test_two_cases_are_two_memos() -> None:
    assert cases.a_planned_draft().number != cases.a_planned_draft().number
