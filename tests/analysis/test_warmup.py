import numpy as np
import pytest

from analysis.warmup import WarmupCheck, check_warmup
from tests.analysis.props import codes


def steps(seed: int, *, warm: float = 0.0, rise: float = 0.0, length: int = 400) -> list[float]:
    """Step times with 2 % noise: the first 40 slower by `warm`, the last fifth by `rise`."""
    at = np.arange(length)
    series = (
        1 + 0.02 * np.random.default_rng(seed).standard_normal(length) + warm * (at < 40) + rise * (at >= 0.8 * length)
    )
    found: list[float] = series.tolist()
    return found


def checked(*runs: list[float], declared: int = 0) -> WarmupCheck:
    return check_warmup({f"r{i}": run for i, run in enumerate(runs)}, declared=declared)


def test_a_declared_warmup_that_holds_says_nothing() -> None:
    found = checked(*(steps(seed, warm=0.5) for seed in range(5)), declared=100)

    assert (found.declared, found.other_cut, found.notices) == (100, None, ())
    assert {shape.kind for shape in found.shapes.values()} == {"warmup"}


def test_a_longer_warmup_in_more_than_a_fifth_of_the_runs_asks_for_both_cuts() -> None:
    found = checked(*(steps(seed, warm=0.5) for seed in range(5)), declared=10)

    assert found.other_cut == max(shape.cut.steps for shape in found.shapes.values()) >= 40
    assert codes(found.notices) == {"warmup_longer_than_declared"}
    assert f"{found.other_cut} steps" in found.notices[0].sentence


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


def test_a_run_of_too_few_independent_steps_is_not_assessed() -> None:
    slow = 1 + 0.2 * np.sin(np.arange(1000) / 80) + 0.02 * np.random.default_rng(3).standard_normal(1000)

    assert codes(checked(slow.tolist(), declared=500).notices) == {"steady_state_not_assessable"}
