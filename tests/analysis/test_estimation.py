"""The procedures that a plan can name: arithmetic means, equivalence at 90 %, an error of measurement."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import AssessmentResult, Explained, assess, to_json
from analysis.claims import Frame
from analysis.fieller import fieller_ratio
from analysis.inputs import MeasurementError
from analysis.service_level import ServiceLevel
from analysis.verdict import Verdict
from analysis.widening import NOT_WIDENED
from tests.analysis.props import (
    BASELINE,
    BLOCKED,
    CANDIDATE,
    INDEPENDENT,
    a_plan,
    a_request,
    a_run,
    change,
    codes,
    ends,
    interleaved,
    near,
)
from tests.analysis.scores import by_item

F = Fraction
LEVEL = ServiceLevel({"ttft": F("0.2")}, F("0.9"))


def with_plan(**plan: Any) -> AssessmentResult:
    return assess(a_request(INDEPENDENT.runs, a_plan(**plan)))


def refused_by(result: AssessmentResult) -> str:
    assert result.refusal is not None
    assert result.refusal.needs
    return result.refusal.code


def test_the_ratio_of_means_has_the_interval_of_fieller() -> None:
    result = with_plan(estimator="ratio_of_means")

    assert ends(result) == near(1.0874907128221882, 1.1153518464766297)
    assert result.estimate is not None
    assert result.estimate.value == pytest.approx(1.1013866468812976)
    assert result.interval is not None
    assert result.interval.method == "fieller"
    assert result.interval.frame.estimand == "ratio of arithmetic means of run wall_time value, candidate over baseline"
    assert result.interval.frame == result.estimate.frame
    assert "one_placement" in codes(result.notices)
    assert result.outcome == "verdict"


def test_the_ratio_of_means_shares_the_error_among_declared_looks() -> None:
    result = with_plan(estimator="ratio_of_means", looks=4)
    frame = Frame("ratio", "1", "", "", "")

    wider = fieller_ratio(BASELINE, CANDIDATE, confidence=0.9875, frame=frame)
    assert ends(result) == near(wider.lo, wider.hi)


def test_blocks_have_no_ratio_of_means() -> None:
    result = assess(a_request(BLOCKED.runs, a_plan(estimator="ratio_of_means")))

    assert refused_by(result) == "means_need_independent_runs"
    assert result.refusal is not None
    assert "blocked" in result.refusal.message


@pytest.mark.parametrize(
    ("baseline", "candidate", "code"),
    [
        ((0.1,), (0.11,), "too_few_runs"),
        ((0.1, 0.1), (0.2, 0.2), "zero_variance"),
        ((0.001, 1.0), (0.5, 0.6), "fieller_unbounded"),
    ],
)
def test_means_without_an_interval_have_a_size(baseline: Any, candidate: Any, code: str) -> None:
    result = assess(a_request(interleaved(baseline, candidate), a_plan(estimator="ratio_of_means")))

    assert (result.outcome, refused_by(result)) == ("refused", code)
    assert result.estimate is not None


def test_means_at_a_look_that_was_not_declared_are_withheld() -> None:
    result = with_plan(estimator="ratio_of_means", look=2)

    assert (result.outcome, refused_by(result)) == ("withheld", "undeclared_look")
    assert result.single_look is not None


NEAR = tuple(0.1 * (1 + e) for e in (0.0, 0.009, -0.009, 0.012, -0.004))
ALIKE = interleaved(NEAR, tuple(x * 1.003 for x in reversed(NEAR)))


def judged(margin: str, level: float | None, runs: Any = ALIKE, **plan: Any) -> AssessmentResult:
    return assess(a_request(runs, a_plan(margin=F(margin), equivalence_level=level, **plan)))


def verdict_of(result: AssessmentResult) -> Verdict:
    assert result.verdict is not None
    return result.verdict


def test_equivalence_rests_on_the_90_percent_interval_where_the_plan_fixes_it() -> None:
    plain, fixed = judged("1.015", None), judged("1.015", 0.9)

    assert verdict_of(plain).materiality != "within_margin"
    assert verdict_of(fixed).materiality == "within_margin"
    assert verdict_of(fixed).headline == "Equivalent within 1.5%, by the 90% interval that the plan fixed for it"
    assert fixed.equivalence is not None
    assert fixed.interval is not None
    assert near(fixed.equivalence.interval.confidence, fixed.interval.confidence) == (0.9, 0.95)
    assert fixed.interval.lo < fixed.equivalence.interval.lo < fixed.equivalence.interval.hi < fixed.interval.hi
    assert plain.equivalence is None


@pytest.mark.parametrize("margin", ["1.03", "1.005"])
def test_the_90_percent_interval_decides_nothing_else(margin: str) -> None:
    plain, fixed = judged(margin, None), judged(margin, 0.9)

    assert verdict_of(plain) == verdict_of(fixed)


def test_an_established_effect_inside_the_margin_by_the_90_percent_interval_says_so() -> None:
    runs = interleaved(BASELINE, tuple(x * 1.01 for x in BASELINE))
    plain, fixed = judged("1.0155", None, runs), judged("1.0155", 0.9, runs)

    assert verdict_of(plain).headline == "Regression established; whether it reaches 1.55% is not"
    assert verdict_of(fixed).headline == (
        "Regression established, smaller than the 1.55% of interest, by the 90% interval that the plan fixed for it"
    )


def test_exclusions_are_held_against_the_interval_that_decides() -> None:
    """The excluded run takes equivalence away at 90 %, so the finding hangs on it."""
    runs = change((*ALIKE, a_run("candidate", 9, 0.15, file_run={"started_ns": 5})), "c9", excluded="too hot")
    result = judged("1.015", 0.9, runs)

    assert result.equivalence is not None
    assert result.equivalence.with_excluded is not None
    assert (result.outcome, refused_by(result)) == ("withheld", "sensitive_to_exclusions")


def test_at_an_undeclared_look_equivalence_rests_on_an_interval_for_every_look() -> None:
    runs = interleaved(NEAR * 3, tuple(x * 1.003 for x in reversed(NEAR * 3)))
    result = judged("1.05", 0.9, runs, look=2)

    assert result.equivalence is not None
    assert result.equivalence.interval.method.startswith("anytime_")


def test_without_an_interval_there_is_none_for_equivalence() -> None:
    result = judged("1.02", 0.9, ALIKE[:1] + ALIKE[5:6])

    assert (refused_by(result), result.equivalence) == ("too_few_runs", None)


def test_an_error_of_measurement_widens_by_both_arms() -> None:
    plain = with_plan()
    wide = with_plan(measurement_error=MeasurementError(F("1.005"), F("1.002")))

    assert wide.widened is not None
    assert plain.interval is not None
    factor = 1.005 * 1.002
    assert (wide.widened.lo, wide.widened.hi) == near(plain.interval.lo / factor, plain.interval.hi * factor)
    (part,) = wide.allowances
    assert part.source == "measurement"
    assert near(part.amount, part.factor or 0.0) == (math.log(factor), factor)
    assert "up to 1.005 in the baseline and 1.002 in the candidate" in part.reasons[0]
    assert wide.verdict is not None
    assert wide.verdict.basis == "widened_interval"


def test_a_gain_that_one_instrument_gives_both_arms_drops_out() -> None:
    same = with_plan(measurement_error=MeasurementError(F("1.005"), F("1.005"), shared_gain=True))
    other = with_plan(measurement_error=MeasurementError(F("1.005"), F("1.007"), shared_gain=True))

    assert (same.widened, same.allowances) == (None, ())
    assert same.governing == with_plan().interval
    assert "shared_gain_drops_out" in codes(same.notices)
    assert "shared_gain_drops_out" not in codes(other.notices)
    assert other.widened is not None
    assert other.widened.allowance == pytest.approx(math.log(1.007) - math.log(1.005))
    assert "common part dropped" in other.allowances[0].reasons[0]


def test_an_error_of_one_widens_nothing() -> None:
    result = with_plan(measurement_error=MeasurementError(F(1), F(1)))

    assert (result.widened, result.allowances) == (None, ())


def test_an_error_of_measurement_stands_beside_differences_in_work() -> None:
    runs = [
        a_run(run.arm, int(run.label[1:]), value, settings=(("clock", run.arm),))
        for run, value in zip(INDEPENDENT.runs, (*BASELINE, *CANDIDATE), strict=True)
    ]
    explained = Explained("clock", F("1.01"), accepted=True, text="capped", by="sam")
    plan = a_plan(measurement_error=MeasurementError(F("1.005"), F(1)))
    result = assess(a_request(runs, plan, explained=(explained,)))

    assert [part.source for part in result.allowances] == ["work", "measurement"]
    assert result.widened is not None
    assert result.widened.allowance == pytest.approx(math.log(1.01) + math.log(1.005))
    assert len(result.widened.reasons) == 2


def test_a_difference_is_widened_by_the_largest_value_of_each_arm() -> None:
    error = MeasurementError(F("1.01"), F("1.02"))
    result = with_plan(scale="difference", margin=F("0.02"), measurement_error=error)

    assert result.widened is not None
    assert result.widened.allowance == pytest.approx(0.01 * max(BASELINE) + 0.02 * max(CANDIDATE))
    assert result.allowances[0].factor is None


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        (a_plan(unit="token"), "bad_unit"),
        (a_plan(unit="item"), "bad_unit"),
        (by_item(stat="p50"), "bad_unit"),
        (by_item(warmup_steps=1), "bad_unit"),
        (by_item(warmup_seconds=F(20)), "bad_unit"),
        (by_item(estimator="ratio_of_means"), "bad_unit"),
        (a_plan(estimator="median"), "bad_estimator"),
        (a_plan(estimator="ratio_of_means", scale="difference", margin=F("0.1")), "bad_estimator"),
        (a_plan(equivalence_level=0.8), "bad_equivalence_level"),
        (a_plan(measurement_error=MeasurementError(F("0.99"), F(1))), "bad_measurement_error"),
        (
            a_plan(scale="difference", margin=F(1), measurement_error=MeasurementError(F(2), F(2), shared_gain=True)),
            "bad_measurement_error",
        ),
        (a_plan(service_level=LEVEL), "bad_goodput"),
        (a_plan(metric="goodput"), "no_service_level"),
        (a_plan(metric="goodput", stat="max"), "no_service_level"),
        (a_plan(metric="goodput", stat="mean", service_level=LEVEL), "bad_goodput"),
        (a_plan(metric="goodput", stat="rate", service_level=LEVEL, warmup_steps=3), "bad_goodput"),
        (a_plan(metric="goodput", stat="rate", service_level=LEVEL, warmup_seconds=F(5)), "bad_goodput"),
        (a_plan(metric="goodput", stat="max", service_level=LEVEL, warmup_seconds=F(5)), "bad_goodput"),
        (a_plan(metric="goodput", stat="rate", service_level=ServiceLevel({}, F(1))), "bad_service_level"),
    ],
)
def test_a_plan_that_names_what_does_not_go_together_is_refused(plan: Any, code: str) -> None:
    result = assess(a_request(INDEPENDENT.runs, plan))

    assert (result.outcome, refused_by(result)) == ("refused", code)


def test_intervals_beside_a_widened_one_say_that_they_are_not_widened() -> None:
    error = MeasurementError(Fraction("1.01"), Fraction("1.01"))
    excluded = change(INDEPENDENT.runs, "b0", excluded="throttled")
    plain, wide = (assess(a_request(excluded, a_plan(measurement_error=e))) for e in (None, error))

    assert plain.with_excluded is not None
    assert wide.with_excluded is not None
    assert (wide.with_excluded.lo, wide.with_excluded.hi) == (plain.with_excluded.lo, plain.with_excluded.hi)
    assert wide.with_excluded.assumptions == (*plain.with_excluded.assumptions, NOT_WIDENED)
    assert NOT_WIDENED not in plain.with_excluded.assumptions


@pytest.mark.parametrize(("runs", "outcome"), [(2, "withheld"), (5, "verdict")])
def test_the_interval_of_a_single_look_says_that_it_holds_no_allowance_and_the_allowance_is_told(
    runs: int, outcome: str
) -> None:
    error = MeasurementError(Fraction("1.01"), Fraction("1.01"))
    request = a_request(
        interleaved(BASELINE[:runs], CANDIDATE[:runs]), a_plan(looks=1, look=2, measurement_error=error)
    )
    result = assess(request)

    assert result.outcome == outcome
    assert result.single_look is not None
    assert NOT_WIDENED in result.single_look.assumptions
    assert [part.source for part in result.allowances] == ["measurement"]
    assert "measurement" in str(to_json(result)["allowances"])
    without = assess(replace(request, plan=replace(request.plan, measurement_error=None))).single_look
    assert without is not None
    assert NOT_WIDENED not in without.assumptions


def test_an_allowance_has_its_kind_and_unit_in_the_record() -> None:
    error = MeasurementError(Fraction("1.01"), Fraction("1.01"))
    ratio, difference = (
        to_json(assess(a_request(INDEPENDENT.runs, a_plan(measurement_error=error, **plan))))["allowances"]
        for plan in ({}, {"scale": "difference", "margin": Fraction("0.01")})
    )

    assert isinstance(ratio, list)
    assert isinstance(difference, list)
    assert (ratio[0]["kind"], ratio[0]["unit"], difference[0]["unit"]) == ("allowance", "1", "s")
