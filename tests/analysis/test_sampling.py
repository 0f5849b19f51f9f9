import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import Refused
from analysis.sampling import MODELS, Normal, SamplingLab, sampling_lab


def normal_of(lab: SamplingLab) -> Normal:
    assert lab.normal is not None
    return lab.normal


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("p", "n", "variance", "bound", "k", "exact", "curve", "covered", "error"),
    [
        ("0.5", 20, "0.0125", 0.10616850757169001, 10, 0.17619705200195312, 0.17693672624187856,
         0.9999973436031757, 0.08809852600097656),
        ("0.5", 25, "0.01", 0.09496, 12, 0.15498101711273193, 0.15542174161032418,
         0.9999998007114737, 0.07925970943910299),
        ("0.5", 100, "0.0025", 0.04748, 50, 0.07958923738717877, 0.07965567455405798, 1.0, 0.039794618693589356),
        ("0.1", 50, "0.0018", 0.18353475050669707, 5, 0.1849246008952155, 0.18633628423320814,
         0.9952390544079506, 0.11612300772427786),
        ("0.3", 10, "0.021", 0.19003301399393485, 3, 0.266827932, 0.26993027241995776,
         0.992137236466976, 0.1496107184),
    ],
)  # fmt: skip
def test_the_lab_shows_the_exact_the_normal_and_the_bound(
    p: str, n: int, variance: str, bound: float, k: int, exact: float, curve: float, covered: float, error: float
) -> None:
    lab = sampling_lab(p, n)
    normal = normal_of(lab)

    assert lab.mean_variance == Fraction(variance)
    assert (lab.bars[k].k, lab.bars[k].exact, lab.bars[k].normal) == (k, near(exact), near(curve))
    assert (normal.bound, normal.covered, normal.greatest_error) == (near(bound), near(covered), near(error))


@pytest.mark.parametrize(
    ("p", "n", "printed"), [("0.5", 20, "0.1062"), ("0.5", 25, "0.0950"), ("0.5", 100, "0.0475"), ("0.5", 1, "0.4748")]
)
def test_the_bound_is_printed_upward_and_an_exact_one_as_it_is(p: str, n: int, printed: str) -> None:
    assert normal_of(sampling_lab(p, n)).bound_printed == printed


@pytest.mark.parametrize(("p", "certain"), [(0, 0), ("1", 7)])
def test_a_certain_outcome_has_no_normal_curve_and_no_bound(p: Any, certain: int) -> None:
    lab = sampling_lab(p, 7)

    assert lab.normal is None
    assert lab.mean_variance == 0
    assert [(bar.exact, bar.normal) for bar in lab.bars] == [(float(k == certain), None) for k in range(8)]


@pytest.mark.parametrize(
    ("p", "n", "code"),
    [
        ("0.5", 0, "not_a_trial_count"),
        ("0.5", 101, "not_a_trial_count"),
        ("0.5", 2.0, "not_a_trial_count"),
        ("0.5", True, "not_a_trial_count"),
        ("-0.1", 5, "not_a_proportion"),
        ("1.01", 5, "not_a_proportion"),
        ("1e-31", 5, "not_a_proportion"),
        ("0." + "3" * 300, 5, "not_a_proportion"),
        ("nan", 5, "not_finite"),
        ("half", 5, "not_a_number"),
    ],
)
def test_what_is_no_experiment_is_refused(p: Any, n: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        sampling_lab(p, n)
    assert refused.value.code == code
    assert refused.value.needs


shares = st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(999, 1000), max_denominator=1000)


@given(shares, st.integers(1, 100))
def test_the_bound_holds_and_the_bars_sum_to_one(p: Fraction, n: int) -> None:
    lab = sampling_lab(p, n)
    normal = normal_of(lab)

    assert math.fsum(bar.exact for bar in lab.bars) == pytest.approx(1, abs=1e-12)
    assert normal.greatest_error <= normal.bound
    assert 0 <= Fraction(normal.bound_printed) - Fraction(normal.bound) + Fraction(1, 10**15) < Fraction(2, 10**4)
    assert normal.covered <= 1 + 1e-12


@given(shares, st.integers(1, 40))
def test_success_and_failure_mirror_each_other(p: Fraction, n: int) -> None:
    there, back = sampling_lab(p, n), sampling_lab(1 - p, n)

    assert [bar.exact for bar in there.bars] == [bar.exact for bar in reversed(back.bars)]
    assert [bar.normal for bar in there.bars] == pytest.approx([b.normal for b in reversed(back.bars)], abs=1e-12)
    assert normal_of(there).greatest_error == pytest.approx(normal_of(back).greatest_error, rel=1e-9)


def test_no_digit_of_a_far_tail_is_lost() -> None:
    bars = sampling_lab("0.5", 100).bars

    assert bars[100].normal == bars[0].normal
    assert bars[100].normal == pytest.approx(1.805164272316774e-23, rel=1e-9, abs=0)


def test_the_lab_says_what_it_does_not_model() -> None:
    assert "not training time" in MODELS
