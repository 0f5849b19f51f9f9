"""How much of a run lies beyond its quantile, and whether those requests are independent."""

from fractions import Fraction

import numpy as np
import pytest

from analysis.tails import Tail, estimability, exceedance_tau, notices_of, tail_of

P99 = Fraction("0.99")


def tail(values: list[float], p: Fraction = P99) -> Tail:
    return tail_of(values, p, in_order=True)


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
    together = [1.0] * 10 + [2.0] * 9
    assert notices_of({"r1": tail(together, Fraction(1, 2))}, "median") == ()


def test_independent_requests_count_in_full() -> None:
    found = tail(autocorrelated(2000, 0.0))

    assert (found.beyond, found.estimability) == (20, "estimable")
    assert found.effective is not None
    assert found.effective > 15
    assert notices_of({"r1": found}, "p99") == ()


def test_slow_requests_that_come_together_count_for_less() -> None:
    found = tail(autocorrelated(2000, 0.98))

    assert found.effective is not None
    assert found.effective < 10 < found.beyond
    (notice,) = notices_of({"r1": found, "r2": found, "r3": tail(autocorrelated(2000, 0.0))}, "p99")
    assert notice.code == "correlated_tail"
    assert f"r1 (20 count for {found.effective:.3g}), r2 (" in notice.sentence
    assert "r3" not in notice.sentence


def test_requests_that_are_not_known_to_be_in_order_have_no_autocorrelation() -> None:
    found = tail_of(autocorrelated(2000, 0.98), P99, in_order=False)

    assert (found.beyond, found.effective) == (20, None)
    assert notices_of({"r1": found}, "p99") == ()


@pytest.mark.parametrize(("n", "said"), [(500, "carries no interval"), (100, "nothing of the upper tail")])
def test_a_small_tail_is_said_with_what_it_allows(n: int, said: str) -> None:
    (notice,) = notices_of({"r1": tail(autocorrelated(n, 0.0))}, "p99")

    assert notice.code == "small_tail"
    assert f": r1 ({n // 100} of {n})." in notice.sentence
    assert said in notice.sentence


def test_values_that_are_all_equal_have_nothing_beyond_and_no_autocorrelation() -> None:
    assert exceedance_tau([1.0] * 300, P99) == 1.0
