"""What the traces of two arms say: where they part, and with several runs of each, which stages part beyond noise.

A run is the unit, however many steps its trace holds: it enters the intervals with the mean of its steps. One trace of
each arm has no interval, and is described.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Final

import msgspec

from analysis.errors import Refused
from analysis.inputs import ARMS, Arm
from analysis.notices import Refusal
from analysis.parts import PartEffect, StagesAnswer
from analysis.step_effects import StepEffects, step_drivers, step_effects
from analysis.tail_drivers import TailDrivers
from analysis.traced_runs import Arms, TracedRun, over_runs, tables_of
from analysis.traces import comparison
from analysis.traces.comparison import Divergence, TraceComparison
from analysis.traces.events import Events
from analysis.traces.stages import windows
from analysis.traces.summary import Busy, busy_times
from analysis.traces.tables import StageTable, compare_tables
from analysis.traces.timeline import Timeline, middle, resolution, timeline

VERSION: Final = "2"
"""Raised whenever the same traces would be answered differently."""
MARGIN: Final = 1.02
NO_EVENTS: Final = Refusal(
    "no_events",
    "A table of the times of stages holds no events, so that the slowest steps cannot be taken apart.",
    "Attach traces of the same runs, where they were recorded.",
)
"""Why tables have no drivers."""


@dataclass(frozen=True, slots=True)
class DeviceTime:
    """How busy a device was over the whole trace of one run."""

    arm: Arm
    run: str
    busy: Busy


@dataclass(frozen=True, slots=True)
class TraceAnswer:
    """Where the traces part. divergence, found, excluded: of time by the intervals when there are several runs.

    runs: the labels of each arm. step: the effect on a whole step, None without an interval. stages: None with one
    trace of each arm. timelines: the middle step of the first run of each arm, nothing of tables.
    tables: the runs have tables of times, and no traces.
    effects, drivers: what the steps do, and what the slowest of them spend; None of tables, and in answers of
    version 1. no_drivers: why there are none.
    """

    divergence: Divergence
    sentence: str
    found: tuple[str, ...]
    excluded: tuple[str, ...]
    runs: tuple[tuple[str, ...], tuple[str, ...]]
    description: TraceComparison
    step: PartEffect | None
    stages: StagesAnswer | None
    devices: tuple[DeviceTime, ...]
    timelines: tuple[Timeline, ...]
    notices: tuple[str, ...]
    tables: bool = False
    effects: StepEffects | None = None
    drivers: TailDrivers | None = None
    no_drivers: Refusal | None = None


def answer(
    baseline: Sequence[TracedRun],
    candidate: Sequence[TracedRun],
    *,
    margin: float = MARGIN,
    cautions: Sequence[str] = (),
) -> TraceAnswer:
    """Where the traces of two arms part.

    Args:
        margin: the factor above 1 within which a stage is excluded. cautions: of reading the files.

    Raises:
        Refused: no_traces, no_events, steps_differ, kinds_differ, bad_margin, duplicate_run.
    """
    arms: Arms = {"baseline": baseline, "candidate": candidate}
    _check(arms, margin)
    described = _described(arms)
    several = any(len(runs) > 1 for runs in arms.values())
    step, stages = over_runs(arms, margin) if several else (None, None)
    divergence, sentence, found, excluded = _said(described, stages)
    tables = bool(tables_of(arms))
    drivers = NO_EVENTS if tables else step_drivers(arms)
    return TraceAnswer(
        divergence=divergence,
        sentence=sentence,
        found=found,
        excluded=excluded,
        runs=(tuple(run.label for run in baseline), tuple(run.label for run in candidate)),
        description=described,
        step=step,
        stages=stages,
        devices=tuple(_devices(arms, several=several)),
        timelines=_timelines([runs[0] for runs in arms.values()]),
        notices=(*described.notices, *cautions),
        tables=tables,
        effects=None if tables else step_effects(arms, described),
        drivers=None if isinstance(drivers, Refusal) else drivers,
        no_drivers=drivers if isinstance(drivers, Refusal) else None,
    )


def to_json(found: TraceAnswer) -> dict[str, Any]:
    """The answer as plain JSON values."""
    plain: dict[str, Any] = msgspec.to_builtins(asdict(found))
    return plain


def from_json(value: Mapping[str, Any]) -> TraceAnswer:
    """The answer that `to_json` wrote. Raises msgspec.ValidationError for JSON of another shape."""
    return msgspec.convert(value, TraceAnswer, strict=False)


def _check(arms: Arms, margin: float) -> None:
    for arm, runs in arms.items():
        if not runs:
            raise Refused("no_traces", f"There is no trace of the {arm}.", "Give at least one trace of each arm.")
    if not 1 < margin < math.inf:
        raise Refused(
            "bad_margin", f"A margin of {margin:g} excludes nothing.", "State it as a factor above 1, for example 1.02."
        )
    runs = list(chain(*arms.values()))
    if len(runs) > len(ARMS):
        seen: dict[tuple[str, str], str] = {}
        for run in runs:
            other = seen.setdefault((run.artifact or run.label, run.key), run.label)
            if other != run.label or sum(one.label == run.label for one in runs) > 1:
                raise Refused(
                    "duplicate_run",
                    f"{other} and {run.label} are the same run or carry the same label.",
                    "Give every trace once, under its own label.",
                )


def _said(
    described: TraceComparison, stages: StagesAnswer | None
) -> tuple[Divergence, str, tuple[str, ...], tuple[str, ...]]:
    """The first divergence, the sentence, and the stages in question."""
    if stages is None:
        return described.divergence, described.sentence, described.found, described.excluded
    divergence: Divergence = described.divergence
    if divergence == "none" and stages.found:
        divergence = "time"
    return divergence, f"{described.sentence} In time: {stages.sentence}", stages.found, stages.excluded


def _described(arms: Arms) -> TraceComparison:
    """Where they part, without intervals. Raises Refused(kinds_differ)."""
    known = tables_of(arms)
    if not known:
        return comparison.compare_runs(*(_events(runs) for runs in arms.values()))
    if len(known) < sum(map(len, arms.values())) or len({bool(table.calls) for table in known}) > 1:
        raise Refused(
            "kinds_differ",
            "Some of the files are traces, tables of stages or tables by name, and others are not.",
            "Compare files of one kind: the same export of the same tool for every run.",
        )
    return compare_tables(
        *([run.content for run in runs if isinstance(run.content, StageTable)] for runs in arms.values())
    )


def _events(runs: Sequence[TracedRun]) -> list[Events]:
    return [run.content for run in runs if isinstance(run.content, Events)]


def _devices(arms: Arms, *, several: bool) -> list[DeviceTime]:
    """Every device of every run, with its streams where there is one run of each arm; no table knows a device."""
    return [
        DeviceTime(arm, run.label, row)
        for arm, runs in arms.items()
        for run in runs
        if isinstance(run.content, Events)
        for row in busy_times(run.content)
        if not (several and row.thread)
    ]


def _timelines(runs: Sequence[TracedRun]) -> tuple[Timeline, ...]:
    """The middle steps of these runs; nothing of tables, which hold no moments."""
    events = _events(runs)
    if not events:
        return ()
    used = [comparison.used(windows(one)) for one in events]
    gap = resolution(*(int(steps.length[middle(steps)]) for steps in used))
    return tuple(timeline(run.label, one, steps, gap) for run, one, steps in zip(runs, events, used, strict=True))
