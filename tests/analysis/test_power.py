"""Samples of power: checked, integrated over exactly the window, and never bridged in silence."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import Refused
from analysis.power import (
    PowerSamples,
    aliasing,
    gap_share,
    integrate_power,
    power_samples,
    trapezoid,
    window_of,
)

FOUR = power_samples([0, 1, 2, 3], [100, 200, 300, 200])
GAPPED = power_samples([0, 1, 2, 6], [100, 200, 300, 200])


def test_the_trapezoid_over_all_samples() -> None:
    found = integrate_power(FOUR, window_of(0, 3), sensor_average=None)

    assert found.joules == pytest.approx(650, rel=1e-12)
    assert (found.samples, found.gap_share, found.method, found.notices) == (4, 0.0, "trapezoid", ())


def test_both_ends_are_interpolated_to_the_window() -> None:
    assert trapezoid(FOUR, window_of("0.5", "2.5")) == pytest.approx(87.5 + 250 + 137.5, rel=1e-12)
    assert trapezoid(FOUR, window_of("1.25", "1.75")) == pytest.approx(125, rel=1e-12)


def test_a_gap_is_seen_and_refuses_the_point() -> None:
    window = window_of(0, 6)

    assert trapezoid(GAPPED, window) == pytest.approx(1400, rel=1e-12)
    assert gap_share(GAPPED, window) == Fraction(4, 6)
    with pytest.raises(Refused, match=r"66\.7 %") as refused:
        integrate_power(GAPPED, window, sensor_average=None)
    assert refused.value.code == "power_gaps"


def test_only_the_part_of_a_gap_inside_the_window_counts() -> None:
    assert gap_share(GAPPED, window_of(0, 3)) == Fraction(1, 3)
    assert gap_share(GAPPED, window_of(0, 2)) == 0


def test_a_small_gap_is_bridged_with_a_word() -> None:
    times = [*range(100), 103]
    found = integrate_power(power_samples(times, [200] * 101), window_of(0, 103), sensor_average=None)

    assert found.joules == pytest.approx(20_600)
    assert [notice.code for notice in found.notices] == ["power_gaps_bridged"]


def test_times_of_the_epoch_keep_their_distances() -> None:
    start = 1_700_000_000
    samples = power_samples([f"{start}.{i:09d}" for i in range(4)], [100, 200, 300, 200])

    assert trapezoid(samples, window_of(f"{start}.0", f"{start}.000000003")) == pytest.approx(650e-9, rel=1e-12)


def test_a_sensor_that_averages_needs_thirty_windows() -> None:
    samples = power_samples(range(41), [200] * 41)

    assert integrate_power(samples, window_of(0, 30), sensor_average=Fraction(1)).joules == pytest.approx(6000)
    with pytest.raises(Refused, match="Measure at least 30 s") as refused:
        integrate_power(samples, window_of(0, "29.9"), sensor_average=Fraction(1))
    assert refused.value.code == "run_too_short_for_sensor"


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 500)), min_size=3, max_size=20), st.data())
def test_an_integral_is_the_sum_of_its_parts(steps: list[tuple[int, int]], data: Any) -> None:
    times = np.cumsum([step for step, _ in steps]).tolist()
    samples = power_samples(times, [watts for _, watts in steps])
    middle = data.draw(st.fractions(times[0], times[-1], max_denominator=50))
    parts = [(times[0], middle), (middle, times[-1])]

    whole = trapezoid(samples, window_of(times[0], times[-1]))

    assert sum(trapezoid(samples, window_of(*part)) for part in parts if part[0] < part[1]) == pytest.approx(whole)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: power_samples([0, 1, 1], [1, 1, 1]), "duplicate_timestamp"),
        (lambda: power_samples([0, 2, 1], [1, 1, 1]), "not_increasing"),
        (lambda: power_samples([0], [1]), "too_few_samples"),
        (lambda: power_samples([0, 1], [1]), "too_few_samples"),
        (lambda: power_samples([0, 1], [1, -2]), "negative_power"),
        (lambda: power_samples([0, 1], [1, "nan"]), "not_finite"),
        (lambda: power_samples([0, 1], [1, "N/A"]), "not_a_number"),
        (lambda: window_of(1, 1), "reversed"),
        (lambda: trapezoid(FOUR, window_of(-1, 2)), "window_not_covered"),
        (lambda: trapezoid(FOUR, window_of(1, 4)), "window_not_covered"),
        (lambda: aliasing(0, 1), "not_positive"),
    ],
)
def test_samples_that_are_no_series_of_a_window_are_refused(call: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert refused.value.needs


@pytest.mark.parametrize(("load", "sampling"), [("0.05", "0.1"), ("0.1", "0.1"), ("2", "0.1"), ("0.049", "0.1")])
def test_periods_that_meet_again_and_again_are_warned_of(load: str, sampling: str) -> None:
    notice = aliasing(load, sampling)

    assert notice is not None
    assert notice.code == "aliasing"
    assert "Jitter the sampling" in notice.sentence


@pytest.mark.parametrize(("load", "sampling"), [("0.037", "0.1"), ("0.04", "0.1"), ("0.13", "0.1")])
def test_periods_that_do_not_meet_are_not(load: str, sampling: str) -> None:
    assert aliasing(load, sampling) is None


def _greatest_error(load_ms: int) -> float:
    """Greatest relative error of the trapezoid over the phases of a 120/400 W square load, sampled every 100 ms."""
    errors = []
    for phase in range(0, load_ms, 3):
        times = range(0, 30_001, 100)
        watts = [400 if (t + phase) % load_ms < load_ms / 2 else 120 for t in times]
        samples = power_samples([f"{t}e-3" for t in times], watts)
        errors.append(abs(trapezoid(samples, window_of(0, 30)) / (260 * 30) - 1))
    return max(errors)


def test_a_load_that_is_warned_of_is_misread_and_one_that_is_not_is_not() -> None:
    assert aliasing("0.050", "0.1") is not None
    assert _greatest_error(50) > 0.4
    assert aliasing("0.037", "0.1") is None
    assert _greatest_error(37) < 0.02


def test_the_gap_follows_the_median_distance() -> None:
    assert PowerSamples((Fraction(0), Fraction(1), Fraction(2), Fraction(9)), ()).gap == Fraction(5, 2)
