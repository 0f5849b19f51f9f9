"""Stages of the traces of several runs: which of them part beyond the noise between runs, as intervals over runs.

A run is the unit, however many steps its trace holds: it enters with the mean of its steps.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Final

from analysis import localise
from analysis.design import infer_design
from analysis.errors import Refused
from analysis.inputs import Arm, ComparisonPlan, Scale
from analysis.localise import Stage
from analysis.notices import as_value
from analysis.part_effects import Layout, basis_of, part_of
from analysis.parts import PartEffect, StagesAnswer
from analysis.procedures import Spread
from analysis.runs import RunPoint
from analysis.traces import tables
from analysis.traces.comparison import used
from analysis.traces.events import Events
from analysis.traces.stages import STAGES, stage_times, windows
from analysis.traces.tables import StageTable
from analysis.traces.timeline import NANO

CONFIDENCE: Final = 0.95
METRIC: Final = "step_time"
ESTIMAND: Final = (
    "ratio of typical (geometric-mean) run time of a stage per step, candidate over baseline; a difference of means"
    " where a run spends no time in it"
)
NEVER: Final = (-math.inf, math.inf)

Content = Events | StageTable


@dataclass(frozen=True, slots=True)
class TracedRun:
    """What was traced of one run. label: unique among the runs of both arms. artifact: SHA-256 of its file.

    content: the timed events of a trace, or a table of the times of stages. key: of the run in its file.
    block, placement: "" when not labelled. rank: of a distributed job, "" when unknown.
    """

    label: str
    content: Content
    artifact: str = ""
    key: str = ""
    block: str = ""
    placement: str = ""
    placement_verified: bool = False
    rank: str = ""

    @property
    def events(self) -> Events:
        """The events of a trace. Raises TypeError for a table, which has none."""
        if isinstance(self.content, Events):
            return self.content
        raise TypeError(f"{self.label} is a table of times and has no events")


Arms = Mapping[Arm, Sequence[TracedRun]]


@dataclass(frozen=True, slots=True)
class _Times:
    """What one run takes for a step, in seconds: in all, and by stage."""

    whole: float
    of_stage: Mapping[str, float]


def _times(run: TracedRun) -> _Times:
    if isinstance(run.content, StageTable):
        table = tables.used(run.content)
        return _Times(tables.whole_of(table), {name: float(times.mean()) for name, times in table.stages.items()})
    steps = used(windows(run.content))
    stages = {stage: float(times.mean()) * NANO for stage, times in stage_times(run.content, steps).items()}
    return _Times(float(steps.length.mean()) * NANO, stages)


def tables_of(arms: Arms) -> tuple[StageTable, ...]:
    """The tables of both arms; nothing when the runs have traces."""
    return tuple(run.content for run in chain(*arms.values()) if isinstance(run.content, StageTable))


def _stages(arms: Arms, times: Mapping[str, _Times]) -> tuple[str, ...]:
    """The stages with their order: those that tables share, or that some trace spends time in."""
    known = tables_of(arms)
    if known:
        return _shared(known)
    return tuple(stage for stage in STAGES if any(of_run.of_stage.get(stage) for of_run in times.values()))


def _shared(known: Sequence[StageTable]) -> tuple[str, ...]:
    names = tables.shared(known)
    if not names:
        raise Refused(
            "stages_differ",
            "No stage stands in the table of every run.",
            "Record the same stages in the same order in every run, each with its time.",
        )
    return names


def over_runs(arms: Arms, margin: float) -> tuple[PartEffect | None, StagesAnswer]:
    """The effect on a step and on its stages, with the runs as units; or why there is none."""
    try:
        return _localised(arms, margin)
    except Refused as refused:
        return None, StagesAnswer("exclusive", (), margin, (), (), refused.message, None, as_value(refused))


def _localised(arms: Arms, margin: float) -> tuple[PartEffect | None, StagesAnswer]:
    _refuse_ranks(arms)
    times = {run.label: _times(run) for run in chain(*arms.values())}
    names = _stages(arms, times)
    layout = _layout(arms, times, margin)
    values = {name: {label: known.of_stage.get(name, 0.0) for label, known in times.items()} for name in names}
    scales: dict[str, Scale] = {
        name: "ratio" if min(found.values()) > 0 else "difference" for name, found in values.items()
    }
    changes = {name: layout.change(found, scales[name]) for name, found in values.items()}
    basis = basis_of(
        layout,
        [spread for _, spread in changes.values()],
        scale="ratio",
        estimand=ESTIMAND,
        together=len(names),
    )
    if basis is None:
        raise Refused("zero_variance", "No stage varies between runs.", "Use a finer timer, or separate runs.")
    stages = [_stage(name, *changes[name], scales[name], len(names)) for name in names]
    located = localise.first_divergence(
        stages, margin=math.log(margin), runs=basis.units, cumulative=False, counted=basis.counted
    )
    first = names.index(located.stages[0]) if located.stages else 0
    found = StagesAnswer(
        how="exclusive",
        stages=tuple(_shown(stage, scales[stage.name]) for stage in stages),
        margin=margin,
        found=located.stages,
        excluded=names[:first],
        sentence=located.sentence,
        basis=basis,
        refusal=None,
    )
    known = tables_of(arms)
    name = tables.name_of_whole(known) if known else tables.WHOLE
    return _whole(name, {label: of_run.whole for label, of_run in times.items()}, layout), found


def _refuse_ranks(arms: Arms) -> None:
    """Ranks of one job share all that a run has of its own."""
    for arm, runs in arms.items():
        ranks = sorted({run.rank for run in runs if run.rank})
        if len(ranks) > 1:
            raise Refused(
                "ranks_are_no_runs",
                f"The traces of the {arm} are of ranks {', '.join(ranks)}: ranks of one job are no runs of their own.",
                "Give the traces of one rank, one of each run.",
            )


def layout_of_traces(arms: Arms) -> Layout:
    """How the runs behind the traces are laid out.

    Raises:
        Refused: ranks_are_no_runs, and those of `infer_design`.
    """
    _refuse_ranks(arms)
    nothing = {run.label: _Times(0.0, {}) for run in chain(*arms.values())}
    return _layout(arms, nothing, margin=1.0)


def _layout(arms: Arms, times: Mapping[str, _Times], margin: float) -> Layout:
    points = tuple(
        RunPoint(
            run.label, arm, run.block, run.placement, run.placement_verified, None, None,
            times[run.label].whole, "s", None, 0, "", "used", "", None,
        )
        for arm, runs in arms.items()
        for run in runs
    )  # fmt: skip
    return Layout(_plan(margin), points, infer_design(points, hardware_varied=False))


def _plan(margin: float) -> ComparisonPlan:
    return ComparisonPlan(
        metric=METRIC, stat="mean", better="lower", scale="ratio", margin=Fraction(margin), role="claim", varied=(),
        required=(), tolerances={}, warmup_steps=0, minimum_requests=0, hardware_varied=False, slo=None,
        match="same_requests", confidence=CONFIDENCE, looks=1, look=1,
    )  # fmt: skip


def _stage(name: str, centre: float, spread: Spread | None, scale: Scale, stages: int) -> Stage:
    """One that does not vary is neither established nor excluded; one that a run lacks has no ratio to exclude it."""
    if spread is None:
        return Stage(name, centre, NEVER, NEVER)
    stage = localise.stage_of(name, spread, stages=stages, confidence=CONFIDENCE)
    return stage if scale == "ratio" else replace(stage, ordinary=NEVER)


def _shown(stage: Stage, scale: Scale) -> PartEffect:
    unit = "1" if scale == "ratio" else "s"
    ends = None if stage.simultaneous == NEVER else stage.simultaneous
    equal = None if stage.ordinary == NEVER else stage.ordinary
    return part_of(stage.name, stage.estimate, ends, equal, scale=scale, unit=unit)


def _whole(name: str, values: Mapping[str, float], layout: Layout) -> PartEffect | None:
    """The effect on a whole step, at the level of one interval alone."""
    centre, spread = layout.change(values, "ratio")
    ends = None if spread is None else localise.ends_at(spread, CONFIDENCE)
    return part_of(name, centre, ends, None, scale="ratio", unit="1")
