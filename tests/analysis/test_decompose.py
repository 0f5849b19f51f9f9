import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.decompose import (
    Decomposition,
    RunTime,
    between_arms,
    between_blocks,
    decompose_stages,
    decompose_time,
)
from analysis.errors import Refused
from analysis.procedures import paired, welch

BASELINE = [RunTime(1.00, 10, 2e9), RunTime(1.01, 10, 2.01e9), RunTime(0.99, 10, 1.99e9)]
CANDIDATE = [RunTime(1.10, 10, 2.09e9), RunTime(1.12, 10, 2.10e9), RunTime(1.08, 10, 2.08e9)]


def changes(found: Decomposition) -> dict[str, float]:
    return {part.name: part.change for part in found.parts}


def test_a_slower_clock_and_more_cycles_make_up_the_time() -> None:
    found = decompose_time([RunTime(1, 1, 1)] * 2, [RunTime(1.10, 1, 1.045)] * 2, change=between_arms)

    assert found.whole.change == pytest.approx(0.0953101798043248, rel=1e-12)
    assert changes(found) == pytest.approx(
        {"work": 0, "cycles per work": math.log(1.045), "clock": -math.log(0.95)}, rel=1e-12
    )


def test_what_does_not_vary_is_exact_and_the_rest_has_its_own_spread() -> None:
    found = decompose_time(BASELINE, CANDIDATE, change=between_arms)

    assert found.parts[0].spread is None
    assert found.whole.spread == welch(
        [math.log(r.seconds) for r in BASELINE], [math.log(r.seconds) for r in CANDIDATE]
    )


def test_blocks_are_compared_pairwise() -> None:
    found = decompose_time(BASELINE, CANDIDATE, change=between_blocks)

    pairs = [(math.log(b.seconds), math.log(c.seconds)) for b, c in zip(BASELINE, CANDIDATE, strict=True)]
    assert found.whole.spread == paired(pairs)


positive = st.floats(1e-3, 1e6)
runs: Any = st.lists(st.builds(RunTime, positive, positive, positive), min_size=2, max_size=5)


@given(runs, runs)
def test_the_parts_sum_to_the_whole(baseline: list[RunTime], candidate: list[RunTime]) -> None:
    found = decompose_time(baseline, candidate, change=between_arms)

    assert math.fsum(changes(found).values()) == pytest.approx(found.whole.change, abs=1e-12)


times: Any = st.lists(st.tuples(*[st.integers(0, 10**6).map(lambda ms: ms / 1000)] * 3), min_size=2, max_size=5)


@given(times, times)
def test_the_stages_sum_to_the_whole(baseline: Any, candidate: Any) -> None:
    found = decompose_stages(("load", "compute", "send"), baseline, candidate, change=between_arms)

    assert found.scale == "difference"
    assert math.fsum(changes(found).values()) == pytest.approx(found.whole.change, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: decompose_time(BASELINE[:1], CANDIDATE, change=between_arms), "too_few_runs"),
        (lambda: decompose_time(BASELINE[:1], CANDIDATE[:1], change=between_blocks), "too_few_blocks"),
        (lambda: decompose_time(BASELINE[:2], CANDIDATE, change=between_blocks), "broken_blocks"),
        (lambda: decompose_time([RunTime(0, 1, 1)] * 2, CANDIDATE, change=between_arms), "not_positive"),
        (lambda: decompose_time([RunTime(1, 1, math.inf)] * 2, CANDIDATE, change=between_arms), "not_positive"),
        (lambda: decompose_stages(("a",), [[1.0], [2.0]], [[1.0], [1.0, 2.0]], change=between_arms), "missing_stages"),
    ],
)
def test_what_cannot_be_split_is_refused(call: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert refused.value.needs
