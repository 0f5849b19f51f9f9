"""A rollout as its page shows it: where it stands, what each threshold says and on what, and what comes next."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from reviews.errors import Missing, NotVisible
from reviews.models import Decision, Memo
from reviews.policies import lifecycle
from reviews.policies.contract import Contract, answer_of, stands_in_words, why_not_advance
from reviews.policies.facts import GateFacts
from reviews.queries import contracts, gate, people
from reviews.queries.contracts import NOTHING, Standing
from reviews.queries.live import live_without_authority
from reviews.queries.thresholds import Judged
from reviews.vocabulary import Action, DecisionKind, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """answer: of all thresholds together. gaps: what stands before the next stage. may_advance: this person may.

    is_running: it is in force now, neither expired nor followed by another decision.
    """

    contract: Contract
    stands: str
    thresholds: tuple[Judged, ...]
    answer: str
    gaps: tuple[Missing, ...]
    is_running: bool
    may_advance: bool


def is_live(memo: Memo, decisions: Collection[Decision], now: datetime) -> bool:
    """Whether a rollout of the memo has expired and runs still; asked of the database as `standing_of` does."""
    bounded = any(row.kind == DecisionKind.BOUNDED for row in decisions)
    return bounded and memo.pk in live_without_authority([memo.pk], now)


def standing_of(memo: Memo, decisions: Collection[Decision], now: datetime) -> Standing:
    """Where the decisions stand; asked of the database only when one of them was for a bounded rollout."""
    bounded = any(row.kind == DecisionKind.BOUNDED for row in decisions)
    return contracts.standing(memo.pk, now) if bounded else NOTHING


def of(memo: Memo, facts: GateFacts, standing: Standing, roles: frozenset[lifecycle.Role]) -> Running | None:
    """The latest rollout of the memo for somebody with these roles; None when there never was one."""
    if standing.contract is None:
        return None
    contract = contracts.with_people(standing.contract, facts)
    return Running(
        contract=contract,
        stands=stands_in_words(contract),
        thresholds=standing.thresholds,
        answer=answer_of(contract.thresholds),
        gaps=why_not_advance(contract),
        is_running=not contract.is_over and not contract.superseded,
        may_advance=Action.ADVANCE_STAGE in lifecycle.allowed(State(memo.state), roles),
    )


def running(person: User, memo: Memo) -> Running:
    """The latest rollout of the memo, for the person. Raises NotVisible when there never was one."""
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    found = of(memo, facts, contracts.standing(memo.pk, facts.now), people.roles_on(person, memo))
    if found is None:
        raise NotVisible(f"No bounded rollout of {memo.number} was ever decided.", code="no_rollout")
    return found
