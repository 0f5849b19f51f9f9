"""The peers' ways from two arms of runs, or from all of their steps, to an answer."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import stats

from benchmarks import otava, peers
from benchmarks.contestants import RESAMPLES, difference
from benchmarks.grid import Numbers
from benchmarks.peers import Skipped

CALLS: Final = 50
TENTH: Final = 0.1
DRAWN: Final = 10_000
"""Resamples of every bootstrap, unless its name says otherwise."""
STEP_RESAMPLES: Final = 3

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Against:
    """A peer's way to the same question.

    budget: of ours over it. calls: of the peer in each of `rounds` rounds. share: of the whole work that a call does,
    so that its time is told as if it did all of it.
    """

    peer: str
    work: Work
    budget: float
    calls: int
    rounds: int = 9
    share: float = 1.0


def of_two_arms(baseline: Numbers, candidate: Numbers) -> Iterator[Against]:
    """From run values: scipy's procedures, and numpy's resampling as one would write it."""

    def of_scipy() -> object:
        return stats.ttest_ind(np.log(candidate), np.log(baseline), equal_var=False).confidence_interval()

    def mann_whitney() -> object:
        return stats.mannwhitneyu(baseline, candidate, method="exact")

    yield Against("scipy ttest_ind interval", of_scipy, TENTH, CALLS)
    yield Against("scipy mannwhitneyu, exact", mann_whitney, 1, CALLS)
    yield Against("scipy bootstrap, percentile, 10,000", _scipy(baseline, candidate, "percentile"), 1, 1)
    yield Against("scipy bootstrap, BCa, 10,000", _scipy(baseline, candidate, "BCa"), 1, 1)
    yield Against("scipy bootstrap, not vectorised, 10,000", _scipy_one_by_one(baseline, candidate), 1, 1, rounds=3)
    yield Against("numpy percentile bootstrap, 10,000", lambda: percentile_bootstrap(baseline, candidate), 1, 1)
    yield Against("numpy bootstrap-t, 10,000", lambda: bootstrap_t(baseline, candidate), 1, 1)


def scipy_paired(baseline: Numbers, candidate: Numbers) -> object:
    """scipy's interval of the paired t, on logs."""
    return stats.ttest_rel(np.log(candidate), np.log(baseline)).confidence_interval()


def _scipy(baseline: Numbers, candidate: Numbers, method: str) -> Work:
    samples, rng = (np.log(candidate), np.log(baseline)), np.random.default_rng(1)

    if method == "BCa":
        return lambda: stats.bootstrap(samples, difference, n_resamples=DRAWN, method="BCa", rng=rng)
    return lambda: stats.bootstrap(samples, difference, n_resamples=DRAWN, method="percentile", rng=rng)


def _scipy_one_by_one(baseline: Numbers, candidate: Numbers) -> Work:
    samples, rng = (np.log(candidate), np.log(baseline)), np.random.default_rng(1)

    def apart(one: Numbers, other: Numbers) -> np.float64:
        return np.float64(one.mean() - other.mean())

    return lambda: stats.bootstrap(samples, apart, n_resamples=DRAWN, method="percentile", vectorized=False, rng=rng)


def _resampled(baseline: Numbers, candidate: Numbers) -> tuple[Numbers, Numbers]:
    """The logs of 10,000 resamples of the runs of each arm, the candidate's first."""
    rng = np.random.default_rng(1)
    logs = np.log(candidate), np.log(baseline)
    one, other = (x[rng.integers(0, x.size, (DRAWN, x.size), dtype=np.int32)] for x in logs)
    return one, other


def percentile_bootstrap(baseline: Numbers, candidate: Numbers) -> Numbers:
    """The ends of the percentile interval of the log ratio, from 10,000 resamples of runs."""
    one, other = _resampled(baseline, candidate)
    ends: Numbers = np.quantile(one.mean(axis=1) - other.mean(axis=1), (0.025, 0.975))
    return ends


def bootstrap_t(baseline: Numbers, candidate: Numbers) -> Numbers:
    """The ends of the studentised interval of the log ratio, from 10,000 resamples of runs."""
    one, other = _resampled(baseline, candidate)
    centre = np.log(candidate).mean() - np.log(baseline).mean()
    error = np.sqrt(one.var(axis=1, ddof=1) / one.shape[1] + other.var(axis=1, ddof=1) / other.shape[1])
    with np.errstate(divide="ignore"):  # a resample of one run only has no spread, and lies infinitely far out
        drawn = (one.mean(axis=1) - other.mean(axis=1) - centre) / error
    of_all = math.sqrt(np.log(candidate).var(ddof=1) / candidate.size + np.log(baseline).var(ddof=1) / baseline.size)
    ends: Numbers = centre - np.quantile(drawn, (0.975, 0.025)) * of_all
    return ends


def of_steps(values: Numbers) -> Iterator[Against]:
    """From the pooled steps, as if each were a run: what the time would buy is a wrong answer."""
    pooled = values.reshape(2, -1)
    many = f"2 x {pooled.shape[1]:,}"
    yield Against(
        f"per-step t-test, {many}", lambda: stats.ttest_ind(pooled[1], pooled[0], equal_var=False), 1, 1, rounds=3
    )
    yield Against(f"per-step Mann-Whitney, {many}", lambda: stats.mannwhitneyu(pooled[0], pooled[1]), 1, 1, rounds=1)
    yield Against(
        f"per-step bootstrap, {many}, 10,000 from {STEP_RESAMPLES}",
        lambda: _of_resampled_steps(pooled),
        1, 1, rounds=1, share=STEP_RESAMPLES / DRAWN,
    )  # fmt: skip


def _of_resampled_steps(pooled: Numbers) -> list[float]:
    rng, many = np.random.default_rng(1), pooled.shape[1]
    return [
        float(np.log(pooled[1][rng.integers(0, many, many)].mean() / pooled[0][rng.integers(0, many, many)].mean()))
        for _ in range(STEP_RESAMPLES)
    ]


def installed(baseline: Numbers, candidate: Numbers) -> Iterator[Against | Skipped]:
    """The packages that are installed for the benchmarks, on the same run values."""
    b, c = baseline.tolist(), candidate.tolist()
    significant, doctor, matrix = peers.is_significant(), peers.inference_doctor(), peers.benchmatrix(RESAMPLES)
    if isinstance(significant, Skipped):
        yield significant
    else:
        yield Against("pyperf is_significant, run values", lambda: significant(b, c), 1, CALLS)
    yield doctor if isinstance(doctor, Skipped) else Against("inference-doctor", lambda: doctor(b, c), 1, CALLS)
    if isinstance(matrix, Skipped):
        yield matrix
    else:
        yield Against(f"benchmatrix, {RESAMPLES:,} resamples", lambda: matrix(b, c), 1, 1)
    independent = peers.arch_bootstrap(DRAWN)
    if isinstance(independent, Skipped):
        yield independent
    else:
        yield Against(
            "arch IndependentSamplesBootstrap, 10,000", lambda: independent(np.log(b), np.log(c)), 1, 1, rounds=3
        )


def change_points(baseline: Numbers, candidate: Numbers) -> float | Skipped:
    """Seconds that apache-otava needs for the change points of the run values, in a process of its own."""
    return otava.seconds([*baseline.tolist(), *candidate.tolist()], calls=CALLS)
