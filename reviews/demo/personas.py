"""Who plays in the demo: one account, one role and one password each, on this machine only."""

from dataclasses import dataclass
from typing import Final

from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.utils import timezone

from reviews.authentication import Authentication
from reviews.errors import NotSignedIn
from reviews.queries import demo
from reviews.services import accounts, teams, templates
from reviews.vocabulary import StandingRole

TEAM: Final = "inference"
TEAM_NAME: Final = "Inference platform"
PASSWORD: Final = "countersign-demo"  # noqa: S105 - printed on purpose: the people of the demo are no secret


@dataclass(frozen=True, slots=True)
class Persona:
    """username: to sign in with. role: slug; does: what the person does, in words."""

    username: str
    name: str
    role: str
    does: str


OPERATOR: Final = Persona("adi", "Adi", StandingRole.ADMINISTRATOR.value, "runs this installation")
PERSONAS: Final = (
    Persona("ann", "Ann", StandingRole.AUTHOR.value, "writes the memo"),
    Persona("sam", "Sam", StandingRole.CONTRIBUTOR.value, "attaches the evidence"),
    Persona("olga", "Olga", "inference_platform_owner", "signs as inference platform owner"),
    Persona("pat", "Pat", "capacity_planning_engineer", "signs as capacity planning engineer"),
    Persona("quin", "Quin", "sre_performance_owner", "signs as SRE performance owner"),
    Persona("tess", "Tess", "power_thermal_architect", "signs as power and thermal architect"),
    Persona("rob", "Rob", StandingRole.ROLLBACK_OWNER.value, "owns the rollback and accepts the rollout"),
    Persona("bea", "Bea", StandingRole.BOARD.value, "sits on the review board and decides"),
    Persona("ben", "Ben", StandingRole.BOARD.value, "sits on the review board and approves waivers"),
    Persona("esk", "Esk", StandingRole.ESCALATION_OWNER.value, "answers escalations"),
    Persona("aud", "Aud", StandingRole.AUDITOR.value, "only reads"),
)
SIGNERS: Final = tuple(p for p in PERSONAS if p.username in {"olga", "pat", "quin", "tess", "rob"})


def settle() -> None:
    """The shipped templates, the team, and everybody with an account and a role; what stands already stays."""
    templates.ship()
    operator = demo.person(OPERATOR.username) or _account(None, OPERATOR)
    team = demo.team(TEAM) or teams.create_team(actor=operator, slug=TEAM, name=TEAM_NAME)
    for persona in PERSONAS:
        person = demo.person(persona.username) or _account(operator, persona)
        if not demo.holds(person, team, persona.role):
            teams.assign(actor=operator, team=TEAM, person=persona.username, role=persona.role, until=None)


def _account(actor: User | None, persona: Persona) -> User:
    return accounts.open_account(
        actor=actor,
        username=persona.username,
        first_name=persona.name,
        password=PASSWORD,
        operator=persona is OPERATOR,
    )


def as_person(username: str) -> User:
    """The account of somebody in the story."""
    person = demo.person(username)
    if person is None:
        raise LookupError(f"{username} does not play in the demo")
    return person


def proved(username: str) -> Authentication:
    """The proof of identity that signing asks for: the password, checked now.

    Raises:
        NotSignedIn: somebody has changed it.
    """
    if authenticate(username=username, password=PASSWORD) is None:
        raise NotSignedIn(f"{username} has another password than the demo's.", needs="Go on by hand on the pages.")
    return Authentication("password", timezone.now())


def logins() -> tuple[str, ...]:
    """One line for each login."""
    return tuple(f"{p.username:<6} {p.does}" for p in (*PERSONAS, OPERATOR))
