"""Goodput is a rate that was tried, at a service level that is part of what it is."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import Refused
from analysis.goodput import RatePoint, goodput, kept, require_same_level
from analysis.service_level import ServiceLevel

F = Fraction
LEVEL = ServiceLevel({"ttft": F("0.2"), "tpot": F("0.05")}, F("0.95"))


def sweep(*shares: int, offered: int = 100) -> list[RatePoint]:
    """Rates 1, 2, …: how many of 100 requests kept the level at each."""
    return [RatePoint(F(rate), share, offered) for rate, share in enumerate(shares, 1)]


def test_the_goodput_is_the_highest_rate_that_kept_the_level() -> None:
    found = goodput(sweep(100, 99, 95, 94, 20), LEVEL)

    assert (found.rate, found.broken_at, found.level) == (F(3), F(4), LEVEL)
    assert found.notices == ()


def test_the_order_of_the_sweep_does_not_matter() -> None:
    assert goodput(sweep(100, 99, 94)[::-1], LEVEL) == goodput(sweep(100, 99, 94), LEVEL)


def test_a_sweep_that_never_broke_the_level_says_that_more_may_be_served() -> None:
    found = goodput(sweep(100, 99), LEVEL)

    assert (found.rate, found.broken_at) == (F(2), None)
    assert [notice.code for notice in found.notices] == ["sweep_too_short"]


def test_a_lower_rate_that_broke_the_level_is_said() -> None:
    found = goodput(sweep(100, 90, 96, 10), LEVEL)

    assert found.rate == 3
    assert [notice.code for notice in found.notices] == ["not_monotone"]


@given(st.lists(st.integers(0, 100), min_size=1, max_size=8))
def test_a_goodput_kept_the_level_and_no_higher_rate_did(shares: list[int]) -> None:
    if max(shares) >= 95:
        found = goodput(sweep(*shares), LEVEL)
        assert shares[int(found.rate) - 1] >= 95
        assert all(share < 95 for share in shares[int(found.rate) :])


def test_a_request_keeps_every_limit_or_none() -> None:
    requests = {
        "ttft": np.array([0.2, 0.21, 0.1, 0.1, np.nan]),
        "tpot": np.array([0.04, 0.04, np.nan, 0.06, 0.04]),
    }

    assert kept(requests, LEVEL) == 1


def test_the_same_level_can_be_compared_however_it_is_written() -> None:
    require_same_level(LEVEL, ServiceLevel({"tpot": F(5, 100), "ttft": F(2, 10)}, F("0.950")))
    assert LEVEL.said == "95 % of requests with tpot <= 0.05 s, ttft <= 0.2 s"


@pytest.mark.parametrize("other", [ServiceLevel({"ttft": F("0.2")}, F("0.95")), ServiceLevel(LEVEL.limits, F("0.99"))])
def test_goodputs_at_different_levels_are_not_compared(other: ServiceLevel) -> None:
    with pytest.raises(Refused, match="the other of") as refused:
        require_same_level(LEVEL, other)
    assert refused.value.code == "service_level_differs"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: goodput(sweep(94, 90), LEVEL), "no_goodput"),
        (lambda: goodput([], LEVEL), "no_goodput"),
        (lambda: goodput([*sweep(100), *sweep(100)], LEVEL), "bad_sweep"),
        (lambda: goodput([RatePoint(F(0), 1, 1)], LEVEL), "bad_sweep"),
        (lambda: goodput([RatePoint(F(1), 0, 0)], LEVEL), "bad_sweep"),
        (lambda: goodput([RatePoint(F(1), 5, 4)], LEVEL), "bad_sweep"),
        (lambda: goodput(sweep(100), ServiceLevel({}, F(1))), "bad_service_level"),
        (lambda: goodput(sweep(100), ServiceLevel(LEVEL.limits, F(0))), "bad_service_level"),
        (lambda: kept({"ttft": np.array([0.1])}, ServiceLevel({"ttft": F(0)}, F(1))), "bad_service_level"),
    ],
)
def test_a_sweep_without_a_goodput_is_refused(call: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert refused.value.needs
