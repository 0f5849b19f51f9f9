"""The candidate of a comparison against the limit of its metric. It stands beside the verdict, which never reads it."""

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from typing import Final

from analysis.energy_answer import EnergyAnswer, judged_by
from analysis.errors import Refused
from analysis.exact import outward_float
from analysis.inputs import AssessmentRequest, ComparisonPlan
from analysis.notices import Refusal, as_value, named
from analysis.quantile import conservative_quantile, quantile_of
from analysis.run_values import raw_values
from analysis.runs import RunPoint
from analysis.slo import SloAnswer, SloCheck, allowing, slo_check

ROUNDING: Final = Fraction(1, 10**9)
"""Of bounds that are printed to ten digits: below it, they are the value itself."""
UNBOUNDED: Final = Refusal(
    "power_between_samples",
    "Nothing bounds the power between samples of a candidate run, and so nothing bounds its energy.",
    "Read an energy counter, or declare the range or the slew of the power.",
)
WHOLE: Final = ("used", "dropped_with_block")
"""A run that only lost its partner says as much of its own arm as any."""


def of_candidate(
    request: AssessmentRequest, points: Collection[RunPoint], energy: EnergyAnswer | None
) -> SloAnswer | None:
    """Whether the candidate's runs keep the plan's limit, or the refusal to say so; None when the plan has none.

    A limit is one of true values: the stated error of the measurement and the bounds of the meters move the bound.
    """
    if request.plan.slo is None:
        return None
    limit = float(request.plan.slo)
    try:
        return SloAnswer(limit, _check(request, points, energy, limit), None)
    except Refused as refused:
        return SloAnswer(limit, None, as_value(refused))


def _check(
    request: AssessmentRequest, points: Collection[RunPoint], energy: EnergyAnswer | None, limit: float
) -> SloCheck:
    """Raises Refused: mixed_units, quantile_not_estimable, tail_too_small, power_between_samples; of `slo_check`."""
    plan = request.plan
    taken = [p for p in points if p.arm == "candidate" and p.status in WHOLE and p.value is not None]
    units = sorted({point.unit for point in taken})
    if len(units) > 1:
        raise Refused("mixed_units", f"The runs hold values in {named(units)}.", "Measure the runs in one unit.")
    up, down, reasons = _off(plan, taken, energy)
    check = slo_check(
        _values(request, taken),
        limit,
        better=plan.better,
        confidence=plan.confidence,
        unit="".join(units),
        scope=_scope({point.placement for point in taken}),
    )
    if reasons:
        check = allowing(check, up=up, down=down, better=plan.better, reasons=reasons)
    if quantile_of(plan.stat) is None or all(point.computed == "ours" for point in taken):
        return check
    return replace(check, assumptions=(*check.assumptions, f"{plan.stat} of each run as the tool gave it"))


def _values(request: AssessmentRequest, points: Collection[RunPoint]) -> list[float]:
    """One number per run: a quantile at the conservative rank where the file has the requests, else as compared."""
    p, raw = quantile_of(request.plan.stat), raw_values(request, [point.label for point in points])
    return [
        conservative_quantile(raw[point.label], p) if p is not None and point.computed == "ours" else point.value
        for point in points
        if point.value is not None
    ]


def _off(
    plan: ComparisonPlan, taken: Collection[RunPoint], energy: EnergyAnswer | None
) -> tuple[float, float, tuple[str, ...]]:
    """By which factors a true value may lie above and below the measured one, and why; a shared gain drops out of none.

    Raises:
        Refused: power_between_samples.
    """
    up = down = 1.0
    reasons: list[str] = []
    if plan.measurement_error is not None and plan.measurement_error.candidate > 1:
        up = down = float(plan.measurement_error.candidate)
        reasons.append("the stated error of the measurement")
    if energy is None:
        return up, down, tuple(reasons)
    held = {run.label: run for run in energy.runs}
    metered = [held[point.label] for point in taken]
    why = judged_by(energy, plan)
    if why is not None or not all(run.lower for run in metered):
        unbounded = why or UNBOUNDED
        raise Refused(unbounded.code, unbounded.message, unbounded.needs)
    pairs = [(run, Fraction(run.value)) for run in metered if run.value is not None]
    above = max((Fraction(run.upper) / value for run, value in pairs), default=Fraction(1))
    below = max((value / Fraction(run.lower) for run, value in pairs), default=Fraction(1))
    if max(above, below) - 1 > ROUNDING:
        reasons.append("the bounds of the metered runs")
        up, down = (one * outward_float(max(Fraction(1), off), up=True) for one, off in ((up, above), (down, below)))
    return up, down, tuple(reasons)


def _scope(placements: Collection[str]) -> str:
    return "this placement only" if len(placements) == 1 else f"these {len(placements)} placements only"
