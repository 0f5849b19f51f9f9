"""Teams and who holds which role for them. Administrators only; whoever makes a team administers it."""

import re
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible
from reviews.models import Assignment, AssignmentEnd, Team
from reviews.queries import people
from reviews.services import events, wellformed
from reviews.vocabulary import StandingRole

SLUG: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")


@transaction.atomic
def create_team(*, actor: User, slug: str, name: str) -> Team:
    """A new team, administered by `actor`.

    Raises:
        NotPermitted: the actor is no superuser of this installation.
        BadInput: the slug is taken ("team_exists") or is none, or there is no name.
    """
    if not actor.is_superuser:
        raise NotPermitted("Only an operator of this installation makes teams.", needs="Ask one of them.")
    refuse_bad_slug(slug, "slug")
    wellformed.require_text(name, "name", longest=200, code="no_name")
    if Team.objects.filter(slug=slug).exists():
        raise BadInput(
            f"There is a team {slug} already.", needs="Choose another slug.", code="team_exists", where="slug"
        )
    team = Team.objects.create(slug=slug, name=name, created_at=timezone.now())
    events.append(team, actor, "create_team", slug=slug, name=name)
    _assign(actor, team, actor, StandingRole.ADMINISTRATOR.value, None)
    return team


@transaction.atomic
def assign(*, actor: User, team: str, person: str, role: str, until: datetime | None) -> Assignment:
    """From now on `person` (user name) holds `role` (slug) for the team (slug), until `until` if that is given.

    Raises:
        NotVisible: no such team or person.
        NotPermitted: the actor does not administer the team.
        BadInput: the person holds the role already, the role is no slug, or the end is not in the future.
    """
    row = _administered(actor, team)
    holder = User.objects.filter(username=person, is_active=True).first()
    if holder is None:
        raise NotVisible(f"There is no active account {person}.", needs="Make the account first.")
    refuse_bad_slug(role, "role")
    if until is not None and until <= timezone.now():
        raise BadInput("The end of an assignment lies in the future.", code="end_in_the_past", where="until")
    if role in people.roles_held(holder, row):
        raise BadInput(f"{person} holds {role} for {row.name} already.", code="role_held_already", where="role")
    return _assign(actor, row, holder, role, until)


@transaction.atomic
def end_assignment(*, actor: User, assignment_id: int, reason: str) -> AssignmentEnd:
    """The assignment stops holding now.

    Raises:
        NotVisible: no such assignment.
        NotPermitted: the actor does not administer the team.
        BadInput: it has ended already, or is that of the last administrator ("last_administrator").
    """
    assignment = Assignment.objects.select_related("team").filter(pk=assignment_id).first()
    if assignment is None:
        raise NotVisible("There is no such assignment.")
    team = _administered(actor, assignment.team.slug)
    if AssignmentEnd.objects.filter(assignment=assignment).exists():
        raise BadInput("This assignment has ended already.", code="assignment_ended", where="assignment")
    if assignment.role == StandingRole.ADMINISTRATOR and len(people.holders(team).get(assignment.role, ())) < 2:
        raise BadInput(
            f"{assignment.person_name} is the last administrator of {team.name}.",
            needs="Give somebody else the role first.",
            code="last_administrator",
            where="assignment",
        )
    now = timezone.now()
    end = AssignmentEnd.objects.create(assignment=assignment, at=now, reason=reason, ended_by=actor, recorded_at=now)
    events.append(team, actor, "end_assignment", person=assignment.person_name, role=assignment.role, reason=reason)
    return end


def refuse_bad_slug(slug: str, where: str) -> None:
    """Raises BadInput for what is no slug."""
    if not SLUG.fullmatch(slug):
        raise BadInput(
            f"{slug!r} is no slug.", needs='Write small letters, digits, "-" and "_".', code="bad_slug", where=where
        )


def _administered(actor: User, slug: str) -> Team:
    team = Team.objects.select_for_update(no_key=True).filter(slug=slug).first()
    if team is None:
        raise NotVisible(f"There is no team {slug}.")
    if StandingRole.ADMINISTRATOR.value not in people.roles_held(actor, team):
        raise NotPermitted(f"Roles of {team.name} are given by its administrators.", needs="Ask one of them.")
    return team


def _assign(actor: User, team: Team, holder: User, role: str, until: datetime | None) -> Assignment:
    now = timezone.now()
    assignment = Assignment.objects.create(
        team=team,
        person=holder,
        person_name=events.name_of(holder),
        role=role,
        starts_at=now,
        ends_at=until,
        assigned_by=actor,
        assigned_at=now,
    )
    events.append(team, actor, "assign", person=holder.get_username(), role=role, until=str(until or ""))
    return assignment
