"""Jain's index and the worst stream: against the formula, against known streams, and their coverage."""

import math

import numpy as np
import pytest

from analysis.errors import Refused
from analysis.fairness import Fairness, fairness_change, fairness_of
from analysis.inputs import Better
from analysis.procedures import t_quantile, welch

RUNS = [{"a": 100.0, "b": 101.0, "c": 80.0}, {"a": 99.0, "b": 102.0, "c": 84.0}, {"a": 101.0, "b": 100.0, "c": 79.0}]
FAIRER = [{"a": 96.0, "b": 95.0, "c": 92.0}, {"a": 95.0, "b": 96.0, "c": 91.0}, {"a": 97.0, "b": 95.5, "c": 93.0}]


def fair(runs: list[dict[str, float]], better: Better = "higher") -> Fairness:
    return fairness_of(runs, better=better, confidence=0.95)


def test_the_index_of_a_run_is_that_of_the_formula() -> None:
    for run, found in zip(RUNS, fair(RUNS).runs, strict=True):
        values = list(run.values())
        assert found.jain == pytest.approx(sum(values) ** 2 / (3 * sum(value**2 for value in values)))
        assert found.worst == pytest.approx(min(values) * 3 / sum(values))
        assert found.worst_stream == "c"


def test_the_worst_stream_of_a_latency_is_the_greatest() -> None:
    found = fair([{"a": 1.0, "b": 3.0}, {"a": 2.0, "b": 1.0}, {"b": 3.0, "a": 1.0}], "lower")

    assert found.worst_streams == (("b", 2), ("a", 1))
    assert found.runs[0].worst == pytest.approx(1.5)


def test_intervals_are_students_over_runs_on_the_spread_and_on_logs() -> None:
    found = fair(RUNS)
    spreads = np.array([one.spread for one in found.runs])
    half = t_quantile(2, 0.95) * spreads.std(ddof=1) / math.sqrt(3)
    logs = np.log([one.worst for one in found.runs])

    assert found.spread.high == pytest.approx(spreads.mean() + half)
    assert found.jain.low == pytest.approx(1 / (1 + found.spread.high**2))
    assert found.jain.high == pytest.approx(1 / (1 + found.spread.low**2))
    assert found.jain.low < found.jain.estimate < found.jain.high < 1
    assert found.worst.estimate == pytest.approx(math.exp(logs.mean()))
    assert found.worst.high / found.worst.estimate == pytest.approx(found.worst.estimate / found.worst.low)


def test_the_index_stays_between_one_stream_for_all_and_all_alike() -> None:
    alike = fair([{"a": 1.0, "b": 1.0}] * 3)
    wild = fair([{"a": 1.0, "b": 1e9}, {"a": 1.0, "b": 1.0}])

    assert (alike.jain.low, alike.jain.estimate, alike.jain.high) == (1, 1, 1)
    assert (wild.jain.low, wild.jain.high) == (0.5, 1)


def test_a_change_is_the_welch_difference_of_spreads() -> None:
    base, cand = fair(RUNS), fair(FAIRER)
    change = fairness_change(base, cand, confidence=0.95)
    expected = welch([one.spread for one in base.runs], [one.spread for one in cand.runs])

    assert change.spread.estimate == pytest.approx(expected.centre)
    assert change.spread.high == pytest.approx(expected.centre + t_quantile(expected.df, 0.95) * expected.se)
    assert change.spread.high < 0
    assert change.worst.low > 1


@pytest.mark.parametrize(
    ("runs", "code"),
    [
        (RUNS[:1], "too_few_runs"),
        ([{"a": 1.0}, {"a": 1.0}], "one_stream"),
        ([{}, {}], "one_stream"),
        ([{"a": 1.0, "b": 1.0}, {"a": 1.0, "c": 1.0}], "streams_differ"),
        ([{"a": 1.0, "b": 0.0}, {"a": 1.0, "b": 1.0}], "not_positive"),
    ],
)
def test_what_has_no_fairness_is_refused(runs: list[dict[str, float]], code: str) -> None:
    with pytest.raises(Refused) as refused:
        fair(runs)
    assert refused.value.code == code


def test_other_streams_and_runs_that_are_all_alike_have_no_change() -> None:
    other, alike = fair([{"a": 1.0, "d": 2.0}, {"a": 1.0, "d": 3.0}]), fair([{"a": 1.0, "b": 2.0}] * 2)
    for base, cand, code in ((fair(RUNS), other, "streams_differ"), (alike, alike, "zero_variance")):
        with pytest.raises(Refused) as refused:
            fairness_change(base, cand, confidence=0.95)
        assert refused.value.code == code


@pytest.mark.parametrize("unequal", [0.0, 0.2])
def test_the_interval_of_the_index_covers(unequal: float) -> None:
    """4 streams, 5 runs, noise of 5 %: 1000 arms."""
    random = np.random.default_rng(20990)
    base = np.exp(unequal * np.linspace(-1, 1, 4))
    many = base * np.exp(0.05 * random.standard_normal((100_000, 4)))
    truth = float(np.mean(many.std(axis=1) / many.mean(axis=1)))
    covered = 0
    for arm in base * np.exp(0.05 * random.standard_normal((1000, 5, 4))):
        found = fair([dict(zip("abcd", run.tolist(), strict=True)) for run in arm])
        covered += found.spread.low <= truth <= found.spread.high

    assert 0.925 <= covered / 1000 <= 0.975
