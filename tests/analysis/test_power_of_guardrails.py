"""Whether a plan can show that guardrails hold, and the curves of power: against the functions of the planner."""

import math

import pytest

from analysis.errors import Refused
from analysis.guardrail_power import ENOUGH, Guarded, power_of_guardrails
from analysis.planning import guardrail_power, power_two_sample, upper_sd
from analysis.power_chart import MOST_SHOWN, Curve, power_chart

TWO_PERCENT = -math.log(0.98)


def guarded(count: int, sd: float = 0.01) -> list[Guarded]:
    return [Guarded(f"g{n}", TWO_PERCENT, sd, 5) for n in range(count)]


@pytest.mark.parametrize("count", [1, 3, 6])
def test_alike_guardrails_pass_together_as_the_planner_says(count: int) -> None:
    found = power_of_guardrails(guarded(count), runs=5, confidence=0.95, assurance=0.8)
    expected = guardrail_power(5, margin=TWO_PERCENT, sd=0.01, guardrails=count, confidence=0.95)
    high = guardrail_power(
        5, margin=TWO_PERCENT, sd=upper_sd(0.01, 4, assurance=0.8), guardrails=count, confidence=0.95
    )

    assert found.together == pytest.approx(expected)
    assert found.together_assured == pytest.approx(high)
    assert found.underpowered == (expected < ENOUGH)


def test_the_runs_that_would_do_are_the_fewest() -> None:
    found = power_of_guardrails(guarded(3), runs=5, confidence=0.95, assurance=0.8)

    def together(runs: int) -> float:
        return guardrail_power(runs, margin=TWO_PERCENT, sd=0.01, guardrails=3, confidence=0.95)

    assert found.needed is not None
    assert found.needed_assured is not None
    assert together(found.needed - 1) < ENOUGH <= together(found.needed)
    assert found.needed_assured > found.needed


def test_a_noisy_guardrail_among_quiet_ones_is_named_and_may_be_out_of_reach() -> None:
    loud = Guarded("loud", 1e-4, 0.05, 5)
    found = power_of_guardrails([*guarded(1, sd=0.001), loud], runs=5, confidence=0.95, assurance=0.8)

    assert [(one.guarded.name, one.underpowered) for one in found.each] == [("g0", False), ("loud", True)]
    assert (found.needed, found.needed_assured, found.underpowered) == (None, None, True)


def test_the_curve_is_the_power_at_each_size_with_the_plan_marked() -> None:
    chart = power_chart([Curve("effect 2 %", 0.02, 0.02)], runs=13, wanted=0.8, confidence=0.95)

    sizes = [row[0] for row in chart.rows]
    assert sizes[0] == 2
    assert 13 in sizes
    for size, power in chart.rows:
        assert isinstance(size, int)
        assert power == power_two_sample(size, effect=0.02, sd=0.02, confidence=0.95)
    assert [(point.x, point.y) for point in chart.series[0].points] == list(chart.rows)
    assert [(mark.axis, mark.at) for mark in chart.marks] == [("y", 0.8), ("x", 13)]
    assert isinstance(chart.rows[-1][1], float)
    assert chart.rows[-1][1] >= 0.95


def test_a_curve_that_never_rises_ends_somewhere() -> None:
    chart = power_chart([Curve("effect", 1e-5, 0.02)], runs=None, wanted=0.8, confidence=0.95)

    assert chart.rows[-1][0] == MOST_SHOWN
    assert [mark.axis for mark in chart.marks] == ["y"]
    assert chart.x.log


def test_a_quiet_curve_shows_at_least_two_sizes() -> None:
    chart = power_chart([Curve("effect", 9.0, 0.1)], runs=None, wanted=0.8, confidence=0.95)

    assert [row[0] for row in chart.rows] == [2, 3]


def test_a_curve_without_spread_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        power_chart([Curve("effect", 1.0, 0.0)], runs=None, wanted=0.8, confidence=0.95)
    assert refused.value.code == "not_positive"
