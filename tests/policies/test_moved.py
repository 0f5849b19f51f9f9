"""Whether a margin or a limit moved into the interval, or out of it, since somebody signed."""

from fractions import Fraction

import pytest

from reviews.policies.moved import Ends, Mark, sentences


def ends(low: str, high: str) -> Ends:
    return Ends(Fraction(low), Fraction(high))


def mark(then: Ends | None, now: Ends | None, *, was: str = "45", is_: str = "45") -> Mark:
    values = [Fraction(text) if text else None for text in (was, is_)]
    return Mark("The limit", values[0], values[1], was, is_, then, now)


INSIDE, OUTSIDE = ends("41.9", "46.3"), ends("40.1", "42.6")


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (mark(OUTSIDE, INSIDE), ["The limit 45 lies inside the interval now, and lay outside when you signed."]),
        (mark(INSIDE, INSIDE), ["The limit 45 lies inside the interval now, as when you signed."]),
        (mark(None, INSIDE), ["The limit 45 lies inside the interval now."]),
        (mark(INSIDE, OUTSIDE), ["The limit 45 lies outside the interval now, and lay inside when you signed."]),
        (mark(OUTSIDE, OUTSIDE), []),
        (mark(INSIDE, None), []),
        (mark(INSIDE, INSIDE, was="", is_=""), []),
        (mark(OUTSIDE, ends("45", "46"), was="50"), [
            "The limit was 50, and is 45.",
            "The limit 45 lies inside the interval now, and lay outside when you signed.",
        ]),
    ],
)  # fmt: skip
def test_what_became_of_a_limit_is_said_in_a_sentence(one: Mark, said: list[str]) -> None:
    assert list(sentences([one])) == said
