"""The candidate of a comparison against the limit of its metric. It stands beside the verdict, which never reads it."""

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from analysis.errors import Refused
from analysis.inputs import AssessmentRequest
from analysis.notices import as_value, named
from analysis.quantile import conservative_quantile, quantile_of
from analysis.run_values import raw_values
from analysis.runs import RunPoint
from analysis.slo import SloAnswer, SloCheck, slo_check

WHOLE: Final = ("used", "dropped_with_block")
"""A run that only lost its partner says as much of its own arm as any."""


def of_candidate(request: AssessmentRequest, points: Collection[RunPoint]) -> SloAnswer | None:
    """Whether the candidate's runs keep the plan's limit, or the refusal to say so; None when the plan has none."""
    if request.plan.slo is None:
        return None
    limit = float(request.plan.slo)
    try:
        return SloAnswer(limit, _check(request, points, limit), None)
    except Refused as refused:
        return SloAnswer(limit, None, as_value(refused))


def _check(request: AssessmentRequest, points: Collection[RunPoint], limit: float) -> SloCheck:
    """Raises Refused: mixed_units, quantile_not_estimable, tail_too_small, and what `slo_check` refuses."""
    plan = request.plan
    taken = [p for p in points if p.arm == "candidate" and p.status in WHOLE and p.value is not None]
    units = sorted({point.unit for point in taken})
    if len(units) > 1:
        raise Refused("mixed_units", f"The runs hold values in {named(units)}.", "Measure the runs in one unit.")
    check = slo_check(
        _values(request, taken),
        limit,
        better=plan.better,
        confidence=plan.confidence,
        unit="".join(units),
        scope=_scope({point.placement for point in taken}),
    )
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


def _scope(placements: Collection[str]) -> str:
    return "this placement only" if len(placements) == 1 else f"these {len(placements)} placements only"
