"""The energy of a run net of its idle power, from its own rows or those of an idle run."""

from dataclasses import replace
from fractions import Fraction

import pytest

from analysis.assess import LabelledRun
from tests.analysis.metered import COUNTER, RANGE, SAMPLES, SLEW, a_counted, a_metered, counts, power
from tests.analysis.run_energies import ends, of, why


def test_net_of_idle_takes_the_idle_power_of_the_runs_own_rows() -> None:
    idle = power((50, 50), (-60, -59), phase="idle")
    found = of(a_metered("baseline", 1, idle, power()), replace(SLEW, floor=Fraction(40)), "energy_net_of_idle")

    assert found.value == 650 - 3 * 50
    assert found.joules == 650
    assert ends(found) == pytest.approx((587.5 - 3 * 87.5, 712.5 - 3 * (40 + 2 * 10 * 10 / 300)))


def test_net_of_idle_may_be_bounds_only() -> None:
    idle = power((50, 50), (-60, -59), phase="idle")
    gapped = power((300, 300, 300, 300), (0, "0.5", 1, 3))
    metering = replace(SLEW, floor=Fraction(40))
    found = of(a_metered("baseline", 1, idle, gapped), replace(metering, floor=Fraction(40)), "energy_net_of_idle")

    assert why(found) == "power_gaps"
    assert ends(found)[0] > 0


def test_idle_power_that_may_have_been_all_of_it_leaves_nothing() -> None:
    idle = power((50, 50), (-60, -30), phase="idle")

    assert why(of(a_metered("baseline", 1, idle, power()), RANGE, "energy_net_of_idle")) == "not_positive"


def test_net_of_idle_per_unit_and_without_bounds() -> None:
    idle = power((50, 50), (-60, -30), phase="idle")
    run = a_metered("baseline", 1, idle, power())

    assert of(run, SAMPLES, "energy_net_of_idle_per_output_token").value == 0.5
    assert of(run, SAMPLES, "output_tokens_per_joule_net_of_idle").value == 2


def test_a_counter_counts_idle_energy_too() -> None:
    rows = (counts((0, 30000), (-60, -30), phase="idle"), counts((40000, 50000)))

    assert of(a_counted("baseline", 1, *rows), COUNTER, "energy_net_of_idle").value == pytest.approx(9)


def in_two_runs(host: str, other: str) -> LabelledRun:
    """A run of `host` whose file holds an idle run of `other`."""
    one = a_metered(identity={"host": host} if host else {})
    idle = a_metered("baseline", 2, power((50, 50), (0, 3), phase="idle"), identity={"host": other} if other else {})
    rest = replace(idle.reading.runs[0], key="idle")
    rows = [replace(row, run="idle") for row in idle.reading.measurements]
    settings = tuple(replace(setting, run="idle") for setting in idle.reading.settings)
    whole = replace(
        one.reading,
        runs=(*one.reading.runs, rest),
        measurements=type(one.reading.measurements).of([*one.reading.measurements, *rows]),
        settings=(*one.reading.settings, *settings),
    )
    return replace(one, reading=whole)


def test_an_idle_run_of_the_same_host_serves() -> None:
    assert of(in_two_runs("h", "h"), metric="energy_net_of_idle").value == 500


@pytest.mark.parametrize(("host", "other"), [("h", "g"), ("", ""), ("", "g"), ("h", "")])
def test_an_idle_run_of_another_or_an_unknown_host_does_not(host: str, other: str) -> None:
    assert why(of(in_two_runs(host, other), metric="energy_net_of_idle")) == "idle_of_another_host"


def test_without_idle_rows_nothing_is_net_of_idle() -> None:
    assert why(of(a_metered(), metric="energy_net_of_idle")) == "idle_not_measured"


def test_idle_rows_with_gaps_and_idle_that_takes_it_all_are_refused() -> None:
    gaps = power((60, 60, 60, 60), (-60, -59, -58, -30), phase="idle")
    much = power((300, 300), (-60, -30), phase="idle")

    assert why(of(a_metered("baseline", 1, gaps, power()), RANGE, "energy_net_of_idle")) == "power_gaps"
    assert why(of(a_metered("baseline", 1, much, power()), metric="energy_net_of_idle")) == "not_positive"
