"""The candidate of a comparison against the limit of its metric."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.assess import AssessmentResult, assess, to_json
from analysis.inputs import MeasurementError
from analysis.limit import UNBOUNDED, of_candidate
from analysis.restored import from_json
from analysis.slo import SloCheck, slo_check
from tests.analysis.metered import FIVE, RANGE, SAMPLES, arms, asked, assessed
from tests.analysis.props import (
    BASELINE,
    CANDIDATE,
    INDEPENDENT,
    a_plan,
    a_request,
    a_run,
    blocked,
    change,
    interleaved,
)
from tests.analysis.test_assess_refused import failing

LIMIT = Fraction("0.12")


def held(runs: Any, slo: Fraction | None = LIMIT, **plan: Any) -> AssessmentResult:
    return assess(a_request(runs, a_plan(slo=slo, **plan)))


def check_of(result: AssessmentResult) -> SloCheck:
    assert result.slo is not None
    assert result.slo.check is not None
    assert result.slo.refusal is None
    return result.slo.check


def refusal_of(result: AssessmentResult) -> str:
    assert result.slo is not None
    assert result.slo.check is None
    assert result.slo.refusal is not None
    assert result.slo.refusal.needs in result.slo.said
    return result.slo.refusal.code


def test_the_candidate_is_held_to_the_limit_and_the_verdict_stays_what_it_was() -> None:
    result = held(INDEPENDENT.runs)

    assert check_of(result) == slo_check(
        CANDIDATE, 0.12, better="lower", confidence=0.95, unit="s", scope="this placement only"
    )
    assert (result.verdict, result.interval) == (assess(INDEPENDENT).verdict, assess(INDEPENDENT).interval)


@pytest.mark.parametrize(("slo", "outcome"), [("0.12", "pass"), ("0.11", "not_established"), ("0.1", "fail")])
def test_the_limit_decides_the_answer(slo: str, outcome: str) -> None:
    assert check_of(held(INDEPENDENT.runs, Fraction(slo))).outcome == outcome


def test_a_metric_that_is_better_higher_has_a_smallest_allowed_value() -> None:
    runs = interleaved(BASELINE, CANDIDATE, measured={"metric": "throughput", "unit": "1/s"})

    found = held(runs, Fraction("0.1"), metric="throughput", better="higher", margin=Fraction("0.98"))

    assert check_of(found).outcome == "pass"


def test_without_a_limit_there_is_no_answer() -> None:
    assert held(INDEPENDENT.runs, None).slo is None


def test_the_answer_is_json_with_its_kind_limit_bound_level_n_scope_and_sentence() -> None:
    result = held(INDEPENDENT.runs)
    said: Any = to_json(result)["slo"]

    assert (said["kind"], said["outcome"], said["limit"], said["level"]) == ("slo_check", "pass", "0.12", "0.95")
    assert (said["n"], said["scope"], said["unit"]) == (5, "this placement only", "s")
    assert float(said["bound"]) == pytest.approx(check_of(result).next_run)
    assert said["sentence"].endswith("against a limit of 0.12 s: kept.")
    assert said["refusal"] is None


def test_a_refused_answer_is_json_with_its_reason() -> None:
    said: Any = to_json(held(interleaved(BASELINE[:2], CANDIDATE[:2])))["slo"]

    assert (said["kind"], said["outcome"], said["limit"]) == ("slo_check", "refused", "0.12")
    assert said["refusal"]["code"] == "too_few_runs"
    assert said["sentence"].startswith("Nothing can be said of the limit of 0.12. 2 runs")


def test_its_words_carry_what_stands_behind_them() -> None:
    result = held(INDEPENDENT.runs)

    assert result.slo is not None
    assert result.slo.said.endswith("kept. next_run_prediction_bound_log, 5 candidate runs, this placement only.")


@pytest.mark.parametrize(
    ("runs", "slo", "code"),
    [
        (interleaved(BASELINE[:2], CANDIDATE[:2]), "0.12", "too_few_runs"),
        (interleaved(BASELINE, [0.11] * 5), "0.12", "zero_variance"),
        (INDEPENDENT.runs, "0", "not_positive"),
        (
            [*INDEPENDENT.runs[:9], a_run("candidate", 9, 0.11, measured={"unit": "1"})],
            "0.12",
            "mixed_units",
        ),
        (INDEPENDENT.runs[:5], "0.12", "too_few_runs"),
    ],
    ids=["few", "copies", "no limit", "units", "no candidate"],
)
def test_what_cannot_be_said_is_a_refusal_beside_the_result(runs: Any, slo: str, code: str) -> None:
    assert refusal_of(held(runs, Fraction(slo))) == code


def test_arms_that_are_not_comparable_leave_the_candidate_its_own_answer() -> None:
    runs = [*interleaved(BASELINE, (), work=(("output_tokens", "100"),)), *interleaved((), CANDIDATE)]
    result = held(runs)

    assert result.outcome == "not_comparable"
    assert check_of(result).outcome == "pass"


def test_an_excluded_run_does_not_count_and_one_that_lost_its_partner_does() -> None:
    assert check_of(held(change(INDEPENDENT.runs, "c1", excluded="throttled"))).runs == 4
    assert check_of(held(failing("b1", blocked(BASELINE, CANDIDATE)).runs)).runs == 5


def test_several_placements_are_those_placements_only() -> None:
    runs = [replace(run, placement=f"host-{int(run.label[1:]) % 2}") for run in INDEPENDENT.runs]

    assert check_of(held(runs)).scope == "these 2 placements only"


def tails(count: int) -> list[Any]:
    draws = np.random.default_rng(5).lognormal(-3, 0.2, (10, count))
    return [a_run("baseline" if i % 2 else "candidate", i, tuple(map(float, row))) for i, row in enumerate(draws)]


def test_a_quantile_is_taken_at_the_conservative_rank() -> None:
    runs = tails(1050)
    result = held(runs, stat="p99")
    values = [sorted(m.value or 0 for m in run.reading.measurements)[1040] for run in runs if run.arm == "candidate"]

    assert check_of(result).typical == pytest.approx(float(np.exp(np.mean(np.log(values)))))
    assert check_of(result).assumptions[-1] == "log run values are roughly normal"


def test_a_quantile_of_the_tool_is_assumed_as_the_tool_gave_it() -> None:
    theirs = {"kind": "aggregate", "stat": "p99", "n": 1000}

    assert check_of(held(interleaved(BASELINE, CANDIDATE, measured=theirs), stat="p99")).assumptions[-1] == (
        "p99 of each run as the tool gave it"
    )


def test_a_request_that_is_refused_as_a_whole_says_nothing_of_the_limit() -> None:
    assert held(INDEPENDENT.runs, stat="max p99").slo is None


HALF = MeasurementError(Fraction(1), Fraction("1.05"))
WATTS = ((100, 200, 300, 200), (102, 202, 302, 202), (101, 201, 301, 201))


@pytest.mark.parametrize(
    ("slo", "plain", "allowed"), [("0.115", "pass", "not_established"), ("0.108", "fail", "not_established")]
)
def test_the_stated_error_of_the_measurement_moves_the_bound_outward(slo: str, plain: str, allowed: str) -> None:
    without, with_error = (check_of(held(INDEPENDENT.runs, Fraction(slo), measurement_error=e)) for e in (None, HALF))

    assert (without.outcome, with_error.outcome) == (plain, allowed)
    assert with_error.next_run == pytest.approx(without.next_run * 1.05)
    assert with_error.typical_far == pytest.approx(without.typical_far * 1.05)
    assert with_error.typical_near == pytest.approx(without.typical_near / 1.05)
    assert (with_error.far_factor, with_error.near_factor) == (1.05, 1.05)
    assert (
        f"The bound is {without.next_run:.4g} s by the spread of the runs, moved outward by a factor of 1.05 for the"
        in (with_error.sentence)
    )


def test_a_limit_that_is_broken_even_with_the_error_says_the_bound_that_decided() -> None:
    broken = check_of(held(INDEPENDENT.runs, Fraction("0.1"), measurement_error=HALF))

    assert broken.outcome == "fail"
    assert (
        f"{broken.typical_near * 1.05:.4g} s by the spread of the runs, moved outward by a factor of 1.05"
        in broken.sentence
    )


def test_an_error_of_the_baseline_alone_moves_no_bound_of_the_candidate() -> None:
    only = MeasurementError(Fraction("1.5"), Fraction(1))

    assert check_of(held(INDEPENDENT.runs, measurement_error=only)) == check_of(held(INDEPENDENT.runs))


def test_a_shared_gain_drops_out_of_the_ratio_and_not_of_the_limit() -> None:
    both = MeasurementError(Fraction("1.05"), Fraction("1.05"), shared_gain=True)

    assert check_of(held(INDEPENDENT.runs, measurement_error=both)).far_factor == 1.05


def test_a_smallest_allowed_value_is_held_to_the_lower_bound_of_the_measurement() -> None:
    runs = interleaved(BASELINE, CANDIDATE, measured={"metric": "throughput", "unit": "1/s"})
    plan: Any = {"metric": "throughput", "better": "higher", "margin": Fraction("0.98")}
    without, with_error = (check_of(held(runs, Fraction("0.105"), measurement_error=e, **plan)) for e in (None, HALF))

    assert (without.outcome, with_error.outcome) == ("pass", "not_established")
    assert with_error.next_run == pytest.approx(without.next_run / 1.05)
    assert with_error.typical_near == pytest.approx(without.typical_near * 1.05)


def test_the_bounds_of_the_meter_move_the_bound_by_the_worst_run() -> None:
    runs = arms(WATTS, WATTS)
    result = assessed(runs, replace(RANGE, relative=FIVE), slo=Fraction("1.5"))
    found = check_of(result)
    assert result.energy is not None
    candidates = [run for run in result.energy.runs if run.arm == "candidate"]
    worst = max(float(run.upper) / (run.value or 0) for run in candidates)

    assert found.far_factor == pytest.approx(worst, rel=1e-9)
    assert found.near_factor == pytest.approx(max((run.value or 0) / float(run.lower) for run in candidates), rel=1e-9)
    assert found.far_factor > 1.3
    assert "for the bounds of the metered runs." in found.sentence
    assert "the stated greatest errors of the measurement hold" in found.assumptions
    assert check_of(from_json(to_json(result))).allowed == found.allowed


def test_both_allowances_of_a_metered_run_multiply() -> None:
    alone, both = (
        check_of(assessed(arms(WATTS, WATTS), RANGE, slo=Fraction("1.5"), measurement_error=e)) for e in (None, HALF)
    )

    assert both.far_factor == pytest.approx(1.05 * alone.far_factor)
    assert "the stated error of the measurement and the bounds of the metered runs" in both.sentence


def test_nothing_is_said_of_a_limit_while_the_power_between_samples_is_only_assumed() -> None:
    assert refusal_of(assessed(arms(WATTS, WATTS), SAMPLES, slo=Fraction("1.5"))) == "power_between_samples"


def test_a_candidate_run_without_bounds_leaves_the_limit_open_and_exact_ones_move_nothing() -> None:
    result = assessed(arms(WATTS, WATTS), RANGE, slo=Fraction("1.5"))
    request = asked(arms(WATTS, WATTS), RANGE, slo=Fraction("1.5"))
    assert result.energy is not None
    held_runs = result.energy.runs
    open_ended = replace(result.energy, runs=tuple(replace(run, lower="", upper="") for run in held_runs))
    exact = replace(
        result.energy, runs=tuple(replace(run, lower=str(run.value), upper=str(run.value)) for run in held_runs)
    )

    left_open, exactly = (of_candidate(request, result.runs, energy) for energy in (open_ended, exact))

    assert left_open is not None
    assert left_open.refusal == UNBOUNDED
    assert exactly is not None
    assert exactly.check is not None
    assert (exactly.check.far_factor, exactly.check.allowed) == (1.0, ())
