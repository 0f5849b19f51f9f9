import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import planning
from analysis.errors import Refused
from analysis.planning import Cost, Layout, Noise, RunPlan, plan_placements, plan_runs, runs_for_power
from analysis.procedures import t_quantile

CASES = [
    (Noise(1e-4, 9e-4, 0), Cost(60, 0.1, 0), (10, 68, 1336.0), 0.009998062360455714, 74),
    (Noise(2.5e-5, 2.5e-3, 0), Cost(30, 0.05, 0), (5, 114, 357.0), 0.009991128456530758, 245),
    (Noise(4e-4, 4e-4, 0), Cost(120, 0.1, 0), (33, 30, 8118.0), 0.009998732724708704, 35),
]


def a_plan(
    noise: Noise, cost: Cost, *, half_width: float = 0.01, layout: Layout = "independent", confidence: float = 0.95
) -> RunPlan:
    return plan_runs(noise, cost, half_width=half_width, layout=layout, confidence=confidence)


def test_the_components_of_equal_runs() -> None:
    found = planning.variance_components([[1, 2, 3], [2, 3, 4], [5, 6, 7]])

    assert (found.within, found.between, found.mean_square, found.steps_per_run) == pytest.approx((1, 4, 13, 3))
    assert not found.between_was_negative


def test_unequal_runs_count_with_their_effective_number_of_steps() -> None:
    found = planning.variance_components([[1.0, 3.0], [2.0, 4.0, 6.0, 8.0], [7.0]])

    assert found.steps_per_run == pytest.approx((7 - 21 / 7) / 2)
    assert found.within == pytest.approx((2 + 20) / 4)
    assert found.mean_square == pytest.approx((2 * (2 - 31 / 7) ** 2 + 4 * (5 - 31 / 7) ** 2 + (7 - 31 / 7) ** 2) / 2)
    assert found.between == pytest.approx((found.mean_square - found.within) / found.steps_per_run)


def test_a_negative_component_is_none_and_says_so() -> None:
    found = planning.variance_components([[1, 5], [2, 4]])

    assert (found.between, found.between_was_negative) == (0, True)


@pytest.mark.parametrize(("noise", "cost", "expected", "half_width", "by_formula"), CASES)
def test_the_search_finds_the_cheapest_whole_numbers(
    noise: Noise, cost: Cost, expected: tuple[int, int, float], half_width: float, by_formula: int
) -> None:
    found = a_plan(noise, cost)

    assert [found.runs, found.steps, found.cost_s] == pytest.approx(list(expected), rel=1e-12)
    assert found.half_width == pytest.approx(half_width, rel=1e-9)
    assert planning.kalibera_jones_allocation(noise, cost) == by_formula


def half_of(noise: Noise, placements: int, runs: int, steps: int, df: int) -> float:
    variance = noise.placement / placements + 2 * (noise.run + noise.step / steps) / (placements * runs)
    return t_quantile(df, 0.95) * math.sqrt(variance)


@given(st.floats(1e-5, 4e-4), st.floats(0, 4e-3), st.floats(0, 100), st.sampled_from(["independent", "blocked"]))
@settings(max_examples=25, deadline=None)
def test_no_other_plan_is_cheaper(run: float, step: float, run_s: float, layout: Layout) -> None:
    noise, cost = Noise(run, step, 0), Cost(run_s, 0.5, 0)
    found = a_plan(noise, cost, half_width=0.015, layout=layout)

    assert found.half_width <= 0.015 * (1 + 1e-12)
    for runs in range(2, 40):
        df = runs - 1 if layout == "blocked" else 2 * (runs - 1)
        for steps in range(1, 60):
            if 2 * runs * (run_s + steps * 0.5) < found.cost_s * (1 - 1e-12):
                assert half_of(noise, 1, runs, steps, df) > 0.015


def test_blocks_need_a_few_more_runs_for_the_same_spread() -> None:
    noise, cost = CASES[0][0], CASES[0][1]

    assert a_plan(noise, cost, layout="blocked").runs > a_plan(noise, cost).runs


def test_the_placements_variance_does_not_count_on_one_placement() -> None:
    noise, cost = CASES[0][0], CASES[0][1]

    assert a_plan(Noise(noise.run, noise.step, 1.0), cost) == a_plan(noise, cost)


def test_an_effect_on_placements_like_these_needs_placements() -> None:
    noise, cost = Noise(1e-4, 9e-4, 1e-4), Cost(60, 0.1, 600)
    found = plan_placements(noise, cost, half_width=0.01, confidence=0.95)

    assert (found.placements, found.runs, found.steps) == (11, 2, 42)
    assert found.cost_s == pytest.approx(11 * (600 + 4 * (60 + 4.2)), rel=1e-12)
    assert found.half_width == pytest.approx(half_of(noise, 11, 2, 42, 10), rel=1e-9)
    for placements in range(3, 20):
        for runs in range(1, 12):
            for steps in (1, 10, 30, 42, 43, 60, 100):
                if placements * (600 + 2 * runs * (60 + steps * 0.1)) < found.cost_s * (1 - 1e-12):
                    assert half_of(noise, placements, runs, steps, placements - 1) > 0.01


def test_three_placements_are_the_fewest() -> None:
    assert plan_placements(Noise(0, 0, 0), Cost(1, 1, 0), half_width=0.5, confidence=0.95).placements == 3


def test_an_assured_spread_is_an_upper_limit_of_the_pilot() -> None:
    assert planning.upper_sd(1.0, 8, assurance=0.8) == pytest.approx(1.3196830945746116, rel=1e-12)


