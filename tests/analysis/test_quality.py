"""A quality evaluation as a comparison: items with one run per arm, seeds with several."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import AssessmentResult, LabelledRun, assess
from analysis.items import Scored, item_effect
from analysis.table import Table
from tests.analysis.props import SECOND, a_request, a_setting, change, codes, ends, near
from tests.analysis.scores import BASELINE, CANDIDATE, by_item, one_each, scored_run


def quality(runs: tuple[LabelledRun, ...], **plan: Any) -> AssessmentResult:
    return assess(a_request(runs, by_item(**plan)))


def refused_by(result: AssessmentResult) -> str:
    assert result.refusal is not None
    assert result.refusal.needs
    return result.refusal.code


def seeds(*shifts: float, **labels: Any) -> tuple[LabelledRun, ...]:
    """Runs of both arms whose items all move by the shift of the seed; the candidate's by half of it."""
    return tuple(
        scored_run(arm, n, {item: mark + by * shift for item, mark in marks.items()}, **labels)
        for n, shift in enumerate(shifts)
        for arm, marks, by in (("baseline", BASELINE, 1.0), ("candidate", CANDIDATE, 0.5))
    )


def test_one_run_per_arm_is_paired_by_item() -> None:
    result = quality(one_each())
    same = item_effect(
        [
            Scored(item, "", arm, "1", mark)  # type: ignore[arg-type]
            for arm, marks in (("baseline", BASELINE), ("candidate", CANDIDATE))
            for item, mark in marks.items()
        ],
        confidence=0.95,
        unit="1",
    )

    assert (result.outcome, result.refusal) == ("verdict", None)
    assert ends(result) == (same.lo, same.hi)
    assert result.interval is not None
    frame = result.interval.frame
    assert (frame.scope, frame.counted, frame.unit) == ("this benchmark", "items", "1")
    assert frame.estimand == "mean difference of exact_match over items such as these, candidate minus baseline"
    assert result.design is not None
    assert (result.design.kind, result.design.counted) == ("items", "items")
    assert result.estimate is not None
    assert result.estimate.value == pytest.approx(0.018)
    assert {"one_seed_per_arm", "one_benchmark"} <= codes(result.notices)
    assert result.verdict is not None
    assert result.verdict.headline == "Equivalent within 0.05"


def test_items_of_a_subject_count_together() -> None:
    subjects = {"q1": "a", "q2": "a", "q3": "b", "q4": "c", "q5": "c"}
    result = quality(one_each(subjects=subjects))

    assert result.interval is not None
    assert (result.interval.units, result.interval.frame.counted) == (3, "subjects")
    assert any("5 items of 3 subjects" in notice.sentence for notice in result.notices)


def test_several_seeds_are_runs_in_the_layout_that_they_have() -> None:
    result = quality(seeds(0.0, 0.01, -0.02))

    assert result.interval is not None
    assert (result.interval.method, result.interval.frame.counted) == ("welch_difference", "seeds per arm")
    assert result.interval.frame.scope == "this benchmark"
    assert "one_benchmark" in codes(result.notices)
    assert result.outcome == "verdict"


def test_seeds_on_several_placements_speak_of_the_benchmark_there() -> None:
    runs = tuple(
        replace(
            run, placement=f"host-{placement}", label=f"{run.label}-{placement}", artifact=f"{run.artifact}{placement}"
        )
        for placement in range(2)
        for run in seeds(0.0, 0.01 + placement / 100, -0.02)
    )
    result = quality(runs)

    assert result.interval is not None
    assert result.interval.frame.scope == "this benchmark on these 2 placements only"


def test_leaving_out_a_seed_leaves_the_arms_comparable() -> None:
    runs = tuple(
        replace(run, reading=replace(run.reading, settings=(*run.reading.settings, a_setting("seed", run.label[1:]))))
        for run in seeds(0.0, 0.01, -0.02, 0.015)
    )

    assert quality(change(runs, "c3", excluded="too hot")).outcome == "verdict"


def test_seeds_in_blocks_are_paired_by_block() -> None:
    runs = tuple(replace(run, block=f"k{run.label[1:]}") for run in seeds(0.0, 0.01, -0.02))
    result = quality(runs)

    assert result.interval is not None
    assert (result.interval.method, result.interval.frame.counted) == ("paired_difference", "blocks")


def test_one_run_against_two_has_no_interval() -> None:
    assert refused_by(quality((*one_each(), scored_run("candidate", 2, BASELINE)))) == "too_few_runs"


