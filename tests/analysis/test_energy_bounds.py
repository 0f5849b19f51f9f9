"""Bounds of an energy hold for every load that keeps the declared envelope."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.bounds import Bounds
from analysis.energy_bounds import EXACT, Accuracy, Envelope, Neighbours, Range, Slew, energy_bounds
from analysis.errors import Refused
from analysis.power import PowerSamples, power_samples, trapezoid, window_of

F = Fraction
FOUR = power_samples([0, 1, 2, 3], [100, 200, 300, 200])
FIVE_PERCENT = Accuracy(F("0.05"), F(0))
FROM_50 = Range(F(50), F(400))
FROM_0 = Range(F(0), F(400))


def joules(
    envelope: Envelope,
    accuracy: Accuracy = EXACT,
    samples: PowerSamples = FOUR,
    start: Any = 0,
    end: Any = 3,
) -> tuple[Fraction, Fraction]:
    found = energy_bounds(samples, window_of(start, end), envelope=envelope, accuracy=accuracy)
    return found.lo, found.hi


@pytest.mark.parametrize(
    ("envelope", "accuracy", "low", "high"),
    [
        (Neighbours(FROM_0), EXACT, "500", "800"),
        (Neighbours(FROM_0), FIVE_PERCENT, "475", "840"),
        (Slew(FROM_50, F(150)), EXACT, "587.5", "712.5"),
        (Slew(FROM_50, F(150)), FIVE_PERCENT, "550.125", "739.875"),
        (FROM_50, EXACT, "150", "1200"),
        (FROM_50, FIVE_PERCENT, "150", "1200"),
    ],
)
def test_bounds_of_four_samples(envelope: Envelope, accuracy: Accuracy, low: str, high: str) -> None:
    assert joules(envelope, accuracy) == (F(low), F(high))


def test_a_gap_falls_back_to_the_range() -> None:
    gapped = power_samples([0, 1, 2, 6], [100, 200, 300, 200])

    assert joules(Neighbours(FROM_50), samples=gapped, end=6) == (F(500), F(2100))
    assert joules(Slew(FROM_50, F(150)), samples=gapped, end=6)[1] > 4 * 400


def test_the_bounds_say_what_they_assume() -> None:
    found = energy_bounds(FOUR, window_of(0, 3), envelope=Slew(FROM_50, F(150)), accuracy=Accuracy(F("0.05"), F(2)))
    close = energy_bounds(FOUR, window_of(0, 3), envelope=Neighbours(FROM_50), accuracy=EXACT)

    assert isinstance(found, Bounds)
    assert found.unit == "J"
    assert found.assumptions == (
        "power stays between 50 and 400 W, and changes by at most 150 W/s",
        "readings are within 5 % and 2 W",
    )
    assert close.assumptions[0].endswith("and between two samples within their readings")


def test_an_absolute_error_counts_on_both_sides() -> None:
    assert joules(Neighbours(FROM_0), Accuracy(F(0), F(10))) == (F(500 - 30), F(800 + 30))


def test_readings_are_clipped_to_what_the_device_can_do() -> None:
    assert joules(Neighbours(Range(F(100), F(300))), FIVE_PERCENT) == (F(100 + 190 + 190), F(210 + 300 + 300))


@pytest.mark.parametrize("envelope", [FROM_50, Neighbours(FROM_50), Slew(FROM_50, F(150))])
def test_the_parts_of_a_window_add_up_to_it(envelope: Envelope) -> None:
    cuts = [F(0), F("0.3"), F("0.9"), F("1.7"), F(3)]
    parts = [joules(envelope, FIVE_PERCENT, start=a, end=b) for a, b in pairwise(cuts)]

    assert (sum(low for low, _ in parts), sum(high for _, high in parts)) == joules(envelope, FIVE_PERCENT)


watts = st.lists(st.integers(60, 390), min_size=3, max_size=12)


@given(watts)
def test_a_tighter_envelope_lies_within_a_looser_one_and_holds_the_trapezoid(readings: list[int]) -> None:
    samples, end = power_samples(range(len(readings)), readings), len(readings) - 1
    point = trapezoid(samples, window_of(0, end))
    slope = max(abs(a - b) for a, b in pairwise(readings)) + 1

    within = [joules(e, samples=samples, end=end) for e in (Slew(FROM_50, F(slope)), Neighbours(FROM_50), FROM_50)]

    for low, high in within:
        assert low <= F(point) + F(1, 10**6)
        assert F(point) - F(1, 10**6) <= high
        assert within[2][0] <= low <= high <= within[2][1]


@given(watts)
def test_the_bounds_of_a_slew_shrink_to_the_trapezoid_as_it_does(readings: list[int]) -> None:
    samples, end = power_samples(range(len(readings)), readings), len(readings) - 1
    steep = F(max(abs(a - b) for a, b in pairwise(readings)) + 1)

    tight, loose = (joules(Slew(FROM_50, slope), samples=samples, end=end) for slope in (steep, 2 * steep))

    assert loose[0] <= tight[0] <= tight[1] <= loose[1]


def _square(t: Any, period: float) -> Any:
    return np.where(t % period < period / 2, 400.0, 120.0)


def test_a_load_locked_to_the_sampling_breaks_neighbours_and_never_the_range() -> None:
    """120/400 W, period 50 ms, sampled every 100 ms: all samples meet the same phase."""
    times = np.arange(101) * 0.1
    phase = 0.01
    samples = power_samples([f"{t:.1f}" for t in times], _square(times + phase, 0.05).astype(int).tolist())
    true, end = 260 * 10, 10

    low, high = joules(Neighbours(Range(F(100), F(420))), FIVE_PERCENT, samples, end=end)
    wide_low, wide_high = joules(Range(F(100), F(420)), FIVE_PERCENT, samples, end=end)

    assert not low <= true <= high
    assert wide_low <= true <= wide_high


def test_a_slew_limited_load_stays_within_its_bounds() -> None:
    """Random smooth loads of at most 500 W/s, read within 5 %, every 100 ms: 50 loads."""
    rng = np.random.default_rng(9)
    fine = np.linspace(0, 5, 5001)
    for _ in range(50):
        amplitude, period, phase = rng.uniform(20, 100), rng.uniform(1.5, 4.0), rng.uniform(0, 6)
        power = 260 + amplitude * np.sin(2 * np.pi * fine / period + phase)
        gain = rng.uniform(0.96, 1.04)
        samples = power_samples([f"{i / 10}" for i in range(51)], (gain * power[::100]).tolist())
        low, high = joules(Slew(Range(F(100), F(420)), F(500)), FIVE_PERCENT, samples, end=5)
        assert low <= F(float(np.trapezoid(power, fine))) <= high


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: joules(Range(F(0), F(400))), "not_positive"),
        (lambda: joules(Range(F(400), F(400))), "bad_envelope"),
        (lambda: joules(Range(F(-1), F(400))), "bad_envelope"),
        (lambda: joules(Slew(FROM_50, F(0))), "bad_envelope"),
        (lambda: joules(FROM_50, Accuracy(F(1), F(0))), "bad_accuracy"),
        (lambda: joules(FROM_50, Accuracy(F(0), F(-1))), "bad_accuracy"),
        (lambda: joules(Range(F(50), F(250))), "outside_envelope"),
        (lambda: joules(Range(F(150), F(400))), "outside_envelope"),
        (lambda: joules(Slew(FROM_50, F(90))), "slew_exceeded"),
        (lambda: joules(Slew(FROM_50, F(90)), samples=power_samples([0, 1, 3], [300, 100, 100])), "slew_exceeded"),
        (lambda: joules(FROM_50, end=4), "window_not_covered"),
    ],
)
def test_an_envelope_that_the_samples_contradict_is_refused(call: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert refused.value.needs
