"""The inverse of what somebody may do: who may do something to a memo now. For refusals, notifications and the API."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime

from django.db.models import Q
from django.utils import timezone

from reviews.models import (
    Assignment,
    Attachment,
    Comment,
    Decision,
    Delegation,
    Memo,
    Revision,
    Signature,
    in_force,
)
from reviews.policies import lifecycle
from reviews.policies.lifecycle import Role
from reviews.vocabulary import Action, State


def who_may(memo: Memo, action: Action, at: datetime | None = None) -> tuple[str, ...]:
    """The user names of the active people who may do it in the memo's present state, sorted; three queries.

    What hangs on one objection (who raised it) and what programs and the clock do is not in it.
    """
    return lifecycle.who_may(action, State(memo.state), roles_on_all(memo, at))


def everything(memo: Memo) -> Mapping[Action, tuple[str, ...]]:
    """For every action of the lifecycle, who may do it now; three queries."""
    roles = roles_on_all(memo)
    return {action: lifecycle.who_may(action, State(memo.state), roles) for action in Action}


def roles_on_all(memo: Memo, at: datetime | None = None) -> Mapping[str, frozenset[Role]]:
    """User name -> what that person is to the memo, for every active person who sees it."""
    now = at or timezone.now()
    held: dict[str, set[str]] = defaultdict(set)
    rows = Assignment.objects.filter(in_force(now), team=memo.team, person__is_active=True)
    for name, role in rows.values_list("person__username", "role"):
        held[name].add(role)
    lent = Delegation.objects.filter(
        in_force(now), Q(memo__isnull=True) | Q(memo=memo), team=memo.team, delegate__is_active=True
    )
    delegates = set(lent.values_list("delegate__username", flat=True))
    filer = memo.created_by.get_username()
    return {
        name: lifecycle.roles_of(frozenset(held.get(name, ())), filed=name == filer, lent=name in delegates)
        for name in {*held, *delegates, *_took_part(memo)}
    }


def _took_part(memo: Memo) -> frozenset[str]:
    """The active people who wrote, attached, signed, commented or decided: see `people.memos_visible_to`."""
    deeds = (
        Attachment.objects.filter(evidence_set__memo=memo, attached_by__is_active=True).values_list(
            "attached_by__username"
        ),
        Signature.objects.filter(memo=memo, signer__is_active=True).values_list("signer__username"),
        Comment.objects.filter(memo=memo, author__is_active=True).values_list("author__username"),
        Decision.objects.filter(memo=memo, decider__is_active=True).values_list("decider__username"),
    )
    wrote = Revision.objects.filter(memo=memo, contributor__is_active=True).values_list("contributor__username")
    return frozenset(name for (name,) in wrote.union(*deeds))
