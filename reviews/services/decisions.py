"""Deciding: the gate is asked again under the memo's lock, the dossier is frozen, and the PDF is asked for."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.authentication import Authentication
from reviews.errors import BadInput, GateClosed
from reviews.models import Decision, FollowUp, Memo, Team, authority
from reviews.policies import gate
from reviews.policies.answers import Requirement
from reviews.policies.facts import GateFacts
from reviews.policies.lifecycle import Move
from reviews.policies.preview import ACTION_OF
from reviews.queries.gate import gate_facts
from reviews.services import authentications, dossiers, events, incidents, jobs, revisions
from reviews.services.percents import decimal_of, percent_of, text_of
from reviews.vocabulary import Action, DecisionKind, State

PDF_JOB: Final = "pdf"
WHOLE: Final = Decimal(100)
FOLLOW_UP_DAYS: Final = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionWish:
    """What somebody wants to record. scope_percent: decimal text, only for a bounded rollout; rationale: why."""

    kind: str
    scope_percent: str
    rationale: str


@transaction.atomic
def decide(*, actor: User, memo_id: int, base: str, wish: DecisionWish, authentication: Authentication) -> Decision:
    """The decision recorded, and the memo in its new state.

    Args:
        base: digest of the revision that the page showed.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; a second decision finds another state.
        StalePage: the memo changed since the page was made.
        NotSignedIn: the proof of identity is too old.
        BadInput: no rationale, no such decision, or a scope that is missing or out of place.
        GateClosed: the gate misses what `missing` lists.
    """
    authentications.require_fresh(authentication)
    kind = _kind(wish.kind)
    memo = revisions.locked(actor, memo_id)
    Team.objects.select_for_update(no_key=True).get(pk=memo.team_id)  # no role is given, lent or ended meanwhile
    move = revisions.asked(actor, memo, ACTION_OF[kind])
    revisions.refuse_stale(memo, base)
    scope = _scope(kind, wish.scope_percent)
    if not wish.rationale.strip():
        raise BadInput("Say why: a decision has a rationale.", code="no_rationale", where="rationale")
    facts = gate_facts(memo.pk, decider=actor, requested_percent=percent_of(wish.scope_percent))
    lines = gate.evaluate(facts, kind)
    if not gate.is_open(lines):
        missing = gate.missing(lines)
        raise GateClosed(
            f"“{kind.label}” cannot be recorded: {len(missing)} requirement(s) are missing.",
            needs="Supply what is listed, or choose a decision that the evidence allows.",
            missing=[line.as_missing() for line in missing],
        )
    proof = authentications.as_json(authentication)
    draft = _Draft(kind, scope, wish.rationale, lines, proof, emergency=False, effective_at=facts.now)
    decision = _record(actor, memo, facts, move, draft)
    if kind is DecisionKind.ROLLBACK:
        incidents.ratify(actor, memo, decision.number, wish.rationale)
    return decision


@transaction.atomic
def emergency_rollback(
    *, actor: User, memo_id: int, reason: str, effective_at: datetime, authentication: Authentication
) -> Decision:
    """A rollback recorded at once. What the gate would have asked becomes follow-ups of the author.

    It ratifies what production reported; where nobody reported it, this report is the production event.

    Args:
        effective_at: when production was rolled back; not in the future.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py.
        NotSignedIn: the proof of identity is too old.
        BadInput: no reason, or a time in the future.
    """
    authentications.require_fresh(authentication)
    memo = revisions.locked(actor, memo_id)
    move = revisions.asked(actor, memo, Action.EMERGENCY_ROLLBACK)
    if not reason.strip():
        raise BadInput("Say why, in a few words.", code="no_reason", where="reason")
    if effective_at > timezone.now():
        raise BadInput("A rollback that has happened lies in the past.", code="future_time", where="effective_at")
    facts = gate_facts(memo.pk, decider=actor, requested_percent=None)
    lines = gate.evaluate(facts, DecisionKind.ROLLBACK)
    proof = authentications.as_json(authentication)
    draft = _Draft(DecisionKind.ROLLBACK, None, reason, lines, proof, emergency=True, effective_at=effective_at)
    decision = _record(actor, memo, facts, move, draft)
    if not incidents.ratify(actor, memo, decision.number, reason):
        incidents.note_rollback(actor, memo, facts.content.change.candidate, decision)
    _owe(memo, decision, gate.missing(lines))
    return decision


@dataclass(frozen=True, slots=True)
class _Draft:
    """What is known of a decision before it is a row."""

    kind: DecisionKind
    scope_percent: Decimal | None
    rationale: str
    lines: tuple[Requirement, ...]
    authentication: dict[str, str]
    emergency: bool
    effective_at: datetime


def _record(actor: User, memo: Memo, facts: GateFacts, move: Move, draft: _Draft) -> Decision:
    """The row, the dossier, the new state, the event and the job, in the open transaction."""
    now = facts.now  # the moment at which the gate was asked: nothing that ends later counts as ended, nor the reverse
    former = memo.decisions.order_by("-number").first()
    number = former.number + 1 if former else 1
    after = move.leads_to(State(memo.state))
    frozen = dossiers.freeze(memo, facts, draft.kind, _said(actor, draft, number, after, now))
    with authority.writing(Decision):
        decision = Decision.objects.create(
            memo=memo,
            number=number,
            revision=revisions.current(memo),
            kind=draft.kind,
            scope_percent=draft.scope_percent,
            rationale=draft.rationale,
            emergency=draft.emergency,
            dossier=frozen.text,
            dossier_sha256=frozen.sha256,
            gate=[dossiers.line_json(line) for line in draft.lines],
            rules_version=facts.template.rules_version,
            chain_head=events.head_of(memo),
            decider=actor,
            decider_name=events.name_of(actor),
            authentication=draft.authentication,
            effective_at=draft.effective_at,
            recorded_at=now,
            supersedes=former,
        )
    before, memo.state, memo.decided_at = memo.state, after, draft.effective_at
    memo.save(update_fields=["state", "decided_at"])
    events.append(
        memo,
        actor,
        move.action,
        decision=number,
        kind=draft.kind.value,
        before=before,
        after=after.value,
        emergency=draft.emergency,
        dossier_sha256=frozen.sha256,
        rationale=draft.rationale,
    )
    jobs.request(actor=actor, kind=PDF_JOB, subject=decision, arguments={})
    return decision


def _said(actor: User, draft: _Draft, number: int, after: State, now: datetime) -> dict[str, Any]:
    """The decision's part of its dossier."""
    return {
        "number": number,
        "kind": draft.kind.value,
        "label": str(draft.kind.label),
        "state_after": after.value,
        "scope_percent": text_of(draft.scope_percent),
        "rationale": draft.rationale,
        "emergency": draft.emergency,
        "decider": actor.get_username(),
        "decider_name": events.name_of(actor),
        "authentication": draft.authentication,
        "effective_at": draft.effective_at.isoformat(),
        "recorded_at": now.isoformat(),
    }


