"""Runs whose rows tell of their work: requests with their lengths, steps, stages, and what files state beside them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from analysis.assess import LabelledRun
from analysis.measurements import Measurement, Setting
from analysis.table import Table
from analysis.work import AuditRow, audit
from tests.analysis.props import a_measurement, a_plan, a_request, a_run


def with_rows(run: LabelledRun, rows: Iterable[Measurement]) -> LabelledRun:
    """The run with more rows."""
    table = Table.of([*run.reading.measurements, *rows])
    return replace(run, reading=replace(run.reading, measurements=table))


def with_lengths(run: LabelledRun, **lengths: Sequence[float]) -> LabelledRun:
    """The run with the tokens of its requests, one by one, each list in a file named after the run."""
    return with_rows(
        run,
        (
            a_measurement(size, metric=name, unit="1", index=i, where=f"{run.label}.json:{i}")
            for name, sizes in lengths.items()
            for i, size in enumerate(sizes)
        ),
    )


def lasting(run: LabelledRun, seconds: str) -> LabelledRun:
    """The run with the time that it took, as a file states it."""
    took = Setting("0", "duration", seconds, "s", "identity", "file field", "f:3")
    return replace(run, reading=replace(run.reading, settings=(*run.reading.settings, took)))


def read_as(run: LabelledRun, form: str) -> LabelledRun:
    """The run as one of a file of this format."""
    return replace(run, reading=replace(run.reading, format=form))


def an_arm(arm: Any, *lengths: Sequence[float], total: str = "100") -> list[LabelledRun]:
    """Runs of an arm, each with the output tokens of its requests."""
    work = (("output_tokens", total),)
    return [with_lengths(a_run(arm, i, 1.0, work=work), output_tokens=one) for i, one in enumerate(lengths)]


def audited(runs: Sequence[LabelledRun], **parts: Any) -> Mapping[str, AuditRow]:
    """The audit by setting. failed, explained: as of the audit and the request; anything else changes the plan."""
    failed, explained = parts.pop("failed", ()), parts.pop("explained", ())
    request = a_request(runs, a_plan(**{"tolerances": {}, **parts}), explained=explained)
    return {row.setting: row for row in audit(request, failed=failed)}
