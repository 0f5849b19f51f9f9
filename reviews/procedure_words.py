"""What a comparison was asked for by name, and what came of it, in the same words on every face."""

from collections.abc import Iterator
from typing import Final

from analysis.claims import ConfidenceInterval, WidenedInterval
from analysis.design import Kind
from analysis.results import AssessmentResult
from analysis.sweeps import STAT, Sweep, TriedRate
from analysis.widening import Allowance, Source
from reviews import printing

Line = tuple[str, str]

DESIGNS: Final[dict[Kind, str]] = {
    "two_systems": "two systems, one in each arm",
    "blocked": "blocks of one run of each arm",
    "crossed": "placements that each ran both arms",
    "nested": "placements that each ran one arm",
    "independent": "independent runs on one placement",
    "items": "one run of each arm, paired by item",
}
APART: Final[dict[str, str]] = {"excluded": "excluded", "partial": "not used", "dropped_with_block": "not used"}
SOURCES: Final[dict[Source, str]] = {
    "work": "for differences in work and settings",
    "measurement": "for the error of the measurement",
    "meter": "for the error of the meters",
}


def lines(result: AssessmentResult) -> tuple[Line, ...]:
    """Name and sentence of each: design, service level, the parts of the widening, equivalence, sweeps."""
    return tuple(_lines(result))


def _lines(result: AssessmentResult) -> Iterator[Line]:
    if result.design is not None:
        yield "Design", DESIGNS[result.design.kind]
    if (level := result.plan.service_level) is not None:
        yield "Service level", level.said if result.plan.stat == STAT else level.kept_said
    for part in result.allowances:
        yield "Allowance", _allowance(part, _unit(result))
    if (fixed := result.equivalence) is not None:
        yield "Equivalence", _equivalence(result, fixed.governing)
    apart = {p.label: f" ({APART[p.status]}: {p.reason})" for p in result.runs if p.status in APART}
    for sweep in result.sweeps:
        yield "Sweep", f"{sweep.label}{apart.get(sweep.label, '')}: {_sweep(sweep)}"


def _unit(result: AssessmentResult) -> str:
    return "1" if result.estimate is None else result.estimate.frame.unit


def _allowance(part: Allowance, unit: str) -> str:
    amount = (
        f"a factor of {printing.significant(part.factor, 6)}"
        if part.factor is not None
        else printing.quantity(part.amount, unit)
    )
    return f"{amount} on each side {SOURCES[part.source]}: {'; '.join(part.reasons)}"


def _equivalence(result: AssessmentResult, decides: ConfidenceInterval | WidenedInterval) -> str:
    inner = decides.statistical if isinstance(decides, WidenedInterval) else decides
    level = printing.confidence(inner.confidence)
    wide = " widened" if isinstance(decides, WidenedInterval) else ""
    rest = printing.confidence(result.interval.confidence) if result.interval else "wider"
    return (
        f"the plan fixed that the {level} interval decides “within the margin”: "
        f"{printing.range_in(decides.lo, decides.hi, _unit(result))}, {inner.method}{wide}, "
        f"{inner.units} {inner.frame.counted}, {inner.frame.scope}. All else rests on the {rest} interval."
    )


def _sweep(sweep: Sweep) -> str:
    tried = f"{'; '.join(map(_tried, sweep.rates))}."
    if sweep.goodput is None:
        return f"no rate held. {tried}" if sweep.rates else "no goodput."
    then = "none was tried above it" if sweep.broken_at is None else f"{_rate(sweep.broken_at)} did not hold"
    return f"{_rate(sweep.goodput)} held, {then}. {tried}"


def _tried(rate: TriedRate) -> str:
    if rate.failed:
        return f"the run at {_rate(float(rate.rate))} failed"
    return f"{rate.kept} of {rate.offered} requests at {_rate(float(rate.rate))}"


def _rate(value: float) -> str:
    return f"{value:g}/s"
