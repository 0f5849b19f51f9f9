"""Reference values: relative 1e-12, and 1e-9 for whatever passes through a t quantile."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import procedures
from analysis.claims import ConfidenceInterval, Frame, interval_of, widen
from analysis.errors import Refused
from analysis.procedures import Spread, arms_stratum, block_stratum, paired, stratified, t_quantile, two_sided_p, welch
from tests.analysis.props import BASELINE, CANDIDATE

FRAME = Frame("ratio", "1", "this placement only", "ratio of typical run throughput", "runs per arm")


def throughput(times: Sequence[float]) -> list[float]:
    """Log throughputs of the same work."""
    return [-math.log(t) for t in times]


B, C = throughput(BASELINE), throughput(CANDIDATE)


def interval(spread: Spread, confidence: float = 0.95) -> ConfidenceInterval:
    return interval_of(spread, confidence=confidence, frame=FRAME, assumptions=())


def ends(spread: Spread, confidence: float = 0.95) -> tuple[float, float]:
    found = interval(spread, confidence)
    return found.lo, found.hi


def near(*values: float) -> Any:
    return pytest.approx(values if len(values) > 1 else values[0], rel=1e-9)


def exactly(value: float) -> Any:
    return pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("df", "quantile"),
    [
        (1, 12.706204736174705),
        (1.5, 6.016663104427928),
        (2, 4.302652729749464),
        (4, 2.7764451051977987),
        (5.860089752081937, 2.4611430908024987),
        (8, 2.306004135204166),
        (58, 2.0017174841452356),
    ],
)
def test_t_quantiles_take_fractional_degrees_of_freedom(df: float, quantile: float) -> None:
    assert t_quantile(df, 0.95) == near(quantile)


def test_welch_on_logs() -> None:
    found = interval(welch(B, C))

    assert found.centre == exactly(-0.09654495573097677)
    assert found.se == exactly(0.00454208062015711)
    assert found.df == exactly(5.860089752081937)
    assert found.estimate == exactly(0.9079690782686074)
    assert (found.lo, found.hi) == near(0.8978756756691735, 0.918175945102339)
    assert found.p_value == near(9.038685150153161e-07)
    assert (found.method, found.units) == ("welch_log", 5)


@pytest.mark.parametrize(
    ("confidence", "lo", "hi"),
    [(0.90, 0.8999564375635634, 0.9160530584389727), (0.9875, 0.8934302598882415, 0.922744487292236)],
)
def test_welch_at_other_levels(confidence: float, lo: float, hi: float) -> None:
    assert ends(welch(B, C), confidence) == near(lo, hi)


def test_it_agrees_with_the_t_test_of_scipy() -> None:
    from scipy import stats  # noqa: PLC0415

    theirs = stats.ttest_ind(C, B, equal_var=False)

    assert interval(welch(B, C)).p_value == near(float(theirs.pvalue))
    assert ends(welch(B, C)) == near(*np.exp(tuple(theirs.confidence_interval(0.95))))


def test_paired_blocks() -> None:
    found = interval(paired(list(zip(B, C, strict=True))))

    assert found.se == exactly(0.004334757841130964)
    assert found.df == 4
    assert (found.lo, found.hi) == near(0.8971069682474527, 0.9189627059774945)
    assert found.p_value == near(2.4059026341856435e-05)
    assert found.method == "paired_log"


def test_a_systematic_error_in_each_arm_widens_both_ends() -> None:
    error = math.log(1.005)
    wide = widen(interval(welch(B, C)), baseline=error, candidate=error, shared_gain=False, reasons=("meter",))

    assert (wide.lo, wide.hi) == near(0.8889638134394432, 0.9273806589519897)
    assert wide.reasons == ("meter",)


def test_one_meter_for_both_arms_leaves_only_what_differs() -> None:
    plain = interval(welch(B, C))
    wide = widen(plain, baseline=0.01, candidate=0.01, shared_gain=True, reasons=())

    assert (wide.lo, wide.hi) == (plain.lo, plain.hi)


def test_two_and_two_runs_give_a_wide_interval() -> None:
    found = interval(welch(throughput([99, 101]), throughput([109, 111])))

    assert found.estimate == exactly(0.909083019599244)
    assert (found.lo, found.hi) == near(0.8572930771332723, 0.9640016449067915)
    assert found.df == exactly(1.98210085864309)


def test_a_small_unequal_arm_guards_the_degrees_of_freedom() -> None:
    ten = [109, 110, 111, 110, 109.5, 110.5, 110, 111, 109, 110]
    found = interval(welch(throughput([99, 100, 101]), throughput(ten)))

    assert (found.method, found.df) == ("welch_min_df_log", 2)
    assert found.estimate == exactly(0.9090775098674796)
    assert (found.lo, found.hi) == near(0.8854475600495317, 0.9333380724439827)


@pytest.mark.parametrize(
    ("baseline", "candidate", "guarded"),
    [(2, 2, False), (2, 3, True), (3, 4, False), (3, 5, True), (4, 5, False), (4, 6, True), (5, 30, False)],
)
def test_the_guard_follows_its_rule(baseline: int, candidate: int, guarded: bool) -> None:
    spread = welch([0.01 * i * i for i in range(baseline)], [0.02 * i for i in range(candidate)])

    assert (spread.method == "welch_min_df") == guarded


def test_two_placements_are_stratified() -> None:
    strata = [arms_stratum(B[:2], C[:2]), arms_stratum(B[2:], C[2:])]
    found = interval(stratified(strata))

    assert found.estimate == exactly(0.9090879215006656)
    assert (found.lo, found.hi) == near(0.8975704457737718, 0.9207531875739822)
    assert found.df == exactly(3.404307057880631)


def test_the_same_placements_as_a_sample_of_placements() -> None:
    effects = [(0.0, arms_stratum(B[:2], C[:2]).centre), (0.0, arms_stratum(B[2:], C[2:]).centre)]
    found = interval(paired(effects))

    assert found.df == 1
    assert (found.lo, found.hi) == near(0.8406740576773786, 0.9830692900191272)


def test_blocks_on_two_placements_are_stratified() -> None:
    strata = [block_stratum([(0.0, d) for d in ds]) for ds in ([-0.095, -0.101, -0.099], [-0.090, -0.094, -0.083])]
    found = interval(stratified(strata))

    assert found.estimate == exactly(0.9105862404050646)
    assert found.se == exactly(0.001833333333333333)
    assert found.df == exactly(3.1042086292801896)
    assert (found.lo, found.hi) == near(0.905387819754175, 0.9158145085717634)


def test_differences_stay_on_their_own_scale() -> None:
    frame = Frame("difference", "1", "this placement only", "", "blocks")
    d = [0.01, -0.02, 0.03, 0, 0.015, -0.005, 0.02, 0.01, 0.005, 0.012]
    found = interval_of(paired([(0.0, x) for x in d]), confidence=0.95, frame=frame, assumptions=())

    assert (found.lo, found.hi) == near(-0.002206825097621273, 0.017606825097621272)
    assert found.method == "paired_difference"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: welch([0.0], [0.0, 1.0]), "too_few_runs"),
        (lambda: welch([0.0, 0.0], [1.0, 1.0]), "zero_variance"),
        (lambda: paired([(0.0, 1.0)]), "too_few_blocks"),
        (lambda: paired([(0.0, math.log(2)), (math.log(2), math.log(4))]), "zero_variance"),
        (lambda: arms_stratum([0.0], [0.0, 1.0]), "too_few_runs"),
        (lambda: block_stratum([(0.0, 1.0)]), "too_few_blocks"),
        (lambda: stratified([block_stratum([(0.0, 1.0), (0.0, 1.0)])] * 2), "zero_variance"),
        (lambda: interval(welch([0.0, 100.0], [200.0, 500.0])), "unbounded"),
    ],
)
def test_what_allows_no_interval_is_refused(call: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code


def test_one_arm_without_spread_still_has_an_interval() -> None:
    assert welch([1.0, 1.0], [1.1, 1.2]).df == exactly(1)


def test_only_a_confidence_interval_can_be_widened() -> None:
    plain = interval(welch(B, C))
    wide = widen(plain, baseline=0.1, candidate=0.1, shared_gain=False, reasons=())

    with pytest.raises(TypeError, match="WidenedInterval"):
        widen(wide, baseline=0.1, candidate=0.1, shared_gain=False, reasons=())  # type: ignore[arg-type]


def test_a_p_value_counts_both_tails() -> None:
    assert two_sided_p(4, -2.7764451051977987) == near(0.05)
    assert two_sided_p(4, 2.7764451051977987) == near(0.05)


runs = st.lists(st.floats(0.9, 1.1), min_size=2, max_size=8, unique=True)


@given(runs, runs)
def test_swapping_the_arms_inverts_the_ratio_interval(baseline: list[float], candidate: list[float]) -> None:
    x, y = [math.log(v) for v in baseline], [math.log(v) for v in candidate]
    if max(x) - min(x) > 1e-6 and max(y) - min(y) > 1e-6:
        there, back = ends(welch(x, y)), ends(welch(y, x))
        assert back == near(1 / there[1], 1 / there[0])


def test_naive_steps_undercover_where_runs_do_not() -> None:
    """n = 5, half the variance between runs, 100 steps: 2,000 repetitions."""
    rng = np.random.default_rng(5)
    run = rng.normal(0, 0.05 * np.sqrt(0.5), (2000, 2, 5))
    steps = run[..., None] + rng.normal(0, 0.05 * np.sqrt(0.5), (2000, 2, 5, 100))
    values, pooled = steps.mean(axis=-1), steps.reshape(2000, 2, 500)

    by_run = np.mean([_covers(welch(v[0], v[1])) for v in values.tolist()])
    by_step = np.mean(
        np.abs(pooled[:, 1].mean(-1) - pooled[:, 0].mean(-1))
        < t_quantile(998, 0.95) * np.sqrt(pooled.var(axis=-1, ddof=1).sum(axis=-1) / 500)
    )

    assert 0.938 <= by_run <= 0.972
    assert by_step < 0.30


def _covers(spread: Spread) -> bool:
    return abs(spread.centre) <= procedures.t_quantile(spread.df, 0.95) * spread.se


def test_random_blocks_cover_under_drift_and_a_sequential_order_does_not() -> None:
    """n = 10, linear drift of 5 run sd over the session: 2,000 repetitions."""
    rng = np.random.default_rng(6)
    noise = rng.normal(0, 0.02, (2000, 20))
    drift = np.linspace(0, 5 * 0.02, 20)
    first = rng.integers(0, 2, (2000, 10))
    slots = 2 * np.arange(10)
    values = noise + drift

    baseline = np.take_along_axis(values, slots + first, axis=1).tolist()
    candidate = np.take_along_axis(values, slots + 1 - first, axis=1).tolist()
    in_blocks = np.mean(
        [_covers(paired(list(zip(b, c, strict=True)))) for b, c in zip(baseline, candidate, strict=True)]
    )
    one_after_the_other = np.mean([_covers(welch(row[:10], row[10:])) for row in values.tolist()])

    assert 0.935 <= in_blocks <= 0.965
    assert one_after_the_other < 0.05
