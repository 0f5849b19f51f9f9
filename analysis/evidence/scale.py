"""Units at a place of a file. Exact on the decimal text, so that 704.4 ms is 0.7044 s and nothing else."""

from decimal import Decimal
from fractions import Fraction

from analysis.errors import MalformedEvidence, Refused
from analysis.units import FACTORS, factor_to_base


def base_of(unit: str, where: str) -> str:
    """The base unit of a unit. Raises MalformedEvidence(unknown_unit)."""
    try:
        return factor_to_base(unit)[0]
    except Refused as refusal:
        raise MalformedEvidence(str(refusal), where=where, code="unknown_unit") from refusal


def exact(number: str, unit: str) -> Fraction:
    """The number, written as a decimal in a known unit, in its base unit."""
    return Fraction(number) * FACTORS[unit.strip()][1]


def in_base(number: str, unit: str) -> float:
    """The float next to `exact`."""
    factor = FACTORS[unit.strip()][1]
    if factor == 1:
        return float(number)
    above, below = Decimal(number).as_integer_ratio()
    return (above * factor.numerator) / (below * factor.denominator)
