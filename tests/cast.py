"""The cast. Ann writes, Sam attaches, Olga, Pat, Quin and Tess own roles, Bea and Ben sit on the board.

Eve is a stranger. Rob owns rollbacks, Esk escalations; Aud only reads, Adi administers.
A test names only what is special.
"""

from datetime import UTC, datetime

from django.contrib.auth.models import User

from reviews.models import Assignment, Team
from reviews.vocabulary import StandingRole

PASSWORD = "correct horse battery staple"
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)

ROLES: dict[str, tuple[str, ...]] = {
    "ann": (StandingRole.AUTHOR,),
    "sam": (StandingRole.CONTRIBUTOR,),
    "olga": ("inference_platform_owner",),
    "pat": ("capacity_planning_engineer",),
    "quin": ("sre_performance_owner",),
    "tess": ("power_thermal_architect",),
    "bea": (StandingRole.BOARD,),
    "ben": (StandingRole.BOARD,),
    "rob": (StandingRole.ROLLBACK_OWNER,),
    "esk": (StandingRole.ESCALATION_OWNER,),
    "aud": (StandingRole.AUDITOR,),
    "adi": (StandingRole.ADMINISTRATOR,),
}


def a_person(name: str) -> User:
    """The account of `name`, with the PASSWORD."""
    person, new = User.objects.get_or_create(username=name, defaults={"first_name": name.title()})
    if new:
        person.set_password(PASSWORD)
        person.save()
    return person


def a_team(slug: str = "serving") -> Team:
    """A team without people."""
    return Team.objects.get_or_create(slug=slug, defaults={"name": slug.title(), "created_at": LONG_AGO})[0]


def assign(team: Team, name: str, role: str) -> Assignment:
    """`name` holds `role` for the team since long ago."""
    person = a_person(name)
    return Assignment.objects.create(
        team=team,
        person=person,
        person_name=person.get_full_name(),
        role=role,
        starts_at=LONG_AGO,
        assigned_by=a_person("adi"),
        assigned_at=LONG_AGO,
    )


def the_team() -> Team:
    """The team "serving" with all its people, in their roles. Eve has an account, and no role."""
    team = a_team()
    if not team.assignments.exists():
        for name, roles in ROLES.items():
            for role in roles:
                assign(team, name, role)
    a_person("eve")
    return team