@pytest.mark.parametrize(
    ("effect", "runs"), [(0.25, (253, 338)), (0.5, (64, 86)), (1, (17, 23)), (1.5, (9, 11)), (2, (6, 7)), (3, (4, 4))]
)
def test_the_runs_that_a_power_needs(effect: float, runs: tuple[int, int]) -> None:
    found = [runs_for_power(power, effect=effect, sd=1, confidence=0.95) for power in (0.8, 0.9)]

    assert tuple(found) == runs


def power(runs: int, effect: float) -> float:
    return planning.power_two_sample(runs, effect=effect, sd=1, confidence=0.95)


def test_power_is_the_level_without_an_effect_and_the_same_in_both_directions() -> None:
    assert power(5, 0) == pytest.approx(0.05, rel=1e-9)
    assert power(5, -1) == pytest.approx(power(5, 1), rel=1e-9)
    assert power(5, -30) == pytest.approx(1, rel=1e-9)
    assert [power(runs, 0.5) for runs in (1000, 3000, 5000)] == pytest.approx([1, 1, 1], rel=1e-9)


def test_every_further_guardrail_costs_power() -> None:
    margin = -math.log(0.98)
    found = [planning.guardrail_power(5, margin=margin, sd=0.01, guardrails=m, confidence=0.95) for m in (1, 3, 6)]

    assert found == pytest.approx([0.77, 0.46, 0.20], abs=0.07)
    assert found == pytest.approx([found[0], found[0] ** 3, found[0] ** 6])
    assert planning.guardrail_power(10, margin=margin, sd=0.01, guardrails=6, confidence=0.95) > 0.9


GOOD: dict[str, Any] = {"half_width": 0.01, "layout": "independent", "confidence": 0.95}


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: planning.variance_components([[1.0, 2.0]]), "too_few_runs"),
        (lambda: planning.variance_components([[1.0], [2.0]]), "too_few_steps"),
        (lambda: planning.variance_components([[1.0, 2.0], []]), "too_few_steps"),
        (lambda: planning.upper_sd(0, 8, assurance=0.8), "not_positive"),
        (lambda: planning.upper_sd(1, 0, assurance=0.8), "not_positive"),
        (lambda: planning.upper_sd(1, 8, assurance=1), "not_a_probability"),
        (lambda: plan_runs(Noise(-1, 0, 0), Cost(1, 1, 0), **GOOD), "not_positive"),
        (lambda: plan_runs(Noise(0, 0, math.nan), Cost(1, 1, 0), **GOOD), "not_positive"),
        (lambda: plan_runs(Noise(0, 0, 0), Cost(-1, 1, 0), **GOOD), "not_positive"),
        (lambda: plan_runs(Noise(0, 0, 0), Cost(1, 0, 0), **GOOD), "not_positive"),
        (lambda: plan_runs(Noise(0, 0, 0), Cost(1, 1, 0), **{**GOOD, "half_width": 0}), "not_positive"),
        (lambda: plan_runs(Noise(0, 0, 0), Cost(1, 1, 0), **{**GOOD, "confidence": 95}), "not_a_probability"),
        (lambda: plan_runs(Noise(1, 0, 0), Cost(1, 1, 0), **GOOD), "out_of_reach"),
        (lambda: plan_runs(Noise(0, 1e9, 0), Cost(1, 1, 0), **GOOD), "out_of_reach"),
        (
            lambda: plan_placements(Noise(0, 0, 1), Cost(1, 1, 0), half_width=0.01, confidence=0.95),
            "out_of_reach",
        ),
        (lambda: planning.kalibera_jones_allocation(Noise(0, 1, 0), Cost(1, 1, 0)), "not_positive"),
        (lambda: planning.power_two_sample(1, effect=1, sd=1, confidence=0.95), "too_few_runs"),
        (lambda: planning.power_two_sample(2, effect=1, sd=0, confidence=0.95), "not_positive"),
        (lambda: planning.power_two_sample(2, effect=1, sd=1, confidence=0), "not_a_probability"),
        (lambda: runs_for_power(1, effect=1, sd=1, confidence=0.95), "not_a_probability"),
        (lambda: runs_for_power(0.8, effect=0, sd=1, confidence=0.95), "not_positive"),
        (lambda: runs_for_power(0.8, effect=0.001, sd=1, confidence=0.95), "out_of_reach"),
        (lambda: planning.guardrail_power(5, margin=0.02, sd=1, guardrails=0, confidence=0.95), "no_guardrails"),
        (lambda: planning.guardrail_power(5, margin=0, sd=1, guardrails=1, confidence=0.95), "not_positive"),
    ],
)
def test_what_cannot_be_planned_is_refused(call: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert refused.value.needs


def test_a_plan_at_face_value_often_lacks_power_and_an_assured_one_rarely_does() -> None:
    """Pilots of 5 + 5 runs for an effect of one standard deviation at 80 % power: 500 pilots."""
    spreads = np.sqrt(np.random.default_rng(81).chisquare(8, 500) / 8)
    enough = runs_for_power(0.8, effect=1, sd=1, confidence=0.95)

    def reaching(assured: bool) -> float:
        taken = [planning.upper_sd(s, 8, assurance=0.8) if assured else s for s in spreads.tolist()]
        return float(np.mean([runs_for_power(0.8, effect=1, sd=s, confidence=0.95) >= enough for s in taken]))

    assert 0.40 <= reaching(assured=False) <= 0.55
    assert 0.77 <= reaching(assured=True) <= 0.87
