"""The candidate of a comparison against the limit of its metric."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.assess import AssessmentResult, assess, to_json
from analysis.slo import SloCheck, slo_check
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
