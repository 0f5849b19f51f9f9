"""Runs full of steps: as a reading of a file, as its Parquet file, and as a request to assess all of them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from analysis.inputs import ARMS, AssessmentRequest, LabelledRun
from analysis.measurements import FileRun, Measurement, Setting
from analysis.parquet import to_parquet
from analysis.reading import Reading
from analysis.table import Table
from benchmarks.contestants import PLAN
from benchmarks.grid import Numbers

SEED: Final = 20268
RUN: Final = FileRun("0", "completed", "", None, None, None, None, "steps.csv")
WORK: Final = Setting("0", "samples", "800000", "", "work", "file field", "steps.csv:1")


def simulated(runs: int, steps: int) -> Numbers:
    """Step times in s (arm, run, step): 4 % slower candidates, runs and steps that vary by 2 % and 5 %."""
    rng = np.random.default_rng(SEED)
    between = 0.02 * rng.standard_normal((2, runs, 1))
    between[1] += np.log(1.04)
    values: Numbers = np.exp(np.log(0.1) + between + 0.05 * rng.standard_normal((2, runs, steps)))
    return values


def reading(values: Sequence[float]) -> Reading:
    """One run, as a parser hands it over."""
    return Reading("benchmark", 1, (RUN,), Table.of(_rows(values)), (WORK,), (), ())


def _rows(values: Sequence[float]) -> Iterator[Measurement]:
    for i, value in enumerate(values):
        yield Measurement(
            run="0", metric="step_time", value=value, unit="s", where=f"steps.csv:{i + 2}", kind="raw", stat="value",
            n=None, phase="measured", index=i, started_ns=None, stage="", original=repr(value), original_unit="s",
            reason="",
        )  # fmt: skip


def files(values: Numbers) -> list[bytes]:
    """One Parquet file for each run, the baseline's first."""
    return [to_parquet(reading(run.tolist())) for arm in values for run in arm]


def request(readings: Collection[Reading]) -> AssessmentRequest:
    """All of them compared: the first half are the baseline's, and the arms took turns."""
    runs = len(readings) // 2
    labelled = [_labelled(read, ARMS[i // runs], i % runs) for i, read in enumerate(readings)]
    return AssessmentRequest(PLAN, tuple(labelled), (), (), ())


def _labelled(read: Reading, arm: str, number: int) -> LabelledRun:
    turn = 2 * number + ((arm == "candidate") ^ (number % 2))
    label = f"{arm}-{number}"
    return LabelledRun(
        replace(RUN, started_ns=60_000_000_000 * turn), read, f"sha-{label}", label,
        "candidate" if arm == "candidate" else "baseline", block="", placement="one", placement_verified=True,
        excluded="",
    )  # fmt: skip
