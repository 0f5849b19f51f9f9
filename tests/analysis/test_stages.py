"""Stages from a file to the result: where a difference begins."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import assess
from analysis.localise import ends_at, stage_of
from analysis.procedures import paired, welch
from tests.analysis.props import a_plan, a_request
from tests.analysis.recorded import assessed, row, runs_of, stages, the_split
from tests.analysis.slowed import NAMES, an_arm, answered, times


def log_of(values: list[float]) -> list[float]:
    return [math.log(value) for value in values]


def test_the_difference_begins_where_the_file_says_that_stages_slow_down() -> None:
    found = answered(assessed(an_arm(0), an_arm(1)))

    assert found.refusal is None
    assert found.found == ("attend",)
    assert found.excluded == ("load", "embed")
    assert found.sentence == "Divergence is established at attend; stages before attend are excluded."
    assert found.margin == 1.02
    assert [part.name for part in found.stages] == list(NAMES)


def test_every_stage_has_the_interval_of_the_design_at_the_level_that_all_share() -> None:
    for blocked in (False, True):
        found = answered(assessed(an_arm(0), an_arm(1), blocked=blocked))
        before, after = [log_of([times(arm, run)[2] for run in range(6)]) for arm in (0, 1)]
        spread = paired(list(zip(before, after, strict=True))) if blocked else welch(before, after)
        expected = stage_of("attend", spread, stages=4, confidence=0.95)
        part = found.stages[2]

        assert found.basis is not None
        assert found.basis.together == 0.95
        assert found.basis.level == pytest.approx(1 - 0.05 / 4)
        assert (part.lo, part.hi) == pytest.approx([math.exp(x) for x in expected.simultaneous], rel=1e-9)
        assert (part.equal_lo, part.equal_hi) == pytest.approx([math.exp(x) for x in ends_at(spread, 0.9)], rel=1e-9)
        assert found.basis.method == ("paired_log" if blocked else "welch_log")
        assert (found.basis.units, found.basis.counted) == (6, "blocks" if blocked else "runs per arm")
        assert found.basis.scope == "this placement only"


def test_without_stages_there_is_no_answer_and_no_member_in_the_json() -> None:
    result = assessed([[row("wall_time", 0.1 + 0.001 * i)] for i in range(3)],
                      [[row("wall_time", 0.12 + 0.001 * i)] for i in range(3)])  # fmt: skip

    assert (result.stages, result.splits, result.mechanisms) == (None, (), None)


def test_stages_of_another_metric_or_of_the_warmup_are_none_of_this_one() -> None:
    arms = [
        [[row("wall_time", 0.1 * (1 + arm) + 0.001 * i), *stages("step_time", load=0.1),
          row("wall_time", 0.1, stage="load", phase="warmup")] for i in range(3)]
        for arm in (0, 1)
    ]  # fmt: skip

    assert assessed(*arms).stages is None


def test_four_runs_per_arm_localise_nothing_and_show_their_intervals() -> None:
    found = answered(assessed(an_arm(0, 4), an_arm(1, 4)))

    assert (found.found, found.excluded) == ((), ())
    assert found.sentence.startswith("Not localised: 4 runs per arm are a hint")
    assert found.stages[2].lo is not None


def test_one_run_per_arm_is_refused_with_the_reason() -> None:
    found = answered(assessed(an_arm(0, 1), an_arm(1, 1)))

    assert found.refusal is not None
    assert found.refusal.code == "too_few_runs"
    assert found.sentence == found.refusal.message


def test_cumulative_stages_must_keep_their_sign_and_do_not_add_up() -> None:
    result = assessed(an_arm(0, cumulative=True), an_arm(1, cumulative=True), stages="cumulative")

    assert answered(result).found[-1] == "attend"
    refusal = the_split(result).refusal
    assert refusal is not None
    assert refusal.code == "stages_do_not_add"


def test_a_run_with_other_stages_is_named() -> None:
    candidate = an_arm(1)
    candidate[3] = candidate[3][:-1]
    result = assessed(an_arm(0), candidate)

    for found in (answered(result).refusal, the_split(result).refusal):
        assert found is not None
        assert found.code == "stages_differ"
        assert "c3 are load, embed, attend" in found.message
    without = assessed(an_arm(0), [*an_arm(1)[:5], [row("wall_time", 1.1)]])
    assert "c5 are not recorded" in answered(without).sentence


def test_a_run_with_its_stages_in_another_order_is_named() -> None:
    candidate = an_arm(1)
    candidate[0] = [candidate[0][0], *reversed(candidate[0][1:])]

    refusal = answered(assessed(an_arm(0), candidate)).refusal

    assert refusal is not None
    assert refusal.code == "stages_differ"


def test_a_stage_without_a_value_is_named_with_its_run() -> None:
    candidate = an_arm(1)
    candidate[2][1] = {"metric": "wall_time", "unit": "s", "value": None, "reason": "the timer failed", "stage": "load"}

    refusal = answered(assessed(an_arm(0), candidate)).refusal

    assert refusal is not None
    assert refusal.code == "not_measured"
    assert "Stage load of run c2" in refusal.message
    assert "the timer failed" in refusal.message


def test_stages_of_what_is_no_time_are_refused() -> None:
    arms = [
        [[row("throughput", 100 * (1 + arm) + i, "1/s"), row("throughput", 50.0 + i, "1/s", stage="load")]
         for i in range(5)]
        for arm in (0, 1)
    ]  # fmt: skip
    result = assessed(*arms, metric="throughput", better="higher", margin=Fraction("0.98"))

    refusal = answered(result).refusal
    assert refusal is not None
    assert refusal.code == "not_a_time"


def test_a_stage_that_does_not_vary_is_neither_established_nor_excluded() -> None:
    arms = [an_arm(arm) for arm in (0, 1)]
    for runs in arms:
        for rows in runs:
            rows[1]["value"] = 0.1
    found = answered(assessed(*arms))

    assert found.found == ("load", "embed", "attend")
    assert (found.stages[0].lo, found.stages[0].reason) == (None, "does not vary between runs")


def test_stages_that_all_stand_still_have_no_interval() -> None:
    arms = [[[row("wall_time", 1 + 0.001 * i), row("wall_time", 0.1, stage="a")] for i in range(5)] for _ in (0, 1)]

    refusal = answered(assessed(*arms)).refusal

    assert refusal is not None
    assert refusal.code == "zero_variance"


def test_a_look_that_nobody_declared_says_nothing_of_stages() -> None:
    result = assessed(an_arm(0), an_arm(1), look=2)

    for refusal in (answered(result).refusal, the_split(result).refusal):
        assert refusal is not None
        assert refusal.code == "undeclared_look"


def test_a_declared_look_shares_its_level_among_the_stages() -> None:
    found = answered(assessed(an_arm(0), an_arm(1), looks=2))

    assert found.basis is not None
    assert found.basis.level == pytest.approx(1 - 0.025 / 4)


def test_differences_of_work_that_are_tolerated_widen_every_stage() -> None:
    plain = answered(assessed(an_arm(0), an_arm(1)))
    runs = [
        *runs_of("baseline", an_arm(0), work={"output_tokens": 10_000}),
        *runs_of("candidate", an_arm(1), work={"output_tokens": 10_050}),
    ]
    found = answered(assess(a_request(runs, a_plan())))

    assert found.basis is not None
    assert "the stated greatest effects hold in every stage" in found.basis.assumptions
    for narrow, wide in zip(plain.stages, found.stages, strict=True):
        assert narrow.lo is not None
        assert wide.lo == pytest.approx(narrow.lo / 1.005, rel=1e-9)


def test_on_the_scale_of_differences_stages_and_margin_are_in_seconds() -> None:
    found = answered(assessed(an_arm(0), an_arm(1), scale="difference", margin=Fraction("0.01")))

    assert found.found[-1] == "attend"
    assert found.margin == 0.01
    assert (found.stages[2].scale, found.stages[2].unit) == ("difference", "s")
    assert found.stages[2].estimate == pytest.approx(0.03, abs=0.003)
    assert found.basis is not None
    assert found.basis.estimand == "difference of mean run wall_time value of a stage, candidate minus baseline"


def on_hosts(count: int) -> list[Any]:
    """The runs spread over hosts, each with both arms."""
    runs = [*runs_of("baseline", an_arm(0)), *runs_of("candidate", an_arm(1))]
    return [replace(run, placement=f"host-{int(run.label[1:]) % count}") for run in runs]


def test_two_placements_are_strata_and_their_runs_count() -> None:
    found = answered(assess(a_request(on_hosts(2), a_plan(required=(), tolerances={}))))

    assert found.basis is not None
    assert (found.basis.method, found.basis.units) == ("stratified_log", 6)
    assert found.found[-1] == "attend"


def test_three_placements_are_the_units_and_too_few_to_localise() -> None:
    result = assess(a_request(on_hosts(3), a_plan(required=(), tolerances={})))
    found = answered(result)

    assert found.basis is not None
    assert (found.basis.method, found.basis.units, found.basis.counted) == ("placement_log", 3, "placements")
    assert found.sentence.startswith("Not localised: 3 placements are a hint")
    split = the_split(result)
    assert split.whole is not None
    assert math.fsum(part.estimate for part in split.parts) == pytest.approx(split.whole.estimate, rel=1e-12)


def test_an_interval_too_wide_to_print_is_refused() -> None:
    wild = [[[row("wall_time", 1.0 + 0.01 * i), row("wall_time", 10.0 ** (150 * (i % 2)), stage="a")] for i in range(2)]
            for _ in (0, 1)]  # fmt: skip

    refusal = answered(assessed(*wild)).refusal

    assert refusal is not None
    assert refusal.code == "unbounded"
