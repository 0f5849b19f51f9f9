"""The waivers of a memo, and the gaps that could be waived now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User

from reviews.models import Memo, Waiver
from reviews.policies import lifecycle, preview, waivers
from reviews.policies.facts import GateFacts, WaiverFacts
from reviews.queries import gate, people
from reviews.vocabulary import Action, RequirementState, StandingRole, State


@dataclass(frozen=True, slots=True)
class Waivable:
    """A gap that is open and may be waived. kinds: the decisions that it stands in the way of."""

    code: str
    sentence: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverLine:
    """A waiver. holds: it counts now; why_not: why it does not, "" when it does."""

    waiver: Waiver
    rule: str
    holds: bool
    why_not: str
    answered_by: str
    note: str
    may_answer: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverPage:
    """people: (user name, name) of who can own a waiver. cap_days, latest: how long one may run."""

    memo: Memo
    lines: tuple[WaiverLine, ...]
    gaps: tuple[Waivable, ...]
    people: tuple[tuple[str, str], ...]
    cap_days: int
    latest: datetime
    may_ask: bool


def waiver_page(person: User, memo: Memo) -> WaiverPage:
    """Everything that the page shows; a constant number of queries."""
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    roles = people.roles_on(person, memo)
    may_ask = Action.WAIVE in lifecycle.allowed(State(memo.state), roles)
    rows = list(memo.waivers.select_related("approval").order_by("pk"))
    may_answer = may_ask and StandingRole.BOARD in roles
    lines = [
        _line(row, said, facts, may_answer=may_answer and row.requested_by_id != person.pk)
        for row, said in zip(rows, facts.waivers, strict=True)
    ]
    return WaiverPage(
        memo=memo,
        lines=tuple(reversed(lines)),
        gaps=waivable(facts),
        people=_people(facts.role_holders),
        cap_days=facts.template.waiver_cap_days,
        latest=facts.now + timedelta(days=facts.template.waiver_cap_days),
        may_ask=may_ask,
    )


def waivable(facts: GateFacts) -> tuple[Waivable, ...]:
    """The gaps of any decision that may be waived and are not, each once, in the order of the gate."""
    found: dict[str, Waivable] = {}
    for outlook in preview.preview(facts).outlooks:
        for line in outlook.requirements:
            if line.waivable and line.state is RequirementState.UNMET:
                kinds = found[line.code].kinds if line.code in found else ()
                found[line.code] = Waivable(line.code, line.sentence, (*kinds, str(outlook.kind.label)))
    return tuple(found.values())


def _line(row: Waiver, said: WaiverFacts, facts: GateFacts, *, may_answer: bool) -> WaiverLine:
    why_not = waivers.lapse(said, facts)
    answer = getattr(row, "approval", None)
    return WaiverLine(
        waiver=row,
        rule=row.requirement.replace("_", " "),
        holds=not why_not,
        why_not=why_not,
        answered_by=answer.by_name if answer else "",
        note=answer.note if answer else "",
        may_answer=may_answer and answer is None,
    )


def _people(holders: Mapping[str, Iterable[str]]) -> tuple[tuple[str, str], ...]:
    """Everybody who holds a role for the team, by name; one query."""
    names = {name for several in holders.values() for name in several}
    rows = User.objects.filter(username__in=names).order_by("username")
    return tuple((row.get_username(), row.get_full_name() or row.get_username()) for row in rows)
