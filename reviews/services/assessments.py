"""Comparisons computed: on a sealed set, at a counted look, frozen as an assessment that the memo names by digest."""

from dataclasses import replace
from typing import Any, Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from analysis import assess as analysis
from reviews.errors import BadInput, NotPermitted, NotVisible, Redacted, WrongState
from reviews.models import Assessment, Memo, Revision
from reviews.sections import Comparison, Explanation, MemoContent, SealedSet, StatedSetting, digest_of
from reviews.services import events, revisions, sealing, wellformed
from reviews.services.requests import Prepared, prepare, prepare_again, sealed_set
from reviews.vocabulary import Action, Arm, Match, SectionName


@transaction.atomic
def compute(*, actor: User, memo_id: int, comparison: str) -> Assessment:
    """The assessment of the comparison on its sealed set; the known one when nothing that goes in has changed.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotVisible also for an unknown comparison.
        WrongState: no sealed set holds runs for it yet.
        Unreadable: an attached file with an arm has no measurements.
    """
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.EDIT)
    content = revisions.content_of(revisions.current(memo))
    row = comparison_of(content, comparison)
    prepared = prepare(memo, content, row)
    assessment = freeze(memo, row, prepared)
    events.append(
        memo, actor, "assess", comparison=row.key, look=assessment.look, digest=assessment.digest,
        outcome=assessment.outcome,
    )  # fmt: skip
    if row.assessment != assessment.digest:
        said = f"Computed {row.key}, look {assessment.look}: {assessment.outcome.replace('_', ' ')}."
        _replace(actor, memo, content, replace(row, assessment=assessment.digest, absent_reason=""), said)
    return assessment


def recompute(assessment: Assessment) -> bool:
    """Whether computing again from the measurements that went in gives the same result, digit by digit."""
    basis = _basis(assessment)
    return basis is not None and digest_of(_result(prepare_again(*basis, assessment))) == assessment.digest


def computed_again(assessment: Assessment) -> Literal["the same", "DIFFERS", "bytes redacted"]:
    """What came of computing it again; of an assessment whose files were redacted, that nothing can."""
    try:
        return "the same" if recompute(assessment) else "DIFFERS"
    except Redacted:
        return "bytes redacted"


def _basis(assessment: Assessment) -> tuple[MemoContent, Comparison, SealedSet] | None:
    """The content, the comparison and the set that the assessment was made of; None when no revision names it."""
    for revision in assessment.memo.revisions.order_by("number"):
        content = revisions.content_of(revision)
        for row in content.comparisons.comparisons:
            if row.assessment == assessment.digest:
                return content, row, sealed_set(content, row)
    seen = assessment.observations.filter(decision__isnull=False).order_by("pk").first()
    if seen is None or seen.decision is None:
        return None
    content = revisions.content_of(seen.decision.revision)
    row = comparison_of(content, assessment.comparison)
    row = replace(row, match=Match.TRAFFIC_SPLIT.value) if seen.traffic else row
    return content, row, sealing.set_of(assessment.evidence_set)


@transaction.atomic
def explain(*, actor: User, memo_id: int, comparison: str, setting: str, text: str, greatest_effect: str) -> Revision:
    """A difference in a setting explained, with its greatest effect as a ratio ("1.01"); it waits for acceptance.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py.
        BadInput: no text, or an effect that is no ratio of at least 1.
    """
    if not text.strip():
        raise BadInput("Say why the difference does not matter.", code="no_text", where="text")
    wellformed.require_effect(greatest_effect, "greatest_effect")
    memo, content, row = _edited(actor, memo_id, comparison)
    one = Explanation(setting=setting, text=text, greatest_effect=greatest_effect, by=actor.get_username())
    kept = tuple(e for e in row.explanations if e.setting != setting)
    new = replace(row, explanations=(*kept, one), assessment="")
    return _replace(actor, memo, content, new, f"Explained the difference in {setting} of {row.key}.")


