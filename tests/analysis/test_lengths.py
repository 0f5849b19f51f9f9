"""The lengths of requests one by one: equal totals, other mixes."""

from fractions import Fraction

import numpy as np
import pytest

from analysis.lengths import Distance, distance
from tests.analysis.audited import explained
from tests.analysis.props import a_run
from tests.analysis.worked import an_arm, audited

NAME = "output_tokens_per_request"
ALL_ALIKE, MIXED = (20, 20, 20, 20, 20), (4, 4, 4, 4, 84)


def test_the_same_lengths_in_another_order_are_the_same() -> None:
    row = audited([*an_arm("baseline", (1, 2, 3)), *an_arm("candidate", (3, 1, 2))])[NAME]

    assert (row.state, row.blocks, row.role) == ("same", False, "work")
    assert row.baseline == row.candidate == ("3 requests of 1 to 3, half of them up to 2",)
    assert row.sources == ("computed from the requests in b0.json", "computed from the requests in c0.json")


def test_another_mix_with_the_same_total_is_a_difference() -> None:
    rows = audited([*an_arm("baseline", ALL_ALIKE), *an_arm("candidate", MIXED)])

    assert rows["output_tokens"].state == "same"
    assert (rows[NAME].state, rows[NAME].blocks) == ("differs", True)
    assert rows[NAME].sentence == (
        "output_tokens_per_request differs by 128 % of the tokens (Kolmogorov-Smirnov distance 0.8 of 1). "
        "An explanation with a greatest effect must be accepted."
    )


def test_a_tolerated_difference_widens_beyond_what_the_total_does() -> None:
    runs = [*an_arm("baseline", (100, 100), total="200"), *an_arm("candidate", (99, 103), total="202")]
    rows = audited(runs, tolerances={"output_tokens": Fraction(5, 100)})

    assert rows["output_tokens"].greatest_effect == Fraction(101, 100)
    assert rows[NAME].greatest_effect == Fraction(102, 100) / Fraction(101, 100)
    assert "5 % is tolerated" in rows[NAME].sentence


def test_lengths_have_a_tolerance_of_their_own() -> None:
    runs = [*an_arm("baseline", (100, 100), total="200"), *an_arm("candidate", (99, 101), total="200")]

    assert not audited(runs, tolerances={NAME: Fraction(1, 100)})[NAME].blocks
    assert audited(runs, tolerances={NAME: Fraction(9, 1000), "output_tokens": Fraction(1)})[NAME].blocks


def test_an_accepted_explanation_lifts_and_widens() -> None:
    runs = [*an_arm("baseline", ALL_ALIKE), *an_arm("candidate", MIXED)]

    row = audited(runs, explained=(explained(NAME, "1.1"),))[NAME]
    assert (row.blocks, row.greatest_effect, row.explanation) == (False, Fraction(11, 10), "no matter (ann, accepted)")
    assert "Explained and accepted." in row.sentence
    assert audited(runs, explained=(explained(NAME, "1.1", accepted=False),))[NAME].blocks


def test_the_accepted_explanation_of_the_total_serves_the_lengths() -> None:
    runs = [*an_arm("baseline", ALL_ALIKE), *an_arm("candidate", MIXED, total="90")]

    row = audited(runs, explained=(explained("output_tokens", "1.2"),))[NAME]
    assert (row.blocks, row.greatest_effect) == (False, None)
    assert row.sentence.endswith("The accepted explanation of output_tokens serves it too.")
    assert audited(runs, explained=(explained("output_tokens", "1.2", accepted=False),))[NAME].blocks


@pytest.mark.parametrize("varied", [("output_tokens",), (NAME,)])
def test_lengths_that_are_varied_differ_as_declared(varied: tuple[str, ...]) -> None:
    row = audited([*an_arm("baseline", ALL_ALIKE), *an_arm("candidate", MIXED)], varied=("image", *varied))[NAME]

    assert (row.state, row.blocks) == ("differs_as_declared", False)


def test_lengths_that_vary_alike_in_both_arms_are_noise() -> None:
    arms = [*an_arm("baseline", (1, 2), (3, 4), (5, 6)), *an_arm("candidate", (5, 6), (1, 2), (3, 4))]

    row = audited(arms)[NAME]
    assert row.state == "same"
    assert row.sources == ("computed from the requests in 6 files",)


def test_lengths_that_one_arm_does_not_record_are_not_known() -> None:
    silent = a_run("candidate", 0, 1.0, work=(("output_tokens", "100"),))
    runs = [*an_arm("baseline", (50, 50)), silent]

    row = audited(runs)[NAME]
    assert (row.state, row.blocks, row.candidate) == ("not_recorded", False, ("not recorded",))
    assert "whether they were as long is not known" in row.sentence
    assert audited(runs, required=(NAME,))[NAME].blocks
    assert NAME not in audited([a_run("baseline", 0, 1.0), a_run("candidate", 0, 1.0)])


def test_a_failed_run_tells_no_lengths() -> None:
    runs = [*an_arm("baseline", (50, 50), (1, 2)), *an_arm("candidate", (50, 50))]

    assert audited(runs)[NAME].blocks
    assert audited(runs, failed=("b1",))[NAME].state == "same"


def test_no_tokens_have_no_share() -> None:
    row = audited([*an_arm("baseline", (0, 0)), *an_arm("candidate", (0, 4))], tolerances={NAME: Fraction(9)})[NAME]

    assert row.blocks
    assert row.sentence.startswith("output_tokens_per_request differs (Kolmogorov-Smirnov distance 0.5 of 1)")


def test_the_distance_is_that_of_samples_of_other_sizes() -> None:
    one, twice = np.array([1.0, 3.0]), np.array([1.0, 1.0, 3.0, 3.0])

    assert distance(one, twice) == Distance(Fraction(0), 0.0)
    assert distance(one, np.array([2.0, 4.0])).moved == Fraction(1, 2)
