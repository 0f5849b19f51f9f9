"""A histogram knows in which bucket a quantile lies, and no more."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.bounds import Bounds
from analysis.errors import Refused
from analysis.histogram import histogram_in_words, histogram_quantile_bounds, histogram_quantile_to_json
from analysis.quantile import nearest_rank

EDGES = (0, 10, 20, 50, 100, float("inf"))
COUNTS = (500, 300, 150, 45, 5)


def of(p: str, edges: Any = EDGES, counts: Any = COUNTS) -> Bounds:
    return histogram_quantile_bounds(edges, counts, Fraction(p), unit="ms")


@pytest.mark.parametrize(("p", "low", "high"), [("0.99", 50, 100), ("0.95", 20, 50), ("0.995", 50, 100)])
def test_a_quantile_lies_between_the_edges_of_its_bucket(p: str, low: int, high: int) -> None:
    found = of(p)

    assert (found.lo, found.hi, found.unit) == (Fraction(low, 1000), Fraction(high, 1000), "s")


def test_the_bounds_say_which_rank_lies_where() -> None:
    assert of("0.99").assumptions == ("rank 990 of 1000 lies in the bucket (50, 100] ms",)


def test_a_closed_last_bucket_is_a_bucket() -> None:
    assert of("0.999", ("0.1", "1", "2"), (1, 1)).hi == Fraction(2, 1000)


@given(st.lists(st.integers(1, 99), min_size=1), st.sampled_from(["0.5", "0.9", "0.99"]))
def test_the_exact_quantile_lies_in_its_bucket(values: list[int], p: str) -> None:
    edges: tuple[Fraction | int, ...] = (Fraction(1, 2), 10, 30, 60, 99)
    counts = [sum(low < v <= high for v in values) for low, high in pairwise(edges)]

    found = histogram_quantile_bounds(edges, counts, Fraction(p), unit="s")

    assert found.lo < nearest_rank(values, Fraction(p)) <= found.hi


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: of("0.999"), "open_bucket"),
        (lambda: of("0.999", (1, 2, "+Inf"), (1, 9)), "open_bucket"),
        (lambda: of("0.5"), "not_positive"),
        (lambda: of("0.5", (1, 2), (1, 2)), "bad_histogram"),
        (lambda: of("0.5", (1, 2), (0,)), "bad_histogram"),
        (lambda: of("0.5", (1, 2, 3), (-1, 2)), "bad_histogram"),
        (lambda: of("0.5", (1, 3, 2), (1, 2)), "bad_histogram"),
        (lambda: of("1"), "not_a_quantile"),
        (lambda: of("1e399"), "not_a_quantile"),
        (lambda: histogram_quantile_to_json((1, 2), ("1.5",), "0.5", unit="ms", digits=4), "bad_histogram"),
        (lambda: histogram_quantile_to_json((1, 2), ("many",), "0.5", unit="ms", digits=4), "not_a_number"),
        (lambda: histogram_quantile_to_json((1, 2), (1,), "half", unit="ms", digits=4), "not_a_number"),
        (lambda: of("0.5", ("inf", 2), (1,)), "not_finite"),
        (lambda: histogram_quantile_bounds((1, 2), (1,), Fraction(1, 2), unit="jiffies"), "unit_mismatch"),
    ],
)
def test_a_histogram_that_does_not_hold_the_answer_is_refused(call: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert refused.value.needs


def test_a_written_histogram_is_answered_outward_and_without_a_confidence_level() -> None:
    found = histogram_quantile_to_json(("10", "30", "70", "inf"), ("94", "5", "1"), " 0.99", unit="s", digits=1)
    words = histogram_in_words(found)

    assert (found["lower"], found["upper"], found["exact"]) == ("30.0", "70.0", ["30", "70"])
    assert (found["kind"], found["values"], found["unit"]) == ("deterministic_bounds", 100, "s")
    assert "the 0.99 quantile is between 30.0 and 70.0 s. These bounds carry no confidence level." in words
    assert "Rank 99 of 100 lies in the bucket (30, 70] s." in words
    assert "nothing is interpolated" in words
    assert "%" not in words


def test_an_end_that_is_no_decimal_is_printed_outward() -> None:
    found = histogram_quantile_to_json((Fraction(1, 3), Fraction(2, 3)), (4,), "0.5", unit="s", digits=2)

    assert (found["lower"], found["upper"]) == ("0.33", "0.67")
