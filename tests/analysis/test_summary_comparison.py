"""Two summaries of runs are judged like runs, and say what they cannot show."""

import math
from dataclasses import replace
from fractions import Fraction
from statistics import mean, stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import Refused
from analysis.inputs import Better
from analysis.procedures import t_quantile
from analysis.summaries import ArmSummary
from analysis.summary_comparison import SummaryComparison, compare_summaries, comparison_to_json
from tests.analysis.props import BASELINE, CANDIDATE

B = ArmSummary(mean(BASELINE), stdev(BASELINE), 5, "runs")
C = ArmSummary(mean(CANDIDATE), stdev(CANDIDATE), 5, "runs")


def of(baseline: ArmSummary = B, candidate: ArmSummary = C, *, better: Better = "lower", margin: str = "1.02") -> Any:
    return compare_summaries(baseline, candidate, better=better, margin=Fraction(margin))


def codes(found: SummaryComparison) -> list[str]:
    return [notice.code for notice in found.notices]


def test_the_interval_is_that_of_welch_on_logs_by_the_delta_method() -> None:
    found = of(ArmSummary(10.0, 0.2, 4, "runs"), ArmSummary(10.1, 0.2, 4, "runs")).interval
    se = math.sqrt(0.02**2 / 4 + (0.2 / 10.1) ** 2 / 4)

    assert (found.estimate, found.se) == (pytest.approx(1.01), pytest.approx(se))
    assert found.lo == pytest.approx(1.01 * math.exp(-t_quantile(found.df, 0.95) * se))
    assert (found.confidence, found.units, found.method) == (0.95, 4, "welch_log")
    assert found.frame.scope == "the summarised runs, wherever they ran"


@pytest.mark.parametrize(
    ("better", "margin", "direction", "materiality"),
    [
        ("lower", "1.02", "regression_established", "worse_than_margin"),
        ("lower", "1.2", "regression_established", "within_margin"),
        ("higher", "0.98", "improvement_established", "better_than_margin"),
    ],
)
def test_what_is_better_turns_the_verdict(better: Better, margin: str, direction: str, materiality: str) -> None:
    found = of(better=better, margin=margin)

    assert (found.outcome, found.refusal) == ("verdict", None)
    assert (found.verdict.direction, found.verdict.materiality) == (direction, materiality)
    assert found.headline == f"{found.verdict.headline}."


def test_an_established_difference_is_never_one_for_the_change() -> None:
    assert of().attribution.rung == 1
    assert of(candidate=B).attribution.rung == 0


def test_two_runs_carry_an_interval_and_no_verdict() -> None:
    found = of(replace(B, count=2))

    assert (found.outcome, found.verdict, found.refusal.code) == ("withheld", None, "too_few_for_verdict")
    assert found.headline == "2 runs per arm carry an interval, but no verdict: it needs 3."
    assert found.attribution.rung == 0
    assert found.interval.lo < 1.1 < found.interval.hi


def test_what_a_summary_cannot_show_is_said_every_time() -> None:
    assert codes(of())[-3:] == ["order_unknown", "placement_not_verified", "work_not_audited"]
    assert any("the same work on the same placement" in said for said in of().interval.assumptions)


def test_arms_that_differ_in_counts_or_spread_are_named() -> None:
    assert "unbalanced" in codes(of(replace(B, count=11)))
    assert "unbalanced" not in codes(of(replace(B, count=10)))
    assert "unequal_spread" in codes(of(replace(B, deviation=C.deviation / 4)))
    assert "unequal_spread" not in codes(of())
    assert "guarded_df" in codes(of(replace(B, count=3), replace(C, count=9)))


def test_the_json_carries_kind_counts_margin_and_assumptions() -> None:
    said: Any = comparison_to_json(of())

    assert (said["kind"], said["outcome"], said["margin"], said["better"]) == (
        "comparison_of_summaries",
        "verdict",
        "1.02",
        "lower",
    )
    assert said["interval"]["kind"] == "confidence_interval"
    assert said["candidate"]["count"] == 5
    assert said["verdict"]["basis"] == "confidence_interval"


@given(st.floats(0.01, 100), st.sampled_from([(5, 5), (3, 9), (20, 7)]))
def test_another_unit_changes_nothing_and_turned_arms_turn_the_interval(unit: float, counts: tuple[int, int]) -> None:
    b, c = replace(B, count=counts[0]), replace(C, count=counts[1])
    scaled = [replace(arm, mean=arm.mean * unit, deviation=arm.deviation * unit) for arm in (b, c)]
    plain, turned = of(b, c).interval, of(c, b).interval

    assert of(*scaled).interval.lo == pytest.approx(plain.lo, rel=1e-9)
    assert (turned.lo, turned.hi) == (pytest.approx(1 / plain.hi), pytest.approx(1 / plain.lo))


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: of(replace(B, of="steps", count=5000)), "aggregate_only"),
        (lambda: of(replace(B, deviation=B.mean / 4)), "aggregate_only"),
        (lambda: of(replace(B, count=1)), "too_few_runs"),
        (lambda: of(replace(B, count=10**10)), "not_a_count"),
        (lambda: of(replace(B, deviation=1e-90), replace(C, deviation=1e-90)), "zero_variance"),
        (lambda: of(margin="0.98"), "bad_margin"),
        (lambda: of(margin="1"), "bad_margin"),
        (lambda: of(margin="0"), "bad_margin"),
        (lambda: of(margin="1001"), "bad_margin"),
        (lambda: of(better="higher", margin="1.02"), "bad_margin"),
        (lambda: of(better="higher", margin="0"), "bad_margin"),
        (lambda: of(replace(B, mean=1e-300, deviation=1e-302), replace(C, mean=1e300, deviation=1e298)), "unbounded"),
    ],
)
def test_what_carries_no_interval_is_refused(call: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert refused.value.needs
