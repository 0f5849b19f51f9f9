"""Who may see what, and who is what to a memo, at a moment."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from reviews.errors import NotVisible
from reviews.models import Assignment, Attachment, Comment, Decision, Delegation, Memo, Revision, Signature, Team
from reviews.models.team import in_force
from reviews.policies import visibility
from reviews.policies.lifecycle import Role, roles_of
from reviews.queries.expiry import by_the_clock

RELATIONS: Final = (
    "team",
    "template_version__template",
    "current_revision",
    "created_by",
)


def memos_visible_to(person: User) -> QuerySet[Memo]:
    """The memos that the person may see, newest first; none for a deactivated account. See policies/visibility.py."""
    if not person.is_active:
        return Memo.objects.none()
    seen = Q(team__slug__in=visibility.teams_seen(roles_by_team(person))) | _took_part(person) | _lent_to(person)
    return Memo.objects.filter(seen).select_related(*RELATIONS).order_by("-created_at", "-pk")


def roles_by_team(person: User, at: datetime | None = None) -> Mapping[str, frozenset[str]]:
    """Team slug -> the slugs of the roles that the person holds for it at `at` (now)."""
    rows = Assignment.objects.filter(in_force(at or timezone.now()), person=person)
    found: dict[str, set[str]] = defaultdict(set)
    for team, role in rows.values_list("team__slug", "role"):
        found[team].add(role)
    return {team: frozenset(roles) for team, roles in found.items()}


def _took_part(person: User) -> Q:
    """The condition that the person wrote, attached, signed, commented or decided on a memo."""
    deeds = (
        Revision.objects.filter(contributor=person).values("memo"),
        Attachment.objects.filter(attached_by=person).values("evidence_set__memo"),
        Signature.objects.filter(signer=person).values("memo"),
        Comment.objects.filter(author=person).values("memo"),
        Decision.objects.filter(decider=person).values("memo"),
    )
    return reduce(or_, (Q(pk__in=deed) for deed in deeds))


def _lent_to(person: User) -> Q:
    """The condition that the person is a delegate on the memo now: who is to sign it has to see it."""
    lent = Delegation.objects.filter(in_force(timezone.now()), delegate=person)
    return Q(pk__in=lent.filter(memo__isnull=False).values("memo")) | Q(
        team__in=lent.filter(memo__isnull=True).values("team")
    )


def delegations_to(person: User, memo: Memo, at: datetime | None = None) -> QuerySet[Delegation]:
    """What the person may sign on the memo in another's place at `at` (now)."""
    return Delegation.objects.filter(
        in_force(at or timezone.now()), Q(memo__isnull=True) | Q(memo=memo), team=memo.team, delegate=person
    )


def delegated_by(holder: User, delegate: User, memo: Memo, role: str, at: datetime) -> bool:
    """Whether the holder's delegation of that role to the delegate is in force for the memo at `at`."""
    return delegations_to(delegate, memo, at).filter(holder=holder, role=role).exists()


def delegations_visible_to(person: User) -> QuerySet[Delegation]:
    """The delegations of the person's teams, and those given to or by the person."""
    teams = Assignment.objects.filter(in_force(timezone.now()), person=person).values("team")
    seen = Q(team__in=teams) | Q(delegate=person) | Q(holder=person)
    return Delegation.objects.filter(seen).select_related("team", "memo", "holder", "delegate", "end").order_by("-pk")


def contributors(memo: Memo) -> frozenset[str]:
    """The user names of everybody who wrote or attached content of the memo."""
    wrote = Revision.objects.filter(memo=memo).values_list("contributor__username", flat=True)
    attached = Attachment.objects.filter(evidence_set__memo=memo).values_list("attached_by__username", flat=True)
    return frozenset((*wrote, *attached, memo.created_by.get_username()))


def memo_for(person: User, number: str) -> Memo:
    """The memo of that number, by the clock, if the person sees it. Raises NotVisible, also when it is for others."""
    memo = memos_visible_to(person).filter(number=number).first()
    if memo is None:
        raise NotVisible(f"There is no memo {number} that you can see.", needs="Ask its team for a role.")
    return by_the_clock(memo)


def roles_held(person: User, team: Team, at: datetime | None = None) -> frozenset[str]:
    """The slugs of the roles that the person holds for the team, standing and owner roles, at `at` (now)."""
    if not person.is_active:
        return frozenset()
    rows = Assignment.objects.filter(in_force(at or timezone.now()), person=person, team=team)
    return frozenset(rows.values_list("role", flat=True))


def roles_on(person: User, memo: Memo, at: datetime | None = None) -> frozenset[Role]:
    """What the person, who sees this memo, is to it, in the words of the lifecycle."""
    held = roles_held(person, memo.team, at)
    lent = person.is_active and delegations_to(person, memo, at).exists()
    return roles_of(held, filed=memo.created_by_id == person.pk, lent=lent)


def holders(team: Team, at: datetime | None = None) -> Mapping[str, tuple[str, ...]]:
    """Role slug -> the names of the active people who hold it for the team, in order of assignment."""
    found: dict[str, list[str]] = defaultdict(list)
    rows = Assignment.objects.filter(in_force(at or timezone.now()), team=team, person__is_active=True).order_by("pk")
    for role, name in rows.values_list("role", "person__username"):
        if name not in found[role]:
            found[role].append(name)
    return {role: tuple(names) for role, names in found.items()}


def teams_of(person: User, role: str) -> QuerySet[Team]:
    """The teams in which the person holds that role now."""
    held = Assignment.objects.filter(in_force(timezone.now()), person=person, role=role).values("team")
    return Team.objects.filter(pk__in=held).order_by("name")
