"""Energy from a counter, per unit of work, and net of idle."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.bounds import bound, printed, work_bound
from analysis.energy import (
    Counter,
    IdlePower,
    counter_energy,
    energy_per_unit,
    energy_per_unit_bounds,
    net_of_idle,
    work_per_joule_bounds,
)
from analysis.errors import Refused
from analysis.power import integrate_power, power_samples, window_of

F = Fraction
WRAPPING = Counter(F(1, 1000), 2**32, F(700))
ENDLESS = Counter(F(1, 1000), None, None)
ENERGY = integrate_power(power_samples([0, 1, 2, 3], [100, 200, 300, 200]), window_of(0, 3), sensor_average=None)


def test_a_counter_that_wrapped_once() -> None:
    found = counter_energy([0, 1], [4294967000, 200], WRAPPING)

    assert found.joules == F("0.496")
    assert (found.bounds.lo, found.bounds.hi, found.bounds.unit) == (F("0.495"), F("0.497"), "J")
    assert (found.seconds, found.partial, found.resets) == (F(1), False, 0)
    assert found.bounds.assumptions == (
        "the counter counts 0.001 J and wraps at 4294967296, at most once between readings",
    )


def test_a_counter_without_a_wrap_says_so() -> None:
    found = counter_energy([0, 10], [100, 5100], ENDLESS)

    assert found.joules == 5
    assert found.bounds.assumptions == ("the counter counts 0.001 J and did not wrap",)


@given(st.lists(st.integers(0, 690_000), min_size=2, max_size=20))
def test_readings_in_between_change_nothing(steps: list[int]) -> None:
    counts, at = [], 4_294_000_000
    for step in steps:
        at = (at + step) % 2**32
        counts.append(at)
    if sum(steps[1:]) > 1:
        fine = counter_energy(range(len(counts)), counts, WRAPPING)
        assert fine.joules == F(sum(steps[1:]), 1000)
        assert fine.bounds.hi - fine.bounds.lo == F(2, 1000)


def test_a_restart_drops_its_segment_and_makes_the_run_partial() -> None:
    found = counter_energy([0, 1, 2, 3], [100, 600, 50, 850], ENDLESS)

    assert (found.joules, found.partial, found.resets, found.seconds) == (F("1.3"), True, 1, F(2))
    assert (found.bounds.lo, found.bounds.hi) == (F("1.298"), F("1.302"))


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: counter_energy([0, 1], [4294967000, 200], ENDLESS), "counter_reset"),
        (lambda: counter_energy([0, 1], [0, 200], replace(WRAPPING, greatest_power=None)), "wrap_unverifiable"),
        (lambda: counter_energy([0, 7000], [0, 200], WRAPPING), "wrap_ambiguous"),
        (lambda: counter_energy([0, 1], [0, 1], WRAPPING), "not_positive"),
        (lambda: counter_energy([0], [0], WRAPPING), "too_few_samples"),
        (lambda: counter_energy([0, 1], [0], WRAPPING), "too_few_samples"),
        (lambda: counter_energy([1, 1], [0, 9], WRAPPING), "not_increasing"),
        (lambda: counter_energy([0, 1], [-1, 9], ENDLESS), "bad_counter"),
        (lambda: counter_energy([0, 1], [0, 2**32], WRAPPING), "bad_counter"),
        (lambda: counter_energy([0, 1], [0, 9], Counter(F(0), None, None)), "bad_counter"),
    ],
)
def test_a_counter_that_does_not_tell_the_energy_is_refused(call: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert refused.value.needs


def test_the_greatest_power_decides_how_often_a_counter_must_be_read() -> None:
    with pytest.raises(Refused, match=r"at least every 6\.14e\+03 s"):
        counter_energy([0, 6136], [0, 200], WRAPPING)
    assert counter_energy([0, 6135], [0, 200], WRAPPING).joules == F("0.2")


def test_energy_per_unit_of_work() -> None:
    assert energy_per_unit(ENERGY, 1300.0, work_window=window_of(0, 3)) == pytest.approx(0.5)


def test_the_bounds_of_a_unit_come_from_both_bounds() -> None:
    energy = bound("495", "497", unit="mJ", assumption="counter")

    found = energy_per_unit_bounds(energy, work_bound(10, 11, assumption="count"))

    assert (found.lo, found.hi, found.unit) == (F(495, 11_000), F(497, 10_000), "J")
    assert found.assumptions == ("counter", "count")


def test_energies_of_the_same_work_are_compared_like_durations() -> None:
    baseline = counter_energy([0, 1], [0, 500], WRAPPING).bounds
    candidate = counter_energy([0, 1], [0, 550], WRAPPING).bounds

    per_joule = work_per_joule_bounds(baseline, candidate, gain=F(5, 100), shared_scale=True)

    assert (per_joule.lo, per_joule.hi) == (F(499, 551), F(501, 549))
    assert printed(per_joule, digits=4) == ("0.9056", "0.9126")
    assert per_joule.assumptions[-1] == "one meter served both arms"


def test_two_meters_may_be_off_in_opposite_ways() -> None:
    baseline, candidate = bound(100, 100, unit="J", assumption=""), bound(110, 110, unit="J", assumption="")

    per_joule = work_per_joule_bounds(baseline, candidate, gain=F(5, 100), shared_scale=False)

    assert (per_joule.lo, per_joule.hi) == (F(10, 11) * F(95, 105), F(10, 11) * F(105, 95))
    assert per_joule.assumptions == ("the scale of each meter is within 5 %",)


def test_net_of_idle_is_what_the_idle_host_would_not_have_taken() -> None:
    assert net_of_idle(ENERGY, IdlePower(50.0, "host-1"), host="host-1") == pytest.approx(500)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: energy_per_unit(ENERGY, 1.0, work_window=window_of(0, 2)), "window_mismatch"),
        (lambda: energy_per_unit(ENERGY, 0.0, work_window=window_of(0, 3)), "zero_work"),
        (lambda: energy_per_unit(replace(ENERGY, joules=0.0), 1.0, work_window=window_of(0, 3)), "not_positive"),
        (
            lambda: energy_per_unit_bounds(bound(1, 2, unit="s", assumption=""), work_bound(1, 2, assumption="")),
            "unit_mismatch",
        ),
        (
            lambda: work_per_joule_bounds(
                bound(1, 2, unit="J", assumption=""), bound(1, 2, unit="s", assumption=""), gain=F(0), shared_scale=True
            ),
            "unit_mismatch",
        ),
        (
            lambda: work_per_joule_bounds(
                bound(1, 2, unit="J", assumption=""), bound(1, 2, unit="J", assumption=""), gain=F(1), shared_scale=True
            ),
            "bad_accuracy",
        ),
        (lambda: net_of_idle(ENERGY, None, host="host-1"), "idle_not_measured"),
        (lambda: net_of_idle(ENERGY, IdlePower(50.0, "host-2"), host="host-1"), "idle_of_another_host"),
        (lambda: net_of_idle(ENERGY, IdlePower(900.0, "host-1"), host="host-1"), "not_positive"),
    ],
)
def test_an_energy_of_something_else_is_refused(call: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert refused.value.needs
