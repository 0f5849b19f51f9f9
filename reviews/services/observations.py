"""What is seen after a decision, and the outcome that closes a memo. Production events: services/production.py."""

from dataclasses import asdict

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, Incomplete, NotVisible
from reviews.models import ApiToken, Assessment, Decision, Memo, Observation, Outcome, authority
from reviews.policies import lifecycle, outcome
from reviews.policies.lifecycle import Part
from reviews.queries import people
from reviews.queries.gate import gate_facts
from reviews.services import events, memos, revisions
from reviews.services.rechecks import decision_of
from reviews.vocabulary import Action, State


@transaction.atomic
def observe(*, actor: User, memo_id: int, text: str, assessment: str, token: ApiToken | None) -> Observation:
    """A remark on what was seen, with the digest of an assessment of this memo if one stands behind it.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotVisible also for an unknown assessment.
        BadInput: no text, or an assessment of what was measured before the decision.
    """
    memo = revisions.locked(actor, memo_id)
    roles = people.roles_on(actor, memo) | (frozenset({Part.TOKEN}) if token else frozenset())
    lifecycle.move(Action.OBSERVE, State(memo.state), roles)
    if not text.strip():
        raise BadInput("Say what was seen.", code="no_text", where="text")
    now, decision = timezone.now(), decision_of(memo)
    row = Observation.objects.create(
        memo=memo,
        decision=decision,
        assessment=_assessment(memo, assessment, decision),
        text=text,
        observed_by=None if token else actor,
        observed_by_name=events.name_of(token or actor),
        observed_at=now,
        recorded_at=now,
    )
    events.append(memo, token or actor, Action.OBSERVE, text=text, assessment=assessment)
    return row


@transaction.atomic
def record_outcome(*, actor: User, memo_id: int, text: str) -> Outcome:
    """The memo closed, with what was predicted beside what was observed in ordinary execution.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py.
        BadInput: no text.
        Incomplete: a recheck is missing, did other work, or shows worse quality.
    """
    memo = revisions.locked(actor, memo_id)
    move = revisions.asked(actor, memo, Action.RECORD_OUTCOME)
    if not text.strip():
        raise BadInput("Say what came of it.", code="no_text", where="text")
    decision = decision_of(memo)
    facts = gate_facts(memo.pk, decider=None, requested_percent=None)
    if missing := outcome.missing(facts, decision.effective_at):
        raise Incomplete("The outcome cannot be recorded yet.", needs="Recheck, then record.", missing=missing)
    moved = outcome.movements(facts, decision.effective_at)
    with authority.writing(Outcome):
        row = Outcome.objects.create(
            memo=memo,
            decision=decision,
            text=text,
            assessments=[seen.assessment.digest for seen in facts.observations],
            movements=[asdict(movement) for movement in moved],
            recorded_by=actor,
            recorded_by_name=events.name_of(actor),
            recorded_at=timezone.now(),
        )
    memos.move_to(actor, memo, move.leads_to(State(memo.state)), Action.RECORD_OUTCOME, text)
    return row


def _assessment(memo: Memo, digest: str, decision: Decision) -> Assessment | None:
    if not digest:
        return None
    found = memo.assessments.filter(digest=digest).order_by("-pk").first()
    if found is None:
        raise NotVisible(f"This memo has no assessment {digest[:12]}….", where="assessment")
    sealed_at = found.evidence_set.sealed_at
    if sealed_at is None or sealed_at <= decision.effective_at:
        raise BadInput(
            f"{found.comparison} was measured before the decision: that is no observation of what came of it.",
            needs="Measure again, and record a recheck.",
            code="before_the_decision",
            where="assessment",
        )
    return found
