"""What an edit may not touch, and what a pasted text cannot say: both are carried over from the current revision.

Evidence comes only from sealed sets, an assessment only from a computation, a registration only from a plan. An edit
that tries to write one of them is not refused piece by piece: the kept value simply stands.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from reviews.errors import BadInput
from reviews.memo_text.merge import onto
from reviews.sections import (
    Change,
    Comparison,
    Escalation,
    Explanation,
    Hypotheses,
    Hypothesis,
    MemoContent,
    Prediction,
    Rollout,
    StatedSetting,
)

Row = TypeVar("Row", Comparison, Hypothesis, Prediction)
DEFINING = ("metric", "stat", "slice", "role", "better", "scale", "margin", "purpose", "match")


def edited(old: MemoContent, new: MemoContent, *, by: str) -> MemoContent:
    """`new` with everything that only services may write taken from `old`. by: user name of who edits.

    Raises:
        BadInput: the edit changes the team or the template, two rows have one key, or a comparison reads a set that
            is not sealed under its plan.
    """
    for name in ("team", "template", "template_version"):
        if getattr(old.header, name) != getattr(new.header, name):
            raise BadInput(
                f"A memo keeps its {name.replace('_', ' ')}.",
                needs="File a new memo instead.",
                code="fixed_field",
                where=f"header.{name}",
            )
    before = _by_key(old.comparisons.comparisons, "comparisons")
    _by_key(new.comparisons.comparisons, "comparisons")
    rows = tuple(_comparison(before.get(row.key), row, by) for row in new.comparisons.comparisons)
    for row in rows:
        _refuse_foreign_set(old, row)
    hypotheses = _registered(old.hypotheses.hypotheses, new.hypotheses.hypotheses)
    carried = replace(
        new,
        evidence=old.evidence,
        comparisons=replace(new.comparisons, comparisons=rows),
        hypotheses=replace(new.hypotheses, hypotheses=hypotheses),
    )
    return without_outdated(old, carried)


def pasted(old: MemoContent, text: MemoContent, *, by: str) -> MemoContent:
    """`text` with everything that it does not say taken from `old`: see memo_text/merge.py.

    A block that the text leaves out whole (change, predictions, comparisons, rollout, escalation) says nothing of it.
    """
    said = onto(text, old)
    return edited(
        old,
        replace(
            said,
            change=said.change if text.change != Change() else old.change,
            hypotheses=said.hypotheses if _predicts_any(text) else _with_predictions(said.hypotheses, old.hypotheses),
            comparisons=said.comparisons if text.comparisons.comparisons else old.comparisons,
            rollout=said.rollout if text.rollout != Rollout() else old.rollout,
            signoff=said.signoff
            if text.signoff.escalation != Escalation()
            else replace(said.signoff, escalation=old.signoff.escalation),
        ),
        by=by,
    )


def _predicts_any(content: MemoContent) -> bool:
    return any(row.predictions for row in content.hypotheses.hypotheses)


def _with_predictions(new: Hypotheses, old: Hypotheses) -> Hypotheses:
    """The hypotheses, each with the predictions that it had while it said the same."""
    known = {(row.key, row.statement): row.predictions for row in old.hypotheses}
    rows = tuple(replace(row, predictions=known.get((row.key, row.statement), ())) for row in new.hypotheses)
    return replace(new, hypotheses=rows)


def without_outdated(old: MemoContent, new: MemoContent) -> MemoContent:
    """`new` without the assessments that rest on what `new` states otherwise than `old`."""
    rows = tuple(
        row if _rests_on(old, row) == _rests_on(new, row) else replace(row, assessment="")
        for row in new.comparisons.comparisons
    )
    return replace(new, comparisons=replace(new.comparisons, comparisons=rows))


def _rests_on(content: MemoContent, row: Comparison) -> object:
    """What of other sections goes into the assessment: predictions, and without a plan what is varied on purpose."""
    return _predictions_on(content, row), () if row.plan else content.change.varied


def _predictions_on(content: MemoContent, row: Comparison) -> frozenset[tuple[str, ...]]:
    """What the hypotheses predict for the metric of the comparison, with how it was registered."""
    return frozenset(
        (*_predicts(h.key, p), p.plan, p.registered_at)
        for h in content.hypotheses.hypotheses
        for p in h.predictions
        if (p.metric, p.stat) == (row.metric, row.stat)
    )


def _by_key(rows: Iterable[Row], where: str) -> Mapping[str, Row]:
    found: dict[str, Row] = {}
    for row in rows:
        if row.key in found:
            raise BadInput(f"Two rows are called {row.key}.", code="key_twice", where=where)
        found[row.key] = row
    return found


def _comparison(old: Comparison | None, new: Comparison, by: str) -> Comparison:
    """The edited comparison. A changed definition loses plan and assessment; a changed explanation its acceptance."""
    said = {_explained(e): e for e in old.explanations} if old else {}
    stated = {_stated(s): s for s in old.stated} if old else {}
    row = replace(
        new,
        explanations=tuple(said.get(_explained(e), replace(e, by=by, accepted_by="")) for e in new.explanations),
        stated=tuple(stated.get(_stated(s), replace(s, by=by)) for s in new.stated),
    )
    if old is None:
        return replace(row, plan="", assessment="")
    if _defines(old) != _defines(new):
        return _redefined(old, row)
    same = (row.explanations, row.stated, row.evidence_set) == (old.explanations, old.stated, old.evidence_set)
    return replace(row, plan=old.plan, assessment=old.assessment if same else "")


def _redefined(old: Comparison, row: Comparison) -> Comparison:
    """A comparison that means something else now: its plan did not register it, and its set was not measured for it."""
    kept = row.evidence_set if row.evidence_set != old.evidence_set or not old.plan else 0
    return replace(row, plan="", evidence_set=kept, assessment="")


def _refuse_foreign_set(old: MemoContent, row: Comparison) -> None:
    readable = [sealed.number for sealed in old.evidence.sets if sealed.plan == row.plan]
    if row.evidence_set and row.evidence_set not in readable:
        raise BadInput(
            f"{row.key} cannot read evidence set {row.evidence_set}: no such set is sealed under its plan.",
            needs=f"Choose one of: {', '.join(str(number) for number in readable) or 'none is sealed yet'}.",
            code="foreign_set",
            where=f"comparisons.{row.key}.evidence_set",
        )


def _defines(row: Comparison) -> tuple[str, ...]:
    return tuple(getattr(row, name) for name in DEFINING)


def _explained(explanation: Explanation) -> tuple[str, str, str]:
    return explanation.setting, explanation.text, explanation.greatest_effect


def _stated(row: StatedSetting) -> tuple[str, str, str]:
    return row.setting, row.arm, row.value


def _registered(old: Iterable[Hypothesis], new: Iterable[Hypothesis]) -> tuple[Hypothesis, ...]:
    """The hypotheses with each prediction registered exactly when the same prediction was."""
    known = {_predicts(row.key, p): p for row in old for p in row.predictions}
    _by_key(new, "hypotheses")
    return tuple(
        replace(
            row,
            predictions=tuple(
                known.get(_predicts(row.key, p), replace(p, plan="", registered_at="")) for p in row.predictions
            ),
        )
        for row in new
    )


def _predicts(hypothesis: str, prediction: Prediction) -> tuple[str, ...]:
    return (hypothesis, prediction.key, *says(prediction))


def says(prediction: Prediction) -> tuple[str, ...]:
    """What a prediction says, without its key and its registration."""
    return tuple(getattr(prediction, name) for name in ("metric", "stat", "condition", "low", "high"))
