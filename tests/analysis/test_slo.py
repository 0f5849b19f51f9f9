"""A limit is kept by the next run's bound, broken by the typical run's, and else not established."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import Refused
from analysis.inputs import Better
from analysis.quantile import conservative_rank
from analysis.slo import SloAnswer, SloCheck, next_run_bound, slo_check, typical_run_bounds

P99 = Fraction("0.99")
RUNS = (48.5, 49.5, 48.9)


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-9)


def check(values: Any = RUNS, limit: float = 50.0, better: Better = "lower") -> SloCheck:
    return slo_check(values, limit, better=better, confidence=0.95, unit="ms", scope="this placement only")


def test_a_typical_run_below_the_limit_does_not_establish_that_the_next_one_is() -> None:
    found = check()

    assert found.typical_far == near(49.820004632189686)
    assert found.next_run == near(50.6899965433408)
    assert found.typical_near == near(48.12455952570282)
    assert found.outcome == "not_established"
    assert found.sentence.endswith("neither kept nor broken is established.")


def test_the_bound_of_the_next_run() -> None:
    assert next_run_bound([27.0, 27.9, 26.5], confidence=0.95, better="lower") == near(29.618678306425494)


def test_the_bounds_of_the_typical_run() -> None:
    assert typical_run_bounds(RUNS, confidence=0.95) == (near(48.12455952570282), near(49.820004632189686))


@pytest.mark.parametrize(
    ("limit", "outcome"), [(50.7, "pass"), (50.6, "not_established"), (48.2, "not_established"), (48.1, "fail")]
)
def test_a_limit_is_kept_broken_or_neither(limit: float, outcome: str) -> None:
    assert check(limit=limit).outcome == outcome


@pytest.mark.parametrize(
    ("limit", "outcome"), [(47.2, "pass"), (47.4, "not_established"), (49.8, "not_established"), (49.9, "fail")]
)
def test_a_smallest_allowed_value_is_the_same_the_other_way_round(limit: float, outcome: str) -> None:
    assert check(limit=limit, better="higher").outcome == outcome


def test_a_check_says_what_it_rests_on() -> None:
    found = check(limit=60.0)

    assert (found.runs, found.confidence, found.scope) == (3, 0.95, "this placement only")
    assert found.estimand == "another run of this arm"
    assert "roughly normal" in found.assumptions[1]
    assert found.sentence == "The 95 % bound of the next run is 50.69 ms, against a limit of 60 ms: kept."
    broken = check(limit=40.0)
    assert broken.sentence == (
        f"The 95 % bound of the typical run is {broken.typical_near:.4g} ms, against a limit of 40 ms: "
        "broken by the typical run (one-sided)."
    )
    assert broken.decided_by == "typical_run_bound_log"
    assert "typical_run_bound_log, 3 candidate runs" in SloAnswer(40.0, broken, None).said
    assert check().decided_by == "next_run_prediction_bound_log"


def test_a_share_has_no_unit_to_print() -> None:
    found = slo_check(RUNS, 60.0, better="lower", confidence=0.9, unit="1", scope="")

    assert found.sentence.endswith("against a limit of 60: kept.")


runs = st.lists(st.floats(10.0, 100.0), min_size=3, max_size=8, unique=True).filter(
    lambda values: max(values) / min(values) > 1.001
)


@given(runs)
def test_the_next_run_is_less_certain_than_the_typical_one(values: list[float]) -> None:
    found = check(values)

    assert found.typical_near < found.typical < found.typical_far < found.next_run


@given(runs)
def test_times_and_rates_give_reciprocal_bounds(values: list[float]) -> None:
    rates = [1 / v for v in values]

    assert next_run_bound(rates, confidence=0.95, better="higher") == near(
        1 / next_run_bound(values, confidence=0.95, better="lower")
    )


@given(runs, st.randoms())
def test_the_order_of_runs_and_their_unit_change_nothing(values: list[float], random: Any) -> None:
    shuffled = [1000 * v for v in values]
    random.shuffle(shuffled)

    assert check(shuffled, 50_000.0).outcome == check(values).outcome
    assert check(shuffled, 50_000.0).next_run == near(1000 * check(values).next_run)


def test_arms_exactly_at_the_limit_rarely_pass() -> None:
    """1000 requests per run, runs that differ by 10 %, 3 and 5 runs: 500 repetitions against the pooled p99."""
    rng = np.random.default_rng(8)
    limit = math.exp(2.3263478740408408 * math.hypot(0.5, 0.1))
    rank = conservative_rank(1000, P99)
    for n in (3, 5):
        requests = 0.5 * rng.standard_normal((500, n, 1000)) + 0.1 * rng.standard_normal((500, n, 1))
        values = np.exp(np.partition(requests, rank - 1, axis=2)[:, :, rank - 1]).tolist()
        assert np.mean([check(v, limit).outcome == "pass" for v in values]) <= 0.05


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: check(RUNS[:2]), "too_few_runs"),
        (lambda: next_run_bound(RUNS[:1], confidence=0.95, better="lower"), "too_few_runs"),
        (lambda: check((48.5, 0.0, 48.9)), "not_positive"),
        (lambda: check((48.5, math.nan, 48.9)), "not_positive"),
        (lambda: check(limit=-1.0), "not_positive"),
        (lambda: check(limit=math.inf), "not_positive"),
        (lambda: check((48.5, 48.5, 48.5)), "zero_variance"),
        (lambda: next_run_bound(RUNS, confidence=1.0, better="lower"), "bad_level"),
        (lambda: typical_run_bounds(RUNS, confidence=0.4), "bad_level"),
    ],
)
def test_runs_that_cannot_be_checked_are_refused(call: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert refused.value.needs
