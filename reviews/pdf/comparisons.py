"""A comparison of the dossier as the PDF shows it: its claim in words, its drawings, its runs and its work audit."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from analysis import restored
from analysis.breakdown_chart import stages_chart
from analysis.charts import ChartSpec
from analysis.claims import ConfidenceInterval, WidenedInterval
from analysis.comparison_charts import effect_chart, runs_chart
from analysis.exact import plain_decimal
from analysis.failures import in_words
from analysis.results import AssessmentResult
from analysis.series import cut_in_words
from analysis.work import AuditRow
from reviews import printing, procedure_words
from reviews.breakdowns import Breakdown, breakdowns
from reviews.charts.svg import as_svg
from reviews.metered import MeteredEnergy, metered
from reviews.pdf.steps import StepSheet, sheet_of_steps
from reviews.sections import Comparison, Hypothesis
from reviews.template_content import TemplateContent
from reviews.vocabulary import Better, ComparisonRole, Match, Purpose

JSON = Mapping[str, Any]
NO_LIMITS: Final = "no interval"


@dataclass(frozen=True, slots=True)
class Effect:
    """A claim about an effect, printed: its size, its ends, the size as a change, its kind, and what stands behind."""

    size: str
    ends: str
    change: str
    kind: str
    behind: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart: its specification, whose rows are its table, and the drawing as a data address."""

    spec: ChartSpec
    address: str


@dataclass(frozen=True, slots=True)
class ComparisonSheet:
    """All that is printed of one comparison. result: None while nothing was computed; `row.absent_reason` says why."""

    row: Comparison
    name: str
    title: str
    about: tuple[tuple[str, str], ...]
    sentence: str
    assessment: JSON
    result: AssessmentResult | None
    effect: Effect | None
    failures: tuple[str, ...]
    single_look: Effect | None
    effect_drawing: Drawing | None
    runs_drawing: Drawing | None
    stages_drawing: Drawing | None
    breakdowns: tuple[Breakdown, ...]
    differing: tuple[AuditRow, ...]
    same: tuple[AuditRow, ...]
    metered: MeteredEnergy | None
    steps: StepSheet | None
    procedures: tuple[tuple[str, str], ...]


def sheet_of(
    assessment: JSON, row: Comparison, template: TemplateContent, hypotheses: tuple[Hypothesis, ...] = ()
) -> ComparisonSheet:
    """The comparison `row` with its part `assessment` of the dossier, beside the memo's hypotheses."""
    result = restored.from_json(assessment["result"]) if assessment["result"] is not None else None
    audit = result.audit if result else ()
    return ComparisonSheet(
        row=row,
        name=f"{row.key}, {ComparisonRole(row.role).label}" if row.role else row.key,
        title=title_of(row.metric, row.stat, template),
        about=_about(row, result),
        sentence=assessment["sentence"],
        assessment=assessment,
        result=result,
        effect=effect_of(result) if result else None,
        failures=tuple(in_words(count) for count in result.failures) if result else (),
        single_look=_claim(result, result.single_look) if result and result.single_look else None,
        effect_drawing=drawing_of(effect_chart(result)) if result else None,
        runs_drawing=drawing_of(runs_chart(result)) if result else None,
        stages_drawing=drawing_of(stages_chart(result)) if result else None,
        breakdowns=breakdowns(result, hypotheses) if result else (),
        differing=tuple(line for line in audit if line.state != "same"),
        same=tuple(line for line in audit if line.state == "same"),
        metered=metered(result) if result else None,
        steps=sheet_of_steps(result) if result else None,
        procedures=procedure_words.lines(result) if result else (),
    )


def title_of(metric: str, stat: str, template: TemplateContent) -> str:
    """What the template calls the metric, with its statistic; else both names in words."""
    for known in template.metrics:
        if (known.metric, known.stat) == (metric, stat):
            return known.title
    return f"{metric} {stat}".replace("_", " ")


def effect_of(result: AssessmentResult) -> Effect | None:
    """The claim that governs; a size without uncertainty when that is all there is; None without any number."""
    if (governing := result.governing) is not None:
        return _claim(result, governing)
    if (estimate := result.estimate) is None:
        return None
    runs = f"{estimate.baseline_runs} baseline and {estimate.candidate_runs} candidate runs"
    return Effect(
        _amount(result, estimate.value),
        NO_LIMITS,
        _change(result, estimate.value),
        "observed size, without any uncertainty",
        f"{runs}, {estimate.frame.scope}",
    )


def _claim(result: AssessmentResult, claim: ConfidenceInterval | WidenedInterval) -> Effect:
    inner = claim.statistical if isinstance(claim, WidenedInterval) else claim
    kind = f"{printing.confidence(plain_decimal(inner.confidence, significant=10))} confidence interval"
    if isinstance(claim, WidenedInterval):
        kind = f"{kind}, widened for {'; '.join(claim.reasons)}"
    behind = f"{inner.method}, {inner.units} {inner.frame.counted}, {inner.frame.scope}"
    ends = f"[{_amount(result, claim.lo)}, {_amount(result, claim.hi)}]"
    return Effect(_amount(result, inner.estimate), ends, _change(result, inner.estimate), kind, behind)


def _amount(result: AssessmentResult, value: float) -> str:
    if result.plan.scale == "ratio":
        return printing.significant(value)
    unit = next((point.unit for point in result.runs if point.unit), "1")
    return printing.quantity(value, unit)


def _change(result: AssessmentResult, value: float) -> str:
    return printing.change_in_words(value) if result.plan.scale == "ratio" else ""


def drawing_of(spec: ChartSpec | None) -> Drawing | None:
    """The chart with its drawing; None for none."""
    if spec is None:
        return None
    return Drawing(spec, "data:image/svg+xml;base64," + base64.b64encode(as_svg(spec).encode()).decode())


def _about(row: Comparison, result: AssessmentResult | None) -> tuple[tuple[str, str], ...]:
    """What was agreed before: the lines that have an answer."""
    lines = [
        ("role", ComparisonRole(row.role).label if row.role else ""),
        ("traffic segment", row.slice),
        ("better", Better(row.better).label if row.better else ""),
        (
            "worst acceptable",
            f"{row.margin} ({row.scale} candidate / baseline)" if row.scale == "ratio" else row.margin,
        ),
        ("purpose", Purpose(row.purpose).label if row.purpose else ""),
        ("match", Match(row.match).label if row.match else ""),
        ("evidence set", str(row.evidence_set) if row.evidence_set else ""),
        ("plan", row.plan),
        *(_looks(result) if result else ()),
    ]
    return tuple((name, said) for name, said in lines if said)


def _looks(result: AssessmentResult) -> tuple[tuple[str, str], ...]:
    plan = result.plan
    return (
        ("varied on purpose", ", ".join(plan.varied)),
        ("interim check", f"{plan.look} of {plan.looks}"),
        ("warm-up cut", f"{cut_in_words(plan)} from the start of each run"),
    )
