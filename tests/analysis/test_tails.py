"""How much of a run lies beyond its quantile, and whether those requests are independent."""

from fractions import Fraction

import numpy as np
import pytest

from analysis.tails import estimability, exceedance_tau, tail_of

P99 = Fraction("0.99")


def autocorrelated(n: int, phi: float) -> list[float]:
    noise = np.random.default_rng(3).standard_normal(n)
    series = [noise[0]]
    for e in noise[1:]:
        series.append(phi * series[-1] + np.sqrt(1 - phi**2) * e)
    found: list[float] = np.exp(0.5 * np.array(series)).tolist()
    return found


@pytest.mark.parametrize(
    ("requests", "found"), [(1000, "estimable"), (999, "value_only"), (299, "value_only"), (298, "not_estimable")]
)
def test_ten_requests_beyond_carry_an_interval_and_an_upper_statement_a_value(requests: int, found: str) -> None:
    assert estimability(requests, P99) == found


def test_a_median_needs_no_tail() -> None:
    assert estimability(5, Fraction(1, 2)) == "estimable"
    assert tail_of(list(range(8)), Fraction(1, 2)).notices == ()


def test_independent_requests_count_in_full() -> None:
    found = tail_of(autocorrelated(2000, 0.0), P99)

    assert (found.beyond, found.estimability) == (20, "estimable")
    assert found.effective > 15
    assert found.notices == ()


def test_slow_requests_that_come_together_count_for_less() -> None:
    found = tail_of(autocorrelated(2000, 0.98), P99)

    assert found.effective < 10 < found.beyond
    assert [notice.code for notice in found.notices] == ["correlated_tail"]


@pytest.mark.parametrize(("n", "said"), [(500, "carries no interval"), (100, "nothing of the upper tail")])
def test_a_small_tail_is_said_with_what_it_allows(n: int, said: str) -> None:
    (notice,) = tail_of(autocorrelated(n, 0.0), P99).notices

    assert notice.code == "small_tail"
    assert said in notice.sentence


def test_values_that_are_all_equal_have_nothing_beyond_and_no_autocorrelation() -> None:
    assert exceedance_tau([1.0] * 300, P99) == 1.0
