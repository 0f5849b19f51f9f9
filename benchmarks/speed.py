"""What an interval, the summaries of runs, and a whole report cost, against the peers' on the same values."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Final

import numpy as np
from scipy import stats

from analysis import procedures
from analysis.assess import assess, to_json
from analysis.claims import ConfidenceInterval, Frame, interval_of
from analysis.parquet import from_parquet
from analysis.procedures import Spread
from analysis.quantile import nearest_rank, quantile_of
from analysis.reading import Reading
from analysis.run_values import run_value
from benchmarks import growth, peers, steps
from benchmarks.contestants import PLAN, RESAMPLES, difference
from benchmarks.grid import Numbers
from benchmarks.peers import Skipped
from benchmarks.ratio import NO_BUDGET, Measured, Ratio, in_turns, remark, seconds

RUNS: Final = 30
FRAME: Final = Frame("ratio", "1", "this placement only", "ratio of typical run step times", "runs per arm")
TENTH: Final = 0.1
CALLS: Final = 50
REPORT_S: Final = 0.25
OVER_READING: Final = 1.2

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Against:
    """A peer's way to the same question. budget: of ours over it. calls: of the peer in each of 9 rounds."""

    peer: str
    work: Work
    budget: float
    calls: int


def measure(*, quick: bool) -> Iterator[Measured]:
    """Intervals, then summaries and reports of 2 x 30 runs, then growth."""
    number = 2_000 if quick else 100_000
    values = steps.simulated(RUNS, number)
    yield remark(f"2 x {RUNS} runs x {number:,} steps; ours, the peer's, ours over the peer's")
    yield from intervals(values)
    yield from summaries(values, rounds=3)
    yield from reports(steps.files(values), rounds=3 if quick else 1)
    yield remark("growth, 2 x 5 runs: reading all from Parquet, then the report from memory")
    yield from growth.lines(growth.sizes([10**power for power in range(3, 6 if quick else 8)]))


def intervals(values: Numbers) -> Iterator[Measured]:
    """The default intervals from run values, against every peer on the same run values, and on the pooled steps."""
    baseline, candidate = values.mean(axis=2)
    b, c = baseline.tolist(), candidate.tolist()
    for against in [*_of_two_arms(baseline, candidate), *_of_steps(values), *_installed(baseline, candidate)]:
        if isinstance(against, Skipped):
            yield remark(f"skipped: {against.name}, {against.reason}")
        else:
            yield _ratio("default interval (Welch)", lambda: welch(b, c), against)
    two_arms = next(_of_two_arms(baseline, candidate))
    related = Against("scipy ttest_rel interval", lambda: _scipy_paired(baseline, candidate), 1, CALLS)
    for against in (two_arms, related):
        yield _ratio("default interval of blocks (paired)", lambda: paired(b, c), against)


def welch(baseline: list[float], candidate: list[float]) -> ConfidenceInterval:
    """Our default for runs without blocks, from run values."""
    return _of(procedures.welch([math.log(x) for x in baseline], [math.log(x) for x in candidate]))


def paired(baseline: list[float], candidate: list[float]) -> ConfidenceInterval:
    """Our default for blocks, from run values."""
    return _of(procedures.paired([(math.log(b), math.log(c)) for b, c in zip(baseline, candidate, strict=True)]))


def _of(spread: Spread) -> ConfidenceInterval:
    return interval_of(spread, confidence=0.95, frame=FRAME, assumptions=())


def _ratio(name: str, ours: Work, against: Against) -> Ratio:
    ours_s, peer_s = in_turns(repeated(ours, CALLS), repeated(against.work, against.calls), rounds=9)
    return Ratio(name, ours_s / CALLS, peer_s / against.calls, against.peer, against.budget)


def repeated(work: Work, calls: int) -> Work:
    """The work done `calls` times, so that a round of a few microseconds is not mostly the clock and cold caches."""

    def work_through() -> None:
        for _ in range(calls):
            work()

    return work_through


def _scipy_paired(baseline: Numbers, candidate: Numbers) -> object:
    return stats.ttest_rel(np.log(candidate), np.log(baseline)).confidence_interval()


