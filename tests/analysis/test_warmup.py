import numpy as np
import pytest

from analysis.warmup import RunSeries, WarmupCheck, check_warmup
from tests.analysis.props import codes


def steps(seed: int, *, warm: float = 0.0, rise: float = 0.0, length: int = 400) -> list[float]:
    """Step times with 2 % noise: the first 40 slower by `warm`, the last fifth by `rise`."""
    at = np.arange(length)
    series = (
        1 + 0.02 * np.random.default_rng(seed).standard_normal(length) + warm * (at < 40) + rise * (at >= 0.8 * length)
    )
    found: list[float] = series.tolist()
    return found


def checked(*runs: list[float], declared: int = 0, first: int = 0) -> WarmupCheck:
    """The check of runs whose steps are numbered from `first` on."""
    series = {
        f"r{i}": RunSeries(run, range(first, first + len(run)), declared if declared else first)
        for i, run in enumerate(runs)
    }
    return check_warmup(series, in_words=lambda end: f"{end} steps")


def test_a_declared_warmup_that_holds_says_nothing() -> None:
    found = checked(*(steps(seed, warm=0.5) for seed in range(5)), declared=100)

    assert (found.other_cut, found.notices) == (None, ())
    assert {shape.kind for shape in found.shapes.values()} == {"warmup"}


def test_a_longer_warmup_in_more_than_a_fifth_of_the_runs_asks_for_both_cuts() -> None:
    found = checked(*(steps(seed, warm=0.5) for seed in range(5)), declared=10)

    assert found.other_cut == max(shape.cut.steps for shape in found.shapes.values()) >= 40
    assert codes(found.notices) == {"warmup_longer_than_declared"}
    assert f"{found.other_cut} steps" in found.notices[0].sentence
    assert "longer than the declared 10 steps" in found.notices[0].sentence


def test_a_cut_is_counted_in_the_numbers_of_the_steps() -> None:
    runs = [steps(seed, warm=0.5) for seed in range(5)]
    by_place, by_number = checked(*runs, declared=10), checked(*runs, declared=1010, first=1000)

    assert by_number.other_cut == 1000 + (by_place.other_cut or 0)
    assert by_place.shapes == by_number.shapes


def test_steps_that_are_numbered_from_a_later_one_on_and_need_no_cut_are_not_beyond_it() -> None:
    quiet = [[1.0, 1.1] * 100 for _ in range(4)]

    assert checked(*quiet, declared=5, first=20).other_cut is None


def test_a_fifth_of_the_runs_is_not_more_than_a_fifth() -> None:
    quiet = [[1.0, 1.1] * 100 for _ in range(4)]

    assert checked(*quiet, steps(1, warm=0.5)).other_cut is None
    assert checked(*quiet[:3], steps(1, warm=0.5)).other_cut is not None


def test_a_run_that_never_becomes_steady_is_named_and_gives_no_cut() -> None:
    falling = [2.0 - i / 200 for i in range(200)]
    found = checked(falling, falling)

    assert (found.other_cut, codes(found.notices)) == (None, {"no_steady_state"})
    assert "r0, r1" in found.notices[0].sentence


def test_runs_that_go_differently_are_inconsistent() -> None:
    found = checked(steps(1), steps(2, rise=0.2))

    assert "inconsistent" in codes(found.notices)
    assert "flat, slowdown" in found.notices[-1].sentence


@pytest.mark.parametrize("length", [0, 49])
def test_a_short_run_is_named_and_not_assessed(length: int) -> None:
    found = checked(steps(1), steps(2, length=length), declared=100)

    assert found.too_short == ("r1",)
    assert codes(found.notices) == {"steady_state_not_assessable"}


def test_where_no_run_is_long_enough_nothing_is_said() -> None:
    found = checked([1.0, 2.0, 1.5, 1.2, 1.1], [1.0, 1.3])

    assert (found.shapes, found.notices, found.too_short) == ({}, (), ("r0", "r1"))


def test_a_run_of_too_few_independent_steps_is_not_assessed() -> None:
    slow = 1 + 0.2 * np.sin(np.arange(1000) / 80) + 0.02 * np.random.default_rng(3).standard_normal(1000)

    assert codes(checked(slow.tolist(), declared=500).notices) == {"steady_state_not_assessable"}
