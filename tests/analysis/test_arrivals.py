"""Arrivals: at random, in bursts, recorded; and what is no traffic."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.random import default_rng

from analysis.arrivals import Bursts, Traffic, mmpp2_arrivals, poisson_arrivals, replayed
from analysis.errors import Refused
from analysis.table import Floats


def squared_variation(times: Floats) -> float:
    gaps = np.diff(times)
    return float(gaps.var() / gaps.mean() ** 2)


def test_independent_arrivals_have_the_rate_and_the_variation_of_a_poisson_process() -> None:
    times = poisson_arrivals(50.0, 200_000, default_rng(1))

    assert times.size / times[-1] == pytest.approx(50, rel=0.01)
    assert squared_variation(times) == pytest.approx(1, rel=0.02)


def test_two_states_have_the_mean_rate_and_vary_more() -> None:
    times = mmpp2_arrivals((30.0, 90.0), (0.5, 1.0), 400_000, default_rng(2))

    assert times.size == 400_000
    assert (np.diff(times) >= 0).all()
    assert times.size / times[-1] == pytest.approx((30 * 1.0 + 90 * 0.5) / 1.5, rel=0.03)
    assert squared_variation(times) > 1.1


def test_states_are_drawn_on_until_there_are_enough_arrivals() -> None:
    assert mmpp2_arrivals((0.0, 1.0), (0.001, 10.0), 50, default_rng(3)).size == 50


def test_recorded_times_keep_their_pattern_and_get_the_rate() -> None:
    assert replayed([5.0, 6.0, 9.0]).tolist() == [0, 1, 4]
    assert replayed([5.0, 6.0, 9.0], rate=1.0).tolist() == [0, 0.5, 2]


@pytest.mark.parametrize(
    ("traffic", "said"),
    [
        (Traffic("poisson"), "Poisson"),
        (Traffic("replay", recorded=(0.0, 1.0, 3.0)), "3 recorded times, scaled in time"),
        (
            Traffic("mmpp", Bursts(0.6, 1.8, 2.0, 1.0)),
            "two states of 0.6 and 1.8 times the rate, which last 2 s and 1 s on average",
        ),
        (Traffic("mmpp", Bursts(6, 18, 2.0, 1.0)), "two states of 6 and 18 times the rate"),
    ],
)
def test_every_pattern_can_be_had_at_a_rate(traffic: Traffic, said: str) -> None:
    times = traffic.at(20.0, 100_000, default_rng(4))

    assert (times.size - 1) / (times[-1] - times[0]) == pytest.approx(20, rel=0.03)
    assert traffic.said.startswith(said)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: poisson_arrivals(0.0, 10, default_rng(1)),
        lambda: poisson_arrivals(1.0, 0, default_rng(1)),
        lambda: mmpp2_arrivals((0.0, 0.0), (1.0, 1.0), 10, default_rng(1)),
        lambda: mmpp2_arrivals((1.0, 2.0), (0.0, 1.0), 10, default_rng(1)),
        lambda: replayed([1.0]),
        lambda: replayed([1.0, 1.0]),
        lambda: replayed([2.0, 1.0, 3.0]),
        lambda: replayed([0.0, float("inf")]),
        lambda: replayed([0.0, 1.0], rate=0.0),
    ],
)
def test_what_is_no_traffic_is_refused(ask: Callable[[], Floats]) -> None:
    with pytest.raises(Refused) as refused:
        ask()
    assert refused.value.code == "bad_traffic"
    assert refused.value.needs
