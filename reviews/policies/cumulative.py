"""What shipped changes since a pinned reference build add up to, at worst: by the bounds of their intervals."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from reviews.policies.case import deciding
from reviews.policies.evidence_facts import IntervalFacts
from reviews.policies.facts import BudgetFacts
from reviews.policies.numbers import fraction, listed
from reviews.sections import Comparison
from reviews.template_content import TemplateMetric
from reviews.vocabulary import Better, ComparisonRole, Scale

About = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Shipped:
    """A change that was shipped since the reference: its memo, its comparisons, and their intervals by digest."""

    memo: str
    comparisons: tuple[Comparison, ...]
    intervals: Mapping[str, IntervalFacts]


@dataclass(frozen=True, slots=True)
class _Step:
    """One change of the chain for one metric. worst: the bound on the worse side, None where it has no interval."""

    memo: str
    worst: Fraction | None


def budgets(
    this: Shipped, before: Iterable[Shipped], metrics: Mapping[tuple[str, str], TemplateMetric]
) -> tuple[BudgetFacts, ...]:
    """One row for each metric by which `this` memo is decided, over the chain of what was shipped before it."""
    chain = (*before, this)
    return tuple(
        _budget(row, [_step(one, row) for one in chain], metrics)
        for row in deciding(this.comparisons)
        if row.role != ComparisonRole.SCREENING and not row.absent_reason
    )


def _step(one: Shipped, about: Comparison) -> _Step:
    """What the change did to the metric at worst, by the comparisons that its own decision went by."""
    same = [row for row in deciding(one.comparisons) if _about(row) == _about(about) and row.scale == about.scale]
    ends = [_worst(about, one.intervals[row.assessment]) for row in same if row.assessment in one.intervals]
    worst = min if about.better == Better.HIGHER else max
    return _Step(one.memo, worst(end for end in ends if end is not None) if ends and None not in ends else None)


def _about(row: Comparison) -> About:
    return row.metric, row.stat, row.slice


def _worst(row: Comparison, interval: IntervalFacts) -> Fraction | None:
    """The end of the interval on the worse side; None for one that is open there."""
    try:
        return Fraction(interval.low if row.better == Better.HIGHER else interval.high)
    except ValueError:
        return None


def _budget(row: Comparison, steps: list[_Step], metrics: Mapping[tuple[str, str], TemplateMetric]) -> BudgetFacts:
    known = metrics.get((row.metric, row.stat))
    margin = fraction(known.margin if known else row.margin, f"The margin of {row.metric} {row.stat}")
    unknown = [step.memo for step in steps if step.worst is None]
    if unknown or row.scale == Scale.COUNT:
        said = f"{listed(unknown)} measured no interval of it" if unknown else "counts do not add up over changes"
        return _said(row, None, f"{said}, so what the changes add up to is not known")
    ends = [step.worst for step in steps if step.worst is not None]
    total = prod(ends, start=Fraction(1)) if row.scale == Scale.RATIO else sum(ends, Fraction())
    within = total >= margin if row.better == Better.HIGHER else total <= margin
    parts = ", ".join(f"{step.memo} {_text(end)}" for step, end in zip(steps, ends, strict=True))
    how = "product" if row.scale == Scale.RATIO else "sum"
    place = "inside" if within else "beyond"
    return _said(row, within, f"at worst {_text(total)}, {place} the margin {_text(margin)} (the {how} of {parts})")


def _said(row: Comparison, within: bool | None, sentence: str) -> BudgetFacts:  # noqa: FBT001
    return BudgetFacts(metric=row.metric, stat=row.stat, within=within, sentence=sentence)


def _text(value: Fraction) -> str:
    return f"{float(value):.6g}"
