"""Runs that record several numbers of each request: waits, latencies, cores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from analysis.inputs import LabelledRun
from analysis.table import Table
from tests.analysis.props import a_measurement, a_run

Numbers = Sequence[float | None]


def a_run_of(
    arm: str, number: int, columns: Mapping[str, Numbers], *, rate: str = "", rows: Sequence[Any] = (), **more: Any
) -> LabelledRun:
    """A run with these columns of its requests; "core_busy/core 0" is a column of a stage. rate: the offered load."""
    settings = [*more.pop("settings", ()), *([("request_rate", rate)] if rate else [])]
    run = a_run(arm, number, None, settings=settings, work=(), **more)
    table = [
        a_measurement(value, metric=name.partition("/")[0], stage=name.partition("/")[2], index=i)
        for name, values in columns.items()
        for i, value in enumerate(values)
    ]
    return replace(run, reading=replace(run.reading, measurements=Table.of([*table, *rows])))


def rate_of(value: float, metric: str = "request_throughput") -> Any:
    """A rate that the tool computed."""
    return a_measurement(value, metric=metric, unit="1/s", kind="aggregate", stat="rate")
