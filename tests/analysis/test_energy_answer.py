"""Comparisons of energy, from files to the record: widened intervals, bounds of the ratio, verdicts withheld."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis import energy_answer, restored
from analysis.assess import AssessmentResult, inputs_digest, to_json
from analysis.inputs import ARMS
from analysis.metering import Metering
from tests.analysis.metered import (
    COUNTER,
    FIVE,
    NEIGHBOURS,
    RANGE,
    SAMPLES,
    SLEW,
    a_counted,
    a_metered,
    arms,
    asked,
    assessed,
    counts,
    power,
)
from tests.analysis.props import codes, ends, near

BASE = [(100 + i, 200, 300, 200) for i in range(3)]
MORE = [(150 + i, 300, 390, 300) for i in range(3)]
RUNS = arms(BASE, MORE)
COUNTED = (
    *(a_counted("baseline", i, counts((0, 10000 + i))) for i in range(3)),
    *(a_counted("candidate", i, counts((0, 12000 + i))) for i in range(3)),
)


def energy(result: AssessmentResult) -> energy_answer.EnergyAnswer:
    assert result.energy is not None
    return result.energy


def test_the_counter_widens_the_interval_by_its_counts_and_the_widened_one_governs() -> None:
    result = assessed(COUNTED, COUNTER)
    found = energy(result)

    assert found.baseline_error == pytest.approx(-math.log1p(-1 / 10000), rel=1e-9)
    assert found.candidate_error == pytest.approx(-math.log1p(-1 / 12000), rel=1e-9)
    assert result.widened is not None
    allowance = (found.baseline_error or 0) + (found.candidate_error or 0)
    low, high = ends(result)
    assert (result.widened.lo, result.widened.hi) == near(low * math.exp(-allowance), high * math.exp(allowance))
    assert result.widened.reasons == (found.reason,)
    assert "by a factor of up to 1.0001000" in found.reason
    assert result.governing is result.widened
    assert result.outcome == "verdict"


def test_every_run_has_its_bounds_and_the_ratio_is_of_these_runs_only() -> None:
    found = energy(assessed(COUNTED, COUNTER))

    assert [(run.label, run.lower, run.upper) for run in found.runs[:2]] == [
        ("b0", "0.009999", "0.010001"),
        ("b1", "0.01", "0.010002"),
    ]
    assert found.ratio is not None
    low, high = Fraction(11999, 10003), Fraction(12003, 9999)
    assert 0 <= low - Fraction(found.ratio.lower) < Fraction(1, 10**9)
    assert 0 <= Fraction(found.ratio.upper) - high < Fraction(1, 10**9)
    assert (found.ratio.direction, found.ratio.baseline_runs, found.ratio.candidate_runs) == ("above_one", 3, 3)
    assert "carry no confidence level" in found.ratio.sentence


def test_the_scale_of_one_meter_widens_nothing() -> None:
    metering = replace(COUNTER, relative=FIVE)
    apart, one = (assessed(COUNTED, m) for m in (metering, replace(metering, one_meter=True)))

    assert energy(apart).baseline_error == pytest.approx(-math.log(0.95 * 0.9999), rel=1e-9)
    assert energy(one).baseline_error == pytest.approx(-math.log1p(-1 / 10000), rel=1e-9)
    assert energy(one).runs[0].upper == energy(apart).runs[0].upper


def test_a_difference_is_widened_in_joules_and_no_scale_drops_out() -> None:
    plan: dict[str, Any] = {"metric": "energy", "scale": "difference", "margin": Fraction(1)}
    result = assessed(COUNTED, replace(COUNTER, relative=FIVE, one_meter=True), **plan)

    assert energy(result).baseline_error == pytest.approx(1.05 * 10.003 - 10.002, rel=1e-9)
    assert energy(result).ratio is None
    assert "by up to 0.50115 J" in energy(result).reason
    assert result.widened is not None
    assert result.widened.allowance == pytest.approx(0.50115 + 1.05 * 12.003 - 12.002, rel=1e-9)


def test_work_and_meters_widen_together() -> None:
    runs = (*COUNTED[:3], *(replace(run, reading=a_counted("candidate", i, counts((0, 12000 + i)),
            work={"output_tokens": 1002}).reading) for i, run in enumerate(COUNTED[3:])))  # fmt: skip
    plan: dict[str, Any] = {"tolerances": {"output_tokens": Fraction("0.005")}}
    result = assessed(runs, COUNTER, **plan)

    assert result.widened is not None
    assert len(result.widened.reasons) == 2
    assert result.widened.allowance == pytest.approx(
        math.log(1.002) + (energy(result).baseline_error or 0) + (energy(result).candidate_error or 0), rel=1e-9
    )


@pytest.mark.parametrize(
    ("metering", "outcome", "code"),
    [
        (SLEW, "verdict", ""),
        (RANGE, "verdict", ""),
        (NEIGHBOURS, "withheld", "power_between_samples"),
        (SAMPLES, "withheld", "power_between_samples"),
    ],
)
def test_only_bounded_power_carries_a_verdict(metering: Metering, outcome: str, code: str) -> None:
    result = assessed(RUNS, metering)

    assert (result.outcome, result.refusal.code if result.refusal else "") == (outcome, code)
    assert (result.verdict is None) == bool(code)
    assert ("power_unbounded" in codes(result.notices)) == (metering is SAMPLES)
    assert (result.widened is None) == (metering is SAMPLES)


def test_one_run_per_arm_has_no_interval_and_bounds_all_the_same() -> None:
    result = assessed(arms(BASE[:1], MORE[:1]), SLEW)

    assert (result.outcome, result.interval) == ("refused", None)
    assert energy(result).ratio is not None


def test_gaps_leave_no_interval_and_bounds_of_the_ratio() -> None:
    gapped = [
        a_metered(arm, i, power(at=(0, "0.5", 1, 3)))
        for arm in ("baseline", "candidate")
        for i in range(3)
    ]  # fmt: skip
    result = assessed(gapped, RANGE)

    assert result.refusal is not None
    assert (result.outcome, result.refusal.code) == ("refused", "power_gaps")
    assert energy(result).ratio is not None
    assert energy(result).baseline_error is None
    assert energy(result).runs[0].reason
    assert energy(result).reason == ""


def test_arms_that_did_other_work_have_no_ratio() -> None:
    runs = (*COUNTED[:3], a_counted("candidate", 0, counts((0, 12000)), work={"output_tokens": 5}))
    result = assessed(runs, COUNTER)

    said: Any = to_json(result)
    assert (result.outcome, said["energy"]["ratio"]) == ("not_comparable", None)


def test_a_run_that_is_not_used_bounds_nothing() -> None:
    wild = replace(a_counted("candidate", 9, counts((0, 99999))), excluded="the fan stood still")
    alone, more = (assessed(runs, COUNTER) for runs in (COUNTED, (*COUNTED, wild)))

    assert energy(more).ratio == energy(alone).ratio
    assert energy(more).candidate_error == energy(alone).candidate_error


def test_no_error_is_no_reason() -> None:
    flat = [a_metered(arm, i, power((100 + i,) * 4)) for arm in ("baseline", "candidate") for i in range(3)]
    result = assessed(flat, NEIGHBOURS)

    assert (energy(result).baseline_error, energy(result).reason, result.widened) == (0.0, "", None)


def test_one_arm_without_error_is_said() -> None:
    runs = [
        a_metered(arm, i, power((100 + i, 100 + i, rise + i, 100 + i)))
        for arm, rise in zip(ARMS, (100, 120), strict=True)
        for i in range(3)
    ]
    reason = energy(assessed(runs, NEIGHBOURS)).reason

    assert "of the baseline by nothing, and of the candidate by a factor of up to" in reason


def test_a_notice_names_its_runs_once() -> None:
    result = assessed(RUNS, replace(SLEW, load_period=Fraction(2)))
    [said] = [notice for notice in result.notices if notice.code == "aliasing"]

    assert said.sentence.endswith("So in b0, b1, b2, c0, c1, c2.")


def test_a_declaration_that_does_not_fit_is_refused() -> None:
    result = assessed(RUNS, replace(SAMPLES, relative=FIVE))

    assert result.refusal is not None
    assert (result.refusal.code, result.energy) == ("bad_metering", None)


def test_a_metric_of_its_own_has_no_energy() -> None:
    assert assessed(RUNS, SAMPLES, metric="wall_time").energy is None


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        (Fraction(650), "650", "650"),
        (Fraction(1, 3), "0.3333333333", "0.3333333334"),
        (Fraction(2, 3000), "0.0006666666666", "0.0006666666667"),
        (Fraction(10**12 + 1, 10), "100000000000", "100000000001"),
        (Fraction(20, 3), "6.666666666", "6.666666667"),
    ],
)
def test_ends_are_rounded_outward(value: Fraction, low: str, high: str) -> None:
    assert energy_answer.outward(value, up=False) == low
    assert energy_answer.outward(value, up=True) == high


@pytest.mark.parametrize("metering", [COUNTER, None])
def test_the_record_says_it_all_and_is_read_back(metering: Metering | None) -> None:
    result = assessed(COUNTED, metering)
    said: Any = json.loads(json.dumps(to_json(result)))

    again = restored.from_json(said)
    assert json.loads(json.dumps(to_json(again))) == said
    assert again.plan.metering == metering
    if metering is not None:
        assert said["energy"]["ratio"]["kind"] == "deterministic_bounds"
        assert said["energy"]["ratio"]["assumptions"] == said["energy"]["assumptions"]
        assert again.energy is not None
        assert again.energy.ratio == energy(result).ratio


def test_a_record_without_the_new_parts_is_read() -> None:
    said: Any = to_json(assessed(COUNTED, None))
    del said["energy"]
    assert "metering" not in said["plan"]

    assert restored.from_json(said).energy is None


def test_the_declaration_is_among_the_inputs() -> None:
    digests = {
        inputs_digest(asked(RUNS, metering)) for metering in (None, SAMPLES, SLEW, replace(SLEW, one_meter=True))
    }

    assert len(digests) == 4


def test_metered_energies_are_of_no_steps_and_have_no_longer_cut() -> None:
    """The runs record steps of the same name, with a warmup; the numbers that are compared are not made of them."""
    values = [3.0 + 0.01 * (i % 3) for i in range(30)] + [1.0, 1.01] * 60
    runs = [
        a_metered(arm, i, power(watts), {"metric": "energy", "unit": "J", "values": [x + 0.001 * i for x in values]})
        for arm, arms_watts in zip(ARMS, (BASE, MORE), strict=True)
        for i, watts in enumerate(arms_watts)
    ]
    asked_for = {"metric": "energy", "stat": "total"}
    metered, reported = assessed(runs, SLEW, **asked_for), assessed(runs, None, **asked_for)

    assert metered.estimate is not None
    assert metered.steps is None
    assert "warmup_longer_than_declared" not in codes(metered.notices)
    assert reported.steps is not None
    assert reported.steps.other is not None
