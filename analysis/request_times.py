"""The times of single requests or steps of one run, by their number, so that one metric can be held beside another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.inputs import ComparisonPlan, LabelledRun
from analysis.series import after_warmup
from analysis.table import NONE, Floats, Integers, Table

WAITS: Final = ("queue_wait", "queue_time", "server_queue")
"""Metrics of the time in a queue; a run is read by the first that it records."""
LATENCIES: Final = ("e2e_latency", "latency", "step_time")
BEFORE: Final = "queue_time"
"""Of single requests this is the wait in the client, which ends where the latency of the request begins."""


@dataclass(frozen=True, slots=True)
class Column:
    """What one metric says of each request. at: the numbers of the requests."""

    metric: str
    at: Integers
    values: Floats

    @property
    def alone(self) -> bool:
        """Whether every number stands once."""
        return np.unique(self.at).size == self.at.size


def rows_of(run: LabelledRun, metric: str) -> Table:
    """The rows of one metric of the run, in seconds."""
    return run.reading.of_run(run.run.key).only(metric=metric, unit="s")


def column(rows: Table, plan: ComparisonPlan, metric: str, stage: str = "") -> Column:
    """The measured requests that the warmup leaves; a row without a number counts by its place."""
    raw = after_warmup(rows, plan, stage)
    index = raw.number("index")
    at = np.where(index == NONE, np.arange(index.size), index)
    some = ~np.isnan(raw.values)
    return Column(metric, at[some], raw.values[some])


def first_recorded(run: LabelledRun, metrics: Sequence[str], plan: ComparisonPlan) -> Column | None:
    """The requests by the first of these metrics that the run records of single requests; None without any."""
    for metric in metrics:
        found = column(rows_of(run, metric), plan, metric)
        if found.values.size:
            return found
    return None


def records_requests(run: LabelledRun) -> bool:
    """Whether the run holds any wait or latency, of single requests or steps or the tool's own."""
    found = run.reading.of_run(run.run.key)
    return any(len(found.only(metric=metric, unit="s")) for metric in (*WAITS, *LATENCIES))


def beside(one: Column, other: Column) -> tuple[Floats, Floats]:
    """The values of the requests that both columns hold; nothing where numbers stand more than once."""
    if not (one.alone and other.alone):
        return np.empty(0), np.empty(0)
    _, here, there = np.intersect1d(one.at, other.at, assume_unique=True, return_indices=True)
    return one.values[here], other.values[there]


def whole_of(wait: Column, waits: Floats, latencies: Floats) -> Floats:
    """From arrival to answer: the latency, and the wait before it where the latency leaves it out."""
    return waits + latencies if wait.metric == BEFORE else latencies
