"""The time of a run as work, cycles per work and clock, from the counters of a file."""

import math
from fractions import Fraction
from typing import Any

import pytest

from tests.analysis.counted import arms
from tests.analysis.recorded import assessed, row, the_split


def test_the_time_is_work_times_cycles_per_work_over_the_clock() -> None:
    measured = [[[row("wall_time", (1.1 if arm else 1.0) * (1 + 0.001 * i)),
                  row("cycles", (1.045e9 if arm else 1e9) * (1 + 0.001 * i), "1")] for i in range(5)]
                for arm in (0, 1)]  # fmt: skip
    split = the_split(assessed(*measured))
    factors = {part.name: part.estimate for part in split.parts}

    assert split.whole is not None
    assert split.basis is not None
    assert math.log(split.whole.estimate) == pytest.approx(0.0953101798043248, rel=1e-9)
    assert factors == pytest.approx({"work": 1, "cycles per work": 1.045, "1 / clock": 1 / 0.95}, rel=1e-9)
    assert math.prod(factors.values()) == pytest.approx(split.whole.estimate, rel=1e-12)
    assert (split.parts[0].lo, split.parts[0].reason) == (None, "does not vary between runs")
    assert (split.basis.method, split.basis.level, split.basis.together) == ("welch_log", 0.95, None)
    assert split.sentence.startswith("The factors multiply to the ratio of the time")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"stat": "mean", "warmup_steps": 0}, ""),
        ({"stat": "total", "warmup_steps": 1}, "not_the_whole_time"),
        ({"stat": "total", "warmup_seconds": Fraction("0.5")}, "not_the_whole_time"),
        ({"stat": "median"}, "not_the_whole_time"),
        ({"unit_of_work": "samples"}, "no_work"),
        ({"work": {"output_tokens": 10_000, "requests": 100}}, "ambiguous_work"),
    ],
)
def test_only_the_time_of_the_whole_run_is_split(changes: dict[str, Any], code: str) -> None:
    measured = arms({}, only=("cycles",))
    steps = 2 if code == "not_the_whole_time" else 1
    for rows in (*measured[0], *measured[1]):
        rows[:1] = [rows[0]] * steps
    refusal = the_split(assessed(*measured, **changes)).refusal

    assert (refusal.code if refusal else "") == code


@pytest.mark.parametrize(
    ("changes", "said", "needs"),
    [
        ({"warmup_seconds": Fraction("0.5")}, "after a warmup of 0.5 s is not", "without a warmup"),
        ({"warmup_steps": 1}, "after a warmup of 1 step is not", "without a warmup"),
        ({}, "The mean of wall_time is of one step among many", "Compare the total of wall_time"),
    ],
)
def test_a_time_that_is_not_the_whole_says_what_makes_it_so(changes: dict[str, Any], said: str, needs: str) -> None:
    measured = arms({}, only=("cycles",))
    for rows in (*measured[0], *measured[1]):
        rows[:1] = [rows[0]] * 2
    refusal = the_split(assessed(*measured, stat="mean", **changes)).refusal

    assert refusal is not None
    assert said in refusal.message
    assert needs in refusal.needs


def test_a_rate_is_no_time() -> None:
    measured = [[[row("throughput", 100.0 + i + arm, "1/s"), row("cycles", 1e9 + i, "1")] for i in range(4)]
                for arm in (0, 1)]  # fmt: skip
    result = assessed(*measured, metric="throughput", better="higher", margin=Fraction("0.98"))

    refusal = the_split(result).refusal
    assert refusal is not None
    assert refusal.code == "not_a_time"


def test_a_run_without_cycles_leaves_the_time_whole() -> None:
    measured = arms({}, only=("cycles",))
    del measured[1][3][1]
    refusal = the_split(assessed(*measured)).refusal

    assert refusal is not None
    assert refusal.message.startswith("Run c3: cycles total was not measured")
