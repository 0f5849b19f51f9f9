"""The goodput of one run: requests per second that kept every limit of the service level, counted from raw requests.

A request that failed, or has no value of a limited metric, kept none. Every request of the run counts, so the plan cuts
no warmup; the tool's own goodput is never used, because a file does not prove at which level it was counted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.goodput import kept
from analysis.inputs import AssessmentRequest, ComparisonPlan, LabelledRun
from analysis.notices import named
from analysis.run_values import RunValue, rows_by_run
from analysis.service_level import ServiceLevel, require_level
from analysis.table import NONE, Floats, Integers, Table

GOODPUT: Final = "goodput"
DURATION: Final = "duration"
Rows = Mapping[str, Table]


@dataclass(frozen=True, slots=True)
class Served:
    """The requests of one run: those that kept the level, all that were tried, and the listed ones without a value."""

    kept: int
    offered: int
    without: int


def requests_of(request: AssessmentRequest) -> Mapping[str, Rows]:
    """The rows of every limited metric of every run, by the run's label; none where the plan has no level."""
    level = request.plan.service_level
    by_metric = {metric: rows_by_run(request, metric) for metric in level.limits} if level is not None else {}
    return {run.label: {metric: rows[run.label] for metric, rows in by_metric.items()} for run in request.runs}


def served(run: LabelledRun, rows: Rows, level: ServiceLevel) -> Served:
    """How many requests of the run kept the level. Requests that were tried and are not listed kept none.

    Args:
        rows: of every limited metric.

    Raises:
        Refused: no_requests, duplicate_request, unit_mismatch, bad_service_level.
    """
    require_level(level)
    parts = {metric: rows[metric].only(phase="measured", stage="", kind="raw") for metric in level.limits}
    numbers = {metric: _numbered(part, metric) for metric, part in parts.items()}
    columns = _aligned({metric: part.values for metric, part in parts.items()}, numbers)
    missing = np.isnan(np.stack(list(columns.values()))).any(axis=0)
    return Served(kept(columns, level), max(missing.size, run.run.attempted or 0), int(missing.sum()))


def _aligned(values: Mapping[str, Floats], numbers: Mapping[str, Integers]) -> Mapping[str, Floats]:
    """The columns with one place per request, NaN where a metric has no row of it; as they are when they agree."""
    first, *rest = numbers.values()
    if all(np.array_equal(first, other) for other in rest):
        return values
    ordered = np.sort(np.concatenate([first, *rest]))
    known = ordered[np.diff(ordered, prepend=ordered[0] - 1) > 0]
    columns = {}
    for metric, column in values.items():
        columns[metric] = np.full(known.size, np.nan)
        columns[metric][np.searchsorted(known, numbers[metric])] = column
    return columns


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
    if not (np.diff(index) > 0).all() and (np.diff(np.sort(index)) == 0).any():
        raise Refused(
            "duplicate_request", f"A request has two values of {metric}.", "Attach a file that lists it once."
        )
    return index


def goodput_value(run: LabelledRun, rows: Rows, plan: ComparisonPlan) -> RunValue:
    """The number of one run: requests per second that kept the level.

    Raises:
        Refused: what `served` refuses; no_duration, too_few_requests, no_goodput (no request kept the level).
    """
    level = level_of(plan)
    found = served(run, rows, level)
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
