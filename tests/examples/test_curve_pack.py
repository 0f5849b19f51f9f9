"""The curve pack: bounds for one more run, and the same bytes from the same runs."""

import json

import pytest

from examples.batch_policy import curve_pack
from examples.batch_policy.curve_pack import Bounds, at_least, at_most, bounds, together


def test_a_limit_inside_the_prediction_but_outside_the_confidence_bound_is_undetermined() -> None:
    found = bounds([48.5, 49.5, 48.9])

    assert found.typical_high == pytest.approx(49.820004632189686)
    assert found.next_high == pytest.approx(50.6899965433408)
    assert found.typical_low == pytest.approx(48.12455952570282)
    assert at_most(found, 50) == "undetermined"


def test_a_limit_far_above_every_run_is_met() -> None:
    found = bounds([27.0, 27.9, 26.5])

    assert found.next_high == pytest.approx(29.618678306425494)
    assert at_most(found, 50) == "met"


def test_a_limit_below_the_typical_run_is_broken() -> None:
    assert at_most(bounds([48.5, 49.5, 48.9]), 48) == "broken"


def test_the_same_runs_are_judged_alike_from_the_other_side() -> None:
    rates = bounds([1 / 48.5, 1 / 49.5, 1 / 48.9])

    assert at_least(rates, 1 / 50) == "undetermined"
    assert at_least(rates, 1 / 51) == "met"
    assert at_least(rates, 1 / 48) == "broken"


def test_a_bound_that_touches_its_limit_holds() -> None:
    touching = Bounds(typical=2.0, typical_low=2.0, typical_high=2.0, next_low=2.0, next_high=2.0)

    assert (at_most(touching, 2.0), at_least(touching, 2.0)) == ("met", "met")


def test_fewer_than_three_runs_have_no_bound() -> None:
    with pytest.raises(ValueError, match="2 runs of a batch size are too few"):
        bounds([1.0, 2.0])


@pytest.mark.parametrize(
    ("states", "region"),
    [
        (["met", "met"], "feasible"),
        (["met", "undetermined"], "undetermined"),
        (["undetermined", "broken"], "infeasible"),
        ([], "undetermined"),
    ],
)
def test_a_region_needs_all_its_limits(states: list[str], region: str) -> None:
    assert together(states) == region


def test_the_p99_is_an_observed_value_at_the_conservative_rank() -> None:
    assert curve_pack.p99(list(range(1, 1051))) == 1041
    assert curve_pack.p99(list(range(1, 101))) == 100


def test_the_kept_pack_is_what_the_recorded_runs_give() -> None:
    kept = (curve_pack.EVIDENCE / curve_pack.PACK).read_text(encoding="utf-8")

    assert curve_pack.pack(curve_pack.EVIDENCE) == kept


def test_the_pack_covers_throughput_and_latency_and_says_that_power_was_not_measured() -> None:
    pack = json.loads((curve_pack.EVIDENCE / curve_pack.PACK).read_text(encoding="utf-8"))

    assert pack["does_not_cover"] == ["power"]
    assert {point["power"]["value"] for point in pack["points"]} == {None}
    assert all(len(point["runs"]) >= curve_pack.FEWEST_RUNS for point in pack["points"])


def test_the_pack_says_where_arrivals_outrun_the_server() -> None:
    pack = json.loads((curve_pack.EVIDENCE / curve_pack.PACK).read_text(encoding="utf-8"))

    assert all(point["steady"] == (float(point["load"]) < 0.98) for point in pack["points"])
    assert [point["max_batch"] for point in pack["points"] if not point["steady"]] == [2]
