"""What profiles of a device have in common: executions that become the events of a trace, and totals by name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, trace_reading, values
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.csv_reader import Row
from analysis.evidence.values import Json
from analysis.traces.events import Events, Kind, Lane, in_order
from analysis.traces.summary import kernel_totals

LATEST_NS: Final = 2**62
TOO_SHORT: Final = "it is below the resolution of the profiler"


@dataclass(slots=True)
class Executions:
    """Executions with their start and end in nanoseconds, gathered one by one."""

    rows: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    lanes: dict[Lane, int] = field(default_factory=dict)

    def add(self, span: tuple[int, int], kind: Kind, name: str, lane: Lane) -> None:
        """Add one, from its start to its end."""
        named = self.names.setdefault(name, len(self.names))
        self.rows.append((*span, kind, named, self.lanes.setdefault(lane, len(self.lanes))))

    def events(self) -> Events:
        """All of them in order of their start."""
        start, end, kind, name, lane = np.array(self.rows, dtype=np.int64).reshape(-1, 5).T
        origin = int(start.min(initial=LATEST_NS)) if start.size else 0
        return in_order(
            Events(
                start - origin,
                end - start,
                kind.astype(np.uint8),
                name.astype(np.int32),
                lane.astype(np.int32),
                np.zeros(start.size, dtype=np.int32),
                list(self.names),
                list(self.lanes),
                [""],
                origin,
            )
        )


def span(start: Json, end: Json, where: str) -> tuple[int, int]:
    """Start and end in nanoseconds. Raises MalformedEvidence: not_a_count, negative, not_a_time."""
    return checked(values.count(start, where), values.count(end, where), where)


def checked(first: int, last: int, where: str) -> tuple[int, int]:
    """The same, of numbers. Raises MalformedEvidence: not_a_time."""
    if not 0 <= first <= last < LATEST_NS:
        raise MalformedEvidence("it ends before it starts, or never", where=where, code="not_a_time")
    return first, last


def measure(collection: Collection, run: Run, events: Events, where: str) -> None:
    """Add the times of the trace by stage, and the total time of the kernels of each name.

    Raises:
        MalformedEvidence: no_runs.
    """
    trace_reading.measure(collection, run, events, where)
    for row in kernel_totals(events):
        text = str(row.total)
        value = row.total / 10**9 if row.total else None
        figure = Figure(value, "s", text, "ns", where, "" if row.total else TOO_SHORT)
        run.measured("kernel_time", figure, Sample("aggregate", "total", row.count, item=row.name))


def summarised(run: Run, row: Row, metric: str, name: str, columns: Mapping[str, tuple[str, str]]) -> None:
    """Add what a profiler computed from all executions of one name. columns: the statistic and n of each, in ns."""
    for column, (stat, counted) in columns.items():
        if row.text(column):
            n, where = values.count(row.number(counted), row.place(counted)), row.place(column)
            sample = Sample("aggregate", stat, n, item=name)
            if stat == "std":
                run.measured(metric, collect.not_negative(row.number(column), "ns", where), sample)
            else:
                run.measured(metric, collect.positive_or_nothing(row.number(column), "ns", where, TOO_SHORT), sample)


def whole(run: Run, metric: str, rows: Iterable[Row], total: str, counted: str) -> None:
    """Add the time of all rows together, computed here."""
    listed = list(rows)
    sums = [sum(values.count(row.number(column), row.place(column)) for row in listed) for column in (total, counted)]
    where = f"{listed[0].where} and below"
    figure = Figure(sums[0] / 10**9 if sums[0] else None, "s", str(sums[0]), "ns", where, "" if sums[0] else TOO_SHORT)
    run.measured(metric, figure, Sample("aggregate", "total", sums[1]))
