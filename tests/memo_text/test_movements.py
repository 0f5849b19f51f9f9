"""Which ratio an expected movement means."""

import pytest

from reviews.memo_text.movements import movement_of
from tests.memo_text.contents import read


@pytest.mark.parametrize(
    ("said", "better", "low", "high"),
    [
        ("1.05..1.2", "higher", "1.05", "1.2"),
        ("1.05..", "", "1.05", ""),
        ("..0.95", "", "", "0.95"),
        ("ratio 1.05 to 1.2", "", "1.05", "1.2"),
        ("×1.05–1.2", "", "1.05", "1.2"),
        ("up 5 to 10 %", "higher", "1.05", "1.1"),
        ("+5 % to +10 %", "", "1.05", "1.1"),
        ("-3 to +2 %", "", "0.97", "1.02"),
        ("5-10 percent lower", "", "0.9", "0.95"),
        ("improves 5–10 %", "lower", "0.9", "0.95"),
        ("improves 5–10 %", "higher", "1.05", "1.1"),
        ("5 to 10 % worse", "higher", "0.9", "0.95"),
        ("at least 5 % up", "", "1.05", ""),
        ("at least 5 % down", "", "", "0.95"),
        (">= +5 %", "", "1.05", ""),
        ("at most 2 % worse", "lower", "", "1.02"),
        ("at most 2 % worse", "higher", "0.98", ""),
        ("no more than 2 % higher", "lower", "", "1.02"),
        ("not worse than 2 %", "lower", "", "1.02"),
        ("within 2 %", "", "0.98", "1.02"),
        ("±2.5 %", "", "0.975", "1.025"),
        ("falls at least 120 %", "", "", ""),
        ("higher", "", "1", ""),
        ("lower", "", "", "1"),
        ("not lower", "", "1", ""),
        ("better", "lower", "", "1"),
    ],
)
def test_words_mean_a_ratio_interval(said: str, better: str, low: str, high: str) -> None:
    moved = movement_of(said, better)

    assert (moved.low, moved.high, moved.doubt) == (low, high, "")


@pytest.mark.parametrize("said", ["5 to 10 %", "better", "unchanged", "as usual", "by 7"])
def test_what_is_not_understood_has_no_ratio_and_a_doubt(said: str) -> None:
    moved = movement_of(said, "")

    assert (moved.low, moved.high) == ("", "")
    assert "is not understood" in moved.doubt


@pytest.mark.parametrize(("said", "low", "high"), [("+5 %", "1", ""), ("down 5 %", "", "1")])
def test_one_number_alone_gives_a_direction_and_a_doubt(said: str, low: str, high: str) -> None:
    moved = movement_of(said, "")

    assert (moved.low, moved.high) == (low, high)
    assert "one number is no range" in moved.doubt


def test_a_movement_without_a_metric_of_the_template_is_a_row_that_asks() -> None:
    parsed = read(
        "- Expected movement: perf-per-watt up 5 to 10 %, everybody in the team will be very happy, cache hits"
    )

    rows = parsed.content.action.expected
    notes = [note.sentence for note in parsed.notes if note.line]

    assert [(row.said, row.metric) for row in rows] == [("cache hits", "")]
    assert notes == [
        '"cache hits": its ratio is not understood: write "+3 to +7 %" or "1.03..1.07".',
        '"cache hits" names no single metric of the template; say it with "Expected ratio".',
    ]
