"""The optional blocks of a memo text, written: change, predictions, comparisons, rollout, escalation, kept text."""

from collections.abc import Iterable, Iterator

from reviews.memo_text.blocks import COMPARISONS, DIFFERENCES, SCOPE, STAGES, THRESHOLDS
from reviews.memo_text.hypotheses import PREDICTIONS
from reviews.memo_text.labels import KEPT
from reviews.memo_text.writing import Cells, field_lines, row_lines
from reviews.sections import (
    AbortThreshold,
    Change,
    ChangeRow,
    Comparison,
    Escalation,
    Hypotheses,
    MemoContent,
    Prediction,
    Rollout,
    RolloutStage,
    Stratum,
    Unfilled,
)


def optional_blocks(content: MemoContent) -> Iterator[tuple[str, list[str]]]:
    """(section, lines) of each optional block; one without lines is not written."""
    unfilled = content.header.unfilled
    yield "change", _change(content.change, unfilled)
    yield "predictions", _predictions(content.hypotheses, unfilled)
    yield "comparisons", row_lines(COMPARISONS, [_comparison(c) for c in content.comparisons.comparisons], unfilled)
    yield "rollout", _rollout(content.rollout, unfilled)
    yield "escalation", _escalation(content.signoff.escalation, unfilled)
    yield KEPT, [f"   - line {kept.line}: {kept.text}" for kept in content.header.kept]


def _spoken(value: str) -> str:
    return value.replace("_", " ")


def _filled(cells: Cells) -> Cells:
    return [(name, value) for name, value in cells if value]


def _change(change: Change, unfilled: Iterable[Unfilled]) -> list[str]:
    return [
        *field_lines("change.summary", change.summary, unfilled),
        *field_lines("change.baseline", change.baseline, unfilled),
        *field_lines("change.candidate", change.candidate, unfilled),
        *row_lines(DIFFERENCES, [_difference(row) for row in change.rows], unfilled),
        *row_lines(SCOPE, [_stratum(row) for row in change.scope], unfilled),
    ]


def _stratum(row: Stratum) -> tuple[str, Cells]:
    return row.sku, _filled([("driver", row.driver), ("firmware", row.firmware), ("excluded because", row.excluded)])


def _difference(row: ChangeRow) -> tuple[str, Cells]:
    on_purpose = "yes" if row.on_purpose else "no"
    return row.name, [("baseline", row.baseline), ("candidate", row.candidate), ("on purpose", on_purpose)]


def _predictions(hypotheses: Hypotheses, unfilled: Iterable[Unfilled]) -> list[str]:
    rows = [_prediction(h.key, p) for h in hypotheses.hypotheses for p in h.predictions]
    return row_lines(PREDICTIONS, rows, unfilled)


def _prediction(hypothesis: str, p: Prediction) -> tuple[str, Cells]:
    ratio = f"{p.low}..{p.high}"
    cells = [("hypothesis", hypothesis), ("metric", p.metric), ("stat", p.stat), ("ratio", ratio)]
    return p.key, [*cells, *_filled([("when", p.condition)])]


def _comparison(c: Comparison) -> tuple[str, Cells]:
    named = [("metric", c.metric), ("stat", c.stat)]
    decided = [("better", _spoken(c.better)), ("scale", _spoken(c.scale)), ("margin", c.margin)]
    rest = [
        ("slice", c.slice),
        ("purpose", _spoken(c.purpose)),
        ("match", _spoken(c.match)),
        ("absent because", c.absent_reason),
    ]
    return c.key, [*named, *_filled([("role", _spoken(c.role))]), *decided, *_filled(rest)]


def _rollout(rollout: Rollout, unfilled: Iterable[Unfilled]) -> list[str]:
    return [
        *row_lines(STAGES, [_stage(stage) for stage in rollout.stages], unfilled),
        *row_lines(THRESHOLDS, [_threshold(limit) for limit in rollout.abort_thresholds], unfilled),
        *field_lines("rollout.ends_at", rollout.ends_at, unfilled),
        *field_lines("rollout.procedure", rollout.procedure, unfilled),
        *field_lines("rollout.owner", rollout.owner, unfilled),
    ]


def _stage(stage: RolloutStage) -> tuple[str, Cells]:
    percent = f"{stage.percent} %" if stage.percent else ""
    soak = f"{stage.soak_hours} h" if stage.soak_hours else ""
    return percent, _filled([("where", stage.where), ("soak", soak)])


def _threshold(limit: AbortThreshold) -> tuple[str, Cells]:
    return limit.comparison, [("metric", limit.metric), ("stat", limit.stat), ("limit", limit.limit)]


def _escalation(escalation: Escalation, unfilled: Iterable[Unfilled]) -> list[str]:
    return [
        *field_lines("signoff.escalation.to", escalation.to, unfilled),
        *field_lines("signoff.escalation.by", escalation.by, unfilled),
        *field_lines("signoff.escalation.question", escalation.question, unfilled),
    ]
