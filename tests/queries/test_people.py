"""Who sees a memo, and who is what to it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.errors import NotVisible
from reviews.models import Memo
from reviews.policies.lifecycle import Part
from reviews.queries import people
from reviews.services import comments, evidence, teams
from reviews.vocabulary import StandingRole
from tests import cases, cast

pytestmark = pytest.mark.django_db


def sees(name: str, memo: Memo) -> bool:
    return people.memos_visible_to(cast.a_person(name)).filter(pk=memo.pk).exists()


def end_role(name: str) -> None:
    for row in cast.a_team().assignments.filter(person__username=name, end__isnull=True):
        teams.end_assignment(actor=cases.person("adi"), assignment_id=row.pk, reason="Moved.")


@pytest.mark.parametrize("name", list(cast.ROLES))
def test_everybody_with_a_role_sees_the_memos_of_the_team(name: str) -> None:
    assert sees(name, cases.a_draft())


def test_no_role_of_another_team_shows_a_memo() -> None:
    memo = cases.a_draft()
    for role in StandingRole.values:
        cast.assign(cast.a_team("training"), "eve", role)

    assert not sees("eve", memo)
    with pytest.raises(NotVisible, match=r"There is no memo ARM-.* that you can see"):
        people.memo_for(cast.a_person("eve"), memo.number)


def test_a_stranger_and_a_deactivated_account_see_nothing() -> None:
    memo = cases.a_draft()
    ann = cases.person("ann")
    ann.is_active = False
    ann.save()

    assert not sees("eve", memo)
    assert not sees("ann", memo)
    assert people.roles_held(ann, memo.team) == frozenset()


def test_who_took_part_sees_the_memo_also_after_the_role_has_ended() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    cases.decide(memo)
    comments.comment(actor=cases.person("aud"), memo_id=memo.pk, anchor="action", text="Why?", answers=None)
    for name in ("ann", "sam", "olga", "aud", "bea", "esk"):
        end_role(name)

    assert [name for name in ("ann", "sam", "olga", "aud", "bea", "esk") if sees(name, memo)] == [
        "ann", "sam", "olga", "aud", "bea",
    ]  # fmt: skip
    assert people.memo_for(cases.person("olga"), memo.number) == memo


def test_who_only_attached_a_file_took_part() -> None:
    memo = cases.a_planned_draft()
    row = evidence.open_set(actor=cases.person("ann"), memo_id=memo.pk, title="x", plan="")
    cases.attach(row, "curves.txt", cases.CURVES, [cases.labels("picture")])
    end_role("sam")

    assert sees("sam", memo)


def test_memos_come_newest_first() -> None:
    first, second = cases.a_draft(), cases.a_draft()

    assert list(people.memos_visible_to(cases.person("aud"))) == [second, first]


def test_the_author_of_a_memo_is_who_filed_it() -> None:
    memo = cases.a_draft()
    cast.assign(memo.team, "amy", "author")

    assert people.roles_on(cases.person("ann"), memo) == {StandingRole.AUTHOR, Part.VISIBLE}
    assert people.roles_on(cast.a_person("amy"), memo) == {Part.VISIBLE}
    assert people.roles_on(cases.person("olga"), memo) == {Part.OWNER, Part.VISIBLE}
    end_role("ann")
    assert people.roles_on(cases.person("ann"), memo) == {Part.VISIBLE}


def test_roles_are_held_between_their_beginning_and_their_end() -> None:
    team = cast.the_team()
    until = timezone.now() + timedelta(days=2)
    teams.assign(actor=cases.person("adi"), team="serving", person="eve", role="board", until=until)

    assert people.holders(team)["board"] == ("bea", "ben", "eve")
    assert people.holders(team, until)["board"] == ("bea", "ben")
    assert people.roles_by_team(cast.a_person("eve")) == {"serving": {"board"}}
    assert people.roles_by_team(cast.a_person("eve"), until) == {}
    assert list(people.teams_of(cast.a_person("eve"), "board")) == [team]
    assert not people.teams_of(cast.a_person("eve"), "author").exists()


def test_a_deactivated_holder_is_no_holder_and_two_assignments_are_one() -> None:
    team = cast.the_team()
    cast.assign(team, "ben", "board")
    bea = cases.person("bea")
    bea.is_active = False
    bea.save()

    assert people.holders(team)["board"] == ("ben",)
