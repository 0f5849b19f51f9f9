"""The raw rows of one run as a series: what the warmup cuts of them, on what clock, and whether they are in order.

Rows are in order when each started no earlier than the one before. Where no row says when it started, the order of the
file is that of the steps, but not of requests: they overlap, and files list them as they were planned or as they ended.
"""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.errors import Refused
from analysis.exact import plain_decimal
from analysis.inputs import ComparisonPlan
from analysis.table import NONE, Floats, Integers, Table

Clock = Literal["starts", "durations", ""]
Mask = NDArray[np.bool_]

OF_REQUESTS: Final = frozenset(
    {"latency", "ttft", "tpot", "itl", "request", "requests", "generation", "token", "tokens"}
)
"""A metric with one of these words in its name is measured once a request, not once a step."""
NS: Final = 10**9


def is_of_requests(metric: str) -> bool:
    """Whether the raw rows of the metric are requests, which overlap in time."""
    return not OF_REQUESTS.isdisjoint(metric.split("_"))


def raw_rows(rows: Table, stage: str = "") -> Table:
    """The raw rows of the run as a whole, or of one stage, that count as measured, in the order of the file."""
    return rows.only(phase="measured", stage=stage, kind="raw")


def after_warmup(rows: Table, plan: ComparisonPlan, stage: str = "") -> Table:
    """The measured raw rows that the plan's warmup leaves, of the rows of one run as a whole or of one stage.

    In steps: those from index `warmup_steps` on; a row without an index counts by its place. In seconds: those that
    started no sooner than that after the first raw row of the run, of whatever phase. A stage has no clock of its own:
    it loses the steps that the run loses.

    Args:
        rows: all of the run, also when only a stage is asked for.

    Raises:
        Refused: no_run_clock.
    """
    if plan.warmup_seconds is not None:
        return _after_seconds(rows.only(kind="raw"), plan, stage)
    raw = raw_rows(rows, stage)
    return raw.where(_numbers(raw) >= plan.warmup_steps) if plan.warmup_steps else raw


def _numbers(rows: Table) -> Integers:
    """The number of each row; one without an index counts by its place."""
    index = rows.number("index")
    return np.where(index == NONE, np.arange(index.size), index)


def _after_seconds(raw: Table, plan: ComparisonPlan, stage: str) -> Table:
    part = raw.only(stage=stage)
    if not len(part):
        return part
    timed = raw.only(stage=_keeper_of_time(raw, stage))
    gone = _gone(timed, plan)
    if stage:
        gone = _gone_of_stage(part, timed, gone, plan)
    return part.where(~gone).only(phase="measured")


def _keeper_of_time(raw: Table, stage: str) -> str:
    """The stage whose rows say when a step began: the run as a whole, else the first stage that was recorded."""
    return "" if not stage or len(raw.only(stage="")) else _stage_of_first(raw)


def _stage_of_first(rows: Table) -> str:
    stages = rows.words("stage")
    return stages.known[int(stages.codes[0])]


def _gone(timed: Table, plan: ComparisonPlan) -> Mask:
    """Which of these rows started before the end of the warmup."""
    end, since = end_of_warmup(plan), begins(timed, plan.metric)
    known = np.empty(0) if since is None else since[~np.isnan(since)]
    if since is None or (known.size < since.size and known[-1] < end):
        raise _no_clock(plan, "the run records neither when its rows started nor a time for every step")
    if _stage_of_first(timed) and clock_of(timed, plan.metric) != "starts":
        raise _no_clock(plan, "the times of its stages do not say when the steps of the run started")
    return np.asarray(since < end)


def _gone_of_stage(part: Table, timed: Table, gone: Mask, plan: ComparisonPlan) -> Mask:
    """Which rows of a stage belong to the steps that are gone; by their own starts, when they are of no such step."""
    keys = [np.stack([rows.codes("phase"), _numbers(rows)], axis=1) for rows in (timed, part)]
    distinct, found = np.unique(np.concatenate(keys), axis=0, return_inverse=True)
    of_timed, of_part = found[: len(timed)], found[len(timed) :]
    step = np.full(len(distinct), -1)
    step[of_timed] = np.arange(len(timed))
    if len(np.unique(of_timed)) == len(timed) and (step[of_part] >= 0).all():
        return np.asarray(gone[step[of_part]])
    started, begun = part.number("started_ns"), timed.number("started_ns")
    if (started == NONE).any() or (begun == NONE).any():
        raise _no_clock(plan, "the rows of its stages are neither those of its steps nor say when they started")
    return np.asarray(started - begun.min() < end_of_warmup(plan))


def _no_clock(plan: ComparisonPlan, why: str) -> Refused:
    return Refused(
        "no_run_clock",
        f"The plan cuts {cut_in_words(plan)}, and {why}.",
        "Attach rows with their start times, or declare the warmup in steps.",
    )


def cuts(plan: ComparisonPlan) -> bool:
    """Whether the plan cuts a warmup, in steps or in seconds."""
    return plan.warmup_seconds is not None or plan.warmup_steps != 0


def cut_in_words(plan: ComparisonPlan) -> str:
    """The declared warmup: "20 steps", "10 s"."""
    if plan.warmup_seconds is not None:
        return f"{plain_decimal(plan.warmup_seconds, significant=6)} s"
    return "1 step" if plan.warmup_steps == 1 else f"{plan.warmup_steps} steps"


def end_of_warmup(plan: ComparisonPlan) -> int:
    """Where the declared warmup ends: the number of the first step that is left, or ns after the first row."""
    return plan.warmup_steps if plan.warmup_seconds is None else math.ceil(plan.warmup_seconds * NS)


def with_warmup(plan: ComparisonPlan, end: int) -> ComparisonPlan:
    """The plan with a warmup that ends there, in the unit of its own."""
    if plan.warmup_seconds is None:
        return replace(plan, warmup_steps=end)
    return replace(plan, warmup_seconds=Fraction(end, NS))


def clock_of(raw: Table, metric: str) -> Clock:
    """Whether the rows say when they started, or are the times of steps, which add up; "" when neither is so."""
    started = raw.number("started_ns") == NONE
    if not started.any():
        return "starts" if started.size else ""
    of_steps = raw.distinct("unit") == ("s",) and in_order(raw, metric)
    return "durations" if of_steps else ""


def begins(raw: Table, metric: str) -> Floats | None:
    """When each row started, in ns after the first; NaN after a step without a time; None without a clock."""
    clock = clock_of(raw, metric)
    if clock == "starts":
        started = raw.number("started_ns")
        return np.asarray(started - started.min(), dtype=np.float64)
    if clock == "durations":
        return np.asarray(np.rint(NS * np.concatenate(([0.0], np.cumsum(raw.values[:-1])))))
    return None


def in_order(raw: Table, metric: str) -> bool:
    """Whether the rows are known to follow each other: by their starts, else as the steps of a file do.

    Every phase may count its rows from the first again.
    """
    started, index, phase = raw.number("started_ns"), raw.number("index"), raw.codes("phase")
    unnumbered = index == NONE
    if unnumbered.any() and not unnumbered.all():
        return False
    if not (unnumbered[1:] | (index[1:] > index[:-1]) | (phase[1:] != phase[:-1])).all():
        return False
    unknown = started == NONE
    if unknown.any():
        return bool(unknown.all()) and not is_of_requests(metric)
    return bool((started[1:] >= started[:-1]).all())
