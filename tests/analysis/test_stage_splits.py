"""Stages from a file to the result: how a difference adds up."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import assess
from analysis.inputs import MeasurementError
from analysis.stages import OUTSIDE
from analysis.widening import NOT_WIDENED
from tests.analysis.props import SECOND, a_plan, a_request
from tests.analysis.recorded import Row, assessed, row, runs_of, stages, the_split
from tests.analysis.slowed import NAMES, an_arm, answered, times


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


def test_order_in_time_matters_not_to_parts() -> None:
    runs = [*runs_of("baseline", an_arm(0)), *runs_of("candidate", an_arm(1))]
    turned = [replace(run, run=replace(run.run, started_ns=i * SECOND)) for i, run in enumerate(reversed(runs))]
    plan = a_plan(required=(), tolerances={})

    assert assess(a_request(runs, plan)).stages == assess(a_request(turned, plan)).stages


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
