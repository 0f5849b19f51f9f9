"""The raw rows of one run as a series: what the warmup cuts of them, on what clock, and whether they are in order.

Rows are in order when each started no earlier than the one before. Where no row says when it started, the order of the
file is that of the steps, but not of requests: they overlap, and files list them as they were planned or as they ended.
"""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Final, Literal

import numpy as np

from analysis.errors import Refused
from analysis.exact import plain_decimal
from analysis.inputs import ComparisonPlan
from analysis.table import NONE, Floats, Table

Clock = Literal["starts", "durations", ""]

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
    started no sooner than that after the first raw row of the run, of whatever phase.

    Raises:
        Refused: no_run_clock.
    """
    if plan.warmup_seconds is not None:
        return _after_seconds(rows.only(stage=stage, kind="raw"), plan)
    raw = raw_rows(rows, stage)
    if not plan.warmup_steps:
        return raw
    index = raw.number("index")
    return raw.where(np.where(index == NONE, np.arange(index.size), index) >= plan.warmup_steps)


def _after_seconds(raw: Table, plan: ComparisonPlan) -> Table:
    end = end_of_warmup(plan)
    if not len(raw):
        return raw
    since = begins(raw, plan.metric)
    known = np.empty(0) if since is None else since[~np.isnan(since)]
    if since is None or (known.size < since.size and known[-1] < end):
        raise Refused(
            "no_run_clock",
            f"The plan cuts {cut_in_words(plan)}, and the run records neither when its rows started nor a time for "
            "every step.",
            "Attach rows with their start times, or declare the warmup in steps.",
        )
    return raw.where(~(since < end)).only(phase="measured")


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
