"""Who may do it is exactly who would be let, one by one."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from reviews.errors import Refusal
from reviews.models import AssignmentEnd, Memo
from reviews.policies import lifecycle
from reviews.queries import people
from reviews.queries.who_may import everything, roles_on_all, who_may
from reviews.services import comments, delegations
from reviews.services.delegations import DelegationWish
from reviews.vocabulary import Action, State
from tests import cases, cast

pytestmark = pytest.mark.django_db


def a_peopled_memo() -> str:
    """A memo with a delegate, a second author, somebody who only took part, and somebody who was deactivated."""
    memo = cases.a_memo_ready_to_roll_out()
    end = timezone.now() + timedelta(days=9)
    wish = DelegationWish(role=cases.OWNERS["olga"], delegate="eve", starts_at=None, ends_at=end, reason="Leave.")
    delegations.delegate_on(actor=cases.person("olga"), memo_id=memo.pk, wish=wish)
    cast.assign(memo.team, "una", "author")
    cast.assign(memo.team, "vic", "board")
    left = cast.assign(memo.team, "wes", "auditor")
    comments.comment(actor=left.person, memo_id=memo.pk, anchor="symptom", text="Seen.", answers=None)
    AssignmentEnd.objects.create(
        assignment=left, ended_by=cases.person("adi"), at=timezone.now(), recorded_at=timezone.now()
    )
    User.objects.filter(username="vic").update(is_active=False)
    return memo.number


def lets(person: User, memo: Memo, action: Action) -> bool:
    """As every page and service finds it out."""
    if not people.memos_visible_to(person).filter(pk=memo.pk).exists():
        return False
    try:
        lifecycle.move(action, State(memo.state), people.roles_on(person, memo))
    except Refusal:
        return False
    return True


def test_who_may_is_who_is_let_for_every_action() -> None:
    memo = Memo.objects.get(number=a_peopled_memo())

    for action, names in everything(memo).items():
        assert names == tuple(sorted(one.username for one in User.objects.all() if lets(one, memo, action))), action
    assert "eve" in who_may(memo, Action.SIGN)
    assert "una" not in who_may(memo, Action.EDIT)
    assert "vic" not in roles_on_all(memo)
    assert roles_on_all(memo)["wes"] == {lifecycle.Part.VISIBLE}


def test_a_delegation_that_ended_lets_nobody() -> None:
    memo = Memo.objects.get(number=a_peopled_memo())

    assert "eve" not in who_may(memo, Action.SIGN, timezone.now() + timedelta(days=10))


def test_it_costs_three_queries_whatever_is_asked(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    memo = Memo.objects.select_related("team", "created_by").get(number=a_peopled_memo())

    with django_assert_num_queries(3):
        everything(memo)
