"""The effect and its interval: the design chooses the procedure of `procedures`, and this calls it."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis import checks, looks, procedures
from analysis.claims import ConfidenceInterval, EffectEstimate, Frame, interval_of
from analysis.design import Design, by_placement, used
from analysis.errors import Refused
from analysis.failures import AMONG
from analysis.inputs import ComparisonPlan, Scale
from analysis.notices import Notice, Refusal, as_value
from analysis.procedures import Spread, Stratum
from analysis.runs import RunPoint
from analysis.sweeps import units_of

NORMAL: Final = {
    "ratio": "log run values are roughly normal",
    "difference": "run values are roughly normal",
    "proportion": "run values are roughly normal",
}
RUN_AFRESH: Final = "Register a plan that declares its looks, and run it afresh."
ASSUMED: Final[Mapping[str, tuple[str, ...]]] = {
    "welch": ("runs are independent of each other", "no drift that one arm met more than the other"),
    "paired": ("blocks are independent of each other", "the order inside blocks was drawn at random"),
    "stratified": ("runs are independent of each other", "these placements are all that is asked about"),
    "placement": ("placements are a sample of placements like these",),
    "placement_welch": ("placements are a sample of placements like these", "placements were drawn for the arms"),
}


@dataclass(frozen=True, slots=True)
class EffectResult:
    """What the runs say of the effect.

    estimate: its size. interval: or the refusal of one. secondary: the interval for these placements only, beside an
    interval for placements like these. single_look: at a look that was not declared, the interval that would be valid
    if it were the only one; nothing rests on it.
    """

    estimate: EffectEstimate
    interval: ConfidenceInterval | Refusal
    secondary: ConfidenceInterval | None
    single_look: ConfidenceInterval | None
    notices: tuple[Notice, ...]


def effect_interval(points: Collection[RunPoint], design: Design, plan: ComparisonPlan) -> EffectResult:
    """The effect of the used points, with the interval at the plan's level that their design allows."""
    additive = on_additive_scale(points, plan.scale)
    frame = _frame(plan, design, points)
    cells = _cells(additive, design)
    said = [*checks.of_layout(design, additive), *checks.of_order(design, points, additive)]
    interval: ConfidenceInterval | Refusal
    secondary = single_look = None
    try:
        interval = _interval(_primary(cells, design), plan, frame)
    except Refused as refused:
        interval = as_value(refused)
    if isinstance(interval, ConfidenceInterval) and plan.look > plan.looks:
        single_look = interval
        interval, notice = _beyond_the_looks(interval, cells, design, plan)
        said.append(notice)
    elif design.counted == "placements":
        secondary, why = _for_these_placements(cells, design, plan, frame)
        said += why
    if isinstance(interval, ConfidenceInterval):
        said += checks.of_interval(interval)
    centre = procedures.mean([cell.centre for cell in cells])
    counts = [sum(p.arm == arm for p in used(points)) for arm in ("baseline", "candidate")]
    estimate = EffectEstimate(math.exp(centre) if plan.scale == "ratio" else centre, frame, counts[0], counts[1])
    return EffectResult(estimate, interval, secondary, single_look, tuple(said))


def spread_of(points: Collection[RunPoint], design: Design, scale: Scale) -> Spread:
    """The effect of the used points on the scale where effects add, by the procedure that their design gets.

    Raises:
        Refused: too_few_runs, too_few_blocks, zero_variance.
    """
    return _primary(_cells(on_additive_scale(points, scale), design), design)


def centre_of(points: Collection[RunPoint], design: Design, scale: Scale) -> float:
    """The centre of the same, which needs no spread."""
    return procedures.mean([cell.centre for cell in _cells(on_additive_scale(points, scale), design)])


def assumptions_of(spread: Spread, scale: Scale) -> tuple[str, ...]:
    """What an interval of this procedure assumes."""
    return (*ASSUMED[spread.method.removesuffix("_min_df")], NORMAL[scale])


def on_additive_scale(points: Collection[RunPoint], scale: Scale) -> tuple[RunPoint, ...]:
    """The used points with their values where effects add: logs for a ratio, else as they are."""
    return tuple(
        replace(point, value=math.log(point.value)) if scale == "ratio" and point.value is not None else point
        for point in used(points)
    )


@dataclass(frozen=True, slots=True)
class _Cell:
    """The values of one placement on the additive scale; pairs when they are blocked."""

    baseline: tuple[float, ...]
    candidate: tuple[float, ...]
    pairs: tuple[tuple[float, float], ...]

    @property
    def centre(self) -> float:
        return procedures.mean(self.candidate) - procedures.mean(self.baseline)

    def stratum(self) -> Stratum:
        """Raises Refused: too_few_runs, too_few_blocks."""
        if self.pairs:
            return procedures.block_stratum(self.pairs)
        return procedures.arms_stratum(self.baseline, self.candidate)


def _cells(additive: Sequence[RunPoint], design: Design) -> tuple[_Cell, ...]:
    """One cell per placement; a single cell of placement means (nested) or of all runs (two systems)."""
    if design.kind in ("nested", "two_systems"):
        arms = by_placement(additive)
        if design.kind == "nested":
            means = {arm: tuple(procedures.mean(_values(runs)) for runs in held.values()) for arm, held in arms.items()}
        else:
            means = {arm: tuple(v for runs in held.values() for v in _values(runs)) for arm, held in arms.items()}
        return (_Cell(means["baseline"], means["candidate"], ()),)
    return tuple(
        _cell([p for p in additive if p.placement == place], blocked=design.kind == "blocked")
        for place in design.placements
    )


