"""Plans, registered before the runs: what will be compared, how it is judged, and what each hypothesis predicts."""

import secrets
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

import msgspec
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotVisible
from reviews.models import Memo, Plan, RunAccount
from reviews.plan_content import PlanContent, PlannedComparison, plan_from_json, plan_to_json
from reviews.sections import Comparison, Hypothesis, MemoContent, Prediction, digest_of
from reviews.services import carrying, events, revisions, wellformed
from reviews.services.planned import require_procedures
from reviews.vocabulary import Action

NONCE_BYTES: Final = 16


def content_from(value: Any) -> PlanContent:
    """A plan from JSON. Raises BadInput naming the path of what does not fit."""
    try:
        return plan_from_json(value)
    except msgspec.ValidationError as error:
        raise BadInput(f"The plan does not fit: {error}.", code="bad_plan", where="plan") from error


@transaction.atomic
def register(*, actor: User, memo_id: int, content: PlanContent, nonce: str, registered_at: datetime | None) -> Plan:
    """The plan, and one revision in which its comparisons and predictions stand in the memo.

    Args:
        nonce: "" for a new one. A given one, with `registered_at`, is an import: the time is stated by somebody and
            not witnessed here, and the pages say so.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; only the author registers predictions.
        BadInput: a nonce that is taken, a time in the future, words that are none, a comparison that the memo defines
            otherwise, or a hypothesis that it does not state.
    """
    memo = revisions.locked(actor, memo_id)
    move = revisions.asked(actor, memo, Action.EDIT)
    now = timezone.now()
    wellformed.require_plan(content, nonce)
    require_procedures(content)
    _check(nonce, registered_at, now)
    plan = Plan.objects.create(
        nonce=nonce or secrets.token_hex(NONCE_BYTES),
        team=memo.team,
        memo=memo,
        title=content.title,
        content=plan_to_json(content),
        digest=digest_of(plan_to_json(content)),
        witnessed=registered_at is None,
        registered_by=actor,
        registered_by_name=events.name_of(actor),
        registered_at=registered_at or now,
        recorded_at=now,
    )
    base = revisions.current(memo)
    new = _with_plan(revisions.content_of(base), content, plan)
    revisions.refuse_foreign_sections(move, revisions.changed_sections(base, new))
    events.append(memo, actor, "register_plan", nonce=plan.nonce, digest=plan.digest, witnessed=plan.witnessed)
    revisions.add(actor, memo, new, f"Registered the plan “{content.title}”.", action=Action.EDIT)
    return plan


@transaction.atomic
def account_for_run(*, actor: User, memo_id: int, plan: str, run: str, reason: str) -> RunAccount:
    """Why a run of the plan is not attached: what happened to it.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotVisible also for an unknown plan.
        BadInput: no reason, or the run is accounted for already.
    """
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.ATTACH)
    row = plan_of(memo, plan)
    if not reason.strip() or not run.strip():
        raise BadInput("Name the run and say what became of it.", code="no_reason", where="reason")
    if row.accounts.filter(run=run).exists():
        raise BadInput(f"{run} is accounted for already.", code="accounted_already", where="run")
    account = RunAccount.objects.create(
        plan=row, run=run, reason=reason, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(memo, actor, "account_for_run", plan=plan, run=run, reason=reason)
    return account


def plan_of(memo: Memo, nonce: str) -> Plan:
    """The memo's plan of that nonce. Raises NotVisible."""
    plan = memo.plans.filter(nonce=nonce).first()
    if plan is None:
        raise NotVisible(f"This memo has no plan {nonce or 'yet'}.", needs="Register it first.", where="plan")
    return plan


def _check(nonce: str, registered_at: datetime | None, now: datetime) -> None:
    if nonce and Plan.objects.filter(nonce=nonce).exists():
        raise BadInput("A plan with this nonce is registered already.", code="nonce_taken", where="nonce")
    if registered_at is not None and registered_at > now:
        raise BadInput("A plan is not registered in the future.", code="future_time", where="registered_at")


def _with_plan(content: MemoContent, plan: PlanContent, row: Plan) -> MemoContent:
    known = {c.key: c for c in content.comparisons.comparisons}
    planned = {p.key: _comparison(known.get(p.key), p, row.nonce) for p in plan.comparisons}
    comparisons = (*(planned.pop(key, c) for key, c in known.items()), *planned.values())
    new = replace(
        content,
        comparisons=replace(content.comparisons, comparisons=comparisons),
        hypotheses=replace(content.hypotheses, hypotheses=_hypotheses(content.hypotheses.hypotheses, plan, row)),
    )
    return carrying.without_outdated(content, new)


def _comparison(known: Comparison | None, planned: PlannedComparison, nonce: str) -> Comparison:
    fields = {name: getattr(planned, name) for name in carrying.DEFINING}
    fresh = Comparison(key=planned.key, plan=nonce, **fields)
    if known is None or (known.plan == "" and known.assessment == ""):
        return fresh
    if any(getattr(known, name) != value for name, value in fields.items()):
        raise BadInput(
            f"The memo defines {planned.key} otherwise.",
            needs="Give the planned comparison another key.",
            code="plan_differs",
            where=f"comparisons.{planned.key}",
        )
    return replace(known, plan=nonce, evidence_set=0, assessment="")


def _hypotheses(stated: Iterable[Hypothesis], plan: PlanContent, row: Plan) -> tuple[Hypothesis, ...]:
    found = {h.key: h for h in stated}
    for planned in plan.predictions:
        hypothesis = found.get(planned.hypothesis)
        if hypothesis is None:
            raise BadInput(
                f"The plan predicts for {planned.hypothesis}, which the memo does not state.",
                needs="State the hypothesis first.",
                code="unknown_hypothesis",
                where="predictions",
            )
        registered = replace(planned.prediction, plan=row.nonce, registered_at=row.registered_at.isoformat())
        found[hypothesis.key] = replace(hypothesis, predictions=_with(hypothesis.predictions, registered))
    return tuple(found.values())


def _with(predictions: Iterable[Prediction], one: Prediction) -> tuple[Prediction, ...]:
    """The predictions with `one` in the place of that of its key. Raises BadInput when that is registered already."""
    rows = {p.key: p for p in predictions}
    known = rows.get(one.key)
    if known is not None and known.plan and carrying.says(known) != carrying.says(one):
        raise BadInput(
            f"The prediction {one.key} is registered already and stays as it is.",
            needs="Give the new one another key.",
            code="registered_prediction",
            where=f"predictions.{one.key}",
        )
    rows[one.key] = known if known is not None and known.plan else one
    return tuple(rows.values())
