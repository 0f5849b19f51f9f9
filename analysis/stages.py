"""Stages of runs: where along them the difference begins, and how their times add up to the whole difference.

Every stage is reduced to one number per run by the plan's statistic, and compared by the comparison's own design.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from analysis import localise
from analysis.decompose import decompose_stages
from analysis.errors import Refused
from analysis.inputs import ARMS, AssessmentRequest, ComparisonPlan, Scale
from analysis.localise import Stage
from analysis.notices import as_value, named
from analysis.part_effects import Layout, basis_of, part_of, require_declared_look, split_answer
from analysis.parts import PartEffect, SplitAnswer, StagesAnswer
from analysis.procedures import Spread, mean
from analysis.run_values import add_up, rows_by_run, stage_value, stages_of
from analysis.table import Table

OUTSIDE: Final = "outside the stages"
OVERLAP: Final = 1e-3
ROUNDING: Final = 1e-9
UNJUDGED: Final = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class StageTimes:
    """The time of every stage of every used run, in seconds, by label."""

    names: tuple[str, ...]
    of_run: Mapping[str, tuple[float, ...]]

    def of_stage(self, place: int) -> Mapping[str, float]:
        """The time of one stage, by the label of the run."""
        return {label: times[place] for label, times in self.of_run.items()}


Staged = Mapping[str, Table]
"""The rows of every run as a whole and of its stages, by its label."""


def staged_rows(request: AssessmentRequest) -> Staged:
    """The rows of the plan's metric by run; empty when no run records a stage of it."""
    words = [reading.measurements.words("stage").known for reading in {id(r): r.reading for r in request.runs}.values()]
    if not any(stage for known in words for stage in known):
        return {}
    staged = rows_by_run(request, request.plan.metric)
    return staged if any(stages_of(rows) for rows in staged.values()) else {}


def answer(times: StageTimes | Refused, layout: Layout, *, allowed: float) -> StagesAnswer:
    """Where the difference begins, or why that cannot be said. allowed: by which the whole interval was widened."""
    plan = layout.plan
    try:
        return _answer(times, layout, allowed)
    except Refused as refused:
        return StagesAnswer(plan.stages, (), _shown_margin(plan), (), (), refused.message, None, as_value(refused))


def _answer(found: StageTimes | Refused, layout: Layout, allowed: float) -> StagesAnswer:
    plan, scale = layout.plan, _scale(layout.plan)
    require_declared_look(plan)
    times = _needed(found)
    changes = [layout.change(times.of_stage(i), scale) for i in range(len(times.names))]
    basis = basis_of(
        layout, [spread for _, spread in changes], scale=scale, estimand=_estimand(plan), together=len(changes)
    )
    if basis is None:
        raise Refused("zero_variance", "No stage varies between runs.", "Use a finer timer, or separate runs.")
    stages = [_stage(name, *change, layout, times, allowed) for name, change in zip(times.names, changes, strict=True)]
    margin = abs(math.log(plan.margin)) if scale == "ratio" else float(abs(plan.margin))
    located = localise.first_divergence(
        stages, margin=margin, runs=basis.units, cumulative=plan.stages == "cumulative", counted=basis.counted
    )
    first = times.names.index(located.stages[0]) if located.stages else 0
    if allowed:
        basis = replace(basis, assumptions=(*basis.assumptions, "the stated greatest effects hold in every stage"))
    return StagesAnswer(
        how=plan.stages,
        stages=tuple(_shown(stage, scale) for stage in stages),
        margin=_shown_margin(plan),
        found=located.stages,
        excluded=times.names[:first],
        sentence=located.sentence,
        basis=basis,
        refusal=None,
    )


def _scale(plan: ComparisonPlan) -> Scale:
    return "ratio" if plan.scale == "ratio" else "difference"


def _estimand(plan: ComparisonPlan) -> str:
    what = f"{plan.metric} {plan.stat} of a stage"
    if plan.scale == "ratio":
        return f"ratio of typical (geometric-mean) run {what}, candidate over baseline"
    return f"difference of mean run {what}, candidate minus baseline"


def _shown_margin(plan: ComparisonPlan) -> float:
    """How far a stage may move: as a factor above 1, or as a difference in seconds."""
    margin = abs(plan.margin)
    return float(max(margin, 1 / margin)) if plan.scale == "ratio" else float(margin)


def _stage(name: str, centre: float, spread: Spread | None, layout: Layout, times: StageTimes, allowed: float) -> Stage:
    """The stage on the additive scale; one that does not vary is neither established nor excluded."""
    if spread is None:
        return Stage(name, centre, UNJUDGED, UNJUDGED)
    stage = localise.stage_of(name, spread, stages=len(times.names), confidence=layout.plan.level)
    (lo, hi), (near_lo, near_hi) = stage.simultaneous, stage.ordinary
    return replace(stage, simultaneous=(lo - allowed, hi + allowed), ordinary=(near_lo - allowed, near_hi + allowed))


