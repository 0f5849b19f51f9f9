"""What to measure next does not depend on the order in which anything is named, and says what it stands on."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import Refused
from analysis.next_measurement import NO_EVIDENCE, Planned, Ranking, Rival, next_measurement, ranking_to_json

Ends = tuple[float | None, float | None]

RIVALS = [Rival("H1", 0.5), Rival("H2", 0.3), Rival("H3", 0.2)]


def planned(name: str, minutes: float | None, predictions: Mapping[str, Ends], *, se: float = 0.01) -> Planned:
    return Planned(name, se, minutes, predictions)


def said_of(found: Ranking) -> Any:
    """The ranking as JSON."""
    return ranking_to_json(found)


CLOCKS = planned("clocks replay", 60, {"H1": (0.93, 0.97), "H2": (0.995, 1.005), "H3": (0.995, 1.005)})
KERNEL = planned("kernel replay", 10, {"H1": (1.04, 1.08), "H2": (1.04, 1.08), "H3": (0.99, 1.01)})


def test_the_ranking_is_by_bits_a_minute_with_its_priors() -> None:
    found = next_measurement(RIVALS, [CLOCKS, KERNEL])

    assert [row.name for row in found.rows] == ["kernel replay", "clocks replay"]
    assert [row.bits for row in found.rows] == pytest.approx([0.6866013235748928, 0.91734613874156], rel=1e-12)
    assert (found.ranked_by, found.priors_stated) == ("bits_per_minute", True)
    assert found.most_bits == pytest.approx(1.4854752972273344, rel=1e-12)


def test_without_the_minutes_of_one_all_are_ranked_by_bits_alone() -> None:
    found = next_measurement(RIVALS, [KERNEL, planned("clocks replay", None, CLOCKS.predictions)])

    assert [row.name for row in found.rows] == ["clocks replay", "kernel replay"]
    assert [row.bits_per_minute for row in found.rows] == [None, pytest.approx(0.0687, abs=1e-4)]
    assert found.ranked_by == "bits"
    assert "by bits alone" in said_of(found)["assumptions"][-1]


def test_priors_are_equal_unless_stated() -> None:
    found = next_measurement([Rival(key, None) for key in ("H1", "H2", "H3")], [CLOCKS])

    assert found.priors == {"H1": 1 / 3, "H2": 1 / 3, "H3": 1 / 3}
    assert "The hypotheses are equally likely beforehand." in said_of(found)["assumptions"]


@pytest.mark.parametrize("silent", [{"H1": (0.9, 0.95)}, {"H1": (0.9, 0.95), "H2": (None, None)}])
def test_a_hypothesis_that_predicts_nothing_is_named(silent: dict[str, Ends]) -> None:
    found = next_measurement([Rival("H1", None), Rival("H2", None)], [planned("again", 5, silent)])

    assert found.rows[0].unpredicted == ("H2",)
    assert "A hypothesis without a prediction may give any ratio from 0.5 to 2." in said_of(found)["assumptions"]


def test_a_ranking_says_that_it_is_no_evidence() -> None:
    said = said_of(next_measurement(RIVALS, [CLOCKS, KERNEL]))

    assert (said["kind"], said["sentence"]) == ("ranking_of_measurements", NO_EVIDENCE)
    assert "no evidence" in NO_EVIDENCE


ends = st.tuples(st.floats(0.7, 1.0), st.floats(1.0, 1.4))


@given(st.data(), st.integers(2, 4), st.integers(1, 4))
def test_the_order_of_hypotheses_and_of_measurements_changes_nothing(data: Any, many: int, possible: int) -> None:
    rivals = [Rival(f"H{at}", None) for at in range(many)]
    candidates = [
        planned(
            f"M{at}",
            data.draw(st.none() | st.floats(1, 100)),
            {rival.key: data.draw(ends) for rival in rivals if data.draw(st.booleans())},
        )
        for at in range(possible)
    ]
    turned = [planned(c.name, c.minutes, dict(reversed(list(c.predictions.items())))) for c in candidates]

    again = next_measurement(data.draw(st.permutations(rivals)), data.draw(st.permutations(turned)))

    assert said_of(again) == said_of(next_measurement(rivals, candidates))


@pytest.mark.parametrize(
    ("third", "first"),
    [
        (((1.0, 1.3), (1.0, 1.3), (1.0, 1.3)), ((0.5, 0.7), (0.5, 0.7), (0.5, 0.7))),
        (((1 / 1.01, 1.0), (1 / 1.01, 1.0), (1 / 1.3, 1 / 1.2)), ((1.0, 1.01), (1.0, 1.01), (1.2, 1.3))),
    ],
)
def test_measurements_that_tell_as_much_but_for_rounding_stand_by_name(
    third: tuple[Ends, ...], first: tuple[Ends, ...]
) -> None:
    rivals = [Rival(key, None) for key in ("H1", "H2", "H3")]
    said = {"c": third, "a": first, "b": third}
    candidates = [planned(name, 5, dict(zip(("H1", "H2", "H3"), ends, strict=True))) for name, ends in said.items()]

    found = next_measurement(rivals, candidates).rows

    assert [row.name for row in found] == ["a", "b", "c"]
    assert len({row.bits for row in found}) == 2


@pytest.mark.parametrize("prior", [0.0, 1e-320])
def test_a_hypothesis_held_impossible_tells_nothing_and_breaks_nothing(prior: float) -> None:
    found = next_measurement(
        [Rival("H1", 1.0), Rival("H2", prior)], [planned("far", 5, {"H1": (0.5, 0.5), "H2": (2.0, 2.0)})]
    )

    assert found.rows[0].bits == 0
    assert found.most_bits == pytest.approx(0)


@pytest.mark.parametrize(
    ("rivals", "candidates", "code", "said"),
    [
        ([Rival("H1", None)], [KERNEL], "unknown_hypothesis", "kernel replay has a prediction of H2"),
        ([Rival("H1", None)], [planned("x", 5, {"H1": (0.9, 1.0)})], "one_hypothesis", "nothing to tell apart"),
        ([], [planned("x", 5, {"H1": (0.9, 1.0)})], "unknown_hypothesis", "The hypotheses are: none."),
        (RIVALS, [], "no_measurements", "no measurement to rank"),
        ([*RIVALS, Rival("H1", 0.1)], [KERNEL], "named_twice", "H1 is named twice"),
        (RIVALS, [KERNEL, KERNEL], "named_twice", "kernel replay is named twice"),
        ([*RIVALS[:2], Rival("H3", None)], [KERNEL], "bad_priors", "some have none"),
        ([*RIVALS[:2], Rival("H3", 0.3)], [KERNEL], "bad_priors", "no shares of 1"),
        ([Rival("H1", 1e308), Rival("H2", 1e308)], [planned("x", 5, {})], "bad_priors", "no shares of 1"),
        (RIVALS, [planned("x", 0, {})], "not_positive", "costs no time"),
        (RIVALS, [planned("x", 1e10, {})], "bad_minutes", "cannot take"),
        (RIVALS, [planned("x", float("inf"), {})], "bad_minutes", "cannot take"),
        (RIVALS, [planned("x", 5, {}, se=11)], "bad_standard_error", "0.01 is 1 %"),
        (RIVALS, [planned("x", 5, {}, se=1e-10)], "bad_standard_error", "standard error of 1e-10"),
        (RIVALS, [planned("x", 5, {"H1": (1.1, 1.0)})], "reversed", "low end"),
        (RIVALS, [planned("x", 5, {"H1": (1.7e308, None)})], "not_finite", "Leave an open end out"),
    ],
)
def test_what_cannot_be_ranked_is_refused(rivals: list[Rival], candidates: list[Planned], code: str, said: str) -> None:
    with pytest.raises(Refused, match=said) as refused:
        next_measurement(rivals, candidates)
    assert refused.value.code == code
    assert refused.value.needs
