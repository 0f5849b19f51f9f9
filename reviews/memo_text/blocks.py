"""The sections that optional blocks carry: change, comparisons, rollout.

A text cannot say where a value was captured or what was computed: its differences are "typed", its comparisons have
no assessment.
"""

import re
from typing import Final

from reviews.memo_text.findings import Source
from reviews.memo_text.lists import Row
from reviews.memo_text.metrics import Lexicon
from reviews.memo_text.naming import metric_cells
from reviews.memo_text.placeholders import says_none
from reviews.memo_text.reader import Field, Part
from reviews.sections import AbortThreshold, Change, ChangeRow, Comparison, Comparisons, Rollout, RolloutStage, Stratum
from reviews.template_content import TemplateContent, TemplateMetric
from reviews.vocabulary import Better, ComparisonRole, Match, Purpose, Scale
from reviews.vocabulary import Source as ValueSource

DIFFERENCES: Final = "change.rows"
DIFFERENCE_CELLS: Final = ("baseline", "candidate", "on purpose")
SCOPE: Final = "change.scope"
SCOPE_CELLS: Final = ("driver", "firmware", "excluded because")
COMPARISONS: Final = "comparisons.comparisons"
COMPARISON_CELLS: Final = (
    "metric", "stat", "slice", "role", "better", "scale", "margin", "purpose", "match", "absent because",
)  # fmt: skip
STAGES: Final = "rollout.stages"
STAGE_CELLS: Final = ("where", "soak")
THRESHOLDS: Final = "rollout.abort_thresholds"
THRESHOLD_CELLS: Final = ("metric", "stat", "limit")

_YES_NO: Final = (("yes", "true"), ("no", "false"))
_UNIT: Final = re.compile(r"\s*(?:%|per ?cent|h|hours?)$", re.IGNORECASE)
_DAYS: Final = re.compile(r"([0-9]{1,4})\s*(?:d|days?)", re.IGNORECASE)
_KEY: Final = re.compile(r"C[0-9]{1,4}", re.IGNORECASE)


def change_of(source: Source) -> Change:
    """The change that the text describes."""
    rows = [_difference(source, found, part) for found, part in source.rows(DIFFERENCES) if not says_none(part.text)]
    scope = [_stratum(source, found, part) for found, part in source.rows(SCOPE) if not says_none(part.text)]
    return Change(
        summary=source.text("change.summary"),
        baseline=source.text("change.baseline"),
        candidate=source.text("change.candidate"),
        rows=tuple(row for row in rows if row.name or row.baseline or row.candidate),
        scope=tuple(row for row in scope if row.sku or row.driver or row.firmware),
    )


def _stratum(source: Source, found: Field, part: Part) -> Stratum:
    row, findings = source.row(found, part.text, SCOPE_CELLS), source.findings
    return Stratum(
        sku=findings.value(SCOPE, row.first),
        driver=findings.value(SCOPE, row.get("driver")),
        firmware=findings.value(SCOPE, row.get("firmware")),
        excluded=findings.value(SCOPE, row.get("excluded because")),
    )


def _difference(source: Source, found: Field, part: Part) -> ChangeRow:
    row, findings = source.row(found, part.text, DIFFERENCE_CELLS), source.findings
    return ChangeRow(
        name=findings.value(DIFFERENCES, row.first),
        baseline=findings.value(DIFFERENCES, row.get("baseline")),
        candidate=findings.value(DIFFERENCES, row.get("candidate")),
        on_purpose=findings.choice(DIFFERENCES, row.get("on purpose"), _YES_NO, found) == "yes",
        source=ValueSource.TYPED.value,
    )


def comparisons_of(source: Source, lexicon: Lexicon, template: TemplateContent) -> Comparisons:
    """The comparisons that the text plans; what a row leaves out of better, scale and margin is the template's."""
    rows = source.rows(COMPARISONS)
    read = [(found, source.row(found, part.text, COMPARISON_CELLS)) for found, part in rows if not says_none(part.text)]
    said = [(found, row) for found, row in read if row.cells or source.findings.value(COMPARISONS, row.first)]
    taken = {row.first for _, row in said}
    free = (key for n in range(1, 2 * len(said) + 2) if (key := f"C{n}") not in taken)
    made = []
    for found, row in said:
        key = row.first.upper() if _KEY.fullmatch(row.first) else next(free)
        made.append(_comparison(source, found, row, key=key, lexicon=lexicon, template=template))
    return Comparisons(comparisons=tuple(made))


def _comparison(
    source: Source, found: Field, row: Row, *, key: str, lexicon: Lexicon, template: TemplateContent
) -> Comparison:
    findings = source.findings
    metric, stat = metric_cells(source, found, row, lexicon)
    ours = next((m for m in template.metrics if (m.metric, m.stat) == (metric, stat)), None)
    if not _KEY.fullmatch(row.first) and row.first:
        findings.keep(found, f'"{row.first}" is no key of a comparison: it is {key} now, and the line is kept.')

    def choice(cell: str, choices: list[tuple[str, str]]) -> str:
        return findings.choice(COMPARISONS, _or_template(row, cell, ours), choices, found)

    return Comparison(
        key=key,
        metric=metric,
        stat=stat,
        slice=findings.value(COMPARISONS, row.get("slice")),
        role=choice("role", ComparisonRole.choices),
        better=choice("better", Better.choices),
        scale=choice("scale", Scale.choices),
        margin=findings.number(COMPARISONS, _or_template(row, "margin", ours), found),
        purpose=choice("purpose", Purpose.choices),
        match=choice("match", Match.choices),
        absent_reason=findings.value(COMPARISONS, row.get("absent because")),
    )


def _or_template(row: Row, cell: str, ours: TemplateMetric | None) -> str:
    """The cell, or what the template says of the metric when the row does not name the cell at all."""
    if cell in row.cells or ours is None:
        return row.get(cell)
    return {"better": ours.better, "scale": ours.scale, "margin": ours.margin}.get(cell, "")


def rollout_of(source: Source) -> Rollout:
    """The bounded rollout that the text plans."""
    stages = [_stage(source, found, part) for found, part in source.rows(STAGES) if not says_none(part.text)]
    limits = [_threshold(source, found, part) for found, part in source.rows(THRESHOLDS) if not says_none(part.text)]
    return Rollout(
        stages=tuple(stage for stage in stages if stage.percent or stage.where or stage.soak_hours),
        abort_thresholds=tuple(limit for limit in limits if limit.comparison or limit.metric or limit.limit),
        ends_at=source.text("rollout.ends_at"),
        procedure=source.text("rollout.procedure"),
        owner=source.text("rollout.owner"),
    )


def _stage(source: Source, found: Field, part: Part) -> RolloutStage:
    row = source.row(found, part.text, STAGE_CELLS)
    return RolloutStage(
        percent=source.findings.number(STAGES, _UNIT.sub("", row.first), found),
        where=source.findings.value(STAGES, row.get("where")),
        soak_hours=source.findings.number(STAGES, _hours(row.get("soak")), found),
    )


def _hours(said: str) -> str:
    days = _DAYS.fullmatch(said)
    return str(24 * int(days.group(1))) if days else _UNIT.sub("", said)


def _threshold(source: Source, found: Field, part: Part) -> AbortThreshold:
    row = source.row(found, part.text, THRESHOLD_CELLS)
    findings = source.findings
    return AbortThreshold(
        comparison=findings.value(THRESHOLDS, row.first),
        metric=findings.value(THRESHOLDS, row.get("metric")),
        stat=findings.value(THRESHOLDS, row.get("stat")),
        limit=findings.number(THRESHOLDS, row.get("limit"), found),
    )
