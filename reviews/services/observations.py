"""What is seen after a decision, what happened in production, and the outcome that closes a memo."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, Incomplete, NotPermitted, NotVisible
from reviews.models import ApiToken, Assessment, Decision, Memo, Observation, Outcome, ProductionEvent, authority
from reviews.policies import lifecycle, outcome
from reviews.policies.lifecycle import Part
from reviews.queries import people
from reviews.queries.gate import gate_facts
from reviews.services import events, memos, revisions, wellformed
from reviews.services.percents import decimal_of, percent_of
from reviews.services.rechecks import decision_of
from reviews.vocabulary import Action, ProductionEventKind, StandingRole, State

READERS: Final = frozenset({StandingRole.AUDITOR.value, StandingRole.ADMINISTRATOR.value})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionReport:
    """What somebody or a deployer reports. build: image digest or another name; scope_percent: decimal text or ""."""

    kind: str
    build: str
    scope: str
    scope_percent: str
    text: str
    happened_at: datetime


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
def report_production_event(
    *, actor: User, memo_id: int, report: ProductionReport, token: ApiToken | None
) -> ProductionEvent:
    """What was deployed, advanced or rolled back under this memo.

    Raises:
        NotVisible: no such memo.
        NotPermitted: the actor works for another team, or only reads.
        BadInput: an unknown kind, no build, or a time in the future.
    """
    memo = revisions.locked(actor, memo_id)
    if not people.roles_held(actor, memo.team) - READERS:
        raise NotPermitted(
            f"What happens in production is reported by those who work for {memo.team.name}.", needs="Ask one of them."
        )
    if report.kind not in ProductionEventKind.values:
        known = ", ".join(ProductionEventKind.values)
        raise BadInput(f"{report.kind!r} is no production event.", needs=f"Choose one of: {known}.", where="kind")
    wellformed.require_text(report.build, "build", longest=300, code="no_build")
    wellformed.require_fits(report.scope, "scope", longest=300)
    now = timezone.now()
    if report.happened_at > now:
        raise BadInput("What happened lies in the past.", code="future_time", where="happened_at")
    percent = percent_of(report.scope_percent)
    row = ProductionEvent.objects.create(
        memo=memo,
        team=memo.team,
        kind=report.kind,
        build=report.build,
        scope=report.scope,
        scope_percent=None if percent is None else decimal_of(percent),
        text=report.text,
        reported_by=None if token else actor,
        reported_by_name=events.name_of(token or actor),
        happened_at=report.happened_at,
        recorded_at=now,
    )
    events.append(memo, token or actor, "production_event", kind=report.kind, build=report.build, scope=report.scope)
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
