from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from analysis import steady
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


def test_the_effective_steps_are_those_of_the_autocorrelation_time() -> None:
    rest = seeded_series()[80:]

    assert steady.effective_sample_size(rest) == pytest.approx(920 / 3.078603715508494, rel=1e-9)


def test_the_warmup_of_a_seeded_series_is_cut() -> None:
    assert steady.mser5(seeded_series()) == steady.Cut(80, at_limit=False)
    assert steady.mser5([3.0] * 10 + [1.0] * 40) == steady.Cut(10, at_limit=False)
    assert steady.mser5([0.3] * 10 + [0.1] * 40) == steady.Cut(10, at_limit=False)
    assert steady.mser5([1.0] * 50) == steady.Cut(0, at_limit=False)


def test_a_trend_to_the_end_has_no_cut() -> None:
    assert steady.mser5([100.0 - i for i in range(100)]) == steady.Cut(50, at_limit=True)


def test_the_excursion_of_a_seeded_series() -> None:
    assert steady.cusum20(seeded_series()[80:]) == pytest.approx(0.5642064008671791, rel=1e-9)
    assert steady.CUSUM_LIMITS == {0.01: 1.7444, 0.05: 1.3598}


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: steady.mser5([1.0] * 49), "too_few_steps"),
        (lambda: steady.cusum20([1.0, 2.0] * 9), "too_few_steps"),
        (lambda: steady.cusum20([]), "too_few_steps"),
        (lambda: steady.cusum20([2.0] * 40), "zero_variance"),
        (lambda: steady.classify_run([1.0] * 49), "too_few_steps"),
    ],
)
def test_what_cannot_be_assessed_is_refused(call: Callable[[], object], code: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert refused.value.needs


def noisy(level: Any, seed: int = 7) -> list[float]:
    levels = np.asarray(level, dtype=np.float64)
    found: list[float] = (levels + 0.02 * np.random.default_rng(seed).standard_normal(levels.size)).tolist()
    return found


@pytest.mark.parametrize(
    ("level", "kind"),
    [
        (np.full(1000, 1.0), "flat"),
        (1 + 0.5 * np.exp(-np.arange(1000) / 20), "warmup"),
        (np.where(np.arange(1000) < 100, 0.9, 1.0), "slowdown"),
        (np.where(np.arange(1000) < 600, 1.0, 1.03), "slowdown"),
        (np.where(np.arange(1000) < 600, 1.03, 1.0), "no_steady_state"),
        (1 + np.arange(1000) / 1000, "no_steady_state"),
        (1 + 0.2 * np.sin(np.arange(1000) / 80), "not_assessable"),
        (np.where(np.arange(100) < 90, 1.0, 2.0), "no_steady_state"),
    ],
)
def test_a_run_is_classed_by_where_its_level_goes(level: Any, kind: str) -> None:
    assert steady.classify_run(noisy(level)).kind == kind


@pytest.mark.parametrize(
    ("series", "kind"),
    [
        ([1.0] * 100, "flat"),
        ([3.0] * 10 + [1.0] * 90, "warmup"),
        ([0.5] * 10 + [1.0] * 90, "slowdown"),
        ([1.0] * 120 + [2.0] * 80, "slowdown"),
        ([0.1] * 120 + [0.3] * 80, "slowdown"),
        ([1.0, 1.5] * 100, "flat"),
    ],
)
def test_steps_without_noise_are_classed_too(series: list[float], kind: str) -> None:
    assert steady.classify_run(series).kind == kind


def test_a_cut_that_noise_explains_is_no_warmup() -> None:
    shape = steady.classify_run(noisy(np.full(1000, 1.0), seed=22))

    assert (shape.kind, shape.cut.steps) == ("flat", 50)


def test_a_classed_run_shows_what_it_rests_on() -> None:
    shape = steady.classify_run(seeded_series())

    assert (shape.kind, shape.cut.steps) == ("warmup", 80)
    assert shape.cusum == pytest.approx(0.5642064008671791, rel=1e-9)
    assert shape.independent_steps == pytest.approx(920 / 3.08, rel=0.1)


def test_steady_runs_are_rarely_rejected_and_shifts_are_found() -> None:
    """1,000 independent steps; a shift of 1.5 sd at 60 %: 1,000 runs each."""
    rng = np.random.default_rng(20301)
    noise = rng.standard_normal((1000, 1000))
    shift = 1.5 * (np.arange(1000) >= 600)

    false = np.mean([steady.cusum20(row) > 1.7444 for row in noise])
    found = np.mean([steady.cusum20(row + shift) > 1.7444 for row in noise])

    assert 0.003 <= false <= 0.02
    assert found >= 0.99


def test_the_cut_of_a_warmup_leaves_little_bias_where_there_is_none_it_cuts_little() -> None:
    """Noise of 2 %, a warmup of 50 % that decays in 20 steps: 500 runs of 1,000 steps."""
    rng = np.random.default_rng(20302)
    noise = 1 + 0.02 * rng.standard_normal((500, 1000))
    warm = noise + 0.5 * np.exp(-np.arange(1000) / 20)

    left = np.mean([row[steady.mser5(row).steps :].mean() - 1 for row in warm])
    cuts = [steady.mser5(row).steps for row in noise]

    assert left < 0.0005
    assert warm.mean() - 1 > 0.01
    assert np.median(cuts) == 0
    assert np.quantile(cuts, 0.9) <= 20