def _cell(inside: Sequence[RunPoint], *, blocked: bool) -> _Cell:
    arms = [sorted((p for p in inside if p.arm == arm), key=lambda p: p.block) for arm in ("baseline", "candidate")]
    baseline, candidate = (tuple(_values(runs)) for runs in arms)
    return _Cell(baseline, candidate, tuple(zip(baseline, candidate, strict=True)) if blocked else ())


def _values(runs: Collection[RunPoint]) -> list[float]:
    return [point.value for point in runs if point.value is not None]


def _primary(cells: Sequence[_Cell], design: Design) -> Spread:
    if design.counted == "placements":
        effects = [(0.0, cell.centre) for cell in cells]
        return replace(procedures.paired(effects), method="placement")
    if len(cells) > 1:
        return _stratified(cells)
    if design.kind == "blocked":
        return procedures.paired(cells[0].pairs)
    spread = procedures.welch(cells[0].baseline, cells[0].candidate)
    return replace(spread, method=f"placement_{spread.method}") if design.kind == "nested" else spread


def _stratified(cells: Sequence[_Cell]) -> Spread:
    smallest = min(len(cell.pairs) if cell.pairs else min(len(cell.baseline), len(cell.candidate)) for cell in cells)
    return replace(procedures.stratified([cell.stratum() for cell in cells]), units=smallest)


def _for_these_placements(
    cells: Sequence[_Cell], design: Design, plan: ComparisonPlan, frame: Frame
) -> tuple[ConfidenceInterval | None, tuple[Notice, ...]]:
    narrow = replace(frame, scope=f"these {len(design.placements)} placements only", counted="runs per placement")
    try:
        return _interval(_stratified(cells), plan, narrow), ()
    except Refused as refused:
        return None, (Notice("no_stratified_interval", f"No interval for these placements alone: {refused.message}"),)


def _interval(spread: Spread, plan: ComparisonPlan, frame: Frame) -> ConfidenceInterval:
    level = plan.level if plan.look <= plan.looks else plan.confidence
    return interval_of(spread, confidence=level, frame=frame, assumptions=assumptions_of(spread, plan.scale))


def _beyond_the_looks(
    plain: ConfidenceInterval, cells: Sequence[_Cell], design: Design, plan: ComparisonPlan
) -> tuple[ConfidenceInterval | Refusal, Notice]:
    """The interval that holds at every look, or why there is none, at a look that the plan did not declare."""
    found: ConfidenceInterval | Refusal
    try:
        found = _at_every_look(plain, cells, design, plan)
    except Refused as refused:
        this = f"This is look {plan.look}, and the plan declared {plan.looks}."
        found = Refusal(refused.code, f"{this} {refused.message}", refused.needs)
    exists = isinstance(found, ConfidenceInterval)
    lookout = looks.of_look(
        plan.look, declared=plan.looks, confidence=plan.confidence, anytime_exists=exists, counted=_counted(plain)
    )
    return found, Notice("undeclared_look", lookout.sentence)


def _counted(plain: ConfidenceInterval) -> looks.Counted:
    return looks.Counted(plain.units, plain.frame.counted)


def without_a_look(plain: ConfidenceInterval, plan: ComparisonPlan) -> tuple[Refusal, Notice]:
    """Why a procedure that has no interval for every look says nothing at a look that was not declared."""
    said = looks.of_look(
        plan.look, declared=plan.looks, confidence=plan.confidence, anytime_exists=False, counted=_counted(plain)
    )
    this = f"This is look {plan.look}, and the plan declared {plan.looks}. A plain interval is {looks.ONLY_IF}."
    return Refusal("undeclared_look", this, RUN_AFRESH), Notice("undeclared_look", said.sentence)


def _at_every_look(
    plain: ConfidenceInterval, cells: Sequence[_Cell], design: Design, plan: ComparisonPlan
) -> ConfidenceInterval:
    """The anytime-valid interval of blocks, or of two independent arms, on one placement.

    Raises:
        Refused: undeclared_look (another design), unequal_arms, too_few_for_anytime, unbounded.
    """
    if len(cells) > 1 or design.kind not in ("blocked", "independent"):
        raise Refused(
            "undeclared_look",
            f"A plain interval is {looks.ONLY_IF}.",
            RUN_AFRESH,
        )
    cell, prior = cells[0], looks.PRIOR
    if design.kind == "blocked":
        found = looks.anytime_paired(cell.pairs, confidence=plan.confidence, prior=prior, frame=plain.frame)
    else:
        found = looks.anytime_two_arms(
            cell.baseline, cell.candidate, confidence=plan.confidence, prior=prior, frame=plain.frame
        )
    return replace(found, assumptions=tuple(dict.fromkeys((*plain.assumptions, *found.assumptions))))


def _frame(plan: ComparisonPlan, design: Design, points: Collection[RunPoint]) -> Frame:
    unit = used(points)[0].unit
    over = plan.what
    among = f", {AMONG[units_of(plan)]}" if any(point.status == "failed" for point in points) else ""
    if plan.scale == "ratio":
        estimand = f"ratio of typical (geometric-mean) run {over}, candidate over baseline{among}"
        return Frame(plan.scale, "1", design.scope, estimand, design.counted)
    estimand = f"difference of mean run {over}, candidate minus baseline{among}"
    return Frame(plan.scale, unit, design.scope, estimand, design.counted)
