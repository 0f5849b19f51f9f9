"""Resolving a hypothesis from the memo's page."""

import pytest

from reviews.models import Memo
from reviews.services import revisions
from tests import cases
from tests.web.asking import as_, follow, page

pytestmark = pytest.mark.django_db


def path(memo: Memo, key: str = "H1") -> str:
    return f"/memos/{memo.number}/hypotheses/{key}/resolve/"


def test_the_author_resolves_a_hypothesis_and_comes_back_to_it() -> None:
    memo = cases.a_memo_in_review()

    answer = as_("ann").post(path(memo), {"state": "refuted", "reason": "C1 lies outside."})

    assert follow(answer) == f"/memos/{memo.number}/#hypothesis-H1"
    content = revisions.content_of(revisions.current(cases.again(memo)))
    assert content.hypotheses.hypotheses[0].resolution.state == "refuted"


def test_an_open_one_keeps_its_owner_and_its_date() -> None:
    memo = cases.a_memo_in_review()

    as_("ann").post(path(memo, "H2"), {"state": "open", "owner": "sam", "due": "2031-01-01"})

    content = revisions.content_of(revisions.current(cases.again(memo)))
    assert content.hypotheses.hypotheses[1].resolution.due == "2031-01-01"


@pytest.mark.parametrize("form", [{}, {"state": "refuted"}, {"state": "open", "due": "soon"}])
def test_a_form_that_does_not_fit_is_refused_in_words(form: dict[str, str]) -> None:
    memo = cases.a_memo_in_review()

    answer = as_("ann").post(path(memo), form)

    assert answer.status_code == 422
    assert cases.again(memo).current_revision == memo.current_revision


def test_only_who_may_change_the_hypotheses_sees_the_form() -> None:
    memo = cases.a_memo_in_review()

    assert path(memo) in page("ann", f"/memos/{memo.number}/")
    assert path(memo) not in page("sam", f"/memos/{memo.number}/")
    assert as_("sam").post(path(memo), {"state": "refuted", "reason": "no"}).status_code == 403
    assert as_("eve").post(path(memo), {"state": "refuted", "reason": "no"}).status_code == 404
