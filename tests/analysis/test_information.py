from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import Refused
from analysis.information import PossibleMeasurement, PredictedRatio, expected_information_gain, rank_measurements

APART: list[PredictedRatio] = [(0.90, 0.95), (0.99, 1.01), (1.05, 1.10)]
PRIORS = (0.5, 0.3, 0.2)


def bits(predictions: Any, *, se: float = 0.01, priors: Any = None) -> float:
    return expected_information_gain(predictions, se=se, priors=priors)


@pytest.mark.parametrize(
    ("predictions", "priors", "expected"),
    [
        (APART, None, 1.5706472026494906),
        ([(0.90, 0.95), (0.92, 0.96), (0.99, 1.01)], None, 0.9974697546898863),
        ([(0.93, 0.97), (0.995, 1.005), (0.995, 1.005)], PRIORS, 0.91734613874156),
        ([(1.04, 1.08), (1.04, 1.08), (0.99, 1.01)], PRIORS, 0.6866013235748928),
        ([(0.5, 0.5), (2.0, 2.0)], None, 1.0),
    ],
)
def test_the_bits_of_a_measurement(predictions: list[PredictedRatio], priors: Any, expected: float) -> None:
    assert bits(predictions, priors=priors) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("same", [(0.93, 0.97), (0.95, 0.95), None])
def test_a_measurement_of_which_all_predict_the_same_tells_nothing(same: PredictedRatio) -> None:
    assert bits([same] * 3, priors=PRIORS) == pytest.approx(0, abs=1e-12)


def test_an_open_end_reaches_to_half_or_double() -> None:
    assert bits([(None, 1.0), (1.0, None)]) == bits([(0.5, 1.0), (1.0, 2.0)])
    assert bits([(0.0, 1.0), (1.0, None)]) == bits([(0.5, 1.0), (1.0, 2.0)])
    assert bits([(None, 0.3), (3.0, None)]) == bits([(0.15, 0.3), (3.0, 6.0)])
    assert bits([(None, None), (0.9, 0.95)]) == bits([None, (0.9, 0.95)])


def test_a_sharp_measurement_is_summed_finely_enough() -> None:
    assert bits([(0.5, 0.5), (2.0, 2.0)], se=1e-6) == pytest.approx(1, abs=1e-6)
    assert bits(APART, se=1e-6) == pytest.approx(1.584962500721156, abs=1e-4)


@given(st.lists(st.tuples(st.floats(0.8, 1.0), st.floats(1.0, 1.2)), min_size=2, max_size=4), st.floats(0.002, 0.05))
def test_the_bits_are_none_at_least_and_at_most_those_of_the_priors(
    predictions: list[PredictedRatio], se: float
) -> None:
    found = bits(predictions, se=se)

    assert 0 <= found <= 2 + 1e-6
    assert bits(list(reversed(predictions)), se=se) == pytest.approx(found, abs=1e-9)
    assert bits([(1 / p[1], 1 / p[0]) for p in predictions if p and p[0] and p[1]], se=se) == pytest.approx(
        found, abs=1e-6
    )


def test_a_very_narrow_prediction_is_a_point() -> None:
    point = bits([(1.0, 1.0), (1.0, 1.02)])

    assert bits([(1.0, 1.0000000000000002), (1.0, 1.02)]) == pytest.approx(point, rel=1e-9)
    assert bits([(1.0, 1.0000001001), (1.0, 1.02)]) == pytest.approx(point, rel=1e-4)


def test_a_noisier_measurement_tells_less() -> None:
    told = [bits(APART, se=se) for se in (0.005, 0.01, 0.02, 0.05)]

    assert told == sorted(told, reverse=True)


def measurement(name: str, minutes: float, *predictions: PredictedRatio) -> PossibleMeasurement:
    return PossibleMeasurement(name, 0.01, minutes, predictions)


def test_measurements_are_ranked_by_bits_per_minute() -> None:
    clocks = measurement("clocks replay", 60, (0.93, 0.97), (0.995, 1.005), (0.995, 1.005))
    kernel = measurement("kernel replay", 10, (1.04, 1.08), (1.04, 1.08), (0.99, 1.01))
    again = measurement("whole run", 5, (0.93, 0.97), (0.93, 0.97), (0.93, 0.97))

    found = rank_measurements([again, clocks, kernel], priors=PRIORS)

    assert [row.name for row in found] == ["kernel replay", "clocks replay", "whole run"]
    assert found[0].bits == pytest.approx(0.6866013235748928, rel=1e-12)
    assert found[0].bits_per_minute == found[0].bits / 10


def test_equal_measurements_are_ordered_by_name_and_silent_hypotheses_are_named() -> None:
    both = [measurement(name, 5, (0.9, 0.95), None, (0.99, 1.01)) for name in ("b", "a")]

    found = rank_measurements(both, priors=None)

    assert [row.name for row in found] == ["a", "b"]
    assert found[0].unpredicted == (1,)


@pytest.mark.parametrize(
    ("predictions", "se", "priors", "code"),
    [
        ([(0.9, 1.0)], 0.01, None, "one_hypothesis"),
        (APART, 0.0, None, "not_positive"),
        (APART, float("nan"), None, "not_positive"),
        (APART, 0.01, (0.5, 0.5), "bad_priors"),
        (APART, 0.01, (0.5, 0.6, -0.1), "bad_priors"),
        (APART, 0.01, (0.5, 0.3, 0.3), "bad_priors"),
        ([(1.0, 0.9), (1.0, 1.1)], 0.01, None, "reversed"),
        ([(None, 0.0), (1.0, 1.1)], 0.01, None, "reversed"),
    ],
)
def test_what_cannot_be_weighed_is_refused(predictions: Any, se: float, priors: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        bits(predictions, se=se, priors=priors)
    assert refused.value.code == code
    assert refused.value.needs


def test_a_measurement_that_costs_nothing_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        rank_measurements([measurement("free", 0, *APART)], priors=None)
    assert refused.value.code == "not_positive"
