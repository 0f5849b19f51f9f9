"""The tail-latency drivers of requests (or steps) from the tables of runs: what each of them waited and was served.

Queueing delay is the time in the queue. Core imbalance is the time of the busiest core less the mean of the cores, of
the same request or step, where `core_busy` is recorded by core. Mapping fallback is the time that `mapping_fallback`
records. Service time is what is left of the time from arrival to answer after the queueing delay.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from analysis.errors import Refused
from analysis.inputs import ComparisonPlan, LabelledRun
from analysis.looking import completed, layout_of, plan_of
from analysis.notices import named
from analysis.part_effects import Layout
from analysis.request_times import BEFORE, LATENCIES, WAITS, Column, column, first_recorded, rows_of
from analysis.run_values import stages_of
from analysis.table import Floats
from analysis.tail_drivers import (
    FALLBACK,
    IMBALANCE,
    NOT_RECORDED,
    SERVICE,
    SLOWEST,
    WAIT,
    TailDrivers,
    Unit,
    UnitTimes,
    arm_drivers,
    graph,
)

CORES: Final = "core_busy"
FALLBACKS: Final = "mapping_fallback"
OF_SOME: Final = "not recorded of every request"
ONE_CORE: Final = "core_busy is recorded of one core only"
LONGER: Final = "some waits are longer than the latency that should hold them"


def request_drivers(
    baseline: Sequence[LabelledRun],
    candidate: Sequence[LabelledRun],
    *,
    share: float = SLOWEST,
    warmup: int = 0,
    confidence: float = 0.95,
) -> TailDrivers:
    """The graph of the requests, or of the steps where only steps are recorded.

    Raises:
        Refused: no_runs; no_unit_times, when no run records a time of single requests or steps; as `arm_drivers`.
    """
    plan = plan_of("latency", "mean", better="lower", scale="difference", warmup=warmup, confidence=confidence)
    arms = {arm: runs for arm, runs in (("baseline", baseline), ("candidate", candidate)) if runs}
    if not arms:
        raise Refused("no_runs", "There is no run.", "Attach runs with the time of each request.")
    read = {arm: [(run.label, _times(run, plan)) for run in completed(runs)] for arm, runs in arms.items()}
    times = {arm: [found for _, found in held if found is not None] for arm, held in read.items()}
    left_out = tuple(label for held in read.values() for label, found in held if found is None)
    if left_out and not any(times.values()):
        raise Refused(
            "no_unit_times",
            f"No time of single requests or steps is recorded in {named(left_out)}.",
            "Attach results with e2e_latency, latency or step_time of each of them.",
        )
    unit: Unit = "step" if {metric for held in times.values() for metric, _ in held} == {"step_time"} else "request"
    found = [
        arm_drivers(arm, [run for _, run in held], unit, share=share, confidence=confidence)
        for arm, held in times.items()
    ]
    every = [run for held in times.values() for _, run in held]
    kept = [run for run in (*baseline, *candidate) if run.label not in left_out]
    layout = _layout(kept, plan) if candidate else None
    return replace(graph(found, every, layout, unit, share), left_out=left_out)


def _layout(runs: Sequence[LabelledRun], plan: ComparisonPlan) -> Layout | Refused:
    try:
        return layout_of(runs, plan)
    except Refused as refused:
        return refused


def _times(run: LabelledRun, plan: ComparisonPlan) -> tuple[str, UnitTimes] | None:
    """The metric of the latency, and the times of the run; None when no single request has one."""
    latency = first_recorded(run, LATENCIES, plan)
    if latency is None or not latency.alone:
        return None
    parts: dict[str, Floats] = {}
    absent: dict[str, str] = {}
    whole = _waited(run, latency, plan, parts, absent)
    _cores(run, latency, plan, parts, absent)
    _placed(FALLBACK, column(rows_of(run, FALLBACKS), plan, FALLBACKS), latency, parts, absent)
    return latency.metric, UnitTimes(run.label, whole, parts, absent)


def _waited(
    run: LabelledRun, latency: Column, plan: ComparisonPlan, parts: dict[str, Floats], absent: dict[str, str]
) -> Floats:
    """Adds wait and service; returns the time from arrival to answer."""
    wait = first_recorded(run, WAITS, plan)
    _placed(WAIT, wait, latency, parts, absent)
    if wait is None or WAIT not in parts:
        absent[SERVICE] = "without a queueing delay it is not told from the latency"
        return latency.values
    if wait.metric == BEFORE:
        parts[SERVICE] = latency.values
        return latency.values + parts[WAIT]
    if (parts[WAIT] > latency.values).any():
        del parts[WAIT]
        absent[WAIT] = absent[SERVICE] = LONGER
        return latency.values
    parts[SERVICE] = latency.values - parts[WAIT]
    return latency.values


def _cores(
    run: LabelledRun, latency: Column, plan: ComparisonPlan, parts: dict[str, Floats], absent: dict[str, str]
) -> None:
    rows = rows_of(run, CORES)
    cores = [column(rows, plan, CORES, stage) for stage in stages_of(rows)]
    if len(cores) < 2:
        absent[IMBALANCE] = ONE_CORE if cores else NOT_RECORDED
        return
    busy = [_along(core, latency) for core in cores]
    known = [values for values in busy if values is not None]
    if len(known) < len(busy):
        absent[IMBALANCE] = OF_SOME
        return
    table = np.stack(known)
    parts[IMBALANCE] = table.max(axis=0) - table.mean(axis=0)


def _placed(name: str, found: Column | None, latency: Column, parts: dict[str, Floats], absent: dict[str, str]) -> None:
    if found is None or not found.values.size:
        absent[name] = NOT_RECORDED
        return
    values = _along(found, latency)
    if values is None:
        absent[name] = OF_SOME
    else:
        parts[name] = values


def _along(one: Column, latency: Column) -> Floats | None:
    """The values of the requests of the latency, in its order; None when one of them is missing, or stands twice."""
    order = np.argsort(one.at)
    numbers = one.at[order]
    places = np.minimum(np.searchsorted(numbers, latency.at), numbers.size - 1)
    if not one.alone or (numbers[places] != latency.at).any():
        return None
    return one.values[order][places]
