from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.bounds import Bounds
from analysis.claims import Frame, widen
from analysis.margin import Margin
from analysis.procedures import welch
from analysis.verdict import HEADLINES, verdict
from tests.analysis.test_procedures import B, C, interval

HIGHER = Margin(Fraction("0.98"), "higher", "ratio", "1")
LOWER = Margin(Fraction("1.02"), "lower", "ratio", "1")
SOME = interval(welch(B, C))

ROWS = [
    ("0.90", "0.95", "regression_established", "worse_than_margin"),
    ("0.985", "0.995", "regression_established", "within_margin"),
    ("0.95", "0.99", "regression_established", "not_better_than_margin"),
    ("1.01", "1.03", "improvement_established", "not_worse_than_margin"),
    ("0.99", "1.01", "not_established", "within_margin"),
    ("0.99", "1.05", "not_established", "not_worse_than_margin"),
    ("0.9", "1.01", "not_established", "not_better_than_margin"),
    ("0.9", "1.1", "not_established", "undecided"),
    ("1.03", "1.05", "improvement_established", "better_than_margin"),
    ("1.005", "1.01", "improvement_established", "within_margin"),
]


def exact(lo: Any, hi: Any) -> Bounds:
    return Bounds(Fraction(lo), Fraction(hi), "1", ())


@pytest.mark.parametrize(("lo", "hi", "direction", "materiality"), ROWS)
def test_each_interval_has_its_verdict_when_higher_is_better(
    lo: str, hi: str, direction: str, materiality: str
) -> None:
    found = verdict(exact(lo, hi), HIGHER)

    assert (found.direction, found.materiality) == (direction, materiality)


@pytest.mark.parametrize(("lo", "hi", "direction", "materiality"), ROWS)
def test_each_interval_has_the_same_verdict_turned_when_lower_is_better(
    lo: str, hi: str, direction: str, materiality: str
) -> None:
    found = verdict(exact(1 / Fraction(hi), 1 / Fraction(lo)), LOWER)

    assert (found.direction, found.materiality) == (direction, materiality)


@pytest.mark.parametrize(("lo", "hi", "direction", "materiality"), ROWS)
def test_a_confidence_interval_is_judged_like_any_other(lo: str, hi: str, direction: str, materiality: str) -> None:
    found = verdict(replace(SOME, lo=float(lo), hi=float(hi)), HIGHER)

    assert (found.direction, found.materiality, found.basis) == (direction, materiality, "confidence_interval")


def test_a_native_margin_of_two_percent_more_time_is_exactly_its_reciprocal() -> None:
    assert LOWER.worse == Fraction(100, 102)
    assert LOWER.best == Fraction(102, 100)
    assert verdict(exact(1, "1.02"), LOWER).materiality == "not_better_than_margin"


def test_an_end_exactly_at_one_or_at_the_margin_is_not_beyond_it() -> None:
    assert verdict(exact("0.99", 1), HIGHER).direction == "not_established"
    assert verdict(exact("0.9", "0.98"), HIGHER).materiality == "not_better_than_margin"
    assert verdict(exact("0.98", "1.0"), HIGHER).materiality == "not_better_than_margin"


@pytest.mark.parametrize(
    ("lo", "hi", "headline"),
    [
        ("0.90", "0.95", "Regression of at least 2% established"),
        ("0.985", "0.995", "Regression established, smaller than the 2% of interest"),
        ("0.99", "1.01", "Equivalent within 2%"),
        ("0.99", "1.05", "Not worse by more than 2%"),
        ("0.95", "0.99", "Regression established; whether it reaches 2% is not"),
        ("0.9", "1.01", "Not better by more than 2%"),
        ("1.03", "1.05", "Improvement beyond the 2% margin established"),
        ("0.9", "1.1", "Not established: needs tighter bounds or repeated runs"),
    ],
)
def test_the_headline_says_what_is_established(lo: str, hi: str, headline: str) -> None:
    assert verdict(exact(lo, hi), HIGHER).headline == headline


def test_no_headline_claims_that_there_is_nothing() -> None:
    assert not [
        said for said in HEADLINES.values() if "no regression" in said.lower() or "no difference" in said.lower()
    ]


def test_an_undecided_interval_says_how_many_more_runs_would_help() -> None:
    noisy = interval(welch([0.0, 0.03, -0.03], [0.001, 0.031, -0.029]))

    assert verdict(noisy, HIGHER).headline == "Not established: needs about 16 more runs per arm"


def test_an_allowance_that_fills_the_margin_is_not_cured_by_runs() -> None:
    noisy = interval(welch([0.0, 0.03, -0.03], [0.001, 0.031, -0.029]))
    wide = widen(noisy, baseline=0.02, candidate=0.02, shared_gain=False, reasons=())

    assert verdict(wide, HIGHER).headline == "Not established: more runs alone will not settle it"
    assert verdict(wide, HIGHER).basis == "widened_interval"


def test_a_difference_is_judged_around_zero_in_its_own_unit() -> None:
    power = Margin(Fraction("0.5"), "lower", "difference", "W")
    points = Margin(Fraction("-0.5"), "higher", "difference", "1")
    found = replace(SOME, lo=0.6, hi=0.9, frame=Frame("difference", "W", "", "", "runs per arm"))

    assert verdict(found, power).headline == "Regression of at least 0.5 W established"
    assert verdict(found, points).headline == "Improvement beyond the 0.5 margin established"
    assert verdict(replace(found, lo=-0.2, hi=0.3), points).materiality == "within_margin"


def test_more_units_are_counted_on_the_difference_scale_too() -> None:
    found = replace(SOME, lo=-2.0, hi=2.0, se=0.5, df=4.0, units=3, frame=Frame("difference", "W", "", "", "blocks"))

    said = verdict(found, Margin(Fraction("0.5"), "lower", "difference", "W")).headline

    assert said.startswith("Not established: needs about")
    assert said.endswith("more blocks")


ends = st.fractions(min_value=Fraction(1, 2), max_value=2)


@given(ends, ends)
def test_orientation_does_not_change_a_verdict(one: Fraction, other: Fraction) -> None:
    lo, hi = min(one, other), max(one, other)
    higher = Margin(Fraction(100, 102), "higher", "ratio", "1")

    assert verdict(exact(lo, hi), higher).materiality == verdict(exact(1 / hi, 1 / lo), LOWER).materiality
    assert verdict(exact(lo, hi), higher).direction == verdict(exact(1 / hi, 1 / lo), LOWER).direction
