"""Unions of intervals: alike whatever the order, not longer than their span, and the same when time is shifted."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.traces.intervals import Union, joined, overlap, union

Pairs = list[tuple[int, int]]
PAIRS = st.lists(st.tuples(st.integers(-1000, 1000), st.integers(0, 200)), max_size=30)


def made(pairs: Pairs) -> Union:
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return union(columns[:, 0], columns[:, 1])


def listed(found: Union) -> Pairs:
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([], []),
        ([(5, 0)], []),
        ([(0, 10), (2, 3)], [(0, 10)]),
        ([(0, 10), (10, 5)], [(0, 15)]),
        ([(20, 5), (0, 10), (8, 4)], [(0, 12), (20, 25)]),
    ],
)
def test_intervals_that_touch_or_overlap_are_one(pairs: Pairs, expected: Pairs) -> None:
    assert listed(made(pairs)) == expected


@given(PAIRS, st.randoms())
def test_the_order_does_not_matter(pairs: Pairs, random: Random) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)

    assert listed(made(shuffled)) == listed(made(pairs))


@given(PAIRS)
def test_a_union_joined_with_itself_is_itself(pairs: Pairs) -> None:
    found = made(pairs)

    assert listed(joined(found, found)) == listed(found)
    assert overlap(found, found) == found.length


@given(PAIRS)
def test_it_is_no_longer_than_its_parts_or_its_span(pairs: Pairs) -> None:
    span = max((start + length for start, length in pairs), default=0) - min((start for start, _ in pairs), default=0)

    assert made(pairs).length <= min(sum(length for _, length in pairs), span)


@given(PAIRS, st.integers(-(10**9), 10**9))
def test_shifting_time_changes_no_length(pairs: Pairs, by: int) -> None:
    assert made([(start + by, length) for start, length in pairs]).length == made(pairs).length


@given(PAIRS, st.tuples(st.integers(-1100, 1300), st.integers(-1100, 1300)))
def test_what_lies_in_a_window_is_counted_moment_by_moment(pairs: Pairs, window: tuple[int, int]) -> None:
    low, high = sorted(window)
    busy = {moment for start, length in pairs for moment in range(start, start + length)}

    found = made(pairs).within(np.array([low]), np.array([high]))

    assert found.tolist() == [len(busy & set(range(low, high)))]


@given(PAIRS, PAIRS)
def test_an_overlap_is_counted_moment_by_moment(one: Pairs, other: Pairs) -> None:
    first, second = ({at for start, n in pairs for at in range(start, start + n)} for pairs in (one, other))

    assert overlap(made(one), made(other)) == len(first & second)
