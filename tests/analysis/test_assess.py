"""The whole path. Refusals start from the nearest request that is not refused, and break one thing."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.assess import AssessmentRequest, AssessmentResult, Explained, Predicted, assess
from tests.analysis.props import (
    BASELINE,
    CANDIDATE,
    PLAN,
    SECOND,
    a_plan,
    a_request,
    a_run,
    blocked,
    change,
    codes,
    interleaved,
)

INDEPENDENT = a_request(interleaved(BASELINE, CANDIDATE))
BLOCKED = a_request(blocked(BASELINE, CANDIDATE))


def near(*values: float) -> Any:
    return pytest.approx(values, rel=1e-9)


def ends(result: AssessmentResult) -> tuple[float, float]:
    assert result.interval is not None
    return result.interval.lo, result.interval.hi


def inverted(result: AssessmentResult) -> tuple[float, float]:
    """The interval of the throughput ratio, of a time ratio."""
    return 1 / ends(result)[1], 1 / ends(result)[0]


def test_independent_runs_get_welch_and_a_verdict() -> None:
    result = assess(INDEPENDENT)

    assert (result.outcome, result.refusal) == ("verdict", None)
    assert inverted(result) == near(0.8978756756691735, 0.918175945102339)
    assert result.interval is not None
    assert (result.interval.method, result.interval.frame.scope) == ("welch_log", "this placement only")
    assert result.verdict is not None
    assert result.verdict.headline == "Regression of at least 2% established"
    assert codes(result.notices) == {"one_placement"}
    assert result.ladder_rung == 2


def test_blocks_get_the_paired_interval() -> None:
    result = assess(BLOCKED)

    assert inverted(result) == near(0.8971069682474527, 0.9189627059774945)
    assert result.design is not None
    assert (result.design.kind, result.design.counted) == ("blocked", "blocks")


def test_several_placements_get_an_interval_for_them_and_one_for_their_like() -> None:
    runs = [
        replace(run, placement=f"host-{place}", label=f"{run.label}-{place}", artifact=f"{run.artifact}-{place}")
        for place, slower in enumerate((1.0, 1.01, 1.02))
        for run in interleaved(BASELINE[:2], [slower * t for t in CANDIDATE[:2]])
    ]
    result = assess(a_request(runs))

    assert result.interval is not None
    assert (result.interval.method, result.interval.df) == ("placement_log", 2)
    assert result.interval.frame.scope == "placements like these"
    assert result.secondary is not None
    assert (result.secondary.method, result.secondary.frame.scope) == ("stratified_log", "these 3 placements only")


def test_one_run_per_arm_on_each_of_three_placements_has_no_interval_for_these_alone() -> None:
    runs = [
        replace(run, placement=f"host-{run.label[1:]}", block=run.label[1:])
        for run in interleaved(BASELINE[:3], CANDIDATE[:3])
    ]
    result = assess(a_request(runs))

    assert result.outcome == "verdict"
    assert result.secondary is None
    assert "no_stratified_interval" in codes(result.notices)


def test_two_placements_speak_only_for_themselves() -> None:
    runs = tuple(
        replace(run, placement="host-2") if run.label in ("b2", "b3", "b4", "c2", "c3", "c4") else run
        for run in INDEPENDENT.runs
    )
    result = assess(a_request(runs))

    assert inverted(result) == near(0.8975704457737718, 0.9207531875739822)
    assert result.interval is not None
    assert result.interval.frame.scope == "these 2 placements only"


def test_arms_nested_in_placements_compare_placement_means() -> None:
    runs = [
        a_run(arm, 10 * place + i, value * (1 + 0.01 * i), placement=f"{arm}-{place}")
        for arm, values in (("baseline", BASELINE[:3]), ("candidate", CANDIDATE[:3]))
        for place, value in enumerate(values)
        for i in range(2)
    ]
    result = assess(a_request(runs))

    assert result.interval is not None
    assert (result.interval.method, result.interval.units) == ("placement_welch_log", 3)
    assert result.interval.frame.scope == "placements like these"
    assert result.outcome == "verdict"


def test_the_hardware_itself_may_be_what_is_compared() -> None:
    runs = tuple(replace(run, placement=run.arm) for run in INDEPENDENT.runs)

    refused = assess(a_request(runs))
    result = assess(a_request(runs, a_plan(hardware_varied=True)))

    assert refused.refusal is not None
    assert refused.refusal.code == "arm_confounded_with_placement"
    assert result.interval is not None
    assert result.interval.frame.scope == "these two systems only"
    assert "one_system_per_arm" in codes(result.notices)
    assert result.ladder_rung == 1


def test_one_run_per_arm_has_a_size_and_no_interval() -> None:
    result = assess(a_request(interleaved([99.0], [109.0])))

    assert result.refusal is not None
    assert (result.outcome, result.refusal.code, result.interval) == ("refused", "too_few_runs", None)
    assert result.estimate is not None
    assert result.estimate.value == pytest.approx(109 / 99)


def test_one_run_per_arm_has_no_interval_whatever_the_number_of_steps() -> None:
    steps = [1 + 0.01 * math.sin(i * i) for i in range(2000)]
    runs = [a_run("baseline", 1, steps), a_run("candidate", 1, [1.1 * t for t in steps])]
    result = assess(a_request(runs, a_plan(stat="mean")))

    assert result.interval is None
    assert "single_run_within_precision" in codes(result.notices)


def test_two_runs_per_arm_have_an_interval_and_no_verdict() -> None:
    result = assess(a_request(interleaved([99.0, 101.0], [109.0, 111.0])))

    assert inverted(result) == near(0.8572930771332723, 0.9640016449067915)
    assert result.refusal is not None
    assert (result.outcome, result.refusal.code, result.verdict) == ("withheld", "too_few_for_verdict", None)
    assert "small_df" in codes(result.notices)


def test_a_small_arm_guards_its_interval_and_says_so() -> None:
    result = assess(a_request(interleaved(BASELINE[:3], [*CANDIDATE, *[t * 1.001 for t in CANDIDATE]])))

    assert result.interval is not None
    assert result.interval.method == "welch_min_df_log"
    assert {"guarded_df", "unbalanced"} <= codes(result.notices)


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


RATE = (("request_rate", "3.6"),)


def served(baseline: Any, candidate: Any, rate: Any = RATE, **plan: Any) -> AssessmentResult:
    asked = {"metric": "output_throughput", "better": "higher", "margin": Fraction("0.98"), **plan}
    measured = {"metric": asked["metric"], "unit": "1/s"}
    return assess(a_request(interleaved(baseline, candidate, settings=rate, measured=measured), a_plan(**asked)))


def test_equal_throughput_at_a_fixed_offered_load_supports_nothing() -> None:
    result = served([698.5, 698.8, 698.1], [698.6, 698.4, 698.9])

    assert result.refusal is not None
    assert (result.outcome, result.refusal.code) == ("withheld", "rate_limited")
    assert result.verdict is not None
    assert result.verdict.materiality == "within_margin"
    assert "rate_limited" in codes(result.notices)


def test_a_regression_at_a_fixed_offered_load_stands() -> None:
    result = served([698.5, 698.8, 698.1], [598.6, 598.4, 598.9])

    assert result.outcome == "verdict"
    assert "rate_limited" in codes(result.notices)


@pytest.mark.parametrize("rate", [(("request_rate", "inf"),), ()])
def test_throughput_at_saturation_is_not_limited(rate: Any) -> None:
    assert served([698.5, 698.8, 698.1], [698.6, 698.4, 698.9], rate).outcome == "verdict"


def test_latency_at_a_fixed_offered_load_is_judged() -> None:
    result = served([1.0, 1.01, 0.99], [1.0, 1.01, 1.02], metric="ttft", better="lower", margin=Fraction("1.1"))

    assert result.outcome == "verdict"


def test_an_arm_after_the_other_is_different_in_the_later_period() -> None:
    runs = [
        replace(run, run=replace(run.run, started_ns=SECOND * (100 * (run.arm == "candidate") + int(run.label[1:]))))
        for run in INDEPENDENT.runs
    ]
    result = assess(a_request(runs))

    assert result.overlap == 0
    assert "order_confounded" in codes(result.notices)
    assert result.verdict is not None
    assert result.verdict.headline == "Different in the later period: regression of at least 2% established"
    assert result.ladder_rung == 1


EQUAL = interleaved([1.0, 1.001, 0.999, 1.0005], [1.0, 1.0012, 0.9991, 1.3])


def test_a_finding_that_hangs_on_an_exclusion_is_withheld() -> None:
    result = assess(a_request(change(EQUAL, "c3", excluded="throttled")))

    assert result.refusal is not None
    assert (result.outcome, result.refusal.code) == ("withheld", "sensitive_to_exclusions")
    assert result.with_excluded is not None
    assert "excluded_runs" in codes(result.notices)


def test_a_finding_that_survives_its_exclusions_stands() -> None:
    result = assess(a_request(change(INDEPENDENT.runs, "c3", excluded="throttled")))

    assert result.outcome == "verdict"
    assert result.with_excluded is not None
    assert (1 / result.with_excluded.hi, 1 / result.with_excluded.lo) == near(0.8978756756691735, 0.918175945102339)


def test_an_exclusion_from_a_block_is_undone_with_its_whole_block() -> None:
    result = assess(a_request(change(BLOCKED.runs, "c3", excluded="throttled")))

    assert result.interval is not None
    assert result.interval.units == 4
    assert result.with_excluded is not None
    assert result.with_excluded.units == 5


@pytest.mark.parametrize(
    ("runs", "label"),
    [
        ((*EQUAL[:7], a_run("candidate", 3, None)), "c3"),
        ((*EQUAL, a_run("candidate", 9, 1.0, placement="host-9")), "c9"),
    ],
    ids=["without value", "of another layout"],
)
def test_an_exclusion_that_cannot_be_undone_has_no_second_interval(runs: Any, label: str) -> None:
    result = assess(a_request(change(runs, label, excluded="rule")))

    assert result.interval is not None
    assert result.with_excluded is None


def test_an_interval_that_only_exists_without_exclusions_is_shown_alone() -> None:
    huge = a_run("candidate", 9, 1e300, excluded="counter overflow")
    result = assess(a_request([*interleaved([1.0, 1.01], [1.0, 1.02]), huge]))

    assert result.interval is not None
    assert result.with_excluded is None


def test_predictions_of_this_metric_are_judged_and_others_are_named() -> None:
    def prediction(key: str, metric: str, registered_ns: int) -> Predicted:
        return Predicted(key, "H1", metric, "value", Fraction("1.05"), Fraction("1.15"), registered_ns)

    predictions = (
        prediction("P2", "wall_time", -1),
        prediction("P1", "wall_time", 60 * SECOND),
        prediction("P3", "ttft", 0),
    )
    result = assess(a_request(INDEPENDENT.runs, predictions=predictions))

    assert [(j.key, j.outcome, j.post_hoc) for j in result.judgements] == [
        ("P1", "inconclusive", True),
        ("P2", "supported", False),
    ]
    assert "predictions_elsewhere" in codes(result.notices)


def test_predictions_are_not_judged_by_arms_that_cannot_be_compared() -> None:
    prediction = Predicted("P1", "H1", "wall_time", "value", None, Fraction(1), 0)
    runs = [*interleaved(BASELINE, (), work=(("output_tokens", "100"),)), *interleaved((), CANDIDATE)]

    assert [j.outcome for j in assess(a_request(runs, predictions=(prediction,))).judgements] == ["not_comparable"]
    alone = assess(a_request(INDEPENDENT.runs[:1], predictions=(prediction,)))
    assert [(j.outcome, j.code) for j in alone.judgements] == [("inconclusive", "no_runs")]


def pipeline_runs() -> list[Any]:
    """Six blocks of 200 steps; the candidate is truly 3 % slower, with a warmup and a drift of 0.2 % per block."""
    rng = np.random.default_rng(2026)
    runs = []
    for k in range(6):
        for arm in ("baseline", "candidate"):
            base = 10.0 * (1.03 if arm == "candidate" else 1.0) * np.exp(0.004 * rng.standard_normal())
            e = rng.standard_normal(200)
            y = base * (1 + 0.002 * k) * np.exp(0.01 * e)
            y[:20] *= 1 + 0.3 * np.exp(-np.arange(20) / 5)
            at = SECOND * (2 * k + (arm == "candidate"))
            changes = {"metric": "step_time"}
            runs.append(a_run(arm, k, y.tolist(), measured=changes, block=f"k{k}", file_run={"started_ns": at}))
    return runs


STEPS = a_plan(metric="step_time", stat="mean", warmup_steps=20)


def test_the_pipeline_finds_three_percent_in_blocks_and_welch_is_wider() -> None:
    paired = assess(a_request(pipeline_runs(), STEPS))
    welch = assess(a_request([replace(run, block="") for run in pipeline_runs()], STEPS))

    assert paired.estimate is not None
    assert 1 / paired.estimate.value == pytest.approx(0.9702582928665968, rel=1e-12)
    assert inverted(paired) == near(0.9629415929061901, 0.9776305871628438)
    assert inverted(welch) == near(0.9618630818526528, 0.9787267778935452)


def test_duplicating_every_step_changes_nothing() -> None:
    runs = pipeline_runs()
    twice = [
        replace(
            run,
            reading=replace(
                run.reading,
                measurements=tuple(
                    replace(m, index=2 * (m.index or 0) + i) for m in run.reading.measurements for i in (0, 1)
                ),
            ),
        )
        for run in runs
    ]

    assert ends(assess(a_request(twice, replace(STEPS, warmup_steps=40)))) == near(
        *ends(assess(a_request(runs, STEPS)))
    )


times = st.lists(st.floats(0.5, 2.0), min_size=3, max_size=5, unique=True)


@settings(deadline=None, max_examples=40)
@given(times, times, st.floats(1e-3, 1e3), st.randoms(use_true_random=False))
def test_order_and_units_change_nothing_and_swapping_arms_inverts(
    baseline: list[float], candidate: list[float], unit: float, order: Any
) -> None:
    if min(max(baseline) - min(baseline), max(candidate) - min(candidate)) < 1e-3:
        return
    runs = list(interleaved(baseline, candidate))
    there = ends(assess(a_request(runs)))
    order.shuffle(runs)
    assert ends(assess(a_request(runs))) == there

    scaled = interleaved([unit * t for t in baseline], [unit * t for t in candidate])
    assert ends(assess(a_request(scaled))) == near(*there)
    assert inverted(assess(a_request(interleaved(candidate, baseline)))) == near(*there)


def test_throughput_is_the_reciprocal_of_time() -> None:
    rates = interleaved([1 / t for t in BASELINE], [1 / t for t in CANDIDATE])
    plan = replace(PLAN, better="higher", margin=Fraction(100, 102))
    by_rate, by_time = assess(a_request(rates, plan)), assess(INDEPENDENT)

    assert ends(by_rate) == near(*inverted(by_time))
    assert by_rate.verdict is not None
    assert by_time.verdict is not None
    assert by_rate.verdict.materiality == by_time.verdict.materiality
