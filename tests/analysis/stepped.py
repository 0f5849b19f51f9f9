"""Runs of many steps or requests whose first ones are slow or whose tails come together."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from analysis.assess import AssessmentResult, LabelledRun
from analysis.inputs import Arm, MeasurementError
from analysis.step_report import StepReport
from analysis.table import Table
from tests.analysis.props import SECOND, a_plan, a_run

ARMS: tuple[Arm, Arm] = ("baseline", "candidate")
OFF = MeasurementError(Fraction("1.02"), Fraction("1.02"))
STEPS = a_plan(metric="step_time", stat="mean", warmup_steps=10)


def runs(*, warm: int = 60, slow: float = 0.5, length: int = 400, pairs: int = 4, **measured: Any) -> list[LabelledRun]:
    """Pairs of runs of steps of about 0.1 s: the first `warm` slower by `slow`, the candidate 5 % slower throughout."""
    found = []
    for k in range(pairs):
        for arm in ("baseline", "candidate"):
            rng = np.random.default_rng(10 * k + (arm == "candidate"))
            level = 0.1 * (1.05 if arm == "candidate" else 1.0) * np.exp(0.003 * rng.standard_normal())
            values = level * (1 + 0.02 * rng.standard_normal(length) + slow * (np.arange(length) < warm))
            at = 60 * SECOND * (2 * k + ((arm == "candidate") ^ (k % 2)))
            changes = {"metric": "step_time", **measured}
            found.append(a_run(arm, k, values.tolist(), measured=changes, file_run={"started_ns": at}))
    return found


def said(result: AssessmentResult) -> StepReport:
    assert result.steps is not None
    return result.steps


def sentence(result: AssessmentResult, code: str) -> str:
    (notice,) = (one for one in result.notices if one.code == code)
    return notice.sentence


def started(run: LabelledRun, every: float) -> LabelledRun:
    rows = [replace(m, started_ns=round(every * SECOND * i)) for i, m in enumerate(run.reading.measurements)]
    return replace(run, reading=replace(run.reading, measurements=Table.of(rows)))


def latencies(arm: Arm, number: int, length: int, *, phi: float = 0.0, start: bool = True) -> LabelledRun:
    noise = np.random.default_rng(number + 50 * (arm == "candidate")).standard_normal(length)
    for i in range(1, length):
        noise[i] = phi * noise[i - 1] + np.sqrt(1 - phi**2) * noise[i]
    run = a_run(arm, number, np.exp(0.5 * noise).tolist(), measured={"metric": "ttft"})
    return started(run, 0.01) if start else run


P99 = a_plan(metric="ttft", stat="p99", margin=Fraction("1.1"))
