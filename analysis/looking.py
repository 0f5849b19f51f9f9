"""What runs show when nobody declared a margin: numbers of a typical run, and changes between arms. No verdict.

Runs are the replicates, laid out in blocks and placements as in a comparison; requests and steps never are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.design import drop_broken_blocks, infer_design, used
from analysis.errors import Refused
from analysis.failures import why_failed
from analysis.inputs import Better, ComparisonPlan, LabelledRun, Scale
from analysis.localise import ends_at
from analysis.notices import Refusal, as_value
from analysis.part_effects import CONSTANT, Layout, basis_of, part_of
from analysis.parts import Basis, PartEffect
from analysis.procedures import Spread, mean, t_quantile, variance
from analysis.runs import RunPoint, Status

ONE_RUN: Final = "one run shows no interval"

Values = Mapping[str, float | None]
"""A number of each run, by its label; None where it has none."""


@dataclass(frozen=True, slots=True)
class Typical:
    """The mean over runs with Student's t interval. lo, hi: None where there is none; `reason` then says why."""

    estimate: float
    lo: float | None
    hi: float | None
    runs: int
    reason: str


@dataclass(frozen=True, slots=True)
class Change:
    """Candidate against baseline in one number. effect: None where `refusal` says why there is none."""

    name: str
    effect: PartEffect | None
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class Changes:
    """Several changes, each at the level of `basis` alone; basis: None when none has an interval."""

    changes: tuple[Change, ...]
    basis: Basis | None


def plan_of(metric: str, stat: str, *, better: Better, scale: Scale, warmup: int, confidence: float) -> ComparisonPlan:
    """A plan by which numbers are read that nobody declared. warmup: in steps or requests."""
    return ComparisonPlan(
        metric=metric, stat=stat, better=better, scale=scale, margin=Fraction(1), role="", varied=(), required=(),
        tolerances={}, warmup_steps=warmup, minimum_requests=0, hardware_varied=False, slo=None, match="same_requests",
        confidence=confidence, looks=1, look=1,
    )  # fmt: skip


def typical(values: Sequence[float], confidence: float) -> Typical:
    """The mean of the runs, of which there must be one."""
    centre = mean(values)
    if len(values) < 2:
        return Typical(centre, None, None, len(values), ONE_RUN)
    spread = variance(values, rounding=0.0)
    if spread == 0:
        return Typical(centre, None, None, len(values), CONSTANT)
    half = t_quantile(len(values) - 1, confidence) * (spread / len(values)) ** 0.5
    return Typical(centre, centre - half, centre + half, len(values), "")


def completed(runs: Sequence[LabelledRun]) -> tuple[LabelledRun, ...]:
    """The runs that count: completed, and not excluded."""
    return tuple(run for run in runs if _status(run) == "used")


def layout_of(runs: Sequence[LabelledRun], plan: ComparisonPlan) -> Layout:
    """How the runs that count are laid out; those of a block that lost its other run do not.

    Raises:
        Refused: no_runs, arm_confounded_with_placement, ambiguous_design.
    """
    points = drop_broken_blocks([_point(run) for run in runs])
    design = infer_design(points, hardware_varied=False)
    return Layout(plan, used(points), design)


def changes_of(layout: Layout, asked: Sequence[tuple[str, Values, Scale, str]]) -> Changes:
    """The change of each number. asked: (name, value of each run, scale, unit)."""
    found = [_change(layout, *one) for one in asked]
    spreads = [spread for _, spread in found if spread is not None]
    basis = basis_of(layout, spreads, scale="difference", estimand=ESTIMAND, together=0) if spreads else None
    return Changes(tuple(change for change, _ in found), basis)


ESTIMAND: Final = (
    "candidate minus baseline of the mean over runs; where a ratio is given, candidate over baseline of typical"
    " (geometric-mean) runs"
)


def _change(layout: Layout, name: str, values: Values, scale: Scale, unit: str) -> tuple[Change, Spread | None]:
    try:
        known = _whole(layout, values)
        centre, spread = layout.change(known, scale)
        ends = None if spread is None else ends_at(spread, layout.plan.confidence)
        return Change(name, part_of(name, centre, ends, None, scale=scale, unit=unit), None), spread
    except Refused as refused:
        return Change(name, None, as_value(refused)), None


def _whole(layout: Layout, values: Values) -> Mapping[str, float]:
    known = {point.label: value for point in layout.points if (value := values.get(point.label)) is not None}
    lacking = len(layout.points) - len(known)
    if lacking:
        raise Refused(
            "not_measured",
            f"Not recorded, or too few requests, in {lacking} of {len(layout.points)} runs.",
            "Attach runs that record it, each with enough requests for it.",
        )
    return known


def _point(run: LabelledRun) -> RunPoint:
    """A run without a number of its own: the numbers come by label."""
    return RunPoint(
        run.label, run.arm, run.block, run.placement, run.placement_verified, None, run.run.started_ns,
        None, "", None, 0, "", _status(run), run.excluded or why_failed(run), None,
    )  # fmt: skip


def _status(run: LabelledRun) -> Status:
    if run.excluded:
        return "excluded"
    if why_failed(run):
        return "failed"
    return "used" if run.run.status == "completed" else "partial"