def test_the_proportion_of_items_is_compared_as_a_difference() -> None:
    marks: dict[str, float | None] = {f"q{n}": float(n % 3 > 0) for n in range(30)}
    moved: dict[str, float | None] = {**marks, "q0": 1.0}
    result = quality(one_each(marks, moved), scale="proportion", margin=Fraction("-0.1"))

    assert result.estimate is not None
    assert result.estimate.value == pytest.approx(1 / 30)
    assert result.interval is not None
    assert result.interval.frame.scale == "proportion"


LACKING = {item: mark for item, mark in CANDIDATE.items() if item != "q3"}
ALIKE = {item: mark + 0.1 for item, mark in {"q1": 0.0, "q2": 0.0, "q3": 0.0}.items()}


@pytest.mark.parametrize(
    ("runs", "code", "said"),
    [
        (
            one_each(candidate=LACKING),
            "items_differ",
            "1 of 5 items are not scored by every run (1 in the candidate): q3",
        ),
        (one_each(candidate={**CANDIDATE, "": 0.5}), "item_not_named", "Run c1 has 1 scores without the name"),
        (one_each(candidate={**CANDIDATE, "q9": None}), "item_without_score", "1 items have no score in run c1: q9"),
        (one_each({"q1": 0.5}, {"q1": 0.6}), "too_few_items", "1 item"),
        (one_each(ALIKE, ALIKE), "zero_variance", "by the same amount on every item"),
        (one_each(subjects=dict.fromkeys(BASELINE, "a")), "too_few_subjects", "of one subject"),
    ],
)
def test_scores_that_do_not_pair_are_refused(runs: tuple[LabelledRun, ...], code: str, said: str) -> None:
    result = quality(runs)

    assert refused_by(result) == code
    assert result.refusal is not None
    assert said in result.refusal.message
    assert result.outcome == "refused"


def test_an_item_that_is_scored_twice_is_refused() -> None:
    run = one_each()[1]
    twice = replace(run, reading=replace(run.reading, measurements=Table.of([*run.reading.measurements] * 2)))

    assert refused_by(quality((one_each()[0], twice))) == "duplicate_item"


def test_two_items_carry_an_interval_and_no_verdict() -> None:
    result = quality(one_each({"q1": 0.5, "q2": 0.6}, {"q1": 0.6, "q2": 0.8}))

    assert (result.outcome, refused_by(result)) == ("withheld", "too_few_for_verdict")
    assert result.interval is not None


def test_at_a_look_that_was_not_declared_nothing_is_judged() -> None:
    result = quality(one_each(), look=2)

    assert (result.outcome, refused_by(result)) == ("withheld", "undeclared_look")
    assert result.single_look is not None
    assert result.interval is None
    assert "undeclared_look" in codes(result.notices)


def test_an_arm_that_ran_after_the_other_stays_on_its_rung() -> None:
    better = {item: mark + 0.1 + 0.01 * n for n, (item, mark) in enumerate(BASELINE.items())}
    first, second = one_each(candidate=better)
    runs = tuple(replace(run, run=replace(run.run, started_ns=at * SECOND)) for at, run in enumerate((first, second)))
    result = quality(runs)

    assert result.verdict is not None
    assert result.verdict.headline.startswith("Different in the later period: improvement")
    assert result.ladder_rung == 1


def test_arms_on_different_placements_are_refused_as_everywhere() -> None:
    assert refused_by(quality(change(one_each(), "c1", placement="host-2"))) == "arm_confounded_with_placement"


def test_items_on_two_systems_speak_of_these_systems() -> None:
    better = {item: mark + 0.1 + 0.01 * n for n, (item, mark) in enumerate(BASELINE.items())}
    runs = tuple(
        replace(run, placement=run.arm, run=replace(run.run, started_ns=SECOND)) for run in one_each(candidate=better)
    )
    result = quality(runs, hardware_varied=True)

    assert result.interval is not None
    assert result.interval.frame.scope == "this benchmark on these two systems only"
    assert result.verdict is not None
    assert (result.verdict.direction, result.ladder_rung) == ("improvement_established", 1)


def test_items_on_one_placement_say_so() -> None:
    assert "one_placement" in codes(quality(one_each()).notices)


def test_an_excluded_run_is_shown_beside_the_others() -> None:
    runs = change(seeds(0.0, 0.01, -0.02, 0.015), "c3", excluded="too hot")
    result = quality(runs)

    assert result.with_excluded is not None
    assert (result.with_excluded.units, result.interval and result.interval.units) == (4, 3)


def test_the_level_of_declared_looks_is_that_of_items() -> None:
    wide, narrow = quality(one_each(), looks=4), quality(one_each())

    assert wide.interval is not None
    assert wide.interval.confidence == pytest.approx(0.9875)
    assert narrow.interval is not None
    assert wide.interval.hi > narrow.interval.hi
    assert near(wide.interval.estimate) == (narrow.interval.estimate,)
