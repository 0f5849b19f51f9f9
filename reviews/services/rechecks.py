"""Rechecks: a comparison repeated in ordinary execution after the decision, outside the revision, as an observation."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, WrongState
from reviews.models import ApiToken, Assessment, Decision, EvidenceSet, Memo, Observation
from reviews.policies import lifecycle
from reviews.policies.lifecycle import Part
from reviews.queries import people
from reviews.sections import Comparison, MemoContent, SealedSet
from reviews.services import assessments, events, evidence, revisions, sealing, wellformed
from reviews.services.labels import Labels, check, refuse_double
from reviews.services.percents import decimal_of, percent_of
from reviews.services.requests import Prepared, nanoseconds, prepare_recheck
from reviews.services.traffic import traffic_json
from reviews.vocabulary import Action, Match, SetState, State


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckWish:
    """What was measured again. comparison: its key; files: (SHA-256, labels); text: how it was run.

    share_percent: which share of the observed traffic the candidate was meant to get, "" for that of the stage.
    """

    comparison: str
    title: str
    text: str
    files: tuple[tuple[str, Labels], ...]
    share_percent: str = ""


@transaction.atomic
def recheck(*, actor: User, memo_id: int, wish: RecheckWish, token: ApiToken | None) -> Observation:
    """The observation, with a sealed set of its own and the assessment of the comparison on it.

    During a rollout the arms are matched as a randomised traffic split, and what each was sent is kept.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotVisible also for an unknown comparison or
            file, WrongState for a file that is still being read.
        Unreadable: a file with an arm has no measurements.
        BadInput: no text or title, labels that do not fit, or runs that were there before the decision.
    """
    memo = revisions.locked(actor, memo_id)
    roles = people.roles_on(actor, memo) | (frozenset({Part.TOKEN}) if token else frozenset())
    lifecycle.move(Action.OBSERVE, State(memo.state), roles)
    wellformed.require_text(wish.title, "title", longest=300, code="no_title")
    wellformed.require_text(wish.text, "text", longest=100_000, code="no_text")
    decision, rolling = decision_of(memo), memo.state == State.ROLLING_OUT
    share = _share(wish.share_percent, rolling=rolling)
    content = revisions.content_of(decision.revision)
    row = assessments.comparison_of(content, wish.comparison)
    row = replace(row, match=Match.TRAFFIC_SPLIT.value) if rolling else row
    stored = _set(actor, memo, row, wish, token)
    sealed = sealing.close(stored, actor)
    _refuse_known_runs(revisions.content_of(revisions.current(memo)), sealed)
    prepared = prepare_recheck(memo, content, row, sealed, stored)
    _refuse_early_runs(prepared, decision)
    assessment = assessments.freeze(memo, row, prepared)
    seen = _Seen(decision, stored, assessment, traffic_json(prepared.request.runs) if rolling else [], share)
    observation = _observed(actor, memo, wish, seen, token)
    events.append(
        memo,
        token or actor,
        Action.OBSERVE,
        comparison=row.key,
        set=stored.number,
        text=wish.text,
        assessment=assessment.digest,
        outcome=assessment.outcome,
    )
    return observation


@dataclass(frozen=True, slots=True)
class _Seen:
    """What an observation is made of."""

    decision: Decision
    stored: EvidenceSet
    assessment: Assessment
    traffic: list[dict[str, Any]]
    share: Decimal | None


def _observed(actor: User, memo: Memo, wish: RecheckWish, seen: _Seen, token: ApiToken | None) -> Observation:
    now = timezone.now()
    return Observation.objects.create(
        memo=memo,
        decision=seen.decision,
        evidence_set=seen.stored,
        assessment=seen.assessment,
        text=wish.text,
        observed_by=None if token else actor,
        observed_by_name=events.name_of(token or actor),
        observed_at=now,
        recorded_at=now,
        traffic=seen.traffic,
        share_percent=seen.share,
    )


def decision_of(memo: Memo) -> Decision:
    """The latest decision. Raises WrongState when there is none."""
    decision = memo.decisions.order_by("-number").first()
    if decision is None:
        raise WrongState(f"{memo.number} has no decision yet.", code="no_decision")
    return decision


def _share(text: str, *, rolling: bool) -> Decimal | None:
    percent = percent_of(text, "share_percent")
    if percent is not None and not rolling:
        raise BadInput(
            "A share of the traffic is stated during a rollout.", code="share_out_of_place", where="share_percent"
        )
    return None if percent is None else decimal_of(percent)


def _set(actor: User, memo: Memo, row: Comparison, wish: RecheckWish, token: ApiToken | None) -> EvidenceSet:
    plan = memo.plans.filter(nonce=row.plan).first() if row.plan else None
    stored = EvidenceSet.objects.create(
        memo=memo,
        number=memo.evidence_sets.count() + 1,
        title=wish.title,
        plan=plan,
        state=SetState.OPEN,
        opened_by=actor,
        opened_at=timezone.now(),
    )
    for sha256, labels in wish.files:
        artifact = evidence.artifact_of(sha256)
        check(labels, plan)
        refuse_double(stored, artifact, labels)
        evidence.attached(actor, stored, artifact, labels, token)
    return stored


def _refuse_known_runs(content: MemoContent, sealed: SealedSet) -> None:
    known = {part.artifact for one in content.evidence.sets for part in one.attachments if part.arm}
    for part in sealed.attachments:
        if part.arm and part.artifact in known:
            raise BadInput(
                f"{part.name} was evidence of the decision: it cannot check it.",
                needs="Measure again, in ordinary execution.",
                code="runs_of_the_decision",
                where=part.name,
            )


def _refuse_early_runs(prepared: Prepared, decision: Decision) -> None:
    for run in prepared.request.runs:
        started = run.run.started_ns
        if started is not None and started < nanoseconds(decision.effective_at):
            raise BadInput(
                f"{run.label} started before the decision took effect.",
                needs="Measure again, in ordinary execution.",
                code="run_before_the_decision",
                where=run.label,
            )