def _of_two_arms(baseline: Numbers, candidate: Numbers) -> Iterator[Against]:
    def of_scipy() -> object:
        return stats.ttest_ind(np.log(candidate), np.log(baseline), equal_var=False).confidence_interval()

    def mann_whitney() -> object:
        return stats.mannwhitneyu(baseline, candidate, method="exact")

    yield Against("scipy ttest_ind interval", of_scipy, TENTH, CALLS)
    yield Against("scipy mannwhitneyu, exact", mann_whitney, 1, CALLS)
    yield Against("scipy bootstrap, percentile, 10,000", _bootstrap(baseline, candidate, "percentile"), 1, 1)
    yield Against("scipy bootstrap, BCa, 10,000", _bootstrap(baseline, candidate, "BCa"), 1, 1)
    yield Against("numpy percentile bootstrap, 10,000", lambda: numpy_bootstrap(baseline, candidate), 1, 1)


def _bootstrap(baseline: Numbers, candidate: Numbers, method: str) -> Work:
    samples, rng = (np.log(candidate), np.log(baseline)), np.random.default_rng(1)

    if method == "BCa":
        return lambda: stats.bootstrap(samples, difference, n_resamples=10_000, method="BCa", rng=rng)
    return lambda: stats.bootstrap(samples, difference, n_resamples=10_000, method="percentile", rng=rng)


def numpy_bootstrap(baseline: Numbers, candidate: Numbers) -> Numbers:
    """The ends of the percentile interval of the log ratio, from 10,000 resamples of runs."""
    rng, one, other = np.random.default_rng(1), np.log(baseline), np.log(candidate)
    drawn = [x[rng.integers(0, x.size, (10_000, x.size), dtype=np.int32)].mean(axis=1) for x in (other, one)]
    ends: Numbers = np.quantile(drawn[0] - drawn[1], (0.025, 0.975))
    return ends


def _of_steps(values: Numbers) -> Iterator[Against]:
    pooled = values.reshape(2, -1)
    per_step = f"per-step t-test, 2 x {pooled.shape[1]:,}"
    yield Against(per_step, lambda: stats.ttest_ind(pooled[1], pooled[0], equal_var=False), 1, 1)


def _installed(baseline: Numbers, candidate: Numbers) -> Iterator[Against | Skipped]:
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


def summaries(values: Numbers, *, rounds: int) -> Iterator[Ratio]:
    """One number for each run: from the rows that a parser hands over, against numpy on columns."""
    flat = values.reshape(-1, values.shape[2])
    one = steps.reading(flat[0].tolist()).measurements
    runs = f"{len(one):,} steps of a run"
    ours, peer = in_turns(lambda: run_value(one, PLAN), lambda: flat[0].mean(), rounds=3 * rounds)
    yield Ratio(f"mean of {runs}", ours, peer, "numpy mean of a column", NO_BUDGET)
    column, p99 = flat[0].tolist(), quantile_of("p99")
    assert p99 is not None
    rank = math.ceil(0.99 * len(column)) - 1
    ours, peer = in_turns(lambda: nearest_rank(column, p99), lambda: np.partition(flat[0], rank), rounds=3 * rounds)
    yield Ratio(f"p99 of {runs}", ours, peer, "numpy partition of a column", NO_BUDGET)


def reports(contents: list[bytes], *, rounds: int) -> Iterator[Ratio]:
    """The whole report from memory and from Parquet, and reading against pyarrow's columns."""
    reads, assessed, columns = [], [], []
    for _ in range(rounds):
        readings: list[Reading] = []
        reads.append(seconds(partial(readings.extend, map(from_parquet, contents))))
        assessed.append(seconds(partial(report, readings)))
        columns.append(seconds(lambda: [_column(content) for content in contents]))
    read, told = median(reads), median(assessed)
    yield Ratio("report from values in memory", told, REPORT_S, "a quarter of a second", 1)
    yield Ratio("report and reading from Parquet", read + told, read, "reading alone", OVER_READING)
    yield Ratio("reading from Parquet", read, median(columns), "pyarrow, the column of values", NO_BUDGET)


def report(readings: list[Reading]) -> dict[str, object]:
    """Everything that an assessment says of the runs."""
    return to_json(assess(steps.request(readings)))


def _column(content: bytes) -> Numbers:
    import pyarrow as pa  # noqa: PLC0415 -- half a second that nobody should pay who measures something else
    import pyarrow.parquet as pq  # noqa: PLC0415

    values: Numbers = pq.read_table(pa.BufferReader(content), columns=["value"])["value"].to_numpy()
    return values
