"""Where in an ordered list of builds an effect begins."""

from itertools import pairwise

import numpy as np
import pytest

from analysis.bisection import Tried, bisect, runs_each_of, standing_of
from analysis.errors import Refused
from analysis.procedures import t_quantile

BUILDS = ("v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8")
END = Tried("v8", "moved")


def test_the_middle_build_comes_first_and_the_effort_is_that_of_halving() -> None:
    found = bisect(BUILDS, [END], runs_each=5)

    assert (found.after, found.upto, found.next, found.again) == ("v0", "v8", "v4", False)
    assert (found.steps_most, found.steps_expected, found.runs_most, found.runs_expected) == (3, 3, 30, 30)
    assert found.left == BUILDS[1:]
    assert found.sentence == "The effect begins after v0 and not after v8: 8 builds. Run v4 against v0."


@pytest.mark.parametrize("culprit", range(1, 9))
@pytest.mark.parametrize("count", [3, 4, 6, 9])
def test_the_search_ends_at_the_build_where_it_begins_within_the_steps_that_it_said(culprit: int, count: int) -> None:
    builds = BUILDS[:count]
    culprit = min(culprit, count - 1)
    tried = [Tried(builds[-1], "moved")]
    most = bisect(builds, tried, runs_each=5).steps_most
    while (build := bisect(builds, tried, runs_each=5).next) is not None:
        tried.append(Tried(build, "moved" if builds.index(build) >= culprit else "as_the_base"))

    found = bisect(builds, tried, runs_each=5)
    assert found.located
    assert (found.after, found.upto) == (builds[culprit - 1], builds[culprit])
    assert found.sentence.startswith(f"The effect begins at {builds[culprit]}:")
    assert len(tried) - 1 <= most


def test_the_expected_steps_are_the_mean_over_all_places_where_it_may_begin() -> None:
    for count in range(3, 10):
        builds = BUILDS[:count]
        steps = []
        for culprit in range(1, count):
            tried = [Tried(builds[-1], "moved")]
            while (build := bisect(builds, tried, runs_each=5).next) is not None:
                tried.append(Tried(build, "moved" if builds.index(build) >= culprit else "as_the_base"))
            steps.append(len(tried) - 1)
        assert bisect(builds, [Tried(builds[-1], "moved")], runs_each=5).steps_expected == pytest.approx(np.mean(steps))


def test_an_undecided_build_is_run_again_and_narrows_nothing() -> None:
    before = bisect(BUILDS, [END], runs_each=5)
    found = bisect(BUILDS, [END, Tried("v4", "undecided")], runs_each=5)

    assert (found.next, found.again, found.left) == ("v4", True, before.left)
    assert found.sentence.endswith("Run v4 against v0 again, with more runs.")
    assert found.wrong_at_most > before.wrong_at_most
    later = bisect(BUILDS, [END, Tried("v4", "undecided"), Tried("v4", "moved")], runs_each=5)
    assert (later.upto, later.next) == ("v4", "v2")
    assert bisect(BUILDS, [END, Tried("v4", "moved"), Tried("v4", "undecided")], runs_each=5).upto == "v4"


def test_the_chance_of_a_wrong_step_counts_every_attempt_and_stays_a_chance() -> None:
    assert bisect(BUILDS, [END], runs_each=5).wrong_at_most == pytest.approx(0.05 * 4)
    assert bisect(BUILDS, [END] * 30, runs_each=5).wrong_at_most == 1.0


@pytest.mark.parametrize(
    ("builds", "tried", "runs", "code"),
    [
        (("v0", "v1"), [Tried("v1", "moved")], 5, "too_few_builds"),
        (("v0", "v1", "v1"), [Tried("v1", "moved")], 5, "named_twice"),
        (BUILDS, [END], 1, "too_few_runs"),
        (BUILDS, [END, Tried("v9", "moved")], 5, "unknown_build"),
        (BUILDS, [END, Tried("v0", "moved")], 5, "unknown_build"),
        (BUILDS, [], 5, "nothing_to_locate"),
        (BUILDS, [Tried("v8", "undecided")], 5, "nothing_to_locate"),
        (BUILDS, [END, Tried("v2", "moved"), Tried("v5", "as_the_base")], 5, "not_monotone"),
        (BUILDS, [END, Tried("v2", "moved"), Tried("v2", "as_the_base")], 5, "contradicting_steps"),
    ],
)
def test_what_leads_nowhere_is_refused_with_a_way_out(
    builds: tuple[str, ...], tried: list[Tried], runs: int, code: str
) -> None:
    with pytest.raises(Refused) as refused:
        bisect(builds, tried, runs_each=runs)

    assert refused.value.code == code
    assert refused.value.needs


def test_a_verdict_counts_only_when_it_is_equivalence_or_beyond_the_margin_on_the_side_of_the_effect() -> None:
    assert standing_of("within_margin", "worse_than_margin") == "as_the_base"
    assert standing_of("worse_than_margin", "worse_than_margin") == "moved"
    assert standing_of("better_than_margin", "worse_than_margin") == "undecided"
    assert standing_of("better_than_margin", "better_than_margin") == "moved"
    for other in ("not_worse_than_margin", "not_better_than_margin", "undecided", None):
        assert standing_of(other, "worse_than_margin") == "undecided"
    assert standing_of("undecided", "undecided") == "undecided"


def test_the_runs_of_a_step_decide_it_in_four_of_five_experiments() -> None:
    sd, margin, effect = 0.02, 0.02, 0.06
    runs = runs_each_of(sd=sd, margin=margin, effect=effect)
    rng = np.random.default_rng(20261)
    half = t_quantile(2 * (runs - 1), 0.95)
    decided = []
    for true in (0.0, effect):
        arms = rng.normal(0, sd, (2, 4000, runs))
        se = np.sqrt((arms[0].var(axis=1, ddof=1) + arms[1].var(axis=1, ddof=1)) / runs)
        lo, hi = (true + arms[0].mean(axis=1) - arms[1].mean(axis=1) + side * half * se for side in (-1, 1))
        decided.append(np.mean(lo > margin if true else (lo > -margin) & (hi < margin)))

    assert min(decided) > 0.78
    assert all(runs_each_of(sd=a, margin=margin, effect=effect) < runs_each_of(sd=b, margin=margin, effect=effect)
               for a, b in pairwise((0.01, 0.02, 0.04)))  # fmt: skip


def test_an_effect_within_the_margin_is_not_searched() -> None:
    with pytest.raises(Refused, match="not larger than the margin"):
        runs_each_of(sd=0.01, margin=0.02, effect=0.02)
