"""Sweeps over batch sizes, read from files as somebody would write them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis import evidence
from analysis.batch_sweep import BatchSweep, read_sweep
from analysis.evidence.format import Document
from analysis.inputs import LabelledRun
from analysis.sweep_numbers import SweepPlan
from analysis.table import Floats

Row = dict[str, object]
Sizes = Mapping[Any, Sequence[Sequence[Row]]]


def affine(fixed: float, each: float, largest: int) -> Floats:
    """The seconds of batches of 1, 2, …, each of fixed + b * each."""
    return np.asarray(fixed + each * np.arange(1, largest + 1), dtype=np.float64)


def row(metric: str, value: object, stat: str, unit: str, **more: object) -> Row:
    """One aggregate of 5,000 requests."""
    return {"metric": metric, "value": value, "stat": stat, "unit": unit, "kind": "aggregate", "n": 5000, **more}


def measured(throughput: float | None = None, p99: float | None = None, power: float | None = None) -> list[Row]:
    """Items per second, milliseconds, watts."""
    found = (
        (throughput, "throughput", "rate", "1/s"), (p99, "e2e_latency", "p99", "ms"), (power, "power", "mean", "W"),
    )  # fmt: skip
    return [row(metric, value, stat, unit) for value, metric, stat, unit in found if value is not None]


def runs_of(
    sizes: Sizes,
    *,
    varied: str = "max_batch",
    settings: Mapping[str, object] | None = None,
    work: Mapping[str, object] | None = None,
    **more: Any,
) -> list[LabelledRun]:
    """One file with a run for each list of rows. more: fields of every run of the file; labels of LabelledRun."""
    labels = {name: more.pop(name) for name in ("block", "excluded") if name in more}
    runs = [
        {"run": f"{size}-{n}", "settings": {varied: size, **(settings or {})}, "work": dict(work or {}),
         "measurements": rows, **more}
        for size, of in sizes.items()
        for n, rows in enumerate(of)
    ]  # fmt: skip
    content = json.dumps({"countersign": "measurements/1", "runs": runs}).encode()
    reading = evidence.read(Document(content, "sweep.json"), None)
    return [
        LabelledRun(
            run=run, reading=reading, artifact=str(hash(content)), label=run.key, arm="baseline", placement="host",
            placement_verified=True, **{"block": "", "excluded": "", **labels},
        )
        for run in reading.runs
    ]  # fmt: skip


def a_sweep(sizes: Sizes, **plan: Any) -> BatchSweep:
    return read_sweep(runs_of(sizes), SweepPlan(**plan))


THREE: Sizes = {
    size: [measured(size * 100.0 * (1 + 0.01 * n), 27 + 0.5 * n + size) for n in range(3)] for size in (1, 2, 4)
}
"""Three sizes with three runs each: 100 items per second for each request of a batch, 28 to 32 ms."""
