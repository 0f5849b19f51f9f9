"""A mean, a standard deviation and a count of runs are enough for Welch; of steps they are not."""

import math
from statistics import mean, stdev

import pytest

from analysis.errors import Refused
from analysis.procedures import welch
from analysis.summaries import ArmSummary, welch_of_summaries
from tests.analysis.props import BASELINE, CANDIDATE

B = ArmSummary(mean(BASELINE), stdev(BASELINE), 5, "runs")
C = ArmSummary(mean(CANDIDATE), stdev(CANDIDATE), 5, "runs")


def test_a_summary_of_runs_agrees_with_the_runs() -> None:
    found = welch_of_summaries(B, C)
    runs = welch([math.log(t) for t in BASELINE], [math.log(t) for t in CANDIDATE])

    assert found.centre == pytest.approx(runs.centre, rel=1e-3)
    assert found.se == pytest.approx(runs.se, rel=0.01)
    assert found.df == pytest.approx(runs.df, rel=0.01)
    assert (found.method, found.units) == ("welch", 5)


def test_the_deviation_of_a_log_is_that_of_the_value_over_the_mean() -> None:
    found = welch_of_summaries(ArmSummary(10.0, 1.0, 4, "runs"), ArmSummary(20.0, 1.0, 4, "runs"))

    assert found.centre == pytest.approx(math.log(2), rel=1e-12)
    assert found.se == pytest.approx(math.sqrt(0.01 / 4 + 0.0025 / 4), rel=1e-12)


def test_the_guard_of_a_small_arm_holds_for_summaries() -> None:
    found = welch_of_summaries(ArmSummary(10.0, 0.1, 3, "runs"), ArmSummary(10.0, 0.1, 10, "runs"))

    assert (found.method, found.df) == ("welch_min_df", 2)


@pytest.mark.parametrize(
    ("arm", "code", "said"),
    [
        (ArmSummary(10.0, 0.1, 100_000, "steps"), "aggregate_only", "100000 steps say nothing about another run"),
        (ArmSummary(10.0, 0.1, 900, "requests"), "aggregate_only", "900 requests"),
        (ArmSummary(10.0, 2.0, 5, "runs"), "aggregate_only", "vary by 20 % of their mean"),
        (ArmSummary(0.0, 0.1, 5, "runs"), "not_positive", "zero or less"),
        (ArmSummary(10.0, -0.1, 5, "runs"), "not_positive", "negative"),
        (ArmSummary(math.inf, 0.1, 5, "runs"), "not_positive", "A mean"),
        (ArmSummary(10.0, 0.1, 1, "runs"), "too_few_runs", "no interval"),
        (ArmSummary(10.0, 0.1, 0, "runs"), "too_few_runs", "no interval"),
    ],
)
def test_a_summary_that_carries_no_interval_is_refused(arm: ArmSummary, code: str, said: str) -> None:
    with pytest.raises(Refused, match=said) as refused:
        welch_of_summaries(B, arm)
    assert refused.value.code == code
    assert refused.value.needs


def test_two_arms_without_spread_are_refused() -> None:
    exact = ArmSummary(10.0, 0.0, 5, "runs")

    with pytest.raises(Refused, match="do not vary"):
        welch_of_summaries(exact, exact)
