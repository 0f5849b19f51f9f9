"""Ranks and counts are exact; what is no percentile is refused by name."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import Refused
from analysis.quantile import (
    Side,
    conservative_quantile,
    conservative_rank,
    min_requests,
    mlperf_min_passing,
    nearest_rank,
    order_statistic_interval,
    order_statistic_ranks,
    require_plain_stat,
    require_upper_statement,
)

F = Fraction
LEVEL = F("0.95")


@pytest.mark.parametrize(
    ("confidence", "side", "fewest"),
    [
        (F("0.95"), "upper", [59, 299, 2995]),
        (F("0.95"), "two_sided", [72, 368, 3688]),
        (F("0.99"), "upper", [90, 459, 4603]),
    ],
)
def test_the_fewest_requests_that_bound_a_tail(confidence: Fraction, side: Side, fewest: list[int]) -> None:
    assert [min_requests(F(p), confidence=confidence, side=side) for p in ("0.95", "0.99", "0.999")] == fewest


def test_a_low_quantile_is_bounded_from_below_by_as_many_as_its_mirror_from_above() -> None:
    assert min_requests(F("0.05"), confidence=LEVEL, side="lower") == 59
    assert min_requests(F("0.05"), confidence=LEVEL, side="two_sided") == 72
    assert min_requests(F("0.05"), confidence=LEVEL, side="upper") == 1


@pytest.mark.parametrize(("error", "fewest"), [(F(1, 4), 2), (F(1, 4) - F(1, 10**12), 3), (F(1, 4) + F(1, 10**12), 2)])
def test_a_power_that_meets_the_error_exactly_is_enough(error: Fraction, fewest: int) -> None:
    assert min_requests(F(1, 2), confidence=1 - error, side="upper") == fewest


@given(st.fractions(F(1, 100), F(99, 100), max_denominator=200), st.fractions(F(1, 2), F(99, 100), max_denominator=100))
def test_the_fewest_requests_are_enough_and_one_less_is_not(p: Fraction, confidence: Fraction) -> None:
    n = min_requests(p, confidence=confidence, side="upper")

    assert p**n <= 1 - confidence
    assert n == 1 or p ** (n - 1) > 1 - confidence


@pytest.mark.parametrize(
    ("n", "p", "ranks"),
    [
        (368, "0.99", (360, 368)),
        (1000, "0.99", (983, 997)),
        (10_000, "0.99", (9880, 9920)),
        (72, "0.95", (64, 72)),
        (1000, "0.95", (936, 964)),
    ],
)
def test_order_statistics_around_a_quantile(n: int, p: str, ranks: tuple[int, int]) -> None:
    assert order_statistic_ranks(n, F(p), confidence=LEVEL, side="two_sided") == ranks


def test_no_rank_reaches_above_a_quantile_with_too_few_requests() -> None:
    assert order_statistic_ranks(367, F("0.99"), confidence=LEVEL, side="two_sided") == (359, None)
    assert order_statistic_ranks(3, F("0.5"), confidence=LEVEL, side="two_sided") == (None, None)


def test_a_one_sided_answer_has_one_rank() -> None:
    assert order_statistic_ranks(59, F("0.95"), confidence=LEVEL, side="upper") == (None, 59)
    assert order_statistic_ranks(58, F("0.95"), confidence=LEVEL, side="upper") == (None, None)
    assert order_statistic_ranks(59, F("0.05"), confidence=LEVEL, side="lower") == (1, None)
    assert order_statistic_ranks(58, F("0.05"), confidence=LEVEL, side="lower") == (None, None)


@given(st.integers(2, 3000), st.sampled_from(["0.5", "0.9", "0.95", "0.99"]))
def test_an_upper_rank_exists_exactly_from_the_fewest_requests_on(n: int, p: str) -> None:
    _, upper = order_statistic_ranks(n, F(p), confidence=LEVEL, side="upper")

    assert (upper is not None) == (n >= min_requests(F(p), confidence=LEVEL, side="upper"))


def test_the_interval_of_one_run_covers_and_that_of_a_pool_of_runs_does_not() -> None:
    """2,000 repetitions of 1000 requests, lognormal with sigma 0.5; then 3 runs whose level differs by 10 %."""
    rng = np.random.default_rng(7)
    true = np.exp(0.5 * 2.3263478740408408)
    one = np.sort(np.exp(0.5 * rng.standard_normal((2000, 1000))), axis=1)
    within = _share_within(one, true)
    level = 0.1 * rng.standard_normal((500, 3, 1))
    pool = np.sort(np.exp(0.5 * rng.standard_normal((500, 3, 1000)) + level).reshape(500, 3000), axis=1)
    pooled = _share_within(pool, true)

    assert 0.95 <= within <= 0.98
    assert pooled < 0.75


def _share_within(ordered: Any, true: float) -> float:
    lower, upper = order_statistic_ranks(ordered.shape[1], F("0.99"), confidence=LEVEL, side="two_sided")
    return float(np.mean((ordered[:, (lower or 0) - 1] <= true) & (true <= ordered[:, (upper or 0) - 1])))


def test_the_interval_of_one_run_says_of_what_it_speaks() -> None:
    found = order_statistic_interval(
        [list(range(1000, 0, -1))], F("0.99"), confidence=LEVEL, side="two_sided", unit="s"
    )

    assert (found.value, found.lo, found.hi) == (990, 983, 997)
    assert (found.requests, found.scope) == (1000, "this run only")
    assert found.assumptions == ("the requests of the run are independent of each other",)


def test_an_end_that_no_request_reaches_is_absent() -> None:
    found = order_statistic_interval([list(range(1, 301))], F("0.99"), confidence=LEVEL, side="two_sided", unit="s")
    upper = order_statistic_interval([list(range(1, 301))], F("0.99"), confidence=LEVEL, side="upper", unit="s")

    assert found.hi is None
    assert (upper.lo, upper.hi) == (None, 300)


@pytest.mark.parametrize(("n", "p", "rank"), [(1000, "0.99", 991), (99, "0.99", 99), (199, "0.95", 190), (3, "0.5", 2)])
def test_the_conservative_rank_counts_one_request_more(n: int, p: str, rank: int) -> None:
    assert conservative_rank(n, F(p)) == rank


@given(st.integers(99, 5000))
def test_the_conservative_rank_is_the_nearest_rank_or_the_next(n: int) -> None:
    values = list(range(1, n + 1))

    assert conservative_rank(n, F("0.99")) - nearest_rank(values, F("0.99")) in (0, 1)


def test_the_run_value_against_a_limit_lies_at_the_conservative_rank() -> None:
    assert conservative_quantile(list(range(1000, 0, -1)), F("0.99")) == 991


@pytest.mark.parametrize(
    ("p", "over", "h"),
    [("0.99", 0, 459), ("0.99", 1, 661), ("0.99", 10, 2000), ("0.9", 0, 44), ("0.9", 1, 63), ("0.97", 0, 152)],
)
def test_early_stopping_agrees_with_the_mlperf_tables(p: str, over: int, h: int) -> None:
    assert mlperf_min_passing(over, F(p), confidence=F("0.99"), tolerance=F(0)) == h


def test_a_tolerance_eases_early_stopping() -> None:
    assert mlperf_min_passing(0, F("0.99"), confidence=F("0.99"), tolerance=F("0.01")) < 459


@pytest.mark.parametrize(
    ("stat", "code"),
    [
        ("mean of p99", "average_of_percentiles"),
        ("avg_p95", "average_of_percentiles"),
        ("average of window p99s", "average_of_percentiles"),
        ("max of p99", "max_of_percentiles"),
        ("Worst p99.9", "max_of_percentiles"),
        ("p99 of step means", "aggregate_only"),
        ("p95_of_averages", "aggregate_only"),
    ],
)
def test_a_summary_of_percentiles_is_no_percentile(stat: str, code: str) -> None:
    with pytest.raises(Refused, match="percentile") as refused:
        require_plain_stat(stat)
    assert refused.value.code == code
    assert "raw requests" in refused.value.needs


@pytest.mark.parametrize("stat", ["p99", "median", "mean", "max", "rate", "value"])
def test_a_plain_statistic_passes(stat: str) -> None:
    require_plain_stat(stat)


@pytest.mark.parametrize(
    ("call", "code", "needs"),
    [
        (lambda: conservative_rank(98, F("0.99")), "quantile_not_estimable", "99 requests"),
        (lambda: conservative_rank(98, F(1)), "not_a_quantile", "between 0 and 1"),
        (lambda: conservative_quantile([1.0] * 298, F("0.99")), "quantile_not_estimable", "299 requests"),
        (lambda: conservative_quantile([1.0] * 4, F("0.5")), "quantile_not_estimable", "5 requests"),
        (lambda: conservative_quantile([1.0] * 999, F("0.99")), "tail_too_small", "1000 requests"),
        (lambda: require_upper_statement(58, F("0.95"), confidence=LEVEL), "quantile_not_estimable", "59 requests"),
        (lambda: min_requests(F(0), confidence=LEVEL, side="upper"), "not_a_quantile", "between 0 and 1"),
        (lambda: min_requests(F("0.9"), confidence=F(1), side="upper"), "bad_level", "between 0 and 1"),
        (
            lambda: order_statistic_interval([[1.0]] * 3, F("0.99"), confidence=LEVEL, side="two_sided", unit="s"),
            "pooled_order_statistic",
            "quantile of every run",
        ),
        (
            lambda: order_statistic_interval([[1.0] * 9], F("0.99"), confidence=LEVEL, side="upper", unit="s"),
            "quantile_not_estimable",
            "299 requests",
        ),
        (
            lambda: mlperf_min_passing(0, F("0.9"), confidence=LEVEL, tolerance=F("0.9")),
            "not_a_quantile",
            "between 0 and 1",
        ),
        (
            lambda: mlperf_min_passing(0, 1 - F(1, 10**12), confidence=LEVEL, tolerance=F(0)),
            "too_many_queries",
            "fewer over the limit",
        ),
    ],
)
def test_what_cannot_be_said_of_a_tail_is_refused(call: Any, code: str, needs: str) -> None:
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == code
    assert needs in refused.value.needs
