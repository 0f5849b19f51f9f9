from dataclasses import replace
from fractions import Fraction

import pytest

from analysis.errors import Refused
from analysis.metering import EnergyMetric, Metering, check_metering, energy_metric
from tests.analysis.metered import COUNTER, FIVE, NEIGHBOURS, RANGE, SAMPLES, SLEW


@pytest.mark.parametrize("metering", [SAMPLES, RANGE, SLEW, NEIGHBOURS, COUNTER, Metering("counter")])
def test_a_declaration_that_fits_together_passes(metering: Metering) -> None:
    check_metering(replace(metering, sensor_average=Fraction(1), load_period=Fraction(1)))


@pytest.mark.parametrize(
    ("metering", "code"),
    [
        (replace(COUNTER, between="neighbours"), "bad_metering"),
        (replace(SLEW, source="counter"), "bad_metering"),
        (replace(SAMPLES, relative=FIVE), "bad_metering"),
        (replace(SAMPLES, absolute=Fraction(1)), "bad_metering"),
        (replace(SAMPLES, sensor_average=Fraction(0)), "bad_metering"),
        (replace(SAMPLES, load_period=Fraction(-1)), "bad_metering"),
        (replace(RANGE, cap=None), "bad_envelope"),
        (replace(SAMPLES, cap=Fraction(1)), "bad_envelope"),
        (replace(RANGE, cap=Fraction(50)), "bad_envelope"),
        (replace(RANGE, floor=Fraction(-1)), "bad_envelope"),
        (replace(RANGE, slew=Fraction(1)), "bad_envelope"),
        (replace(RANGE, between="slew"), "bad_envelope"),
        (replace(SLEW, slew=Fraction(0)), "bad_envelope"),
        (replace(RANGE, relative=Fraction(1)), "bad_accuracy"),
        (replace(RANGE, relative=Fraction(-1)), "bad_accuracy"),
        (replace(RANGE, absolute=Fraction(-1)), "bad_accuracy"),
    ],
)
def test_a_declaration_that_does_not_is_refused(metering: Metering, code: str) -> None:
    with pytest.raises(Refused) as refusal:
        check_metering(metering)

    assert refusal.value.code == code


def test_a_verdict_rests_on_a_counter_or_on_power_that_is_bounded() -> None:
    carried = [m.carries_verdict for m in (COUNTER, RANGE, SLEW, NEIGHBOURS, SAMPLES)]

    assert carried == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("energy", EnergyMetric("", per_joule=False, net=False)),
        ("energy_net_of_idle", EnergyMetric("", per_joule=False, net=True)),
        ("energy_per_request", EnergyMetric("request", per_joule=False, net=False)),
        ("energy_net_of_idle_per_request", EnergyMetric("request", per_joule=False, net=True)),
        ("output_tokens_per_joule", EnergyMetric("output_tokens", per_joule=True, net=False)),
        ("samples_per_joule_net_of_idle", EnergyMetric("samples", per_joule=True, net=True)),
        ("energy_counter", None),
        ("wall_time", None),
    ],
)
def test_a_name_says_which_energy_it_is(name: str, metric: EnergyMetric | None) -> None:
    assert energy_metric(name) == metric
