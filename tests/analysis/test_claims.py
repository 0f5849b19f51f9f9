"""Claims that differ in kind cannot be mixed: no arithmetic, no comparison, no exchange."""

import operator
from fractions import Fraction
from typing import Any

import pytest

from analysis.attribution import Attribution
from analysis.bounds import Bounds, percent_change
from analysis.claims import EffectEstimate, Frame, interval_of, widen
from analysis.errors import Refused
from analysis.margin import Margin
from analysis.procedures import paired, welch
from analysis.verdict import verdict
from tests.analysis.test_procedures import FRAME, B, C, interval

INTERVAL = interval(welch(B, C))
KINDS = (
    Bounds(Fraction(9, 10), Fraction(1), "1", ()),
    INTERVAL,
    widen(INTERVAL, baseline=0.01, candidate=0.0, shared_gain=False, reasons=()),
    EffectEstimate(0.9, FRAME, 1, 1),
    Attribution(2, ""),
)
PAIRS = [(a, b) for i, a in enumerate(KINDS) for b in KINDS[i + 1 :]]


@pytest.mark.parametrize(
    "operation", [operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.ge]
)
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_no_two_kinds_of_claim_combine(operation: Any, one: Any, other: Any) -> None:
    with pytest.raises(TypeError):
        operation(one, other)
    assert one != other


def test_the_kinds_have_no_base_in_common() -> None:
    assert {type(claim).__mro__[1:] for claim in KINDS} == {(object,)}


@pytest.mark.parametrize("claim", KINDS[3:])
def test_what_is_no_interval_carries_no_verdict(claim: Any) -> None:
    with pytest.raises(TypeError, match="carries no verdict"):
        verdict(claim, Margin(Fraction("0.98"), "higher", "ratio", "1"))


def test_bounds_cannot_be_widened_and_an_interval_has_no_guaranteed_change() -> None:
    with pytest.raises(TypeError, match="only a ConfidenceInterval"):
        widen(KINDS[0], baseline=0.1, candidate=0.1, shared_gain=False, reasons=())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not Bounds"):
        percent_change(INTERVAL)  # type: ignore[arg-type]


def test_a_difference_is_widened_by_as_much_on_each_side() -> None:
    frame = Frame("difference", "W", "this placement only", "", "blocks")
    plain = interval_of(paired([(0.0, 1.0), (0.0, 2.0), (0.0, 4.0)]), confidence=0.95, frame=frame, assumptions=())

    wide = widen(plain, baseline=0.5, candidate=0.25, shared_gain=False, reasons=())

    assert (wide.lo, wide.hi) == (plain.lo - 0.75, plain.hi + 0.75)


def test_an_interval_that_widening_makes_too_wide_to_print_is_refused() -> None:
    with pytest.raises(Refused, match="too wide") as refused:
        widen(INTERVAL, baseline=700.0, candidate=0.0, shared_gain=False, reasons=())
    assert refused.value.code == "unbounded"
