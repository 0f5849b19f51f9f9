"""What is refused or withheld. Each case starts from the nearest request that is not, and breaks one thing."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.assess import AssessmentRequest, Explained, assess
from tests.analysis.props import (
    BASELINE,
    BLOCKED,
    CANDIDATE,
    INDEPENDENT,
    a_plan,
    a_request,
    a_run,
    blocked,
    change,
    codes,
    ends,
    interleaved,
    inverted,
    near,
)


def refusal_of(runs: Any, **plan: Any) -> str:
    result = assess(a_request(runs, a_plan(**plan)))
    assert result.outcome == "refused"
    assert result.verdict is None
    assert result.refusal is not None
    assert result.refusal.needs
    return result.refusal.code


@pytest.mark.parametrize(
    ("runs", "plan", "code"),
    [
        (INDEPENDENT.runs[5:], {}, "no_runs"),
        (interleaved([1.0, 1.0], [2.0, 2.0]), {}, "zero_variance"),
        (interleaved([1.0, 0.0], [2.0, 2.1]), {}, "not_positive"),
        (blocked(BASELINE[:1], CANDIDATE[:1]), {}, "too_few_blocks"),
        (change(BLOCKED.runs, "b0", block=""), {}, "ambiguous_design"),
        (change(INDEPENDENT.runs, "b0", label="b1"), {}, "duplicate_run"),
        (change(INDEPENDENT.runs, "b0", artifact="sha-b1"), {}, "duplicate_run"),
        (INDEPENDENT.runs, {"scale": "count"}, "count_is_described"),
        (INDEPENDENT.runs, {"metric": "ttft"}, "not_measured"),
        (INDEPENDENT.runs, {"margin": Fraction("0.98")}, "bad_margin"),
        (INDEPENDENT.runs, {"margin": Fraction(1)}, "bad_margin"),
        (INDEPENDENT.runs, {"better": "higher"}, "bad_margin"),
        (INDEPENDENT.runs, {"better": "higher", "margin": Fraction(0)}, "bad_margin"),
        (INDEPENDENT.runs, {"confidence": 1.0}, "bad_plan"),
        (INDEPENDENT.runs, {"looks": 0}, "bad_plan"),
        (INDEPENDENT.runs, {"look": 0}, "bad_plan"),
        (INDEPENDENT.runs, {"warmup_steps": -1}, "bad_plan"),
        (INDEPENDENT.runs, {"minimum_requests": -5}, "bad_plan"),
        (INDEPENDENT.runs, {"warmup_seconds": Fraction(0)}, "bad_plan"),
        (INDEPENDENT.runs, {"warmup_seconds": Fraction(1), "warmup_steps": 1}, "two_warmups"),
        (interleaved([1.0, 1.1], [2.0, 2.1], measured={"unit": "1"}), {"warmup_seconds": Fraction(1)}, "no_run_clock"),
        (
            interleaved([1.0, 1.1], [2.0, 2.1], measured={"kind": "aggregate"}),
            {"warmup_seconds": Fraction(1)},
            "aggregate_only",
        ),
        (INDEPENDENT.runs, {"stat": "mean of p99"}, "average_of_percentiles"),
        (INDEPENDENT.runs, {"stat": "max p99"}, "max_of_percentiles"),
        (INDEPENDENT.runs, {"stat": "p99 of step means"}, "aggregate_only"),
    ],
)
def test_one_broken_thing_is_refused_by_its_code(runs: Any, plan: Any, code: str) -> None:
    assert refusal_of(runs, **plan) == code


def test_a_tail_of_too_few_requests_is_refused_and_its_value_is_not_shown_as_one() -> None:
    runs = [a_run(arm, i, [1.0 + i] * 999) for arm in ("baseline", "candidate") for i in range(3)]

    assert refusal_of(runs, stat="p99") == "tail_too_small"


def test_quantiles_of_the_tool_and_ours_are_refused_together() -> None:
    theirs = {"kind": "aggregate", "stat": "p99", "n": 1000}
    runs = [
        a_run(arm, i, 1.0 + i if i else [1.0] * 1000, measured=theirs if i else None)
        for arm in ("baseline", "candidate")
        for i in range(3)
    ]

    assert refusal_of(runs, stat="p99") == "mixed_computation"


def test_different_work_is_not_comparable() -> None:
    runs = [*interleaved(BASELINE, (), work=(("output_tokens", "100"),)), *interleaved((), CANDIDATE)]
    result = assess(a_request(runs))

    assert result.refusal is not None
    assert (result.outcome, result.refusal.code) == ("not_comparable", "work_mismatch")
    assert (result.estimate, result.interval, result.verdict) == (None, None, None)
    assert [row.setting for row in result.audit if row.blocks] == ["output_tokens"]


def test_a_tolerated_difference_in_work_widens_the_interval_that_governs() -> None:
    runs = [*interleaved(BASELINE, (), work=(("output_tokens", "10040"),)), *interleaved((), CANDIDATE)]
    result = assess(a_request(runs))

    assert result.widened is not None
    assert result.governing is result.widened
    assert result.widened.statistical is result.interval
    assert (result.widened.lo, result.widened.hi) == near(ends(result)[0] / 1.004, ends(result)[1] * 1.004)
    assert result.verdict is not None
    assert result.verdict.basis == "widened_interval"


def test_a_difference_is_widened_by_its_share_of_the_largest_value() -> None:
    explained = Explained("dtype", Fraction("1.01"), accepted=True, text="no matter", by="ann")
    runs = [
        *interleaved(BASELINE, (), settings=(("dtype", "a"),)),
        *interleaved((), CANDIDATE, settings=(("dtype", "b"),)),
    ]
    plan = a_plan(scale="difference", margin=Fraction("0.001"))
    result = assess(a_request(runs, plan, explained=(explained,)))

    assert result.widened is not None
    assert result.widened.allowance == pytest.approx(0.01 * max(CANDIDATE))


def test_a_difference_has_an_interval_on_its_own_scale() -> None:
    result = assess(a_request(INDEPENDENT.runs, a_plan(scale="difference", margin=Fraction("0.005"))))

    assert result.interval is not None
    assert (result.interval.method, result.interval.frame.unit) == ("welch_difference", "s")
    assert result.interval.estimate == pytest.approx(np.mean(CANDIDATE) - np.mean(BASELINE))
    assert result.verdict is not None
    assert result.verdict.headline == "Regression of at least 0.005 s established"


def test_proportions_are_compared_as_differences() -> None:
    runs = interleaved([0.99, 0.98, 0.985], [0.97, 0.975, 0.96])
    result = assess(a_request(runs, a_plan(scale="proportion", better="higher", margin=Fraction("-0.001"))))

    assert result.verdict is not None
    assert result.verdict.direction == "regression_established"


def failing(label: str, runs: Any = None) -> AssessmentRequest:
    runs = runs or INDEPENDENT.runs
    return a_request(
        [
            replace(run, run=replace(run.run, status="failed", reason="crashed")) if run.label == label else run
            for run in runs
        ]
    )


def test_a_candidate_that_alone_loses_runs_failed_to_serve_with_exact_counts() -> None:
    result = assess(failing("c2"))

    assert (result.outcome, result.verdict, result.refusal) == ("failed_to_serve", None, None)
    assert [(one.failed, one.runs) for one in result.failures] == [(0, 5), (1, 5)]
    assert result.interval is not None
    assert {"failed_runs", "among_completed_runs"} <= codes(result.notices)


def test_a_candidate_that_loses_all_runs_failed_to_serve() -> None:
    runs = [
        replace(run, run=replace(run.run, attempted=9, failed=9)) if run.arm == "candidate" else run
        for run in INDEPENDENT.runs
    ]
    result = assess(a_request(runs))

    assert (result.outcome, result.interval) == ("failed_to_serve", None)
    assert result.failures[1].failed == 5


def test_runs_lost_by_the_baseline_or_by_both_leave_an_effect_among_completed_runs() -> None:
    for request in (failing("b1"), failing("b1", failing("c2").runs)):
        result = assess(request)
        assert result.outcome == "verdict"
        assert "among_completed_runs" in codes(result.notices)


def test_a_failed_run_drops_its_block() -> None:
    result = assess(failing("b1", BLOCKED.runs))

    assert result.interval is not None
    assert result.interval.units == 4
    assert {p.label: p.status for p in result.runs if p.status != "used"} == {
        "b1": "failed",
        "c1": "dropped_with_block",
    }


def test_declared_looks_share_the_error() -> None:
    result = assess(a_request(INDEPENDENT.runs, a_plan(looks=4, look=2)))

    assert result.interval is not None
    assert result.interval.confidence == 0.9875
    assert inverted(result) == near(0.8934302598882415, 0.922744487292236)
    assert result.outcome == "verdict"


def test_an_undeclared_look_without_an_interval_for_every_look_withholds_the_verdict() -> None:
    places = [
        replace(run, placement=f"host-{place}", label=f"{run.label}-{place}", artifact=f"{run.artifact}-{place}")
        for place in (1, 2)
        for run in INDEPENDENT.runs
    ]
    result = assess(a_request(places, a_plan(looks=1, look=2)))

    assert result.refusal is not None
    assert (result.outcome, result.refusal.code, result.verdict) == ("withheld", "undeclared_look", None)
    assert "valid only if this was the only look" in result.refusal.message
    assert result.governing is None
    assert result.single_look is not None
    assert result.single_look.method == "stratified_log"
