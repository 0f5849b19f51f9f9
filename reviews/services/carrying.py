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
)

Row = TypeVar("Row", Comparison, Hypothesis, Prediction)
DEFINING = ("metric", "stat", "slice", "role", "better", "scale", "margin", "purpose", "match", "plan")


def edited(old: MemoContent, new: MemoContent) -> MemoContent:
    """`new` with everything that only services may write taken from `old`.

    Raises:
        BadInput: the edit changes the team or the template, or two rows have one key.
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
    comparisons = tuple(_comparison(before.get(row.key), row) for row in new.comparisons.comparisons)
    return replace(
        new,
        evidence=old.evidence,
        comparisons=replace(new.comparisons, comparisons=comparisons),
        hypotheses=replace(
            new.hypotheses, hypotheses=_registered(old.hypotheses.hypotheses, new.hypotheses.hypotheses)
        ),
    )


def pasted(old: MemoContent, text: MemoContent) -> MemoContent:
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
    )


def _predicts_any(content: MemoContent) -> bool:
    return any(row.predictions for row in content.hypotheses.hypotheses)


def _with_predictions(new: Hypotheses, old: Hypotheses) -> Hypotheses:
    """The hypotheses, each with the predictions that it had while it said the same."""
    known = {(row.key, row.statement): row.predictions for row in old.hypotheses}
    rows = tuple(replace(row, predictions=known.get((row.key, row.statement), ())) for row in new.hypotheses)
    return replace(new, hypotheses=rows)


def _by_key(rows: Iterable[Row], where: str) -> Mapping[str, Row]:
    found: dict[str, Row] = {}
    for row in rows:
        if row.key in found:
            raise BadInput(f"Two rows are called {row.key}.", code="key_twice", where=where)
        found[row.key] = row
    return found


def _comparison(old: Comparison | None, new: Comparison) -> Comparison:
    """The edited comparison. A changed definition loses its assessment; a changed explanation loses its acceptance."""
    if old is None or _defines(old) != _defines(new):
        return replace(new, assessment="", explanations=tuple(replace(e, accepted_by="") for e in new.explanations))
    accepted = {_said(e): e for e in old.explanations}
    kept = tuple(accepted.get(_said(e), replace(e, accepted_by="")) for e in new.explanations)
    same = kept == old.explanations and new.stated == old.stated and new.evidence_set == old.evidence_set
    return replace(new, explanations=kept, assessment=old.assessment if same else "")


def _defines(row: Comparison) -> tuple[str, ...]:
    return tuple(getattr(row, name) for name in DEFINING)


def _said(explanation: Explanation) -> tuple[str, str, str, str]:
    return explanation.setting, explanation.text, explanation.greatest_effect, explanation.by


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
