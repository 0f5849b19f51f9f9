from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.bounds import (
    Bounds,
    Clock,
    bound,
    bounds_to_json,
    direction,
    duration_bounds,
    in_words,
    outward_floats,
    percent_change,
    printed,
    quantity_to_json,
    ratio_bounds,
    reciprocal,
    throughput_bounds,
    throughput_change,
    touches_one,
    work_bound,
)
from analysis.errors import Refused


def ms(low: Any, high: Any) -> Bounds:
    return bound(low, high, unit="ms", assumption="as stated")


def count(low: Any, high: Any) -> Bounds:
    return work_bound(low, high, assumption="")


def same_work(baseline: Bounds, candidate: Bounds) -> Bounds:
    return ratio_bounds(baseline, candidate, baseline_work=None, candidate_work=None, shared_scale=False)


SEED = same_work(ms(99, 101), ms(109, 111))
UNDECIDED = same_work(ms(48, 52), ms(49, 53))
TOUCHING = same_work(ms(100, 100), ms(100, 110))


def test_the_case_of_same_work_is_below_one() -> None:
    assert (SEED.lo, SEED.hi) == (Fraction(33, 37), Fraction(101, 109))
    assert direction(SEED) == "below_one"
    assert printed(SEED, digits=8) == ("0.89189189", "0.92660551")
    assert printed(SEED, digits=4) == ("0.8918", "0.9267")
    assert outward_floats(SEED) == (0.8918918918918919, 0.9266055045871561)
    assert [float(end) for end in percent_change(SEED)] == pytest.approx(
        [-10.81081081081081, -7.339449541284404], rel=1e-15
    )


def test_the_case_that_covers_one_establishes_nothing() -> None:
    assert (UNDECIDED.lo, UNDECIDED.hi) == (Fraction(48, 53), Fraction(52, 49))
    assert printed(UNDECIDED, digits=8) == ("0.90566037", "1.06122449")
    assert direction(UNDECIDED) == "not_established"
    assert not touches_one(UNDECIDED)


def test_different_work_enters_the_ratio() -> None:
    ratio = ratio_bounds(
        ms(99, 101),
        ms(109, 111),
        baseline_work=count(10000, 10000),
        candidate_work=count(10100, 10200),
        shared_scale=False,
    )

    assert (ratio.lo, ratio.hi) == (Fraction(3333, 3700), Fraction(5151, 5450))
    assert printed(ratio, digits=8) == ("0.90081081", "0.94513762")
    assert direction(ratio) == "below_one"


def test_digits_are_raised_until_the_direction_shows() -> None:
    ratio = same_work(ms("0.0999", "0.1001"), ms("0.1002", "0.1003"))

    assert (ratio.lo, ratio.hi) == (Fraction(999, 1003), Fraction(1001, 1002))
    assert printed(ratio, digits=2) == ("0.9960", "0.9991")
    assert direction(ratio) == "below_one"


def test_an_end_of_exactly_one_establishes_nothing_and_is_said_to_touch_it() -> None:
    assert (TOUCHING.lo, TOUCHING.hi) == (Fraction(10, 11), Fraction(1))
    assert printed(TOUCHING, digits=8) == ("0.90909090", "1.00000000")
    assert direction(TOUCHING) == "not_established"
    assert touches_one(TOUCHING)
    assert "touches one" in in_words(TOUCHING, digits=8)


def test_nominal_durations_give_a_point() -> None:
    baseline, candidate = (throughput_bounds(count(10000, 10000), ms(t, t)) for t in (100, 110))

    assert (baseline.lo, candidate.lo) == (Fraction(100000), Fraction(1000000, 11))
    assert throughput_change(Fraction(1, 10)) == Fraction(-1, 11)


