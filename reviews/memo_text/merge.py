"""An imported text over the content that it was exported from: what a text cannot say is kept from there.

What was computed, registered or resolved stands only while the words that it belongs to are unchanged: a prediction
keeps its registration, a comparison its assessment, a hypothesis its resolution, a difference its source.
"""

from collections.abc import Iterable
from dataclasses import replace

from reviews.sections import ChangeRow, Comparison, Hypothesis, HypothesisResolution, MemoContent, Prediction


def onto(parsed: MemoContent, base: MemoContent) -> MemoContent:
    """The content `parsed` with everything that no text can say taken from `base`."""
    return replace(
        parsed,
        evidence=base.evidence,
        change=replace(parsed.change, rows=tuple(_difference(row, base.change.rows) for row in parsed.change.rows)),
        hypotheses=replace(
            parsed.hypotheses, hypotheses=_hypotheses(parsed.hypotheses.hypotheses, base.hypotheses.hypotheses)
        ),
        comparisons=replace(
            parsed.comparisons,
            comparisons=tuple(_comparison(c, base.comparisons.comparisons) for c in parsed.comparisons.comparisons),
        ),
    )


def _difference(row: ChangeRow, before: Iterable[ChangeRow]) -> ChangeRow:
    return next((old for old in before if replace(old, source=row.source) == row), row)


def _hypotheses(now: tuple[Hypothesis, ...], before: tuple[Hypothesis, ...]) -> tuple[Hypothesis, ...]:
    """The hypotheses in the order of `before`, new ones last."""
    order = {old.key: place for place, old in enumerate(before)}
    old = {h.key: h for h in before}
    kept = (_hypothesis(h, old[h.key]) if h.key in old else h for h in now)
    return tuple(sorted(kept, key=lambda h: order.get(h.key, len(order))))


def _hypothesis(now: Hypothesis, old: Hypothesis) -> Hypothesis:
    same = (now.mechanism, now.statement) == (old.mechanism, old.statement)
    return replace(
        now,
        predictions=tuple(_prediction(p, old.predictions) for p in now.predictions),
        evidence=old.evidence,
        resolution=old.resolution if same else HypothesisResolution(),
    )


def _prediction(now: Prediction, before: Iterable[Prediction]) -> Prediction:
    return next((old for old in before if replace(old, plan="", registered_at="") == now), now)


def _comparison(now: Comparison, before: Iterable[Comparison]) -> Comparison:
    old = next((c for c in before if c.key == now.key), None)
    if old is None:
        return now
    carried = replace(
        now, plan=old.plan, evidence_set=old.evidence_set, explanations=old.explanations, stated=old.stated
    )
    return old if replace(old, assessment="") == carried else carried
