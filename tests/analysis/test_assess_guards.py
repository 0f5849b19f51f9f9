"""What keeps a finding from saying more than it may: a fixed load, the order, exclusions, predictions."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import AssessmentResult, Predicted, assess
from analysis.attribution import WORDS
from tests.analysis.props import (
    BASELINE,
    BLOCKED,
    CANDIDATE,
    INDEPENDENT,
    SECOND,
    a_plan,
    a_request,
    a_run,
    change,
    codes,
    interleaved,
    near,
)

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
    assert "rate_limited" not in codes(result.notices), "the refusal says it already"


def test_an_improvement_at_a_fixed_offered_load_is_observed_and_not_established() -> None:
    result = served([598.5, 598.8, 598.1], [698.6, 698.4, 698.9])

    assert (result.outcome, result.refusal and result.refusal.code) == ("withheld", "rate_limited")
    assert result.verdict is not None
    assert result.verdict.direction == "improvement_established"
    assert (result.ladder_rung, result.attribution.sentence) == (0, WORDS[0])
    assert result.ladder_rung < served([698.5, 698.8, 698.1], [598.6, 598.4, 598.9]).ladder_rung


def test_two_runs_of_an_arm_support_no_rung_however_clear_their_difference() -> None:
    few = assess(a_request(interleaved(BASELINE[:2], [2 * one for one in BASELINE[:2]])))

    assert few.interval is not None
    assert few.interval.lo > 1
    assert (few.outcome, few.ladder_rung, few.attribution.sentence) == ("withheld", 0, WORDS[0])


def test_a_finding_that_hangs_on_the_exclusions_supports_no_rung() -> None:
    wild = interleaved([*BASELINE[:4], 4.0], CANDIDATE)
    result = assess(a_request(change(wild, "b4", excluded="throttled")))

    assert (result.refusal and result.refusal.code) == "sensitive_to_exclusions"
    assert result.ladder_rung == 0


def test_a_candidate_that_failed_to_serve_supports_no_rung_among_completed_runs() -> None:
    runs = interleaved(BASELINE, CANDIDATE)
    lost = change(runs, "c4", run=replace(runs[-1].run, status="failed"))
    result = assess(a_request(lost))

    assert (result.outcome, result.ladder_rung) == ("failed_to_serve", 0)
    assert result.interval is not None


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