@pytest.mark.parametrize(
    ("low", "high", "code"),
    [
        ("0", "1", "not_positive"),
        ("2", "1", "reversed"),
        ("nan", "1", "not_finite"),
        ("1", "inf", "not_finite"),
        ("-1", "1", "not_positive"),
        ("abc", "1", "not_a_number"),
        (True, "1", "not_a_number"),
    ],
)
def test_an_interval_that_is_none_is_refused(low: Any, high: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        ms(low, high)
    assert refused.value.code == code


def refused_code(call: Any) -> str:
    with pytest.raises(Refused) as refused:
        call()
    return refused.value.code


def test_units_and_works_that_do_not_fit_are_refused() -> None:
    energy, seconds, pieces = bound(1, 2, unit="J", assumption=""), ms(99, 101), count(5, 5)

    def ratio(**works: Any) -> Any:
        return lambda: ratio_bounds(
            seconds, seconds, **{"baseline_work": None, "candidate_work": None, "shared_scale": False, **works}
        )

    assert refused_code(lambda: bound(1, 2, unit="parsec", assumption="")) == "unit_mismatch"
    assert refused_code(lambda: same_work(seconds, energy)) == "unit_mismatch"
    assert refused_code(lambda: throughput_bounds(pieces, energy)) == "unit_mismatch"
    assert refused_code(lambda: reciprocal(seconds)) == "unit_mismatch"
    assert refused_code(ratio(baseline_work=pieces)) == "work_missing"
    assert refused_code(ratio(candidate_work=pieces)) == "work_missing"
    assert refused_code(ratio(baseline_work=pieces, candidate_work=energy)) == "unit_mismatch"
    assert refused_code(lambda: count(0, 5)) == "zero_work"
    assert refused_code(lambda: throughput_change(Fraction(-1))) == "not_positive"


def test_different_units_of_one_dimension_are_compared() -> None:
    ratio = same_work(bound("0.099", "0.101", unit="s", assumption=""), ms(109, 111))

    assert (ratio.lo, ratio.hi) == (SEED.lo, SEED.hi)


def test_a_shared_unknown_scale_cancels() -> None:
    works = {"baseline_work": count(90, 110), "candidate_work": count(180, 220)}
    durations = ms(100, 100), ms(200, 200)

    shared = ratio_bounds(*durations, **works, shared_scale=True)
    apart = ratio_bounds(*durations, **works, shared_scale=False)

    assert (shared.lo, shared.hi) == (Fraction(1), Fraction(1))
    assert (apart.lo, apart.hi) == (Fraction(9, 11), Fraction(11, 9))


def test_works_that_do_not_differ_by_one_factor_share_no_scale() -> None:
    code = refused_code(
        lambda: ratio_bounds(
            ms(1, 1), ms(1, 1), baseline_work=count(90, 110), candidate_work=count(180, 230), shared_scale=True
        )
    )

    assert code == "scale_not_shared"


def test_two_readings_bound_a_duration() -> None:
    still, drifting = (Clock(Fraction(1, 1000), Fraction(0), Fraction(ppm)) for ppm in (0, 50))

    exact = duration_bounds("10.000", "10.100", still)
    assert (exact.lo, exact.hi) == (Fraction(99, 1000), Fraction(101, 1000))
    assert outward_floats(duration_bounds("10.000", "10.100", drifting)) == pytest.approx(
        (0.09899505024748763, 0.10100505025251262), rel=1e-15
    )
    assert refused_code(lambda: duration_bounds("10.000", "10.001", still)) == "not_positive"


def test_an_offset_between_clocks_widens_both_ends() -> None:
    two_clocks = Clock(Fraction(0), Fraction(1, 100), Fraction(0))

    assert duration_bounds(10, 11, two_clocks).lo == Fraction(99, 100)
    assert duration_bounds(10, 11, two_clocks).hi == Fraction(101, 100)


@pytest.mark.parametrize("clock", [(-1, 0, 0), (0, 0, 10**6)])
def test_an_impossible_clock_is_refused(clock: tuple[int, int, int]) -> None:
    assert refused_code(lambda: Clock(*map(Fraction, clock))) == "not_a_clock"


def test_the_words_claim_no_confidence() -> None:
    assert in_words(SEED, digits=8) == (
        "Under the stated duration bounds the candidate's throughput is between 0.89189189 and 0.92660551 times the "
        "baseline's: lower. These bounds carry no confidence level."
    )
    assert "higher" in in_words(reciprocal(SEED), digits=8)
    assert in_words(UNDECIDED, digits=8).endswith(
        "These bounds alone do not establish which configuration is faster; get tighter comparable measurements or "
        "repeat runs."
    )


def test_the_json_carries_outward_strings_and_the_exact_ends() -> None:
    said = bounds_to_json(SEED, digits=8)

    assert (said["lower"], said["upper"], said["direction"]) == ("0.89189189", "0.92660551", "below_one")
    assert (said["kind"], said["exact"]) == ("deterministic_bounds", ["33/37", "101/109"])
    assert (said["percent_lower"], said["percent_upper"]) == ("-10.81081082", "-7.33944954")
    assert said["assumptions"] == ["as stated"]


def test_what_forty_digits_cannot_show_is_refused() -> None:
    near = Bounds(1 - Fraction(1, 10**50), 1 - Fraction(1, 10**51), "1", ())

    assert refused_code(lambda: printed(near, digits=2)) == "not_printable"


positive = st.fractions(min_value=Fraction(1, 1000), max_value=1000)
intervals = st.tuples(positive, positive).map(lambda ends: Bounds(min(ends), max(ends), "s", ()))


@given(intervals, intervals, st.integers(1, 10))
def test_printing_encloses_and_keeps_the_direction(baseline: Bounds, candidate: Bounds, digits: int) -> None:
    ratio = same_work(baseline, candidate)
    low, high = map(Fraction, printed(ratio, digits=digits))

    assert low <= ratio.lo
    assert high >= ratio.hi
    assert ("below_one" if high < 1 else "above_one" if low > 1 else "not_established") == direction(ratio)


@given(intervals, intervals)
def test_swapping_the_arms_is_the_reciprocal(baseline: Bounds, candidate: Bounds) -> None:
    there, back = same_work(baseline, candidate), same_work(candidate, baseline)

    assert reciprocal(reciprocal(there)) == there
    assert reciprocal(there) == back
    assert there.lo * back.lo <= 1 <= there.hi * back.hi


@given(
    st.fractions(min_value=Fraction(-99, 100), max_value=100), st.fractions(min_value=Fraction(-99, 100), max_value=100)
)
def test_more_time_is_less_throughput(one: Fraction, other: Fraction) -> None:
    if one < other:
        assert throughput_change(one) > throughput_change(other)


def test_bounds_of_an_energy_are_printed_outward_and_carry_no_level() -> None:
    said = quantity_to_json(Bounds(Fraction(1, 3), Fraction(2, 3), "J", ("counter",)), name="energy", digits=3)

    assert (said["kind"], said["lower"], said["upper"], said["unit"]) == ("deterministic_bounds", "0.333", "0.667", "J")
    assert said["exact"] == ["1/3", "2/3"]
    assert said["sentence"] == (
        "Under the stated assumptions the energy is between 0.333 and 0.667 J. These bounds carry no confidence level."
    )


def test_a_small_low_end_gets_the_digits_that_show_it() -> None:
    said = quantity_to_json(Bounds(Fraction(1, 40_000), Fraction(1), "1", ()), name="share", digits=2)

    assert (said["lower"], said["upper"]) == ("0.00002", "1.00000")
    assert str(said["sentence"]).startswith("Under the stated assumptions the share is between 0.00002 and 1.00000.")


def test_a_low_end_beyond_forty_digits_is_refused() -> None:
    with pytest.raises(Refused, match="40 digits") as refused:
        quantity_to_json(Bounds(Fraction(1, 10**41), Fraction(1), "1", ()), name="share", digits=2)
    assert refused.value.code == "not_printable"
