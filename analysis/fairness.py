"""How evenly streams, or cores, are served: Jain's index and the worst stream of each run, with intervals over runs.

Jain's index of x_1 … x_K is (sum x)² / (K sum x²): 1 when all are alike, 1/K when one gets everything. It is
1 / (1 + S²) of the spread S of the streams, their standard deviation over their mean; intervals are made on S, where
runs vary nearly symmetrically. Noise of the streams lowers the index as well as unfairness does. The worst stream is
given as its ratio to the mean of the streams of its run. Runs are the replicates, streams never are.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.errors import Refused
from analysis.inputs import Better
from analysis.procedures import mean, t_quantile, variance, welch

Streams = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Range:
    """An estimate with its interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RunFairness:
    """One run. spread: of its streams. worst: the ratio of the worst stream to their mean; worst_stream: which."""

    jain: float
    spread: float
    worst: float
    worst_stream: str


@dataclass(frozen=True, slots=True)
class Fairness:
    """One arm, of the typical run. worst_streams: (stream, in how many runs it is the worst)."""

    streams: tuple[str, ...]
    runs: tuple[RunFairness, ...]
    jain: Range
    spread: Range
    worst: Range
    worst_streams: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class FairnessChange:
    """Candidate against baseline. spread: difference, below 0 is fairer. worst: ratio of the worst stream's ratios."""

    spread: Range
    worst: Range


def fairness_of(runs: Sequence[Streams], *, better: Better, confidence: float) -> Fairness:
    """The fairness of an arm. runs: by stream its value, above 0.

    Raises:
        Refused: too_few_runs, one_stream, streams_differ, not_positive.
    """
    if len(runs) < 2:
        raise Refused("too_few_runs", f"{len(runs)} run shows no interval.", "Measure at least two runs, better five.")
    streams = tuple(runs[0])
    for run in runs:
        _require_streams(run, streams)
    each = tuple(_of_run(run, better) for run in runs)
    spread = _interval([one.spread for one in each], confidence)
    spread = Range(spread.estimate, max(0.0, spread.low), spread.high)
    ratio = _interval([math.log(one.worst) for one in each], confidence)
    counted = Counter(one.worst_stream for one in each)
    return Fairness(
        streams=streams,
        runs=each,
        jain=Range(_jain(spread.estimate), max(1 / len(streams), _jain(spread.high)), _jain(spread.low)),
        spread=spread,
        worst=_exp(ratio),
        worst_streams=tuple(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


def fairness_change(baseline: Fairness, candidate: Fairness, *, confidence: float) -> FairnessChange:
    """How much fairer the candidate is, by Welch's interval over runs.

    Raises:
        Refused: streams_differ; zero_variance, when the runs of both arms are all alike.
    """
    if set(baseline.streams) != set(candidate.streams):
        raise _streams_differ(candidate.streams, baseline.streams)
    pair = baseline.runs, candidate.runs
    spread = _welch(*([one.spread for one in arm] for arm in pair), confidence=confidence)
    ratio = _welch(*([math.log(one.worst) for one in arm] for arm in pair), confidence=confidence)
    return FairnessChange(spread, _exp(ratio))


def _of_run(run: Streams, better: Better) -> RunFairness:
    choose = min if better == "higher" else max
    worst = choose(sorted(run), key=lambda stream: run[stream])
    centre = mean(list(run.values()))
    spread = math.sqrt(mean([(value / centre - 1) ** 2 for value in run.values()]))
    return RunFairness(_jain(spread), spread, run[worst] / centre, worst)


def _jain(spread: float) -> float:
    return 1 / (1 + spread**2)


def _require_streams(run: Streams, streams: Sequence[str]) -> None:
    if len(run) < 2:
        raise Refused("one_stream", f"A run has {len(run)} stream.", "Attach runs with a value for each stream.")
    if set(run) != set(streams):
        raise _streams_differ(tuple(run), streams)
    if not all(0 < value < math.inf for value in run.values()):
        raise Refused("not_positive", "A stream has a value of 0 or less.", "Choose a metric that is above 0.")


def _streams_differ(one: Sequence[str], other: Sequence[str]) -> Refused:
    strange = ", ".join(sorted(set(one) ^ set(other)))
    return Refused("streams_differ", f"Not every run has: {strange}.", "Compare runs of the same streams.")


def _interval(values: Sequence[float], confidence: float) -> Range:
    centre = mean(values)
    half = t_quantile(len(values) - 1, confidence) * math.sqrt(variance(values, rounding=0.0) / len(values))
    return Range(centre, centre - half, centre + half)


def _welch(baseline: Sequence[float], candidate: Sequence[float], *, confidence: float) -> Range:
    spread = welch(baseline, candidate)
    half = t_quantile(spread.df, confidence) * spread.se
    return Range(spread.centre, spread.centre - half, spread.centre + half)


def _exp(logs: Range) -> Range:
    return Range(math.exp(logs.estimate), math.exp(logs.low), math.exp(logs.high))
