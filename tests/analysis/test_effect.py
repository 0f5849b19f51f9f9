"""The interval of a look that no plan declared; those of declared looks and of each design are in test_assess."""

from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import AssessmentResult, assess, to_json
from analysis.margin import margin_of
from analysis.verdict import more_units
from tests.analysis.props import (
    BASELINE,
    BLOCKED,
    CANDIDATE,
    INDEPENDENT,
    a_plan,
    a_request,
    a_run,
    blocked,
    change,
    codes,
    ends,
    interleaved,
    inverted,
    near,
)

EQUAL = (1.0, 1.004, 0.996, 1.002, 0.998, 1.001)
ALIKE = (1.001, 1.003, 0.998, 1.0, 0.999, 1.002)


def looked(runs: Any, **plan: Any) -> AssessmentResult:
    return assess(a_request(runs, a_plan(**{"look": 2, **plan})))


def refused_by(result: AssessmentResult) -> str:
    assert result.refusal is not None
    assert (result.outcome, result.interval, result.governing, result.verdict) == ("withheld", None, None, None)
    assert result.refusal.needs
    return result.refusal.code


def test_blocks_are_judged_by_the_interval_that_holds_at_every_look() -> None:
    result = looked(BLOCKED.runs)

    assert inverted(result) == near(0.8753009795216845, 0.9418564201109999)
    assert result.interval is not None
    assert (result.interval.method, result.interval.confidence) == ("anytime_paired_log", 0.95)
    assert result.outcome == "verdict"
    assert result.governing is result.interval


def test_equal_arms_on_one_placement_are_judged_by_it_too() -> None:
    result = looked(INDEPENDENT.runs)

    assert result.interval is not None
    assert result.interval.method == "anytime_two_arms_log"
    assert "both arms have the same spread" in result.interval.assumptions
    assert "log run values are roughly normal" in result.interval.assumptions
    assert result.outcome == "verdict"


def test_the_plain_interval_stands_beside_it_and_is_no_confidence_interval_to_a_reader() -> None:
    result, only = looked(BLOCKED.runs), assess(BLOCKED)
    said: Any = to_json(result)

    assert result.single_look == only.interval
    assert said["single_look"]["kind"] == "single_look_interval"
    assert said["single_look"]["condition"] == "valid only if this was the only look"
    assert only.single_look is None
    assert said["interval"]["method"] == "anytime_paired_log"


def test_the_plain_interval_beyond_several_looks_is_that_of_one() -> None:
    result = looked(BLOCKED.runs, looks=4, look=5)

    assert result.single_look == assess(BLOCKED).interval


def test_a_reader_is_told_how_many_looks_and_what_they_cost() -> None:
    [said] = [n.sentence for n in looked(BLOCKED.runs, look=4).notices if n.code == "undeclared_look"]

    assert said.startswith("This comparison has been looked at 4 times while runs were added. A plain 95% interval")
    assert "wrong in up to 10% of null comparisons by 5 blocks" in said
    assert said.endswith("The interval shown holds at every look.")


def test_a_declared_look_is_told_nothing_of_that() -> None:
    assert "undeclared_look" not in codes(assess(a_request(BLOCKED.runs, a_plan(looks=4, look=4))).notices)


def test_a_finding_may_be_lost_to_looking() -> None:
    small = blocked(BASELINE, [b * r for b, r in zip(BASELINE, (1.010, 1.013, 1.008, 1.011, 1.005), strict=True)])

    assert ends(looked(small))[0] < 1 < ends(assess(a_request(small)))[0]


