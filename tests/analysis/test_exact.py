from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import Refused
from analysis.exact import nearest_float, outward_float, parse_exact, plain_decimal, to_decimal_outward


@pytest.mark.parametrize("written", ["0.1", "+.1", "1e-1", "1.0E-1", Decimal("0.1"), Fraction(1, 10), " 0.10 "])
def test_a_tenth_is_a_tenth_however_it_is_written(written: Any) -> None:
    assert parse_exact(written) == Fraction(1, 10)


def test_a_float_is_its_binary_value() -> None:
    assert parse_exact(0.1) == Fraction(3602879701896397, 36028797018963968)


@pytest.mark.parametrize("written", ["abc", "", "1/3", "0x1", "1_000", "١", True, None, [1], "1e99999"])
def test_what_is_no_plain_number_is_refused(written: Any) -> None:
    with pytest.raises(Refused) as refused:
        parse_exact(written)
    assert refused.value.code == "not_a_number"


@pytest.mark.parametrize(
    "written", ["nan", "-inf", "Infinity", float("nan"), float("inf"), Decimal("NaN"), "1e401", "1e-401", "9" * 401]
)
def test_what_is_not_finite_or_beyond_all_use_is_refused(written: Any) -> None:
    with pytest.raises(Refused) as refused:
        parse_exact(written)
    assert refused.value.code == "not_finite"


def test_zero_has_no_size_to_refuse() -> None:
    assert parse_exact("0.000") == 0


@pytest.mark.parametrize(
    ("value", "digits", "down", "up"),
    [
        (Fraction(33, 37), 4, "0.8918", "0.8919"),
        (Fraction(-1, 3), 2, "-0.34", "-0.33"),
        (Fraction(7, 2), 0, "3", "4"),
        (Fraction(1, 100), 2, "0.01", "0.01"),
    ],
)
def test_decimals_are_rounded_outward(value: Fraction, digits: int, down: str, up: str) -> None:
    assert to_decimal_outward(value, digits=digits, up=False) == down
    assert to_decimal_outward(value, digits=digits, up=True) == up


@given(st.fractions(), st.integers(0, 12))
def test_printed_ends_enclose_the_exact_value(value: Fraction, digits: int) -> None:
    assert Fraction(to_decimal_outward(value, digits=digits, up=False)) <= value
    assert Fraction(to_decimal_outward(value, digits=digits, up=True)) >= value


@given(st.fractions())
def test_floats_enclose_the_exact_value(value: Fraction) -> None:
    assert outward_float(value, up=False) <= value <= outward_float(value, up=True)


def test_a_number_beyond_floats_is_refused() -> None:
    with pytest.raises(Refused, match="beyond the range"):
        outward_float(Fraction(10) ** 400, up=True)


@pytest.mark.parametrize(
    ("value", "said"),
    [(Fraction(98, 100), "0.98"), (2.0, "2"), (-0.000012, "-0.000012"), (1e21, "1000000000000000000000"),
     (Fraction(1, 3), "0.3333333333"), (0.0, "0"), (-0.0, "0"), (1200, "1200")],
)  # fmt: skip
def test_a_plain_decimal_has_no_exponent_and_no_idle_zeros(value: Any, said: str) -> None:
    assert plain_decimal(value, significant=10) == said


def test_the_nearest_float_is_refused_only_beyond_all_floats() -> None:
    assert nearest_float(Fraction(1, 10)) == 0.1
    with pytest.raises(Refused) as refused:
        nearest_float(Fraction(10) ** 309)
    assert refused.value.code == "not_finite"
