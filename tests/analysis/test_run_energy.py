"""One number per run from its power, end to end from a file in our own format."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.metering import Metering
from analysis.run_energy import of_request
from analysis.runs import read_points
from tests.analysis.metered import (
    COUNTER,
    FIVE,
    METRIC,
    NEIGHBOURS,
    RANGE,
    SAMPLES,
    SLEW,
    a_counted,
    a_metered,
    asked,
    counts,
    power,
)
from tests.analysis.props import codes
from tests.analysis.run_energies import ends, of, why


def test_samples_of_a_file_give_joules_per_unit_of_work_with_bounds() -> None:
    found = of(a_metered(), replace(SLEW, relative=FIVE))

    assert (found.value, found.unit, found.joules, found.window_s, found.samples) == (0.65, "J", 650.0, 3.0, 4)
    assert ends(found) == (0.550125, 0.739875)


def test_a_counter_of_a_file_that_wraps_gives_its_joules() -> None:
    found = of(a_counted(), COUNTER, "energy")

    assert found.value == pytest.approx(0.496, rel=1e-15)
    assert ends(found) == (0.495, 0.497)


@pytest.mark.parametrize(
    ("metric", "value", "unit"),
    [
        ("energy", 650, "J"),
        ("energy_per_output_token", 0.65, "J"),
        ("output_tokens_per_joule", 1000 / 650, "1/J"),
        ("energy_per_request", 6.5, "J"),
        ("energy_per_sample", 65, "J"),
    ],
)
def test_the_name_says_per_what(metric: str, value: float, unit: str) -> None:
    work = {"output_tokens": 1000, "requests_completed": 100, "sample": 10}
    found = of(a_metered(work=work), RANGE, metric)

    assert found.value == pytest.approx(value)
    assert found.unit == unit
    low, high = ends(found)
    assert low < value < high


@pytest.mark.parametrize(
    ("work", "code"), [({}, "work_not_stated"), ({"output_tokens": 0}, "zero_work")], ids=["none", "zero"]
)
def test_work_that_is_not_stated_or_none_is_refused(work: dict[str, int], code: str) -> None:
    assert why(of(a_metered(work=work))) == code


def test_the_window_is_from_start_to_end_where_none_is_stated() -> None:
    at = [f"2026-01-01T00:00:0{i}Z" for i in range(4)]
    times: dict[str, Any] = {"started_at": at[1], "ended_at": at[3], "window_start": ..., "window_end": ...}

    assert of(a_metered("baseline", 1, power(at=at), **times), metric="energy").joules == 500


@pytest.mark.parametrize("known", [{}, {"started_at": "2026-01-01T00:00:00Z"}])
def test_without_a_window_there_is_no_energy(known: dict[str, Any]) -> None:
    assert why(of(a_metered(window_start=..., window_end=..., **known))) == "no_window"


def test_a_run_that_ends_before_it_starts_has_no_window() -> None:
    times: dict[str, Any] = {"started_at": "2026-01-01T00:00:01Z", "ended_at": "2026-01-01T00:00:00Z"}

    assert why(of(a_metered(window_start=..., window_end=..., **times))) == "reversed"


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([counts()], "not_measured"),
        ([power(phase="idle")], "not_measured"),
        ([power(phase="ranging")], "not_measured"),
        ([{"metric": "power", "unit": "W", "values": [1, 2]}], "untimed_samples"),
        ([power(at=(0, 1, 1, 3))], "duplicate_timestamp"),
        ([power(at=(0, 2, 1, 3))], "not_increasing"),
        ([power(at=(1, 2, 3, 4))], "window_not_covered"),
        ([power((1,), (1,))], "too_few_samples"),
        ([power(at=(0, "0.1", "0.2", 3))], "power_gaps"),
        ([power((100, 200, 200, None, 200), (0, "0.1", "0.2", "0.3", 3))], "power_gaps"),
    ],
)
def test_rows_that_give_no_energy_say_why(rows: list[dict[str, object]], code: str) -> None:
    assert why(of(a_metered("baseline", 1, *rows))) == code


def test_samples_of_the_warmup_reach_over_the_start_of_the_window() -> None:
    found = of(a_metered("baseline", 1, power((500,), (-1,), phase="warmup"), power()), metric="energy")

    assert found.joules == 650


def test_kilowatts_and_decimals_are_exact() -> None:
    found = of(a_metered("baseline", 1, power(("0.1", "0.1"), (0, 3), unit="kW") | {"values": [0.1, 0.1]}), RANGE)

    assert found.value == 0.3


def test_devices_are_added_and_the_whole_is_not_added_to_its_parts() -> None:
    parts = [power(stage="gpu0"), power((50, 50, 50, 50), stage="gpu1")]

    assert of(a_metered("baseline", 1, *parts), RANGE, "energy").joules == 800
    assert ends(of(a_metered("baseline", 1, *parts), RANGE, "energy")) == (300, 2400)
    assert of(a_metered("baseline", 1, *parts), SAMPLES, "energy").bounds is None
    assert of(a_metered("baseline", 1, power((10, 10, 10, 10)), *parts), metric="energy").joules == 30


def test_a_device_with_gaps_leaves_the_sum_without_a_point() -> None:
    parts = [power(stage="gpu0"), power((50, 50, 50, 50), (0, "0.1", "0.2", 3), stage="gpu1")]
    found = of(a_metered("baseline", 1, *parts), RANGE, "energy")

    assert why(found) == "power_gaps"
    assert ends(found) == (300, 2400)


@pytest.mark.parametrize(
    ("said", "joules"), [({"counter_unit": "mJ"}, 0.5), ({"counter_unit": "2 uJ", "counter_modulus": 1000}, 0.001)]
)
def test_a_run_says_what_a_count_is_worth(said: dict[str, object], joules: float) -> None:
    run = a_counted("baseline", 1, counts((100, 600)), identity=said)

    assert of(run, replace(COUNTER, cap=Fraction("0.0019")), "energy").joules == pytest.approx(joules)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"counter_unit": "s"},
        {"counter_unit": "0 mJ"},
        {"counter_unit": "some mJ"},
        {"counter_unit": "mJ", "counter_modulus": "2.5"},
        {"counter_unit": "mJ", "counter_modulus": 0},
        {"counter_unit": "mJ", "counter_modulus": "many"},
    ],
)
def test_a_count_that_is_worth_nothing_known_is_refused(said: dict[str, object]) -> None:
    assert why(of(a_counted(identity=said), COUNTER)) == "bad_counter"


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        ({"stat": "p99"}, "not_measured"),
        ({"stat": "total"}, "not_measured"),
        ({"warmup_steps": 5}, "window_mismatch"),
        ({"warmup_seconds": Fraction(5)}, "window_mismatch"),
    ],
)
def test_a_plan_that_asks_for_another_window_or_statistic_is_refused(plan: dict[str, Any], code: str) -> None:
    run = a_metered()

    assert why(of_request(asked([run], SAMPLES, **plan))[run.label]) == code


def test_two_meters_are_not_one() -> None:
    runs = [a_metered("baseline", i, identity={"meter": f"m{i}"}) for i in range(2)]
    metering = replace(RANGE, one_meter=True)

    assert {why(found) for found in of_request(asked(runs, metering)).values()} == {"not_one_meter"}
    assert of_request(asked(runs, RANGE))["b0"].problem is None
    assert of(runs[0], metering).problem is None


@pytest.mark.parametrize(
    ("metering", "rows", "expected"),
    [
        (replace(SAMPLES, load_period=Fraction(2)), (), {"aliasing"}),
        (replace(SAMPLES, load_period=Fraction("2.5")), (), set()),
        (SAMPLES, ({"metric": "step_time", "unit": "s", "values": [1, 1.05]},), {"aliasing"}),
        (SAMPLES, (), set()),
    ],
)
def test_a_load_in_step_with_the_samples_is_noticed(
    metering: Metering, rows: tuple[dict[str, object], ...], expected: set[str]
) -> None:
    assert codes(of(a_metered("baseline", 1, power(), *rows), metering).notices) == expected


def test_a_metric_that_is_no_energy_or_a_declaration_that_does_not_fit_gives_nothing() -> None:
    run = a_metered()

    assert of_request(asked([run], SAMPLES, metric="wall_time")) == {}
    assert of_request(asked([run], replace(NEIGHBOURS, cap=None))) == {}


def test_power_without_a_declaration_says_what_is_missing() -> None:
    reported = {"metric": METRIC, "unit": "J", "value": 0.5}
    runs = [a_metered(), a_metered("candidate", 1, power(), reported), a_metered("candidate", 2, reported)]
    found = of_request(asked(runs, None))

    assert {label: why(energy) for label, energy in found.items()} == {"b1": "metering_not_declared"}
    assert [p.value for p in read_points(asked(runs, None), found)] == [None, 0.5, 0.5]
