from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import Refused
from analysis.localise import (
    Ends,
    Localisation,
    Stage,
    divergence_set,
    established_again,
    first_divergence,
    stage_of,
)
from analysis.procedures import welch

SIMULTANEOUS: list[Ends] = [(-0.01, 0.01), (-0.02, 0.02), (0.01, 0.05), (0.02, 0.06)]
ORDINARY: list[Ends] = [(-0.005, 0.005), (-0.015, 0.03), (0.015, 0.045), (0.03, 0.05)]


def stages(*estimates: float) -> list[Stage]:
    given_ = estimates or (0.001, 0.01, 0.03, 0.04)
    rows = zip("abcd", given_, SIMULTANEOUS, ORDINARY, strict=True)
    return [Stage(name, estimate, together, ordinary) for name, estimate, together, ordinary in rows]


def localised(found: list[Stage], *, runs: int = 5, cumulative: bool = False) -> Localisation:
    return first_divergence(found, margin=0.02, runs=runs, cumulative=cumulative)


def test_the_set_begins_after_the_stages_that_are_shown_equivalent() -> None:
    assert divergence_set(SIMULTANEOUS, ORDINARY, margin=0.02) == (2, 3)


def test_a_wider_margin_excludes_all_before_the_established_stage_and_never_that_one() -> None:
    assert divergence_set(SIMULTANEOUS, ORDINARY, margin=0.1) == (3, 3)


def test_a_difference_in_either_direction_is_a_divergence() -> None:
    assert divergence_set([(-0.05, -0.01)], [(-0.05, -0.02)], margin=0.02) == (1, 1)


def test_without_an_established_stage_there_is_no_set() -> None:
    assert divergence_set(SIMULTANEOUS[:2], ORDINARY[:2], margin=0.02) is None
    assert localised(stages()[:2]).stages == ()


def test_the_sentence_says_what_is_established_excluded_and_open() -> None:
    found = localised(stages())

    assert found.stages == ("b", "c")
    assert found.sentence == ("Divergence is established at c; stages before b are excluded; b is not yet excluded.")
    assert localised(stages()[1:]).sentence.endswith("at c; b is not yet excluded.")
    assert localised(stages()[2:]).sentence == "Divergence is established at c."
    wide = [Stage(s.name, s.estimate, s.simultaneous, (-1.0, 1.0)) for s in stages()]
    assert localised(wide).sentence.endswith("a, b are not yet excluded.")


def test_fewer_than_five_runs_localise_nothing() -> None:
    found = localised(stages(), runs=4)

    assert found.stages == ()
    assert found.sentence.startswith("Not localised")


def test_a_cumulative_difference_must_keep_its_sign_to_the_end() -> None:
    turning = stages(0.001, 0.01, 0.03, -0.04)

    assert localised(turning, cumulative=True).stages == ("b", "c", "d")
    assert localised(turning).stages == ("b", "c")
    assert localised(turning[:3], cumulative=True).stages == ("b", "c")


def test_a_second_session_must_establish_the_same_stage() -> None:
    here, there = localised(stages()), localised(stages()[1:])

    assert established_again(here, there)
    assert not established_again(here, localised(stages(0.001, 0.01, 0.03, -0.04), cumulative=True))
    assert not established_again(localised(stages(), runs=3), localised(stages(), runs=3))


@pytest.mark.parametrize("margin", [0.0, -0.02, float("nan")])
def test_a_margin_that_is_none_is_refused(margin: float) -> None:
    with pytest.raises(Refused) as refused:
        first_divergence(stages(), margin=margin, runs=5, cumulative=False)
    assert refused.value.code == "not_positive"


ends: Any = st.tuples(st.floats(-0.1, 0.1), st.floats(0, 0.1)).map(lambda e: (e[0], e[0] + e[1]))


@given(st.lists(st.tuples(ends, ends), max_size=6), st.floats(0.001, 0.1))
def test_swapping_the_arms_finds_the_same_stages(rows: list[tuple[Ends, Ends]], margin: float) -> None:
    def turned(end: Ends) -> Ends:
        return -end[1], -end[0]

    there = divergence_set([r[0] for r in rows], [r[1] for r in rows], margin=margin)
    back = divergence_set([turned(r[0]) for r in rows], [turned(r[1]) for r in rows], margin=margin)

    assert there == back
    assert there is None or 1 <= there[0] <= there[1] <= len(rows)


def test_the_set_holds_the_true_stage_where_the_first_significant_one_is_often_too_early() -> None:
    """8 stages, the fifth and all after it 10 % slower, 10 runs per arm, run sd 2 %: 300 experiments."""
    rng = np.random.default_rng(93)
    held, early, naive = 0, 0, 0
    for _ in range(300):
        runs = rng.normal(0, 0.02, (2, 8, 10)) + rng.normal(0, 0.01, (2, 1, 10))
        runs[1, 4:] += 0.1
        spreads = [welch(*runs[:, i].tolist()) for i in range(8)]
        found = [stage_of(str(i), s, stages=8, confidence=0.95) for i, s in enumerate(spreads)]
        alone = [stage_of(str(i), s, stages=1, confidence=0.95) for i, s in enumerate(spreads)]
        where = localised(found, runs=10, cumulative=True).stages
        held += "4" in where
        early += int(where[-1]) < 4
        naive += (divergence_set([s.simultaneous for s in alone], ORDINARY * 2, margin=0.02) or (0, 9))[1] < 5

    assert held >= 0.95 * 300
    assert early <= 0.02 * 300
    assert naive > 0.08 * 300