@pytest.mark.parametrize(
    ("runs", "code", "way"),
    [
        (INDEPENDENT.runs[:9], "unequal_arms", "Add runs to the smaller arm"),
        (blocked(BASELINE[:4], CANDIDATE[:4]), "too_few_for_anytime", "Go on to 5 blocks"),
        (blocked(BASELINE[:2], CANDIDATE[:2]), "too_few_for_verdict", "Add runs"),
    ],
    ids=["unequal", "few blocks", "two blocks"],
)
def test_where_it_does_not_exist_the_verdict_is_withheld(runs: Any, code: str, way: str) -> None:
    result = looked(runs)

    assert refused_by(result) == code
    assert result.refusal is not None
    assert way in result.refusal.needs
    assert result.single_look is not None
    assert result.attribution.rung == 0
    assert "undeclared_look" in codes(result.notices)


def test_why_it_does_not_exist_names_the_look() -> None:
    result = looked(INDEPENDENT.runs[:9], look=3)

    assert result.refusal is not None
    assert result.refusal.message.startswith("This is look 3, and the plan declared 1. 5 baseline and 4 candidate runs")


def test_two_systems_have_no_such_interval() -> None:
    runs = [*interleaved(BASELINE, (), placement="a"), *interleaved((), CANDIDATE, placement="b")]

    assert refused_by(looked(runs, hardware_varied=True)) == "undeclared_look"


def test_three_placements_have_neither_it_nor_a_secondary_interval() -> None:
    runs = [
        a_run(arm, 10 * place + i, value * (1 + place / 100), placement=f"host-{place}")
        for place in range(3)
        for arm, values in (("baseline", BASELINE[:2]), ("candidate", CANDIDATE[:2]))
        for i, value in enumerate(values)
    ]
    result = looked(runs)

    assert refused_by(result) == "undeclared_look"
    assert result.secondary is None


def test_values_that_do_not_vary_are_refused_at_any_look() -> None:
    result = looked(interleaved([1.0, 1.0], [2.0, 2.0]))

    assert result.refusal is not None
    assert (result.outcome, result.refusal.code, result.single_look) == ("refused", "zero_variance", None)


def test_a_throughput_bounded_by_the_load_says_so_when_it_is_withheld_too() -> None:
    runs = interleaved(
        BASELINE, CANDIDATE[:4], settings=(("request_rate", "3.6"),), measured={"metric": "throughput", "unit": "1/s"}
    )
    result = looked(runs, metric="throughput", better="higher", margin=1 / a_plan().margin)

    assert refused_by(result) == "unequal_arms"
    assert "rate_limited" in codes(result.notices)


def test_an_exclusion_that_leaves_no_interval_for_every_look_withholds_the_verdict() -> None:
    extra = a_run("baseline", 9, 0.0999, excluded="throttled")
    result = looked([*INDEPENDENT.runs, extra])

    assert result.refusal is not None
    assert (result.outcome, result.refusal.code) == ("withheld", "sensitive_to_exclusions")


def test_an_exclusion_of_a_block_is_tried_at_every_look() -> None:
    six = blocked([*BASELINE, 0.0999], [*CANDIDATE, 0.1095])
    result = looked(change(six, "c3", excluded="throttled"))

    assert result.outcome == "verdict"
    assert result.with_excluded is not None
    assert (result.with_excluded.method, result.with_excluded.units) == ("anytime_paired_log", 6)


@pytest.mark.parametrize("layout", [blocked, interleaved])
def test_how_many_more_are_needed_is_counted_at_the_width_of_every_look(layout: Any) -> None:
    runs = layout(EQUAL, ALIKE)
    result = looked(runs, margin=Fraction("1.002"))
    assert result.interval is not None
    assert result.single_look is not None
    assert result.verdict is not None
    margin = margin_of(result.plan, unit="s")
    more, plain = (more_units(found, margin, allowance=0.0) for found in (result.interval, result.single_look))

    assert more is not None
    assert plain is not None
    assert more > plain
    assert f"needs about {more} more" in result.verdict.headline


def test_a_look_at_independent_runs_is_told_in_runs() -> None:
    [said] = [n.sentence for n in looked(INDEPENDENT.runs, look=4).notices if n.code == "undeclared_look"]

    assert "wrong in up to 10% of null comparisons by 5 runs per arm." in said