def _shown(stage: Stage, scale: Scale) -> PartEffect:
    unit = "1" if scale == "ratio" else "s"
    if stage.simultaneous == UNJUDGED:
        return part_of(stage.name, stage.estimate, None, None, scale=scale, unit=unit)
    return part_of(stage.name, stage.estimate, stage.simultaneous, stage.ordinary, scale=scale, unit=unit)


def times_of(rows: Staged, layout: Layout) -> StageTimes | Refused:
    """The times of the stages of the used runs, or why there are none."""
    try:
        return _times_of(rows, layout)
    except Refused as refused:
        return refused


def _needed(times: StageTimes | Refused) -> StageTimes:
    if isinstance(times, Refused):
        raise times
    return times


def _times_of(rows: Staged, layout: Layout) -> StageTimes:
    """The stages must be the same in the same order in every run."""
    named_in = {point.label: stages_of(rows[point.label]) for point in layout.points}
    first, names = next(iter(named_in.items()))
    other = next((label for label, stages in named_in.items() if stages != names), None)
    if other is not None:
        raise Refused(
            "stages_differ",
            f"The stages of {first} are {_listed(names)}; those of {other} are {_listed(named_in[other])}.",
            "Record the same stages in the same order in every run, each with its time.",
        )
    return StageTimes(names, {label: _times_of_run(label, rows[label], names, layout.plan) for label in named_in})


def _listed(stages: tuple[str, ...]) -> str:
    return named(stages) or "not recorded"


def _times_of_run(label: str, rows: Table, names: tuple[str, ...], plan: ComparisonPlan) -> tuple[float, ...]:
    times = []
    for stage in names:
        try:
            found = stage_value(rows, plan, stage)
        except Refused as refused:
            raise Refused(refused.code, f"Stage {stage} of run {label}: {refused.message}", refused.needs) from refused
        if found.unit != "s":
            raise Refused(
                "not_a_time",
                f"The stages of {plan.metric} are in {found.unit}, and only times have an order in which they begin.",
                "Compare a metric in seconds.",
            )
        times.append(found.value)
    return tuple(times)


def split(times: StageTimes | Refused, layout: Layout) -> SplitAnswer:
    """The difference of the time as a sum over exclusive stages and what is outside them, or why there is none."""
    try:
        return _split(times, layout)
    except Refused as refused:
        return SplitAnswer("stages", None, (), refused.message, None, as_value(refused))


def _split(given: StageTimes | Refused, layout: Layout) -> SplitAnswer:
    plan = layout.plan
    require_declared_look(plan)
    if plan.stages == "cumulative":
        raise Refused(
            "stages_do_not_add",
            "Cumulative times each hold those before them, so they do not add up.",
            "Record exclusive times to see the difference as a sum.",
        )
    if not add_up(plan.stat):
        raise Refused(
            "stages_do_not_add",
            f"The {plan.stat} of the stages does not add up to the {plan.stat} of the run.",
            "Compare the mean or the total to see the difference as a sum.",
        )
    times = _needed(given)
    names, whole = _with_rest(times, layout)
    found = decompose_stages(
        names, *([whole[label] for label in layout.labels[arm]] for arm in ARMS), change=layout.change_in_order
    )
    estimand = f"difference of mean {plan.metric} {plan.stat} in seconds, candidate minus baseline, stage by stage"
    return split_answer("stages", found, layout, estimand)


def _with_rest(times: StageTimes, layout: Layout) -> tuple[tuple[str, ...], Mapping[str, tuple[float, ...]]]:
    """The names and times of the parts that add up to the time of the run; the rest stands beside the stages.

    Raises:
        Refused: stages_overlap.
    """
    wholes = {point.label: point.value or 0.0 for point in layout.points}
    rest = {label: wholes[label] - math.fsum(parts) for label, parts in times.of_run.items()}
    over = [label for label, left in rest.items() if left < -OVERLAP * wholes[label]]
    if over:
        raise Refused(
            "stages_overlap",
            f"The stages of {named(over)} take longer together than the run, so they are not exclusive.",
            "Record exclusive times, or say in the plan that they are cumulative.",
        )
    rounding = ROUNDING * max(wholes.values())
    if max(map(abs, rest.values())) <= rounding:
        return times.names, times.of_run
    if max(rest.values()) - min(rest.values()) <= rounding:
        rest = dict.fromkeys(rest, mean(list(rest.values())))
    return (*times.names, OUTSIDE), {label: (*parts, rest[label]) for label, parts in times.of_run.items()}
