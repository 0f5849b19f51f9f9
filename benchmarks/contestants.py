"""The procedures that meet on the grid: each gives an interval of the log ratio, or only says if there is a change.

Ours go the way of the product: points, design, effect. The peers are called as they are.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import stdtrit

from analysis.design import infer_design
from analysis.effect import effect_interval
from analysis.inputs import ARMS, ComparisonPlan
from analysis.notices import Refusal
from analysis.runs import RunPoint
from benchmarks import peers
from benchmarks.grid import Numbers, Sample
from benchmarks.peers import Skipped, Values

PLAN: Final = ComparisonPlan(
    metric="step_time", stat="mean", better="lower", scale="ratio", margin=Fraction("1.02"), role="primary",
    varied=(), required=(), tolerances={}, warmup_steps=0, minimum_requests=0, hardware_varied=False,
    match="same_requests", confidence=0.95, looks=1, look=1, slo=None,
)  # fmt: skip
POINT: Final = RunPoint(
    label="", arm="baseline", block="", placement="one", placement_verified=True, order=None, started_ns=None,
    value=None, unit="s", n_inner=1, left_out=0, computed="ours", status="used", reason="", problem=None,
)  # fmt: skip
REFERENCE: Final = "pooled t"
RESAMPLES: Final = 1000
ANY: Final = 10**9


@dataclass(frozen=True, slots=True)
class Judged:
    """Ends of the log ratio for each replication, NaN where there is none; and whether a change was declared."""

    low: Numbers
    high: Numbers
    changed: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Contestant:
    """A procedure. effort: how many numbers it may be given in one cell, which limits its replications there."""

    name: str
    ours: bool
    effort: int
    judge: Callable[[Sample], Judged]


def contestants() -> Iterator[Contestant | Skipped]:
    """Ours first, then the reference of the widths, then the peers; or why one of them is skipped."""
    yield _named("ours: welch_log", lambda sample: _ours(sample, blocked=False))
    yield _named("ours: paired_log", lambda sample: _ours(sample, blocked=True))
    yield _named(REFERENCE, lambda sample: _student(np.log(sample.runs)))
    yield _named("scipy bootstrap, percentile", lambda sample: _bootstrap(sample, "percentile"))
    yield _named("scipy bootstrap, BCa", lambda sample: _bootstrap(sample, "BCa"))
    yield _named("per-step t", lambda sample: _student(_pooled(np.log(sample.steps))))
    yield from _installed()


def _named(name: str, judge: Callable[[Sample], Judged]) -> Contestant:
    return Contestant(name, ours=name.startswith("ours"), effort=ANY, judge=judge)


def _installed() -> Iterator[Contestant | Skipped]:
    significant, doctor, matrix = peers.is_significant(), peers.inference_doctor(), peers.benchmatrix(RESAMPLES)
    if isinstance(significant, Skipped):
        yield significant
    else:
        yield replace(_named("pyperf is_significant, steps", lambda s: _decided(significant, s)), effort=10**6)
    yield doctor if isinstance(doctor, Skipped) else _named("inference-doctor", _by_run(doctor))
    yield matrix if isinstance(matrix, Skipped) else replace(_named("benchmatrix", _by_run(matrix)), effort=4000)


def judged(low: Numbers, high: Numbers) -> Judged:
    """An interval declares a change when it leaves out no change."""
    return Judged(low, high, (low > 0) | (high < 0))


def _ours(sample: Sample, *, blocked: bool) -> Judged:
    runs = sample.runs.shape[2]
    points = [
        replace(POINT, label=f"{arm}{i}", arm=arm, block=f"k{i}" if blocked else "")
        for arm in ARMS
        for i in range(runs)
    ]
    design = infer_design([replace(point, value=1.0) for point in points], hardware_varied=False)
    ends = []
    for values in sample.runs.swapaxes(0, 1).reshape(-1, 2 * runs).tolist():
        valued = [replace(point, value=value) for point, value in zip(points, values, strict=True)]
        found = effect_interval(valued, design, PLAN).interval
        ends.append((math.nan, math.nan) if isinstance(found, Refusal) else (math.log(found.lo), math.log(found.hi)))
    low, high = np.array(ends).T
    return judged(low, high)


def _student(logs: Numbers) -> Judged:
    """Student's pooled t interval over the last axis."""
    n = logs.shape[-1]
    centre = logs[1].mean(axis=-1) - logs[0].mean(axis=-1)
    half = stdtrit(2 * n - 2, 0.975) * np.sqrt(logs.var(axis=-1, ddof=1).sum(axis=0) / n)
    return judged(centre - half, centre + half)


def _pooled(steps: Numbers) -> Numbers:
    return steps.reshape(*steps.shape[:2], -1)


def difference(candidate: Numbers, baseline: Numbers, axis: int) -> Numbers:
    """Candidate minus baseline means, as scipy asks for a statistic."""
    found: Numbers = candidate.mean(axis=axis) - baseline.mean(axis=axis)
    return found


def _bootstrap(sample: Sample, method: Literal["percentile", "BCa"]) -> Judged:
    """999 resamples of runs up to 5 runs, 499 above; seeded by the data, anew for every 20 replications."""
    logs = np.log(sample.runs)
    resamples, rng = 999 if logs.shape[-1] <= 5 else 499, np.random.default_rng(logs.view(np.uint64).ravel()[:4])
    lows, highs = [], []
    for start in range(0, logs.shape[1], 20):
        baseline, candidate = logs[:, start : start + 20]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of degenerate resamples, at 2 runs
            found = stats.bootstrap(
                (candidate, baseline), difference, n_resamples=resamples, method=method, axis=-1, rng=rng
            ).confidence_interval
        lows.append(np.atleast_1d(found.low))
        highs.append(np.atleast_1d(found.high))
    return judged(np.concatenate(lows), np.concatenate(highs))


def _by_run(interval: Callable[[Values, Values], tuple[float, float]]) -> Callable[[Sample], Judged]:
    def judge(sample: Sample) -> Judged:
        ends = [interval(b, c) for b, c in zip(*sample.runs.tolist(), strict=True)]
        low, high = np.log(np.array(ends)).T
        return judged(low, high)

    return judge


def _decided(significant: Callable[[Values, Values], bool], sample: Sample) -> Judged:
    pooled = _pooled(sample.steps)
    nowhere = np.full(pooled.shape[1], math.nan)
    changed = [significant(b, c) for b, c in zip(*pooled.tolist(), strict=True)]
    return Judged(nowhere, nowhere, np.array(changed, dtype=bool))
