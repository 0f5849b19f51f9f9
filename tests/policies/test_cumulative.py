"""What shipped changes add up to, by the bounds on the worse side of their intervals."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.policies.cumulative import Shipped, budgets
from reviews.policies.facts import BudgetFacts
from reviews.sections import Comparison

from .open_gate import OPEN, a_comparison, an_interval

METRICS = {(m.metric, m.stat): m for m in OPEN.template.metrics}
RATE = a_comparison("C1", "throughput", "rate", role="primary")
P99 = a_comparison("C2", "latency", "p99", better="lower", margin="1.05")


def shipped(memo: str, low: str, high: str, row: Comparison = RATE) -> Shipped:
    return Shipped(memo, (row,), {row.assessment: an_interval(low=low, high=high)})


def one(this: Shipped, *before: Shipped) -> BudgetFacts:
    [found] = budgets(this, before, METRICS)
    return found


def test_the_lower_bounds_of_a_metric_that_is_better_higher_are_multiplied() -> None:
    found = one(
        shipped("this memo", "0.991", "1.01"), shipped("ARM-1", "0.992", "1.0"), shipped("ARM-2", "0.994", "1.1")
    )

    assert found.within is False
    assert found.sentence == (
        "at worst 0.977174, beyond the margin 0.98 (the product of ARM-1 0.992, ARM-2 0.994, this memo 0.991)"
    )


def test_one_change_less_is_inside_the_margin() -> None:
    found = one(shipped("this memo", "0.991", "1.01"), shipped("ARM-1", "0.992", "1.0"))

    assert found.within is True
    assert found.sentence == "at worst 0.983072, inside the margin 0.98 (the product of ARM-1 0.992, this memo 0.991)"


def test_the_upper_bounds_of_a_metric_that_is_better_lower_are_multiplied() -> None:
    found = one(shipped("this memo", "0.9", "1.03", P99), shipped("ARM-1", "0.9", "1.03", P99))

    assert (found.metric, found.stat, found.within) == ("latency", "p99", False)
    assert "at worst 1.0609, beyond the margin 1.05" in found.sentence


def test_differences_are_added() -> None:
    row = a_comparison("C3", "accuracy", "mean", scale="difference", margin="-0.5")
    found = one(shipped("this memo", "-0.3", "0", row), shipped("ARM-1", "-0.1", "0", row))
    over = one(shipped("this memo", "-0.3", "0", row), shipped("ARM-1", "-0.3", "0", row))

    assert found.sentence == "at worst -0.4, inside the margin -0.5 (the sum of ARM-1 -0.1, this memo -0.3)"
    assert over.within is False


def test_a_change_that_did_not_measure_the_metric_leaves_the_sum_unknown() -> None:
    other = shipped("ARM-1", "0.99", "1", P99)
    found = one(shipped("this memo", "0.99", "1"), other, Shipped("ARM-2", (RATE,), {}))

    assert found.within is None
    assert found.sentence == ("ARM-1 and ARM-2 measured no interval of it, so what the changes add up to is not known")


@pytest.mark.parametrize("fields", [{"slice": "batch"}, {"scale": "difference"}, {"stat": "mean"}])
def test_another_slice_scale_or_statistic_is_another_metric(fields: dict[str, Any]) -> None:
    elsewhere = replace(RATE, **fields)

    assert one(shipped("this memo", "0.99", "1"), shipped("ARM-1", "0.99", "1", elsewhere)).within is None


def test_of_several_comparisons_of_a_change_the_worst_counts() -> None:
    twice = replace(RATE, key="C9", assessment="other")
    first = Shipped(
        "ARM-1", (RATE, twice), {RATE.assessment: an_interval(low="0.999"), "other": an_interval(low="0.97")}
    )

    assert "ARM-1 0.97," in one(shipped("this memo", "1", "1"), first).sentence


def test_an_open_end_is_no_bound() -> None:
    assert one(shipped("this memo", "-inf?", "1")).within is None


def test_counts_do_not_add_up() -> None:
    row = a_comparison("C3", "failures", "count", scale="count", margin="1")

    assert one(shipped("this memo", "0", "1", row)).sentence == (
        "counts do not add up over changes, so what the changes add up to is not known"
    )


def test_screenings_rechecks_and_what_is_waived_are_no_part_of_it() -> None:
    rows = (
        replace(RATE, role="screening"),
        replace(P99, purpose="recheck"),
        replace(P99, assessment="", absent_reason="no counter"),
    )

    assert budgets(Shipped("this memo", rows, {}), (), METRICS) == ()
