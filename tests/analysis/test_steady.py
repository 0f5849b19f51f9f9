import numpy as np
import pytest

from analysis.errors import Refused
from analysis.steady import integrated_autocorrelation_time, precision_of_mean


def seeded_series() -> list[float]:
    e = np.random.default_rng(11).standard_normal(1000)
    y = np.empty(1000)
    y[0] = e[0]
    for i in range(1, 1000):
        y[i] = 0.5 * y[i - 1] + np.sqrt(0.75) * e[i]
    found: list[float] = (1 + 0.02 * y + 0.5 * np.exp(-np.arange(1000) / 20)).tolist()
    return found


def test_the_autocorrelation_time_of_a_seeded_series() -> None:
    assert integrated_autocorrelation_time(seeded_series()[80:]) == pytest.approx(3.078603715508494, rel=1e-9)


def test_independent_steps_have_a_time_of_about_one_and_never_less() -> None:
    steps = np.random.default_rng(3).standard_normal(4000).tolist()

    assert 1 <= integrated_autocorrelation_time(steps) < 1.2
    assert integrated_autocorrelation_time([1.0, 2.0] * 50) == 1.0


def test_a_series_that_never_turns_uses_all_of_itself() -> None:
    assert integrated_autocorrelation_time([1.0, 2.0]) >= 1.0


def test_equal_steps_have_no_autocorrelation() -> None:
    with pytest.raises(Refused) as refused:
        integrated_autocorrelation_time([2.0] * 10)
    assert refused.value.code == "zero_variance"


def test_the_precision_of_a_mean_shrinks_with_its_effective_steps() -> None:
    steps = (1 + 0.1 * np.random.default_rng(4).standard_normal(10000)).tolist()

    assert precision_of_mean(steps) == pytest.approx(1.96 * 0.1 / 100, rel=0.1)


@pytest.mark.parametrize("steps", [[1.0] * 100, [1.0, 2.0] * 20, [1.0, -1.0] * 50, list(range(1, 101))])
def test_too_little_variety_gives_no_precision(steps: list[float]) -> None:
    assert precision_of_mean(steps) is None
