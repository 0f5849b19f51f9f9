"""The guardrails of a memo in a pilot: their margins, how much their runs differ, and what a plan does for them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.guardrail_power import Guarded, Guardrails, power_of_guardrails
from analysis.inputs import ComparisonPlan, LabelledRun
from analysis.procedures import variance
from analysis.run_values import value_of
from reviews import printing
from reviews.planner.pilot import ASSURANCE
from reviews.planner.planned import Planned
from reviews.sections import Comparison
from reviews.template_content import TemplateMetric
from reviews.vocabulary import ComparisonRole


@dataclass(frozen=True, slots=True)
class Guardrail:
    """A metric that must not be worse than its margin, a ratio as a decimal."""

    metric: str
    stat: str
    better: str
    scale: str
    margin: str

    @property
    def name(self) -> str:
        """As sentences call it."""
        return f"{self.metric} {self.stat}"


@dataclass(frozen=True, slots=True)
class GuardrailWarning:
    """declared: by the memo; else they are the metrics of its template that the pilot measures.

    found: None when none has a known spread, or the plan has no power. unknown: (guardrail, why it has none).
    """

    declared: bool
    found: Guardrails | None
    unknown: tuple[tuple[str, str], ...]


def declared_in(comparisons: Sequence[Comparison]) -> tuple[Guardrail, ...]:
    """The guardrails that a memo declares."""
    rows = [row for row in comparisons if row.role == ComparisonRole.GUARDRAIL and not row.absent_reason]
    return tuple(dict.fromkeys(Guardrail(r.metric, r.stat, r.better, r.scale, r.margin) for r in rows))


def of_template(metrics: Sequence[TemplateMetric], planned: str) -> tuple[Guardrail, ...]:
    """The metrics of a template with their margins, but for what is planned for: "step_time", or "latency p99"."""
    rows = [Guardrail(m.metric, m.stat, m.better, m.scale, m.margin) for m in metrics]
    return tuple(row for row in rows if planned not in (row.metric, row.name))


def warning_of(
    guardrails: Sequence[Guardrail], runs: Sequence[LabelledRun], planned: Planned, *, warmup: int, declared: bool
) -> GuardrailWarning | None:
    """What the plan does for the guardrails; None without any, and of a template only what the pilot measures."""
    per_arm = runs_of(planned)
    guarded, unknown = [], []
    for one in guardrails:
        try:
            guarded.append(_guarded(one, runs, warmup))
        except Refused as refused:
            if declared:
                unknown.append((one.name, refused.message))
    if not guarded and not unknown:
        return None
    if per_arm is None or not guarded:
        return GuardrailWarning(declared, None, tuple(unknown))
    found = power_of_guardrails(guarded, runs=per_arm, confidence=planned.confidence, assurance=ASSURANCE)
    return GuardrailWarning(declared, found, tuple(unknown))


def runs_of(planned: Planned) -> int | None:
    """Runs per arm of the plan on one placement of independent arms; without a half-width, those of the power asked."""
    if planned.plan is not None:
        return planned.plan.runs if planned.plan.placements == 1 and planned.power else None
    return planned.asked_row.runs if planned.asked_row is not None else None


def _guarded(one: Guardrail, runs: Sequence[LabelledRun], warmup: int) -> Guarded:
    if one.scale != "ratio":
        raise Refused("not_a_ratio", f"Its margin is a {one.scale}, not a ratio.", "Plan its runs by hand.")
    margin = abs(math.log(parse_exact(one.margin)))
    values = _values(one, runs, warmup)
    if len(values) < 2:
        raise Refused("too_few_runs", "Fewer than two runs of the pilot measure it.", "Pilot at least two runs.")
    sd = math.sqrt(variance([math.log(value) for value in values], rounding=0.0))
    if not sd:
        raise Refused("no_spread", "The runs of the pilot are all alike in it.", "Pilot more runs.")
    return Guarded(f"{one.name}, margin {printing.percent(abs(parse_exact(one.margin) - 1))}", margin, sd, len(values))


def _values(one: Guardrail, runs: Sequence[LabelledRun], warmup: int) -> list[float]:
    """The values of the runs that have one."""
    plan, found = _plan(one, warmup), []
    for run in runs:
        if run.run.status == "completed" and not run.excluded:
            try:
                found.append(value_of(run.reading.measurements.only(metric=one.metric, run=run.run.key), plan).value)
            except Refused:
                continue
    return found


def _plan(one: Guardrail, warmup: int) -> ComparisonPlan:
    return ComparisonPlan(
        metric=one.metric,
        stat=one.stat,
        better="higher" if one.better == "higher" else "lower",
        scale="ratio",
        margin=Fraction(parse_exact(one.margin)),
        role=ComparisonRole.GUARDRAIL,
        varied=(),
        required=(),
        tolerances={},
        warmup_steps=warmup,
        minimum_requests=0,
        hardware_varied=False,
        slo=None,
        match="same_requests",
        confidence=0.95,
        looks=1,
        look=1,
    )
