"""What a look may say, and an interval that holds at every look."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.claims import ConfidenceInterval, Frame, widen
from analysis.errors import Refused
from analysis.looks import (
    Counted,
    anytime_multiplier,
    anytime_paired,
    anytime_two_arms,
    declared_multiplier,
    of_look,
)
from analysis.procedures import t_quantile
from tests.analysis.test_procedures import FRAME, B, C

DIFFERENCE = Frame("difference", "W", "this placement only", "", "blocks")
TEN = (0.01, -0.02, 0.03, 0, 0.015, -0.005, 0.02, 0.01, 0.005, 0.012)


def near(*values: float) -> Any:
    return pytest.approx(values, rel=1e-9)


def paired_of(differences: Any, confidence: float = 0.95) -> ConfidenceInterval:
    pairs = [(0.0, d) for d in differences]
    return anytime_paired(pairs, confidence=confidence, prior=1.0, frame=DIFFERENCE)


def test_five_blocks_hold_at_every_look() -> None:
    found = anytime_paired(list(zip(B, C, strict=True)), confidence=0.95, prior=1.0, frame=FRAME)

    assert (found.lo, found.hi) == near(0.8753009795216845, 0.9418564201109999)
    assert (found.method, found.units, found.df) == ("anytime_paired_log", 5, 4)
    assert found.assumptions[0] == "blocks are independent of each other"


def test_ten_blocks_on_the_scale_of_differences() -> None:
    found = paired_of(TEN)

    assert (found.lo, found.hi) == near(-0.009247231174547003, 0.024647231174547)
    assert found.method == "anytime_paired_difference"


def test_two_arms_pool_their_spread() -> None:
    found = anytime_two_arms(B, C, confidence=0.95, prior=1.0, frame=FRAME)

    assert (found.method, found.df) == ("anytime_two_arms_log", 8)
    assert found.assumptions[1] == "both arms have the same spread"
    half = anytime_multiplier(2.5, 8, confidence=0.95, prior=1.0) * found.se
    assert math.log(found.hi) - found.centre == pytest.approx(half, rel=1e-9)


@pytest.mark.parametrize(
    ("blocks", "wider"), [(5, 3.045), (6, 2.12), (8, 1.80), (10, 1.71), (20, 1.64), (30, 1.64), (100, 1.69)]
)
def test_how_much_wider_than_a_single_look(blocks: int, wider: float) -> None:
    multiplier = anytime_multiplier(blocks, blocks - 1, confidence=0.95, prior=1.0)

    assert multiplier / t_quantile(blocks - 1, 0.95) == pytest.approx(wider, abs=0.005)


@pytest.mark.parametrize(("blocks", "wider"), [(5, 1.43), (10, 1.30), (20, 1.25)])
def test_three_declared_looks_cost_less(blocks: int, wider: float) -> None:
    assert declared_multiplier(blocks, declared=3, confidence=0.95) == pytest.approx(wider, abs=0.005)


def test_a_single_declared_look_costs_nothing() -> None:
    assert declared_multiplier(5, declared=1, confidence=0.95) == pytest.approx(1)


@pytest.mark.parametrize("differences", [(0.01, 0.02, 0.015, 0.012, 0.018), TEN])
def test_the_interval_at_the_level_of_the_p_value_ends_at_no_effect(differences: Any) -> None:
    p = paired_of(differences).p_value

    assert 0 < p < 1
    assert paired_of(differences, 1 - p).lo == pytest.approx(0, abs=1e-12)


def test_no_effect_at_all_has_a_p_value_of_one() -> None:
    assert paired_of((-0.02, 0.01, 0.01, 0.02, -0.02)).p_value == 1.0


def test_an_anytime_interval_is_widened_from_its_own_ends() -> None:
    found = anytime_paired(list(zip(B, C, strict=True)), confidence=0.95, prior=1.0, frame=FRAME)
    wide = widen(found, baseline=0.0, candidate=math.log(1.01), shared_gain=False, reasons=())

    assert (wide.lo, wide.hi) == near(found.lo / 1.01, found.hi * 1.01)


@given(st.lists(st.floats(0.9, 1.1), min_size=6, max_size=12, unique=True))
def test_swapping_the_arms_inverts_the_interval(values: list[float]) -> None:
    logs = [math.log(v) for v in values]
    if max(logs) - min(logs) > 1e-6:
        there = anytime_paired([(0.0, x) for x in logs], confidence=0.95, prior=1.0, frame=FRAME)
        back = anytime_paired([(x, 0.0) for x in logs], confidence=0.95, prior=1.0, frame=FRAME)
        assert (back.lo, back.hi) == near(1 / there.hi, 1 / there.lo)


def test_peeking_until_thirty_blocks_is_wrong_far_too_often_and_the_anytime_interval_is_not() -> None:
    """Null true, a look after every block from the third on: 2,000 repetitions."""
    x = np.random.default_rng(10).standard_normal((2000, 30))
    n = np.arange(3, 31)
    centre = np.cumsum(x, axis=1)[:, 2:] / n
    spread = np.cumsum(x**2, axis=1)[:, 2:] - n * centre**2
    statistic = np.abs(centre / np.sqrt(spread / (n - 1) / n))
    naive = np.array([t_quantile(k - 1, 0.95) for k in n.tolist()])
    anytime = np.array([anytime_multiplier(k, k - 1, confidence=0.95, prior=1.0) for k in n.tolist()])

    assert 0.24 <= np.mean((statistic > naive).any(axis=1)) <= 0.30
    assert np.mean((statistic > anytime).any(axis=1)) <= 0.03


def test_two_arms_may_be_looked_at_after_every_run_too() -> None:
    """Null true, a look after every run per arm from the third to the thirtieth: 1,000 repetitions."""
    x = np.random.default_rng(12).standard_normal((1000, 2, 30))
    n = np.arange(3, 31)
    centre = np.cumsum(x, axis=2)[:, :, 2:] / n
    pooled = (np.cumsum(x**2, axis=2)[:, :, 2:] - n * centre**2).sum(axis=1) / (2 * n - 2)
    statistic = np.abs((centre[:, 1] - centre[:, 0]) / np.sqrt(2 * pooled / n))
    naive = np.array([t_quantile(2 * k - 2, 0.95) for k in n.tolist()])
    anytime = np.array([anytime_multiplier(k / 2, 2 * k - 2, confidence=0.95, prior=1.0) for k in n.tolist()])

    assert np.mean((statistic > naive).any(axis=1)) > 0.20
    assert np.mean((statistic > anytime).any(axis=1)) <= 0.04


def test_a_declared_look_shares_the_error() -> None:
    found = of_look(2, declared=4, confidence=0.95, anytime_exists=True, counted=Counted(5, "blocks"))

    assert (found.basis, found.confidence) == ("declared", 0.9875)
    assert found.sentence.startswith("Look 2 of 4")
    assert of_look(
        1, declared=1, confidence=0.95, anytime_exists=False, counted=Counted(5, "blocks")
    ).sentence.startswith("The only look")


@pytest.mark.parametrize(
    ("units", "said"), [(4, "10%"), (5, "10%"), (10, "17%"), (20, "23%"), (30, "27%"), (90, "27%")]
)
def test_an_undeclared_look_says_how_wrong_a_plain_interval_would_be(units: int, said: str) -> None:
    found = of_look(4, declared=1, confidence=0.95, anytime_exists=True, counted=Counted(units, "blocks"))

    assert (found.basis, found.confidence) == ("anytime", 0.95)
    assert found.sentence.startswith("This comparison has been looked at 4 times while runs were added.")
    assert f"in up to {said} of null comparisons" in found.sentence


def test_without_an_anytime_interval_an_undeclared_look_withholds_the_verdict() -> None:
    found = of_look(2, declared=1, confidence=0.95, anytime_exists=False, counted=Counted(10, "blocks"))

    assert found.basis == "withheld"
    assert found.sentence.endswith("The verdict is withheld until the plan declares its looks.")


@pytest.mark.parametrize(
    ("call", "code", "needs"),
    [
        (lambda: paired_of(TEN[:4]), "too_few_for_anytime", "Go on to 5 blocks"),
        (
            lambda: anytime_two_arms(B[:2], C[:2], confidence=0.95, prior=1.0, frame=FRAME),
            "too_few_for_anytime",
            "runs per arm",
        ),
        (lambda: anytime_two_arms(B, C[:4], confidence=0.95, prior=1.0, frame=FRAME), "unequal_arms", "smaller arm"),
        (
            lambda: anytime_paired([(0.0, d) for d in TEN], confidence=0.95, prior=0.0, frame=FRAME),
            "bad_prior",
            "Use 1",
        ),
        (lambda: paired_of([0.01]), "too_few_blocks", "at least 2 blocks"),
        (
            lambda: of_look(0, declared=1, confidence=0.95, anytime_exists=True, counted=Counted(5, "blocks")),
            "bad_plan",
            "one look",
        ),
    ],
)
def test_a_look_that_allows_nothing_is_refused(call: Any, code: str, needs: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert needs in refused.value.needs


def test_a_level_that_no_number_of_blocks_reaches_soon_is_told_apart_from_one_that_does() -> None:
    with pytest.raises(Refused, match="Go on to 10000 blocks"):
        anytime_paired([(0.0, d) for d in TEN], confidence=0.95, prior=1e-9, frame=FRAME)
