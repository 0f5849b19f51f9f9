"""Roles are given and ended by the administrators of a team, and never taken out of history."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible
from reviews.models import Assignment, Team
from reviews.queries import people
from reviews.services import events, teams
from tests import cast
from tests.cast import a_person
from tests.services.deeds import operator, refused

pytestmark = pytest.mark.django_db


def assign(role: str = "board", person: str = "eve", name: str = "adi", **special: Any) -> Assignment:
    usual = {"team": "serving", "until": None}
    return teams.assign(actor=a_person(name), person=person, role=role, **{**usual, **special})


def test_an_operator_makes_a_team_and_administers_it() -> None:
    team = teams.create_team(actor=operator(), slug="training", name="Training")

    assert people.roles_held(operator(), team) == {"administrator"}
    assert [event.action for event in events.chain_of(team)] == ["create_team", "assign"]


@pytest.mark.parametrize(
    ("slug", "name", "code"),
    [
        ("serving", "x", "team_exists"),
        ("Two words", "x", "bad_slug"),
        ("", "x", "bad_slug"),
        ("ok", " ", "no_name"),
        ("ok", "n" * 201, "too_long"),
    ],
)
def test_a_team_that_cannot_be_is_refused(slug: str, name: str, code: str) -> None:
    cast.the_team()
    with refused(BadInput, code):
        teams.create_team(actor=operator(), slug=slug, name=name)


def test_only_an_operator_makes_teams() -> None:
    cast.the_team()
    with refused(NotPermitted):
        teams.create_team(actor=a_person("adi"), slug="mine", name="Mine")


def test_a_role_holds_from_now_until_its_end() -> None:
    team = cast.the_team()
    until = timezone.now() + timedelta(days=2)

    assign(until=until)

    assert people.roles_held(a_person("eve"), team) == {"board"}
    assert people.roles_held(a_person("eve"), team, until) == frozenset()
    assert people.roles_held(a_person("eve"), team, timezone.now() - timedelta(days=1)) == frozenset()


@pytest.mark.parametrize(
    ("special", "kind", "code"),
    [
        ({"team": "nowhere"}, NotVisible, ""),
        ({"person": "nobody"}, NotVisible, ""),
        ({"name": "bea"}, NotPermitted, ""),
        ({"name": "eve"}, NotPermitted, ""),
        ({"person": "bea"}, BadInput, "role_held_already"),
        ({"role": ""}, BadInput, "bad_slug"),
        ({"role": "Chief Of All"}, BadInput, "bad_slug"),
        ({"until": timezone.now() - timedelta(days=1)}, BadInput, "end_in_the_past"),
    ],
)
def test_a_role_that_cannot_be_given_is_refused(special: dict[str, Any], kind: Any, code: str) -> None:
    cast.the_team()
    with refused(kind, code):
        assign(**special)


def test_an_administrator_of_another_team_gives_no_role_here() -> None:
    cast.the_team()
    cast.assign(cast.a_team("training"), "eve", "administrator")

    with refused(NotPermitted):
        assign(name="eve", person="eve")


def test_a_role_is_ended_once_and_history_keeps_it() -> None:
    team = cast.the_team()
    row = team.assignments.get(person__username="bea")

    end = teams.end_assignment(actor=a_person("adi"), assignment_id=row.pk, reason="Moved.")

    assert end.ended_by == a_person("adi")
    assert people.roles_held(a_person("bea"), team) == frozenset()
    assert Assignment.objects.filter(pk=row.pk).exists()
    with refused(BadInput, "assignment_ended"):
        teams.end_assignment(actor=a_person("adi"), assignment_id=row.pk, reason="Again.")
    assert assign(person="bea").role == "board"


def test_an_assignment_that_is_not_ones_to_end_is_refused() -> None:
    team = cast.the_team()
    row = team.assignments.get(person__username="bea")

    with refused(NotPermitted):
        teams.end_assignment(actor=a_person("bea"), assignment_id=row.pk, reason="Tired.")
    with refused(NotVisible):
        teams.end_assignment(actor=a_person("adi"), assignment_id=row.pk + 999, reason="x")


def test_the_last_administrator_stays() -> None:
    team = cast.the_team()
    row = team.assignments.get(person__username="adi")

    with refused(BadInput, "last_administrator"):
        teams.end_assignment(actor=a_person("adi"), assignment_id=row.pk, reason="Tired.")
    assign("administrator")
    teams.end_assignment(actor=a_person("adi"), assignment_id=row.pk, reason="Tired.")
    assert Team.objects.get(slug="serving").assignments.filter(person__username="eve").exists()
