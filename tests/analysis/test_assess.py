"""The whole path: which interval a design gets, and what may change without changing it."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.assess import assess
from analysis.table import Table
from tests.analysis.props import (
    BASELINE,
    BLOCKED,
    CANDIDATE,
    INDEPENDENT,
    PLAN,
    SECOND,
    a_plan,
    a_request,
    a_run,
    codes,
    ends,
    interleaved,
    inverted,
    near,
)


def test_independent_runs_get_welch_and_a_verdict() -> None:
    result = assess(INDEPENDENT)

    assert (result.outcome, result.refusal) == ("verdict", None)
    assert inverted(result) == near(0.8978756756691735, 0.918175945102339)
    assert result.interval is not None
    assert (result.interval.method, result.interval.frame.scope) == ("welch_log", "this placement only")
    assert result.verdict is not None
    assert result.verdict.headline == "Regression of at least 2% established"
    assert codes(result.notices) == {"one_placement", "not_known_to_be_the_same"}
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
                measurements=Table.of(
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
