"""Advancing a rollout to its next stage, inside the contract that was signed: its thresholds are asked again."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from analysis.canonical import as_json
from reviews.authentication import Authentication
from reviews.errors import GateClosed, StalePage, WrongState
from reviews.models import Decision, Memo, StageAdvance, authority
from reviews.policies.contract import Contract, why_not_advance
from reviews.queries import contracts
from reviews.queries.gate import gate_facts
from reviews.queries.thresholds import Judged
from reviews.services import authentications, events, revisions
from reviews.services.percents import decimal_of, percent_of
from reviews.vocabulary import Action


@transaction.atomic
def advance(*, actor: User, memo_id: int, stage: int, note: str, authentication: Authentication) -> StageAdvance:
    """The rollout in its next stage.

    Args:
        stage: the number of that stage, as the page showed it.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; an expired rollout is in review.
        NotSignedIn: the proof of identity is too old.
        StalePage: another stage is the next one by now.
        GateClosed: the contract does not let it, for the reasons that `missing` lists.
    """
    authentications.require_fresh(authentication)
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.ADVANCE_STAGE)
    contract, thresholds = _contract(memo)
    if stage != contract.stage + 1:
        raise StalePage(
            f"The rollout is in stage {contract.stage}: the next is {contract.stage + 1}, not {stage}.",
            needs="Look at it again.",
            code="another_stage",
            where="stage",
        )
    if gaps := why_not_advance(contract):
        raise GateClosed(
            f"Stage {stage} cannot begin: {len(gaps)} thing(s) stand before it.",
            needs="What is not known is hold: observe more, or decide to ship, to roll back or to escalate.",
            code="contract_holds",
            missing=gaps,
        )
    said = [threshold_json(one) for one in thresholds]
    return _record(actor, memo, contract, said, {"note": note, "proof": authentications.as_json(authentication)})


def _contract(memo: Memo) -> tuple[Contract, tuple[Judged, ...]]:
    """The contract as the board decided it, with its people and thresholds. Raises WrongState when there is none."""
    facts = gate_facts(memo.pk, decider=None, requested_percent=None)
    standing = contracts.standing(memo.pk, facts.now)
    if standing.contract is None:
        raise WrongState(f"No bounded rollout of {memo.number} was decided.", code="no_rollout")
    return contracts.with_people(standing.contract, facts), standing.thresholds


def _record(
    actor: User, memo: Memo, contract: Contract, said: list[dict[str, Any]], given: dict[str, Any]
) -> StageAdvance:
    following = contract.following
    assert following is not None  # noqa: S101 (the last stage is a gap)
    percent = percent_of(following.percent)
    assert percent is not None  # noqa: S101 (the gate asked for it)
    with authority.writing(StageAdvance):
        row = StageAdvance.objects.create(
            decision=Decision.objects.get(memo=memo, number=contract.decision),
            stage=contract.stage + 1,
            scope_percent=decimal_of(percent),
            note=given["note"],
            judged=said,
            by=actor,
            by_name=events.name_of(actor),
            authentication=given["proof"],
            at=timezone.now(),
        )
    events.append(
        memo,
        actor,
        Action.ADVANCE_STAGE,
        decision=contract.decision,
        stage=row.stage,
        scope_percent=following.percent,
        judged=[f"{one['comparison']}: {one['answer']}" for one in said],
        note=row.note,
    )
    return row


def threshold_json(one: Judged) -> dict[str, Any]:
    """A threshold with its answer, its interval and the balance of every look, as canonical JSON values."""
    return {
        "comparison": one.threshold.comparison,
        "metric": one.threshold.metric,
        "stat": one.threshold.stat,
        "limit": one.threshold.limit,
        "answer": one.answer,
        "sentence": one.sentence,
        "interval": as_json(one.interval),
        "balances": as_json(one.balances),
    }
