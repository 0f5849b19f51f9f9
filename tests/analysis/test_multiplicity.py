import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import looks, multiplicity
from analysis.claims import widen
from analysis.errors import Refused
from analysis.multiplicity import benjamini_hochberg, holm
from analysis.procedures import paired, welch
from analysis.verdict import Materiality, Verdict
from tests.analysis.props import codes
from tests.analysis.test_procedures import B, C, interval

P = [0.001, 0.01, 0.02, 0.03, 0.04, 0.5]


def exactly(*values: float) -> Any:
    return pytest.approx(list(values), rel=1e-12)


def test_holm_steps_down() -> None:
    assert list(holm(P)) == exactly(0.006, 0.05, 0.08, 0.09, 0.09, 0.5)


def test_benjamini_and_hochberg_step_up() -> None:
    assert list(benjamini_hochberg(P)) == exactly(0.006, 0.03, 0.04, 0.045, 0.048, 0.5)


def test_no_adjusted_p_value_exceeds_one() -> None:
    assert holm([0.9, 0.8]) == (1.0, 1.0)
    assert benjamini_hochberg([1.0, 0.9]) == (1.0, 1.0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_the_claims_changes_nothing(p_values: list[float], shuffle: Any) -> None:
    order = list(range(len(p_values)))
    shuffle.shuffle(order)

    for adjust in (holm, benjamini_hochberg):
        there, back = adjust(p_values), adjust([p_values[i] for i in order])
        assert [there[i] for i in order] == list(back)
        assert all(p <= q <= 1 for p, q in zip(p_values, there, strict=True))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_the_screening_and_bonferroni(p_values: list[float]) -> None:
    for low, middle, raw in zip(benjamini_hochberg(p_values), holm(p_values), p_values, strict=True):
        assert low <= middle * (1 + 1e-12)
        assert middle <= min(1, raw * len(p_values)) * (1 + 1e-12)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
@pytest.mark.parametrize(
    ("p_values", "code"), [([], "no_claims"), ([0.1, 1.1], "not_a_probability"), ([math.nan], "not_a_probability")]
)
def test_what_is_no_family_of_p_values_is_refused(adjust: Any, p_values: list[float], code: str) -> None:
    with pytest.raises(Refused) as refused:
        adjust(p_values)
    assert refused.value.code == code
    assert refused.value.needs


def test_simultaneous_intervals_share_the_error() -> None:
    assert multiplicity.simultaneous_confidence(4, confidence=0.95) == pytest.approx(0.9875, rel=1e-12)
    with pytest.raises(Refused, match="no claim"):
        multiplicity.simultaneous_confidence(0, confidence=0.95)


def test_an_interval_is_made_again_at_another_level() -> None:
    plain = interval(welch(B, C))
    wide = multiplicity.at_confidence(plain, 0.9875)

    assert (wide.lo, wide.hi) == pytest.approx((0.8934302598882415, 0.922744487292236), rel=1e-9)
    assert multiplicity.at_confidence(wide, 0.95) == plain


def test_holm_decides_a_family_and_the_simultaneous_interval_stands_beside() -> None:
    strong = interval(paired(list(zip(B, C, strict=True))))
    weak = replace(strong, p_value=0.04)
    found = multiplicity.judge_family({"ttft": weak, "itl": strong}, confidence=0.95)

    assert [(claim.name, claim.established) for claim in found] == [("ttft", True), ("itl", True)]
    assert [claim.adjusted_p for claim in found] == exactly(0.04, 2 * strong.p_value)
    assert [claim.simultaneous for claim in found] == [
        multiplicity.at_confidence(weak, 0.975), multiplicity.at_confidence(strong, 0.975),
    ]  # fmt: skip
    assert not multiplicity.judge_family({"a": weak, "b": weak}, confidence=0.95)[0].established


def test_a_claim_without_a_verdict_stays_in_the_family() -> None:
    strong = replace(interval(paired(list(zip(B, C, strict=True)))), p_value=0.02)
    alone, pair = (
        multiplicity.judge_family({"ttft": strong, **rest}, confidence=0.95)[0] for rest in ({}, {"itl": None})
    )
    missing = multiplicity.judge_family({"ttft": strong, "itl": None}, confidence=0.95)[1]

    assert (alone.adjusted_p, pair.adjusted_p) == (0.02, 0.04)
    assert (missing.p_value, missing.adjusted_p, missing.established, missing.simultaneous) == (1.0, 1.0, False, None)


def test_one_look_of_three_brings_its_share_of_the_error_into_the_family() -> None:
    plain = interval(paired(list(zip(B, C, strict=True))))
    look = multiplicity.at_confidence(plain, 1 - 0.05 / 3)
    (found,) = multiplicity.judge_family({"ttft": look}, confidence=0.95)
    assert isinstance(found.simultaneous, type(plain))

    assert found.p_value == pytest.approx(3 * plain.p_value, rel=1e-9)
    assert found.simultaneous.confidence == pytest.approx(1 - 0.05 / 3, rel=1e-12)
    assert found.established == (look.hi < 1)


def test_an_interval_at_a_lower_level_gains_nothing() -> None:
    plain = interval(paired(list(zip(B, C, strict=True))))
    loose = multiplicity.at_confidence(plain, 0.90)
    assert multiplicity.p_value_of(loose, confidence=0.95) == plain.p_value
    (found,) = multiplicity.judge_family({"ttft": loose}, confidence=0.95)
    assert found.simultaneous == plain


@pytest.mark.parametrize("claims", [1, 3])
@pytest.mark.parametrize("allowance", [0.0, 0.01, 0.05])
@pytest.mark.parametrize("anytime", [False, True])
def test_a_claim_is_established_exactly_when_its_interval_of_bonferroni_excludes_no_effect(
    claims: int, allowance: float, anytime: bool
) -> None:
    pairs = [*zip(B, C, strict=True), *((b, c + 0.001) for b, c in zip(B, C, strict=True))]
    plain = (
        looks.anytime_paired(pairs, confidence=0.95, prior=looks.PRIOR, frame=interval(paired(pairs)).frame)
        if anytime
        else interval(paired(pairs))
    )
    judged = widen(plain, baseline=0.0, candidate=allowance, shared_gain=False, reasons=("clock",))
    found = multiplicity.judge_family({str(i): judged if i == 0 else None for i in range(claims)}, confidence=0.95)[0]

    assert found.simultaneous is not None
    assert found.established == (found.simultaneous.hi < 1 or found.simultaneous.lo > 1)
    if claims == 1:
        assert (found.simultaneous.lo, found.simultaneous.hi) == pytest.approx((judged.lo, judged.hi), rel=1e-9)


def test_an_effect_inside_its_allowance_has_the_p_value_one() -> None:
    plain = interval(paired(list(zip(B, C, strict=True))))
    inside = widen(plain, baseline=0.0, candidate=0.5, shared_gain=False, reasons=("clock",))

    assert multiplicity.p_value_of(inside, confidence=0.95) == 1.0
    assert multiplicity.p_value_of(plain, confidence=0.95) == plain.p_value


def test_a_procedure_of_one_level_is_judged_by_its_own_p_value_only() -> None:
    plain = replace(interval(paired(list(zip(B, C, strict=True)))), method="fieller_ratio", p_value=0.01)
    (found,) = multiplicity.judge_family({"energy": plain}, confidence=0.95)
    assert (found.established, found.simultaneous) == (True, None)

    widened = widen(plain, baseline=0.0, candidate=0.001, shared_gain=False, reasons=("meter",))
    assert multiplicity.p_value_of(widened, confidence=0.95) == 1.0
    with pytest.raises(Refused) as refused:
        multiplicity.at_confidence(plain, 0.99)
    assert (refused.value.code, bool(refused.value.needs)) == ("no_other_level", True)


def test_an_anytime_interval_that_is_the_whole_line_is_refused() -> None:
    found = looks.anytime_paired(
        list(zip(B, C, strict=True)), confidence=0.95, prior=looks.PRIOR, frame=interval(paired([(0, 1), (0, 2)])).frame
    )
    with pytest.raises(Refused) as refused:
        multiplicity.at_confidence(found, 1 - 1e-9)
    assert refused.value.code == "unbounded"


def test_a_screening_notes_slices_at_a_tenth_of_false_discoveries() -> None:
    found = multiplicity.screen(dict(zip("abcdef", P, strict=True)))

    assert [slice_.name for slice_ in found if slice_.noted] == ["a", "b", "c", "d", "e"]
    assert "confirmed" in multiplicity.SCREENING


def guardrail(materiality: Materiality) -> Verdict:
    return Verdict("not_established", materiality, "", "confidence_interval")


def test_a_candidate_ships_when_every_guardrail_passes() -> None:
    found = multiplicity.ship_check(
        {
            "p99": guardrail("not_worse_than_margin"),
            "energy": guardrail("within_margin"),
            "ttft": guardrail("better_than_margin"),
        }
    )

    assert (found.ships, found.failing) == (True, ())
    assert codes(found.notices) == {"guardrail_power"}
    assert "3 guardrails" in found.notices[0].sentence


@pytest.mark.parametrize("materiality", ["worse_than_margin", "not_better_than_margin", "undecided"])
def test_one_guardrail_that_does_not_pass_holds_the_ship(materiality: Materiality) -> None:
    found = multiplicity.ship_check({"p99": guardrail("within_margin"), "energy": guardrail(materiality)})

    assert (found.ships, found.failing) == (False, ("energy",))
    assert codes(found.notices) == {"guardrail_power"}
    assert "energy" in found.sentence


def test_a_guardrail_without_a_verdict_does_not_pass() -> None:
    found = multiplicity.ship_check({"p99": guardrail("within_margin"), "energy": None})

    assert (found.ships, found.failing) == (False, ("energy",))


def test_a_single_guardrail_loses_no_power() -> None:
    assert multiplicity.ship_check({"p99": guardrail("within_margin")}).notices == ()


def test_without_guardrails_nothing_is_checked() -> None:
    with pytest.raises(Refused) as refused:
        multiplicity.ship_check({})
    assert refused.value.code == "no_guardrails"


def test_holm_keeps_the_family_error_where_raw_p_values_do_not() -> None:
    """20 metrics, 5 runs per arm, no change at all: 2,000 families."""
    rng = np.random.default_rng(20273)
    runs = rng.standard_normal((2000, 20, 2, 5))
    centre, spread = runs.mean(-1), runs.var(-1, ddof=1) / 5
    statistic = np.abs(centre[..., 0] - centre[..., 1]) / np.sqrt(spread.sum(-1))
    df = spread.sum(-1) ** 2 / (spread**2 / 4).sum(-1)
    from scipy.special import stdtr  # noqa: PLC0415

    p_values = 2 * stdtr(df, -statistic)
    by_holm = np.mean([min(holm(row)) <= 0.05 for row in p_values.tolist()])

    assert np.mean(p_values.min(axis=1) <= 0.05) > 0.5
    assert 0.01 <= by_holm <= 0.05
