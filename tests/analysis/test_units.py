from fractions import Fraction

import pytest

from analysis.errors import Refused
from analysis.exact import Quantity
from analysis.measurements import BASE_UNITS
from analysis.units import FACTORS, to_base


@pytest.mark.parametrize(
    ("value", "unit", "base"),
    [
        ("12.5", "ms", Quantity(Fraction(1, 80), "s")),
        ("3", "ns", Quantity(Fraction(3, 10**9), "s")),
        ("7", "µs", Quantity(Fraction(7, 10**6), "s")),
        ("2", "MJ", Quantity(Fraction(2 * 10**6), "J")),
        ("2", "mJ", Quantity(Fraction(2, 1000), "J")),
        ("1", "kWh", Quantity(Fraction(3_600_000), "J")),
        ("250", "mW", Quantity(Fraction(1, 4), "W")),
        ("80", "GiB", Quantity(Fraction(80 * 2**30), "B")),
        ("80", "GB", Quantity(Fraction(80 * 10**9), "B")),
        ("463", "tok/s", Quantity(Fraction(463), "1/s")),
        ("5", "%", Quantity(Fraction(1, 20), "1")),
    ],
)
def test_a_unit_is_converted_exactly(value: str, unit: str, base: Quantity) -> None:
    assert to_base(value, unit) == base


@pytest.mark.parametrize("unit", ["fortnight", "Ms", "mj", "W/s", "tok"])
def test_an_unknown_spelling_is_refused(unit: str) -> None:
    with pytest.raises(Refused) as refused:
        to_base("1", unit)
    assert refused.value.code == "unit_mismatch"


def test_every_unit_leads_to_a_base_unit_by_a_positive_factor() -> None:
    assert {base for base, _ in FACTORS.values()} == set(BASE_UNITS)
    assert all(factor > 0 for _, factor in FACTORS.values())
