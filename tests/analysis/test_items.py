"""Quality evaluations: paired by item, clustered by subject; several seeds are runs."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.claims import interval_of
from analysis.errors import Refused
from analysis.inputs import ARMS
from analysis.items import ItemDifference, Scored, clustered_spread, item_effect, paired_items, require_same_items
from analysis.procedures import paired, t_quantile


def scored(baseline: Any, candidate: Any, subjects: Any = None, seed: str = "1") -> list[Scored]:
    """Items i0, i1, … scored by one run of each arm."""
    names = subjects or [""] * len(baseline)
    return [
        Scored(f"i{n}", names[n], arm, seed, score)
        for arm, scores in zip(ARMS, (baseline, candidate), strict=True)
        for n, score in enumerate(scores)
    ]


def differences(values: Any, subjects: Any) -> list[ItemDifference]:
    return [ItemDifference(f"i{n}", subject, v) for n, (v, subject) in enumerate(zip(values, subjects, strict=True))]


FIVE = scored((60.0, 70.0, 80.0, 50.0, 90.0), (62.0, 69.0, 85.0, 53.0, 90.0))


def test_items_without_subjects_are_the_paired_t() -> None:
    found = item_effect(FIVE, confidence=0.95, unit="points")
    same = interval_of(
        paired([(0.0, d) for d in (2.0, -1.0, 5.0, 3.0, 0.0)]), confidence=0.95, frame=found.frame, assumptions=()
    )

    assert (found.estimate, found.lo, found.hi) == pytest.approx((same.estimate, same.lo, same.hi), rel=1e-12)
    assert (found.method, found.units) == ("clustered_difference", 5)
    assert found.df == pytest.approx(4)


def test_an_effect_over_items_says_of_what_it_speaks() -> None:
    found = item_effect(FIVE, confidence=0.95, unit="points").frame

    assert (found.scale, found.unit, found.scope, found.counted) == ("difference", "points", "this benchmark", "items")


def test_items_of_one_subject_count_together() -> None:
    twice = [replace(score, item=f"{score.item}-{copy}", subject=score.item) for score in FIVE for copy in "ab"]

    once, copied = item_effect(FIVE, confidence=0.95, unit="points"), item_effect(twice, confidence=0.95, unit="points")

    assert (copied.estimate, copied.lo, copied.hi) == pytest.approx((once.estimate, once.lo, once.hi), rel=1e-12)
    assert (copied.units, copied.frame.counted) == (5, "subjects")


def test_several_seeds_average_inside_an_item() -> None:
    two = [*FIVE, *(replace(score, seed="2", score=score.score + 1) for score in FIVE)]

    assert [one.difference for one in paired_items(two)] == [2.0, -1.0, 5.0, 3.0, 0.0]


@given(st.lists(st.integers(-20, 20), min_size=3, max_size=12), st.randoms())
def test_the_order_of_items_changes_nothing(values: list[int], random: Any) -> None:
    if len(set(values)) > 1:
        scores = scored([0.0] * len(values), [float(v) for v in values])
        shuffled = list(scores)
        random.shuffle(shuffled)
        assert item_effect(shuffled, confidence=0.95, unit="points") == item_effect(
            scores, confidence=0.95, unit="points"
        )


@given(st.lists(st.integers(-20, 20), min_size=3, max_size=12))
def test_swapping_the_arms_changes_the_sign(values: list[int]) -> None:
    if len(set(values)) > 1:
        zeros, moved = [0.0] * len(values), [float(v) for v in values]
        there = item_effect(scored(zeros, moved), confidence=0.95, unit="points")
        back = item_effect(scored(moved, zeros), confidence=0.95, unit="points")
        assert (back.lo, back.hi) == pytest.approx((-there.hi, -there.lo), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("sizes", "df"), [((5, 5, 5), 2.0), ((1, 2, 3, 5, 20), 1.2277405076090113), ((1,) * 7, 6.0)])
def test_uneven_subjects_have_fewer_degrees_of_freedom(sizes: tuple[int, ...], df: float) -> None:
    subjects = [f"s{number}" for number, size in enumerate(sizes) for _ in range(size)]
    values = np.random.default_rng(1).standard_normal(len(subjects))

    assert clustered_spread(differences(values.tolist(), subjects)).df == pytest.approx(df, rel=1e-9)


def test_coverage_holds_for_uneven_subjects_whose_items_agree() -> None:
    """Subjects of 1, 2, 3, 5 and 20 items, and 20 of 1 to 20; half the variance between subjects: 1,000 repetitions."""
    rng = np.random.default_rng(11)
    for sizes in ((1, 2, 3, 5, 20), tuple(range(1, 21))):
        subjects = np.repeat(np.arange(len(sizes)), sizes)
        names = [f"s{number}" for number in subjects]
        scores = rng.standard_normal((500, len(sizes)))[:, subjects] + rng.standard_normal((500, len(subjects)))
        spreads = [clustered_spread(differences(row, names)) for row in scores.tolist()]
        covered = [abs(s.centre) <= t_quantile(s.df, 0.95) * s.se for s in spreads]
        assert np.mean(covered) >= 0.93


@pytest.mark.parametrize(
    ("scores", "code"),
    [
        ([], "no_items"),
        (FIVE[:5], "no_items"),
        (FIVE[:9], "items_differ"),
        ([*FIVE, FIVE[0]], "duplicate_item"),
        ([*FIVE[:9], replace(FIVE[9], subject="physics")], "subjects_differ"),
        ([*FIVE[:9], replace(FIVE[9], score=float("nan"))], "not_finite"),
        (scored([1.0], [2.0]), "too_few_items"),
        (scored([1.0, 2.0], [2.0, 4.0], ["maths", "maths"]), "too_few_subjects"),
        (scored([1.0, 2.0], [2.0, 3.0]), "zero_variance"),
        (scored([0.0] * 4, [1.0, -1.0, 1.0, -1.0], ["a", "a", "b", "b"]), "zero_variance"),
    ],
)
def test_scores_that_do_not_pair_are_refused(scores: list[Scored], code: str) -> None:
    with pytest.raises(Refused) as refused:
        item_effect(scores, confidence=0.95, unit="points")
    assert refused.value.code == code
    assert refused.value.needs


def test_missing_items_are_counted_and_named() -> None:
    said = r"1 of 5 items are not scored by every run \(1 in the candidate\): i4"
    with pytest.raises(Refused, match=said):
        item_effect([*FIVE[:9]], confidence=0.95, unit="points")


def test_the_same_items_in_every_run_pass() -> None:
    require_same_items(FIVE)
