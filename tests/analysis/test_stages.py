"""Stages from a file to the result: where a difference begins, and how it adds up."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.assess import AssessmentResult, assess
from analysis.inputs import MeasurementError
from analysis.localise import ends_at, stage_of
from analysis.parts import SplitAnswer, StagesAnswer
from analysis.procedures import paired, welch
from analysis.stages import OUTSIDE
from analysis.widening import NOT_WIDENED
from tests.analysis.props import SECOND, a_plan, a_request
from tests.analysis.recorded import Row, assessed, row, runs_of, stages

RNG = np.random.default_rng(93)
NAMES = ("load", "embed", "attend", "send")
SLOWER = (1.0, 1.0, 1.10, 1.08)
"""The candidate is slower from the third stage on."""
NOISE = 1 + 0.004 * RNG.standard_normal((2, 8, 4))


def times(arm: int, run: int, slower: tuple[float, ...] = SLOWER) -> list[float]:
    factors = slower if arm else (1.0,) * 4
    return [0.1 * (i + 1) * factors[i] * float(NOISE[arm, run, i]) for i in range(4)]


def an_arm(arm: int, count: int = 6, *, whole: bool = True, cumulative: bool = False) -> list[list[Row]]:
    found = []
    for run in range(count):
        parts = times(arm, run)
        shown = np.cumsum(parts).tolist() if cumulative else parts
        rows = [row("wall_time", time, stage=name) for name, time in zip(NAMES, shown, strict=True)]
        found.append([*([row("wall_time", math.fsum(parts) + 0.05)] if whole else []), *rows])
    return found


def answered(result: AssessmentResult) -> StagesAnswer:
    assert result.stages is not None
    return result.stages


def the_split(result: AssessmentResult) -> SplitAnswer:
    (found,) = result.splits
    return found


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


def test_the_parts_add_up_to_the_whole_with_what_is_outside_the_stages() -> None:
    split = the_split(assessed(an_arm(0), an_arm(1), blocked=True))

    assert split.whole is not None
    assert split.basis is not None
    assert [part.name for part in split.parts] == [*NAMES, OUTSIDE]
    assert math.fsum(part.estimate for part in split.parts) == pytest.approx(split.whole.estimate, rel=1e-12)
    assert (split.basis.level, split.basis.together, split.basis.method) == (0.95, None, "paired_difference")
    assert split.whole.lo is not None
    assert (split.parts[2].scale, split.parts[2].unit) == ("difference", "s")
    assert split.sentence.endswith("bookkeeping, and no cause.")


def test_what_is_outside_the_stages_and_alike_in_all_runs_is_nothing_and_has_no_interval() -> None:
    """Not the noise of floating point, which the sum of the stages leaves over."""
    rest = the_split(assessed(an_arm(0), an_arm(1))).parts[-1]

    assert (rest.name, rest.estimate, rest.lo, rest.reason) == (OUTSIDE, 0.0, None, "does not vary between runs")


def test_what_is_outside_the_stages_and_varies_has_its_interval() -> None:
    arms = [an_arm(arm) for arm in (0, 1)]
    for arm, runs in enumerate(arms):
        for i, rows in enumerate(runs):
            rows[0]["value"] = float(str(rows[0]["value"])) + 0.02 * arm + 0.001 * ((3 * i) % 5)
    rest = the_split(assessed(*arms)).parts[-1]

    assert rest.estimate == pytest.approx(0.02, abs=1e-9)
    assert rest.lo is not None


def test_stages_that_take_longer_than_the_run_are_not_exclusive() -> None:
    arms = [an_arm(arm, cumulative=True) for arm in (0, 1)]

    refusal = the_split(assessed(*arms)).refusal

    assert refusal is not None
    assert refusal.code == "stages_overlap"


def test_medians_of_stages_do_not_add_up() -> None:
    refusal = the_split(assessed(an_arm(0), an_arm(1), stat="median")).refusal

    assert refusal is not None
    assert refusal.code == "stages_do_not_add"


def test_the_sum_of_the_stages_is_the_number_of_the_run_only_where_the_plan_asks_for_it() -> None:
    arms = [an_arm(arm, whole=False) for arm in (0, 1)]
    plain, summed = assessed(*arms), assessed(*arms, stages="summed")

    assert plain.refusal is not None
    assert plain.refusal.code == "not_measured"
    assert summed.outcome == "verdict"
    assert summed.runs[0].value == pytest.approx(math.fsum(times(0, 0)), rel=1e-12)
    assert answered(summed).how == "summed"
    assert [part.name for part in the_split(summed).parts] == list(NAMES)


def test_a_sum_takes_no_measured_whole_where_the_plan_asks_for_the_stages() -> None:
    summed = assessed(an_arm(0), an_arm(1), stages="summed")

    assert summed.runs[0].value == pytest.approx(math.fsum(times(0, 0)), rel=1e-12)


@pytest.mark.parametrize(
    ("rows", "changes", "code"),
    [
        ([row("wall_time", 1.0)], {}, "not_measured"),
        ([*stages(a=1.0), row("wall_time", 5.0, "1", stage="b")], {}, "mixed_units"),
        (stages(a=1.0), {"stat": "median"}, "stages_do_not_add"),
    ],
)
def test_a_sum_that_cannot_be_made_is_refused(rows: list[Row], changes: dict[str, Any], code: str) -> None:
    arms = [[[{**one, "metric": "time"} for one in rows]] * 3 for _ in (0, 1)]

    refusal = assessed(*arms, stages="summed", metric="time", **changes).refusal

    assert refusal is not None
    assert refusal.code == code


def test_a_sum_of_stages_of_unequal_steps_counts_none_of_them() -> None:
    steps = [[row("step_time", 0.1 + 0.001 * i, stage="a", index=0), row("step_time", 0.1, stage="a", index=1),
              row("step_time", 0.2, stage="b", stat="mean", n=5)] for i in range(3)]  # fmt: skip
    result = assessed(steps, steps, stages="summed", metric="step_time", stat="mean")

    assert result.runs[0].value == pytest.approx(0.3)
    assert (result.runs[0].n_inner, result.runs[0].computed) == (None, "ours")


def test_arms_that_did_other_work_have_no_parts() -> None:
    runs = [*runs_of("baseline", an_arm(0), work={"a": 1}), *runs_of("candidate", an_arm(1), work={"b": 1})]
    result = assess(a_request(runs, a_plan(required=(), tolerances={})))

    assert result.outcome == "not_comparable"
    assert result.stages is None


def test_an_interval_too_wide_to_print_is_refused() -> None:
    wild = [[[row("wall_time", 1.0 + 0.01 * i), row("wall_time", 10.0 ** (150 * (i % 2)), stage="a")] for i in range(2)]
            for _ in (0, 1)]  # fmt: skip

    refusal = answered(assessed(*wild)).refusal

    assert refusal is not None
    assert refusal.code == "unbounded"


def test_order_in_time_matters_not_to_parts() -> None:
    runs = [*runs_of("baseline", an_arm(0)), *runs_of("candidate", an_arm(1))]
    turned = [replace(run, run=replace(run.run, started_ns=i * SECOND)) for i, run in enumerate(reversed(runs))]
    plan = a_plan(required=(), tolerances={})

    assert assess(a_request(runs, plan)).stages == assess(a_request(turned, plan)).stages


def timed_steps(arm: int) -> list[list[Row]]:
    """Five runs of ten steps: a stage that is slow in the first two, and one that is slower in the candidate."""
    found = []
    for run in range(5):
        load = [(0.5 if step < 2 else 0.1) * float(NOISE[arm, run, step % 4]) for step in range(10)]
        send = [(0.33 if arm else 0.3) * float(NOISE[arm, (run + step) % 8, 2]) for step in range(10)]
        whole = [a + b for a, b in zip(load, send, strict=True)]
        found.append([many(whole), many(load, stage="load"), many(send, stage="send")])
    return found


def many(values: list[float], **more: object) -> Row:
    return {"metric": "wall_time", "unit": "s", "values": values, **more}


def test_a_warmup_in_seconds_cuts_the_same_steps_of_every_stage_as_of_the_run() -> None:
    """Two steps begin before 1.5 s; the stages by themselves had taken that long only after six steps, or five."""
    asked: dict[str, Any] = {"stat": "mean"}
    by_clock = assessed(timed_steps(0), timed_steps(1), **asked, warmup_seconds=Fraction("1.5"))
    by_steps = assessed(timed_steps(0), timed_steps(1), **asked, warmup_steps=2)

    assert answered(by_clock).refusal is None
    assert answered(by_clock).stages == answered(by_steps).stages
    assert [part.name for part in the_split(by_clock).parts] == ["load", "send"]
    assert the_split(by_clock).parts == the_split(by_steps).parts


def test_stages_that_are_summed_need_a_clock_of_the_run() -> None:
    measured = [[rows[1:] for rows in timed_steps(arm)] for arm in (0, 1)]
    result = assessed(*measured, stat="mean", stages="summed", warmup_seconds=Fraction("1.5"))

    assert result.refusal is not None
    assert result.refusal.code == "no_run_clock"


def test_a_warmup_that_leaves_nothing_of_a_stage_says_so() -> None:
    measured = [timed_steps(arm) for arm in (0, 1)]
    for rows in (*measured[0], *measured[1]):
        rows[1] = many([0.1, 0.1], stage="load")
    refusal = answered(assessed(*measured, stat="mean", warmup_steps=2)).refusal

    assert refusal is not None
    assert refusal.message == ("Stage load of run b0: A warmup of 2 steps leaves nothing of wall_time in load.")


def test_a_split_beside_a_widened_effect_says_that_its_intervals_hold_no_allowance() -> None:
    error = MeasurementError(Fraction("1.01"), Fraction("1.01"))
    plain, told = (the_split(assessed(an_arm(0), an_arm(1), measurement_error=one)) for one in (None, error))

    assert plain.basis is not None
    assert told.basis is not None
    assert told.parts == plain.parts
    assert told.basis.assumptions == (*plain.basis.assumptions, NOT_WIDENED)


def test_a_split_that_is_refused_beside_a_widened_effect_has_no_intervals_to_speak_of() -> None:
    error = MeasurementError(Fraction("1.01"), Fraction("1.01"))
    result = assessed(an_arm(0), an_arm(1), blocked=True, measurement_error=error, looks=1, look=2)

    assert result.widened is not None
    assert the_split(result).refusal is not None
    assert the_split(result).basis is None