@transaction.atomic
def accept_explanation(*, actor: User, memo_id: int, comparison: str, setting: str) -> Revision:
    """The explanation of a setting accepted by `actor`, who neither gave it nor wrote the memo.

    Raises:
        NotVisible, WrongState: see policies/lifecycle.py; NotVisible also without such an explanation.
        NotPermitted: also for who explained it, and for the author.
    """
    memo, content, row = _edited(actor, memo_id, comparison)
    given = next((e for e in row.explanations if e.setting == setting), None)
    if given is None:
        raise NotVisible(f"Nobody has explained {setting} in {row.key}.", where="setting")
    if actor.get_username() == given.by or actor.pk == memo.created_by_id:
        raise NotPermitted(
            "An explanation is accepted by somebody who neither gave it nor wrote the memo.",
            needs="Ask a contributor of the team.",
        )
    rows = tuple(replace(e, accepted_by=actor.get_username()) if e is given else e for e in row.explanations)
    new = replace(row, explanations=rows, assessment="")
    return _replace(actor, memo, content, new, f"Accepted the explanation of {setting} in {row.key}.")


@transaction.atomic
def state_setting(*, actor: User, memo_id: int, comparison: str, setting: str, arm: str, value: str) -> Revision:
    """A setting that the files of an arm do not record, stated by `actor`.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py.
        BadInput: no arm, no setting or no value.
    """
    if arm not in Arm.values or not setting.strip() or not value.strip():
        raise BadInput("State a setting, its arm and its value.", code="no_setting", where="setting")
    memo, content, row = _edited(actor, memo_id, comparison)
    one = StatedSetting(setting=setting, arm=arm, value=value, by=actor.get_username())
    kept = tuple(s for s in row.stated if (s.setting, s.arm) != (setting, arm))
    new = replace(row, stated=(*kept, one), assessment="")
    return _replace(actor, memo, content, new, f"Stated {setting} of the {arm} in {row.key}.")


@transaction.atomic
def leave_uncompared(*, actor: User, memo_id: int, comparison: str, reason: str) -> Revision:
    """The stated reason why a comparison will have no assessment.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; WrongState also when it has one.
        BadInput: no reason.
    """
    if not reason.strip():
        raise BadInput("Say why there will be no comparison.", code="no_reason", where="reason")
    memo, content, row = _edited(actor, memo_id, comparison)
    if row.assessment:
        raise WrongState(f"{row.key} is computed.", needs="What was computed stays.", code="compared_already")
    return _replace(actor, memo, content, replace(row, absent_reason=reason), f"{row.key} stays uncompared: {reason}")


def comparison_of(content: MemoContent, key: str) -> Comparison:
    """The comparison of that key. Raises NotVisible."""
    for row in content.comparisons.comparisons:
        if row.key == key:
            return row
    known = ", ".join(row.key for row in content.comparisons.comparisons) or "none"
    raise NotVisible(f"The memo has no comparison {key}.", needs=f"It has: {known}.", where="comparison")


def freeze(memo: Memo, row: Comparison, prepared: Prepared) -> Assessment:
    """The assessment of these inputs, frozen as a row; the known one when they were assessed before."""
    inputs = analysis.inputs_json(prepared.request)
    digest = analysis.inputs_digest(prepared.request)
    known = memo.assessments.filter(comparison=row.key, inputs_digest=digest).first()
    if known is not None:
        return known
    result = _result(prepared)
    return Assessment.objects.create(
        memo=memo,
        comparison=row.key,
        evidence_set=prepared.evidence_set,
        plan=prepared.plan,
        look=prepared.request.plan.look,
        analysis_version=analysis.ANALYSIS_VERSION,
        inputs=inputs,
        inputs_digest=digest,
        outcome=str(result["outcome"]),
        result=result,
        digest=digest_of(result),
        assessed_at=timezone.now(),
    )


def _result(prepared: Prepared) -> dict[str, Any]:
    return analysis.to_json(analysis.assess(prepared.request))


def _edited(actor: User, memo_id: int, comparison: str) -> tuple[Memo, MemoContent, Comparison]:
    memo = revisions.locked(actor, memo_id)
    move = revisions.asked(actor, memo, Action.EDIT)
    revisions.refuse_foreign_sections(move, (SectionName.COMPARISONS,))
    content = revisions.content_of(revisions.current(memo))
    return memo, content, comparison_of(content, comparison)


def _replace(actor: User, memo: Memo, content: MemoContent, row: Comparison, said: str) -> Revision:
    rows = tuple(row if known.key == row.key else known for known in content.comparisons.comparisons)
    new = replace(content, comparisons=replace(content.comparisons, comparisons=rows))
    return revisions.add(actor, memo, new, said, action=Action.EDIT)
