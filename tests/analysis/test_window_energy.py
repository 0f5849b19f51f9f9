"""The bounds of design 5, with and without the scale of one meter; counters read at and beside the window."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from analysis.energy import Counter
from analysis.errors import Refused
from analysis.metering import Metering
from analysis.power import Window
from analysis.window_energy import Readings, WindowEnergy, of_counter, of_samples
from tests.analysis.metered import COUNTER, FIVE, NEIGHBOURS, RANGE, SAMPLES, SLEW
from tests.analysis.props import codes

TIMES = tuple(map(Fraction, (0, 1, 2, 3)))
WATTS = tuple(map(Fraction, (100, 200, 300, 200)))
WINDOW = Window(Fraction(0), Fraction(3))
JOULE = Counter(Fraction(1), None, None)


def of(metering: Metering, watts: Sequence[Fraction] = WATTS, times: Sequence[Fraction] = TIMES) -> WindowEnergy:
    return of_samples(times, watts, Window(times[0], times[-1]), metering)


def ends(found: WindowEnergy) -> tuple[float, float]:
    assert found.bounds is not None
    return float(found.bounds.lo), float(found.bounds.hi)


@pytest.mark.parametrize(
    ("metering", "expected"),
    [
        (replace(NEIGHBOURS, relative=FIVE), (475, 840)),
        (NEIGHBOURS, (500, 800)),
        (SLEW, (587.5, 712.5)),
        (replace(SLEW, relative=FIVE), (550.125, 739.875)),
        (RANGE, (150, 1200)),
    ],
)
def test_the_bounds_of_four_samples(metering: Metering, expected: tuple[float, float]) -> None:
    found = of(metering)

    assert ends(found) == expected
    assert found.energy is not None
    assert found.energy.joules == 650
    assert (found.samples, found.gap_share, found.problem) == (4, 0, None)


def test_nothing_bounds_the_energy_without_an_envelope() -> None:
    found = of(SAMPLES)

    assert (found.bounds, found.compared) == (None, None)


def test_with_gaps_there_are_bounds_and_no_point() -> None:
    gapped = tuple(map(Fraction, (0, 1, 2, 6)))
    found = of(replace(NEIGHBOURS, floor=Fraction(50)), times=gapped)

    assert (found.energy, ends(found)) == (None, (500, 2100))
    assert found.problem is not None
    assert found.problem.code == "power_gaps"
    assert found.gap_share == pytest.approx(4 / 6)
    with pytest.raises(Refused, match="gaps"):
        of(SAMPLES, times=gapped)


def test_a_sensor_that_averages_needs_thirty_windows_of_samples_and_of_a_counter() -> None:
    with pytest.raises(Refused) as of_the_samples:
        of(replace(SLEW, sensor_average=Fraction(1)))
    with pytest.raises(Refused) as of_the_counter:
        counted((0, 3), (0, 30), replace(COUNTER, sensor_average=Fraction(1)))

    assert {of_the_samples.value.code, of_the_counter.value.code} == {"run_too_short_for_sensor"}


def test_the_scale_of_one_meter_drops_out_of_what_is_compared() -> None:
    found = of(replace(SLEW, relative=FIVE, absolute=Fraction(1), one_meter=True))

    assert found.compared is not None
    assert found.bounds is not None
    assert found.bounds.lo < found.compared.lo < 650 < found.compared.hi < found.bounds.hi
    assert "drops out" in " ".join(found.compared.assumptions)
    assert "drops out" not in " ".join(found.bounds.assumptions)


def counted(
    times: Sequence[int | str], counts: Sequence[int], metering: Metering = COUNTER, counter: Counter = JOULE
) -> WindowEnergy:
    """The energy from second 0 to 3."""
    return of_counter(Readings(tuple(map(Fraction, times)), tuple(counts), counter), WINDOW, metering)


def test_a_counter_read_at_the_ends_is_right_to_one_count() -> None:
    found = counted((-1, 0, 1, 3, 4), (90, 100, 200, 750, 900))

    assert found.energy is not None
    assert (found.energy.joules, ends(found), found.energy.notices, found.samples) == (650, (649, 651), (), 3)


def test_beside_the_window_the_range_of_the_power_bounds_what_is_too_much() -> None:
    metering = replace(COUNTER, floor=Fraction(50), cap=Fraction(100))
    found = counted((-1, 1, 2, 4), (0, 200, 300, 500), metering)

    assert found.energy is not None
    assert found.energy.joules == pytest.approx(300)
    assert ends(found) == (500 - 1 - 2 * 100, 500 + 1 - 2 * 50)
    assert codes(found.energy.notices) == {"counter_interpolated"}


def test_readings_inside_the_window_bound_it_from_below_without_a_range() -> None:
    found = counted((-1, 1, 2, 4), (0, 200, 300, 500), Metering("counter"))

    assert ends(found) == (99, 501)


def test_readings_that_guarantee_nothing_inside_are_refused() -> None:
    with pytest.raises(Refused) as refusal:
        counted((-1, 4), (0, 500), Metering("counter"))

    assert refusal.value.code == "window_not_bounded"


def test_the_accuracy_of_a_counter_widens_its_bounds_and_one_meter_takes_its_scale_out() -> None:
    found = counted((0, 3), (0, 651), replace(COUNTER, relative=FIVE, absolute=Fraction(1), one_meter=True))

    assert found.bounds is not None
    assert found.compared is not None
    assert (found.bounds.lo, found.bounds.hi) == (650 * Fraction("0.95") - 3, 652 * Fraction("1.05") + 3)
    assert (found.compared.lo, found.compared.hi) == (650 - 3 / Fraction("0.95"), 652 + 3 / Fraction("0.95"))


def test_one_meter_takes_the_range_in_its_own_units() -> None:
    metering = replace(COUNTER, floor=Fraction(50), cap=Fraction(100), relative=FIVE, one_meter=True)
    found = counted((-1, 1, 2, 4), (0, 200, 300, 500), metering)

    assert found.compared is not None
    assert found.compared.lo == 499 - 2 * 100 / Fraction("0.95")
    assert found.compared.hi == 501 - 2 * 50 / Fraction("1.05")


def test_a_counter_that_fell_leaves_bounds_under_a_range_and_no_point() -> None:
    readings = ((0, 1, 2, 3), (500, 700, 10, 300))
    found = counted(*readings, metering=replace(COUNTER, floor=Fraction(50)))

    assert found.energy is None
    assert found.problem is not None
    assert found.problem.code == "counter_reset"
    assert ends(found) == (200 + 290 - 2, 200 + 290 + 2 + 700)
    with pytest.raises(Refused) as refusal:
        counted(*readings, metering=Metering("counter"))
    assert refusal.value.code == "counter_reset"


@pytest.mark.parametrize(
    ("times", "counts", "code"),
    [
        ((1, 4), (0, 500), "window_not_covered"),
        ((0, 2), (0, 500), "window_not_covered"),
        ((0,), (0,), "too_few_samples"),
        ((0, 3, 3), (0, 1, 2), "not_increasing"),
        ((0, 3), (0, -1), "bad_counter"),
    ],
)
def test_readings_that_do_not_cover_the_window_are_refused(
    times: tuple[int, ...], counts: tuple[int, ...], code: str
) -> None:
    with pytest.raises(Refused) as refusal:
        counted(times, counts)

    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("greatest", "code"), [(None, "wrap_unverifiable"), (Fraction(1000), "wrap_ambiguous"), (Fraction(200), "")]
)
def test_a_counter_that_wraps_needs_the_greatest_power(greatest: Fraction | None, code: str) -> None:
    counter = Counter(Fraction(1), 1000, greatest)
    if not code:
        found = counted((0, 3), (900, 100), counter=counter)
        assert ends(found) == (199, 201)
        return
    with pytest.raises(Refused) as refusal:
        counted((0, 3), (900, 100), counter=counter)
    assert refusal.value.code == code
