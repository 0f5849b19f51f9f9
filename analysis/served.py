"""The goodput of one run: requests per second that kept every limit of the service level, counted from raw requests.

A request that failed, or has no value of a limited metric, kept none. Every request of the run counts, so the plan cuts
no warmup; the tool's own goodput is never used, because a file does not prove at which level it was counted.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.goodput import kept
from analysis.inputs import ComparisonPlan, LabelledRun
from analysis.notices import named
from analysis.run_values import RunValue
from analysis.service_level import ServiceLevel, require_level
from analysis.table import NONE, Integers, Table

GOODPUT: Final = "goodput"
DURATION: Final = "duration"


@dataclass(frozen=True, slots=True)
class Served:
    """The requests of one run: those that kept the level, all that were tried, and the listed ones without a value."""

    kept: int
    offered: int
    without: int


def served(run: LabelledRun, level: ServiceLevel) -> Served:
    """How many requests of the run kept the level. Requests that were tried and are not listed kept none.

    Raises:
        Refused: no_requests, duplicate_request, unit_mismatch, bad_service_level.
    """
    require_level(level)
    rows = run.reading.of_run(run.run.key).only(phase="measured", stage="", kind="raw")
    parts = {metric: rows.only(metric=metric) for metric in level.limits}
    numbers = {metric: _numbered(part, metric) for metric, part in parts.items()}
    known = np.unique(np.concatenate(list(numbers.values())))
    columns = {}
    for metric, part in parts.items():
        columns[metric] = np.full(known.size, np.nan)
        columns[metric][np.searchsorted(known, numbers[metric])] = part.values
    without = int(np.isnan(np.stack(list(columns.values()))).any(axis=0).sum())
    return Served(kept(columns, level), max(known.size, run.run.attempted or 0), without)


def _numbered(rows: Table, metric: str) -> Integers:
    """The position of each request that the metric has a row of; a row without one counts by its place."""
    if not len(rows):
        raise Refused(
            "no_requests",
            f"The run has no {metric} of each request, so no request can be held to its limit.",
            "Attach a file with one row per request; a tool's own goodput does not say at which level it was counted.",
        )
    units = rows.distinct("unit")
    if units != ("s",):
        raise Refused("unit_mismatch", f"{metric} is in {named(units)}, not in s.", "Limit times of requests.")
    index = rows.number("index")
    index = np.where(index == NONE, np.arange(index.size), index)
    if np.unique(index).size < index.size:
        raise Refused(
            "duplicate_request", f"A request has two values of {metric}.", "Attach a file that lists it once."
        )
    return index


def goodput_value(run: LabelledRun, plan: ComparisonPlan) -> RunValue:
    """The number of one run: requests per second that kept the level.

    Raises:
        Refused: what `served` refuses; no_duration, too_few_requests, no_goodput (no request kept the level).
    """
    level = level_of(plan)
    found = served(run, level)
    if found.offered < plan.minimum_requests:
        raise Refused(
            "too_few_requests",
            f"A run has {found.offered} requests.",
            f"Measure at least {plan.minimum_requests} in every run.",
        )
    if not found.kept:
        raise Refused(
            "no_goodput",
            f"None of {found.offered} {level.kept_said} was served.",
            "Offer less load, or state another service level before the runs.",
        )
    return RunValue(found.kept / _seconds(run), "1/s", found.offered, found.without, "ours")


def level_of(plan: ComparisonPlan) -> ServiceLevel:
    """The service level of a goodput.

    Raises:
        Refused: no_service_level.
    """
    if plan.service_level is None:
        raise Refused(
            "no_service_level",
            "A goodput without a service level is no metric: its level is a part of what it is.",
            "State in the plan the limits that a request must keep.",
        )
    return plan.service_level


def _seconds(run: LabelledRun) -> float:
    stated = {s.value for s in run.reading.settings_of(run.run.key) if s.name == DURATION}
    if len(stated) != 1 or not (seconds := parse_exact(*stated)) > 0:
        raise Refused(
            "no_duration",
            "The run does not say how long it lasted, so its requests are no rate.",
            "Attach a file with the duration of the run, in seconds.",
        )
    return float(seconds)
