"""What an interval, the summaries of runs, and a whole report cost, against the peers' on the same values."""

import math
from collections.abc import Iterator
from functools import partial
from statistics import median
from typing import Final

import numpy as np

from analysis import procedures
from analysis.assess import assess, to_json
from analysis.claims import ConfidenceInterval, Frame, interval_of
from analysis.parquet import from_parquet
from analysis.procedures import Spread
from analysis.quantile import nearest_rank, quantile_of
from analysis.reading import Reading
from analysis.run_values import run_value
from analysis.steady import effective_sample_size, mser5
from benchmarks import growth, opponents, steps
from benchmarks.contestants import PLAN
from benchmarks.grid import Numbers
from benchmarks.opponents import CALLS, Against, Work
from benchmarks.peers import Skipped
from benchmarks.ratio import NO_BUDGET, Measured, Ratio, Said, in_turns, remark, seconds

RUNS: Final = 30
FRAME: Final = Frame("ratio", "1", "this placement only", "ratio of typical run step times", "runs per arm")
REPORT_S: Final = 0.25
OVER_READING: Final = 1.2


def measure(*, quick: bool) -> Iterator[Measured]:
    """Intervals, then summaries and reports of 2 x 30 runs, then growth."""
    number = 2_000 if quick else 100_000
    values = steps.simulated(RUNS, number)
    yield remark(f"2 x {RUNS} runs x {number:,} steps; ours, the peer's, ours over the peer's")
    yield from intervals(values)
    yield from summaries(values, rounds=3)
    yield from reports(values, rounds=3)
    yield remark("growth, 2 x 5 runs: reading all from Parquet, then the report from memory")
    yield from growth.lines(growth.sizes([10**power for power in range(3, 6 if quick else 8)]))


def intervals(values: Numbers) -> Iterator[Measured]:
    """The default intervals from run values, against every peer on the same run values, and on the pooled steps."""
    baseline, candidate = values.mean(axis=2)
    b, c = baseline.tolist(), candidate.tolist()
    of_runs, of_steps = opponents.of_two_arms(baseline, candidate), opponents.of_steps(values)
    for against in [*of_runs, *of_steps, *opponents.installed(baseline, candidate)]:
        if isinstance(against, Skipped):
            yield skipped(against)
        else:
            yield _ratio("default interval (Welch)", lambda: welch(b, c), against)
    points = opponents.change_points(baseline, candidate)
    if isinstance(points, Skipped):
        yield skipped(points)
    else:
        ours = seconds(repeated(lambda: welch(b, c), CALLS)) / CALLS
        yield Ratio("default interval (Welch)", ours, points, "apache-otava compute_change_points, in a process", 1)
    two_arms = next(opponents.of_two_arms(baseline, candidate))
    related = Against("scipy ttest_rel interval", lambda: opponents.scipy_paired(baseline, candidate), 1, CALLS)
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


def skipped(peer: Skipped) -> Said:
    """Who is not measured, and why."""
    return remark(f"skipped: {peer.name}, {peer.reason}")


def _ratio(name: str, ours: Work, against: Against) -> Ratio:
    ours_s, peer_s = in_turns(repeated(ours, CALLS), repeated(against.work, against.calls), rounds=against.rounds)
    return Ratio(name, ours_s / CALLS, peer_s / (against.calls * against.share), against.peer, against.budget)


def repeated(work: Work, calls: int) -> Work:
    """The work done `calls` times, so that a round of a few microseconds is not mostly the clock and cold caches."""

    def work_through() -> None:
        for _ in range(calls):
            work()

    return work_through


def summaries(values: Numbers, *, rounds: int) -> Iterator[Ratio]:
    """One number for each of the 60 runs, and what the steps say of a run, against numpy on plain arrays."""
    flat = values.reshape(-1, values.shape[2])
    tables = [steps.reading(run).measurements for run in flat]
    runs = f"{len(flat)} runs of {flat.shape[1]:,} steps"
    p99, rank = quantile_of("p99"), math.ceil(0.99 * flat.shape[1]) - 1
    assert p99 is not None
    compared: list[tuple[str, Work, str, Work]] = [
        ("means", lambda: [run_value(one, PLAN) for one in tables], "numpy: mean", lambda: flat.mean(axis=1)),
        (
            "p99", lambda: [nearest_rank(run, p99) for run in flat],
            "numpy: partition", lambda: np.partition(flat, rank, axis=1)[:, rank],
        ),
        (
            "p99", lambda: [nearest_rank(run, p99) for run in flat],
            "numpy: quantile", lambda: np.quantile(flat, 0.99, axis=1),
        ),
        ("MSER-5", lambda: [mser5(run) for run in flat], "numpy: sort", lambda: np.sort(flat, axis=1)),
        ("ESS", lambda: [effective_sample_size(run) for run in flat], "numpy: FFT", lambda: np.fft.rfft(flat, axis=1)),
    ]  # fmt: skip
    for name, ours, peer, theirs in compared:
        ours_s, peer_s = in_turns(ours, theirs, rounds=rounds)
        yield Ratio(f"{name} of {runs}", ours_s, peer_s, peer, NO_BUDGET)


def reports(values: Numbers, *, rounds: int) -> Iterator[Ratio]:
    """The whole report from values in memory, from Parquet, and reading against pyarrow's columns."""
    held = [steps.reading(run) for arm in values for run in arm]
    from_memory = median(seconds(partial(report, held)) for _ in range(rounds))
    contents, reads, whole, columns = steps.files(values), [], [], []
    for _ in range(rounds):
        readings: list[Reading] = []
        reads.append(seconds(partial(readings.extend, map(from_parquet, contents))))
        whole.append(seconds(lambda: report([from_parquet(content) for content in contents])))
        columns.append(seconds(lambda: [_column(content) for content in contents]))
    read = median(reads)
    yield Ratio("report from values in memory", from_memory, REPORT_S, "a quarter of a second", 1)
    yield Ratio(
        "report from Parquet", median(whole), read + REPORT_S, "reading, and a quarter of a second", OVER_READING
    )
    yield Ratio(
        "report from Parquet", median(whole), read + from_memory, "reading, and the report from memory", NO_BUDGET
    )
    yield Ratio("reading from Parquet", read, median(columns), "pyarrow, the column of values", NO_BUDGET)


def report(readings: list[Reading]) -> dict[str, object]:
    """Everything that an assessment says of the runs."""
    return to_json(assess(steps.request(readings)))


def _column(content: bytes) -> Numbers:
    import pyarrow as pa  # noqa: PLC0415 -- half a second that nobody should pay who measures something else
    import pyarrow.parquet as pq  # noqa: PLC0415

    values: Numbers = pq.read_table(pa.BufferReader(content), columns=["value"])["value"].to_numpy()
    return values
