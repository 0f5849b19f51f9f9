"""Delegations: a holder lets somebody sign in their place, for one memo or a team's, from then until then."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible
from reviews.models import Delegation, DelegationEnd, Memo, Team
from reviews.policies import delegation
from reviews.policies.delegation import Link
from reviews.queries import people
from reviews.services import events, revisions, wellformed
from reviews.vocabulary import Action, StandingRole


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegationWish:
    """What a holder wants. delegate: user name; starts_at: None for now."""

    role: str
    delegate: str
    starts_at: datetime | None
    ends_at: datetime
    reason: str


@transaction.atomic
def delegate_on(*, actor: User, memo_id: int, wish: DelegationWish) -> Delegation:
    """The actor's role on one memo, delegated.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotVisible also for an unknown delegate.
        NotPermitted, BadInput: see policies/delegation.py; BadInput also without a reason.
    """
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.DELEGATE)
    team = Team.objects.select_for_update(no_key=True).get(pk=memo.team_id)
    return _delegate(actor, team, memo, wish)


@transaction.atomic
def delegate_for_team(*, actor: User, team: str, wish: DelegationWish) -> Delegation:
    """The actor's role on all memos of the team (slug), delegated. Raises as `delegate_on`, without a lifecycle."""
    row = Team.objects.select_for_update(no_key=True).filter(slug=team).first()
    if row is None or not people.roles_held(actor, row):
        raise NotVisible(f"There is no team {team} that you can see.", where="team")
    return _delegate(actor, row, None, wish)


@transaction.atomic
def end(*, actor: User, delegation_id: int, reason: str) -> DelegationEnd:
    """The delegation stops now: by who gave it, who has it, or an administrator of the team. What was signed stands.

    Raises:
        NotVisible: no such delegation for this person.
        NotPermitted: it is neither given by, nor to, the actor.
        BadInput: no reason, or it has ended.
    """
    row = people.delegations_visible_to(actor).filter(pk=delegation_id).first()
    if row is None:
        raise NotVisible("There is no such delegation that you can see.")
    if row.memo_id is not None:  # the memo before its team, as everywhere
        Memo.objects.select_for_update(no_key=True).get(pk=row.memo_id)
    Team.objects.select_for_update(no_key=True).get(pk=row.team_id)
    administers = StandingRole.ADMINISTRATOR.value in people.roles_held(actor, row.team)
    if actor.pk not in (row.holder_id, row.delegate_id) and not administers:
        raise NotPermitted(
            "A delegation is ended by who gave it, by who has it, or by an administrator of the team.",
            needs=f"Ask {row.holder_name}.",
        )
    now = timezone.now()
    if row.ends_at <= now or DelegationEnd.objects.filter(delegation=row).exists():
        raise BadInput("This delegation has ended.", code="delegation_ended", where="delegation")
    if not reason.strip():
        raise BadInput("Say why it ends.", code="no_reason", where="reason")
    made = DelegationEnd.objects.create(delegation=row, at=now, reason=reason, ended_by=actor, recorded_at=now)
    events.append(
        row.memo or row.team,
        actor,
        "end_delegation",
        role=row.role,
        holder=row.holder.get_username(),
        delegate=row.delegate.get_username(),
        reason=reason,
    )
    return made


def _delegate(actor: User, team: Team, memo: Memo | None, wish: DelegationWish) -> Delegation:
    now = timezone.now()
    wellformed.require_fits(wish.role, "role", longest=80)
    if not wish.reason.strip():
        raise BadInput("Say why the role is delegated.", code="no_reason", where="reason")
    delegate = User.objects.filter(username=wish.delegate, is_active=True).first()
    if delegate is None:
        raise NotVisible(f"There is no active account {wish.delegate}.", needs="Name it by user name.")
    link = Link(
        holder=actor.get_username(),
        delegate=wish.delegate,
        role=wish.role,
        memo=memo.number if memo else "",
        starts_at=wish.starts_at or now,
        ends_at=wish.ends_at,
    )
    wrote = people.contributors(memo) if memo else ()
    delegation.check(link, holders=people.holders(team), known=_known(team), wrote=wrote, now=now)
    row = Delegation.objects.create(
        team=team,
        memo=memo,
        role=wish.role,
        holder=actor,
        holder_name=events.name_of(actor),
        delegate=delegate,
        delegate_name=events.name_of(delegate),
        reason=wish.reason,
        starts_at=link.starts_at,
        ends_at=wish.ends_at,
        delegated_by=actor,
        delegated_at=now,
    )
    events.append(
        memo or team,
        actor,
        Action.DELEGATE,
        role=wish.role,
        delegate=wish.delegate,
        starts_at=link.starts_at.isoformat(),
        ends_at=wish.ends_at.isoformat(),
        reason=wish.reason,
    )
    return row


def _known(team: Team) -> Iterator[Link]:
    """The team's delegations, each until it ended."""
    rows = Delegation.objects.filter(team=team).select_related("holder", "delegate", "memo", "end")
    for row in rows:
        stopped = getattr(row, "end", None)
        yield Link(
            holder=row.holder.get_username(),
            delegate=row.delegate.get_username(),
            role=row.role,
            memo=row.memo.number if row.memo else "",
            starts_at=row.starts_at,
            ends_at=min(row.ends_at, stopped.at) if stopped else row.ends_at,
        )
