"""The ratio of arithmetic means, where a plan asks for it by name."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.claims import Frame, widen
from analysis.errors import Refused
from analysis.fieller import fieller_ratio
from analysis.procedures import two_sided_p

TB = (100.001, 100.299, 99.726, 99.113, 99.546)
TC = (108.915, 110.066, 111.484, 109.46, 109.32)
FRAME = Frame("ratio", "1", "this placement only", "ratio of typical run time", "runs per arm")


def of(baseline: Any = TB, candidate: Any = TC, confidence: float = 0.95) -> Any:
    return fieller_ratio(baseline, candidate, confidence=confidence, frame=FRAME)


def test_the_time_ratio_of_five_and_five_runs() -> None:
    found = of()

    assert found.estimate == pytest.approx(1.1013866468812976, rel=1e-12)
    assert (found.lo, found.hi) == pytest.approx((1.0874907128221882, 1.1153518464766297), rel=1e-9)
    assert (found.method, found.units, found.df) == ("fieller", 5, 4)
    assert found.frame.estimand == "ratio of arithmetic means"


def test_the_p_value_of_equal_counts_is_of_the_difference_of_means() -> None:
    found = of()

    assert found.p_value == pytest.approx(3.3020526575304254e-05, rel=1e-9)
    assert found.p_value > two_sided_p(8, found.centre / found.se)


@pytest.mark.parametrize("candidate", [TC, TC[:3]])
def test_the_interval_at_the_level_of_the_p_value_ends_at_one(candidate: Any) -> None:
    baseline = (100.0, 104.0, 97.0, 111.0, 106.0)

    found = of(baseline, candidate, 1 - of(baseline, candidate).p_value)

    assert min(abs(found.lo - 1), abs(found.hi - 1)) < 1e-9


def test_it_is_wider_than_welch_and_can_be_widened_from_its_own_ends() -> None:
    found = of()
    wide = widen(found, baseline=0.0, candidate=math.log(1.01), shared_gain=False, reasons=())

    assert (wide.lo, wide.hi) == pytest.approx((found.lo / 1.01, found.hi * 1.01), rel=1e-12)


def test_an_arm_without_spread_still_has_a_ratio() -> None:
    found = of(candidate=(110.0, 110.0))

    assert found.lo < found.estimate < found.hi


runs = st.lists(st.floats(95.0, 105.0), min_size=3, max_size=8, unique=True).filter(
    lambda values: max(values) - min(values) > 0.01
)


@given(runs, runs)
def test_swapping_the_arms_inverts_the_interval(baseline: list[float], candidate: list[float]) -> None:
    there, back = of(baseline, candidate), of(candidate, baseline)

    assert (back.lo, back.hi) == pytest.approx((1 / there.hi, 1 / there.lo), rel=1e-9)


@given(runs, runs, st.sampled_from([0.001, 60.0, 1e6]))
def test_the_unit_changes_nothing(baseline: list[float], candidate: list[float], factor: float) -> None:
    here, there = of(baseline, candidate), of([factor * v for v in baseline], [factor * v for v in candidate])

    assert (there.lo, there.hi) == pytest.approx((here.lo, here.hi), rel=1e-9)


@pytest.mark.parametrize(
    ("baseline", "candidate", "code"),
    [
        ((1.0, 9.0), (5.0, 6.0), "fieller_unbounded"),
        ((5.0,), (5.0, 6.0), "too_few_runs"),
        ((5.0, 5.0), (6.0, 6.0), "zero_variance"),
        ((5.0, 0.0), (6.0, 7.0), "not_positive"),
    ],
)
def test_a_ratio_without_an_interval_is_refused(baseline: Any, candidate: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        of(baseline, candidate)
    assert refused.value.code == code
    assert refused.value.needs
