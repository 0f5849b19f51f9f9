"""Runs full of steps: as a reading of a file, as its Parquet file, and as a request to assess all of them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final, overload

import numpy as np

from analysis.inputs import ARMS, AssessmentRequest, LabelledRun
from analysis.measurements import FileRun, Setting
from analysis.parquet import to_parquet
from analysis.reading import Reading
from analysis.table import NONE, WORDS, Columns, Table, Words
from benchmarks.contestants import PLAN
from benchmarks.grid import Numbers

SEED: Final = 20268
RUN: Final = FileRun("0", "completed", "", None, None, None, None, "steps.csv")
SAID: Final = {
    "run": "0", "metric": "step_time", "unit": "s", "kind": "raw", "stat": "value", "phase": "measured",
    "original_unit": "s",
}  # fmt: skip
WORK: Final = Setting("0", "samples", "800000", "", "work", "file field", "steps.csv:1")


def simulated(runs: int, steps: int) -> Numbers:
    """Step times in s (arm, run, step): 4 % slower candidates, runs and steps that vary by 2 % and 5 %."""
    rng = np.random.default_rng(SEED)
    between = 0.02 * rng.standard_normal((2, runs, 1))
    between[1] += np.log(1.04)
    values: Numbers = np.exp(np.log(0.1) + between + 0.05 * rng.standard_normal((2, runs, steps)))
    return values


@dataclass(frozen=True, slots=True)
class Written(Sequence[str]):
    """A text for every value, made when somebody asks for it, as texts stay in a Parquet file until then."""

    values: Numbers
    text: Callable[[int, float], str]

    def __len__(self) -> int:
        return self.values.size

    @overload
    def __getitem__(self, which: int) -> str: ...
    @overload
    def __getitem__(self, which: slice) -> list[str]: ...
    def __getitem__(self, which: int | slice) -> str | list[str]:
        if isinstance(which, slice):
            return [self[i] for i in range(*which.indices(len(self)))]
        return self.text(which, float(self.values[which]))


def reading(values: Numbers) -> Reading:
    """One run of step times in s, as a parser hands it over: columns, without an object for each step."""
    nothing = np.full(values.size, NONE)
    columns = Columns(
        values,
        {"n": nothing, "index": np.arange(values.size), "started_ns": nothing},
        {name: Words(np.zeros(values.size, dtype=np.int32), (SAID.get(name, ""),)) for name in WORDS},
        {
            "where": Written(values, lambda i, _: f"steps.csv:{i + 2}"),
            "original": Written(values, lambda _, x: repr(x)),
        },
    )
    return Reading("benchmark", 1, (RUN,), Table(columns), (WORK,), (), ())


def files(values: Numbers) -> list[bytes]:
    """One Parquet file for each run, the baseline's first."""
    return [to_parquet(reading(run)) for arm in values for run in arm]


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