def _owe(memo: Memo, decision: Decision, missing: tuple[Requirement, ...]) -> None:
    """What the gate would have asked, as follow-ups with owner and date."""
    now = timezone.now()
    for line in missing:
        FollowUp.objects.create(
            memo=memo,
            decision=decision,
            requirement=line.rule,
            text=line.sentence,
            owner=memo.created_by,
            owner_name=events.name_of(memo.created_by),
            due_at=now + timedelta(days=FOLLOW_UP_DAYS),
            created_at=now,
        )


def _kind(text: str) -> DecisionKind:
    if text not in DecisionKind.values:
        raise BadInput(
            f"{text or 'Nothing'} is no decision.",
            needs=f"Choose one of: {', '.join(DecisionKind.values)}.",
            code="unknown_decision",
            where="kind",
        )
    return DecisionKind(text)


def _scope(kind: DecisionKind, text: str) -> Decimal | None:
    percent = percent_of(text)
    if kind is DecisionKind.BOUNDED:
        if percent is None:
            raise BadInput("Say how far the rollout may reach.", code="no_scope", where="scope_percent")
        return decimal_of(percent)
    if percent is not None:
        raise BadInput(f"“{kind.label}” has no scope.", code="scope_out_of_place", where="scope_percent")
    return WHOLE if kind is DecisionKind.SHIP else None
