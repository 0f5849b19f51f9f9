"""The one way in which numbers, times and digests are printed."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews import printing
from reviews.printing import IntervalWords

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (1.5, "s", "1.500 s"),
        (0.0412, "s", "41.20 ms"),
        ("0.0000123456", "s", "12.35 µs"),
        (0.99996, "s", "1.000 s"),
        (0.999949, "s", "999.9 ms"),
        (2.5e-12, "s", "0.002500 ns"),
        (-0.0412, "s", "−41.20 ms"),
        (0, "s", "0 s"),
        (12345.6, "1/s", "12,350/s"),
        (250.0, "W", "250.0 W"),
        (0.75, "J", "750.0 mJ"),
        (Fraction(1, 3), "1", "0.3333"),
        (Decimal("123456.7"), "tokens", "123,500 tokens"),
        (None, "s", "not measured"),
    ],
)
def test_a_quantity_is_printed_in_the_unit_that_people_use(value: printing.Number | None, unit: str, said: str) -> None:
    assert printing.quantity(value, unit).replace("\u00a0", " ") == said


@pytest.mark.parametrize("bad", [True, float("nan"), float("inf"), "", "abc", "-Infinity"])
def test_what_is_no_finite_number_is_not_printed(bad: printing.Number) -> None:
    with pytest.raises(ValueError, match="number"):
        printing.significant(bad)


@given(st.floats(min_value=1e-30, max_value=1e30))
def test_four_significant_digits_are_within_half_a_last_digit(value: float) -> None:
    printed = float(printing.significant(value).replace(",", ""))

    assert abs(printed - value) <= value * 5.0001e-4


@pytest.mark.parametrize(("octets", "said"), [(0, "0 B"), (999, "999 B"), (1234567, "1.235 MB")])
def test_a_size_is_whole_below_a_kilobyte(octets: int, said: str) -> None:
    assert printing.size(octets).replace("\u00a0", " ") == said


def test_a_count_is_exact() -> None:
    assert printing.count(1234567) == "1,234,567"


@pytest.mark.parametrize(
    ("ratio", "sign", "words"),
    [
        ("0.9079690783", "−9.20 %", "9.20 % lower"),
        (1.04, "+4.00 %", "4.00 % higher"),
        (1.0003, "+0.0300 %", "0.0300 % higher"),
        (1, "0 %", "unchanged"),
    ],
)
def test_a_ratio_is_a_percent_change_with_its_sign_or_in_words(ratio: printing.Number, sign: str, words: str) -> None:
    assert printing.percent_change(ratio).replace("\u00a0", " ") == sign
    assert printing.change_in_words(ratio).replace("\u00a0", " ") == words


@pytest.mark.parametrize(("fraction", "said"), [(0.95, "95 %"), ("0.0125", "1.25 %"), (1, "100 %"), (0, "0 %")])
def test_a_fraction_is_a_percentage_without_idle_zeros(fraction: printing.Number, said: str) -> None:
    assert printing.percent(fraction).replace("\u00a0", " ") == said


def test_an_interval_says_its_level_method_replicates_and_scope() -> None:
    words = IntervalWords("0.95", "paired_log", "5 blocks", "this placement only")

    said = printing.interval("0.9079690783", "0.8971069683", "0.9189627060", words)

    assert said.replace("\u00a0", " ") == (
        "0.9080 [0.8971, 0.9190], 95 % confidence, paired_log, 5 blocks, this placement only"
    )


def test_an_interval_of_several_looks_keeps_its_level_exact() -> None:
    words = IntervalWords(0.9875, "welch_log", "", "")

    assert printing.interval(1, 0.9, 1.1, words).endswith("98.75\u00a0% confidence, welch_log")


def test_bounds_are_printed_as_they_were_rounded_and_claim_no_confidence() -> None:
    assert printing.bounds("0.89189189", "0.92660551") == (
        "[0.89189189, 0.92660551] (rounded outward), bounds; no confidence level"
    )


def test_a_noun_follows_its_count() -> None:
    assert [printing.plural(1, "block"), printing.plural(5, "block"), printing.plural(2, "entry", "entries")] == [
        "1 block",
        "5 blocks",
        "2 entries",
    ]


def test_a_digest_is_short_or_in_groups_that_lose_nothing() -> None:
    digest = "0123456789abcdef" * 4

    assert printing.digest_short(f"sha256:{digest}") == "0123456789ab"
    assert "".join(printing.digest_groups(digest)) == digest


@pytest.mark.parametrize("value", ["2026-03-01T15:05:09+01:00", datetime(2026, 3, 1, 14, 5, 9, tzinfo=UTC)])
def test_a_time_is_printed_in_utc_whatever_its_zone(value: datetime | str) -> None:
    assert printing.utc(value) == "2026-03-01 14:05 UTC"
    assert printing.utc_seconds(value) == "2026-03-01 14:05:09 UTC"


def test_a_time_without_a_zone_is_not_printed() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        printing.utc("2026-03-01T14:05:09")


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (timedelta(days=3, hours=5), "3 days"),
        (timedelta(hours=1, minutes=59), "1 hour"),
        (timedelta(minutes=5), "5 minutes"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=-5), "just now"),
    ],
)
def test_an_age_is_told_in_its_largest_unit(passed: timedelta, said: str) -> None:
    assert printing.age(NOW - passed, NOW) == said


def test_a_range_has_one_unit_for_both_ends() -> None:
    assert (
        printing.range_in(-0.0002533, 0.01154, "s")
        == f"[{printing.MINUS}0.2533{printing.SPACE}ms, 11.54{printing.SPACE}ms]"
    )
    assert printing.range_in(0.0392128, 0.0459456, "J", 6) == f"[39.2128{printing.SPACE}mJ, 45.9456{printing.SPACE}mJ]"
    assert printing.range_in(0.9, 1.1, "1") == "[0.9000, 1.100]"
