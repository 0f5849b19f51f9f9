"""The delegations that reach a memo, and the roles that a person could delegate on it."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils import timezone

from reviews.models import Delegation, Memo
from reviews.policies import lifecycle
from reviews.policies.delegation import NOT_DELEGATED
from reviews.queries import gate, people, records
from reviews.queries.signatures_given import asked_titles
from reviews.vocabulary import Action, StandingRole, State


@dataclass(frozen=True, slots=True)
class DelegationLine:
    """A delegation. standing: "in force", "begins later", "has ended", "was ended"; may_end: by this person."""

    delegation: Delegation
    title: str
    standing: str
    may_end: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegationPage:
    """roles: (slug, title) of the roles that the person holds and may delegate."""

    memo: Memo
    lines: tuple[DelegationLine, ...]
    roles: tuple[tuple[str, str], ...]


def delegation_page(person: User, memo: Memo) -> DelegationPage:
    """Everything that the page shows; a constant number of queries."""
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    titles = asked_titles(facts)
    allowed = Action.DELEGATE in lifecycle.allowed(State(memo.state), people.roles_on(person, memo))
    held = people.roles_held(person, memo.team)
    administers = StandingRole.ADMINISTRATOR.value in held
    rows = reversed(records.delegations(memo))
    return DelegationPage(
        memo=memo,
        lines=tuple(_line(person, row, titles.get(row.role, row.role), administers=administers) for row in rows),
        roles=tuple((s, t) for s, t in titles.items() if allowed and s in held - NOT_DELEGATED),
    )


def _line(person: User, row: Delegation, title: str, *, administers: bool) -> DelegationLine:
    said = standing(row)
    mine = administers or person.pk in (row.holder_id, row.delegate_id)
    return DelegationLine(row, title, said, mine and said in {"in force", "begins later"})


def standing(row: Delegation) -> str:
    """Where a delegation stands now, in words."""
    now = timezone.now()
    if hasattr(row, "end"):
        return "was ended"
    if row.ends_at <= now:
        return "has ended"
    return "begins later" if row.starts_at > now else "in force"
