"""Is the evidence enough: how old it is by which clock, how many runs, and whether the numbers stand on it."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.policies import gate
from reviews.policies.evidence_facts import ArmFacts, FileFacts
from reviews.policies.facts import GateFacts
from reviews.vocabulary import DecisionKind, RequirementState

from .asking import lines, said, state
from .open_gate import (
    CONTENT,
    DAY,
    NOW,
    OPEN,
    RUNS,
    an_artifact,
    an_attachment,
    with_assessment,
    with_comparisons,
    with_section,
    with_template,
)

FRESH, ENOUGH, FROM = "evidence_is_fresh", "samples_are_large_enough", "intervals_come_from_this_evidence"
C1, C2 = CONTENT.comparisons.comparisons
MET = RequirementState.MET


def only_c1(facts: GateFacts) -> GateFacts:
    return with_comparisons(facts, C1)


def aged(started_days: int | None, **artifact: Any) -> GateFacts:
    """C1 on one file that started so many days ago by its own clock, or records no time."""
    started = None if started_days is None else NOW - started_days * DAY
    facts = with_assessment(only_c1(OPEN), "C1", files=(FileFacts(artifact=RUNS, started_at=started),))
    return replace(facts, artifacts={**OPEN.artifacts, RUNS: an_artifact(name="runs.json", **artifact)})


@pytest.mark.parametrize(
    ("started", "artifact", "sentence"),
    [
        (181, {}, "runs.json, 181 days old by its own clock"),
        (None, {"clock": "file", "created_at": NOW - 190 * DAY}, "runs.json, 190 days old by its own clock"),
        (
            None,
            {"clock": "capture", "created_at": NOW - 200 * DAY},
            "runs.json, 200 days old by the clock of its capture",
        ),
        (None, {"created_at": NOW - 210 * DAY}, "runs.json, 210 days old by its upload, as it records no time"),
        (
            None,
            {"clock": "typed", "created_at": NOW - DAY, "stored_at": NOW - 220 * DAY},
            "runs.json, 220 days old by its upload, as it records no time",
        ),
    ],
)
def test_old_evidence_is_named_with_its_age_and_the_clock_that_says_so(
    started: int | None, artifact: dict[str, Any], sentence: str
) -> None:
    assert said(FRESH, aged(started, **artifact)) == [
        f"C1 (throughput rate) stands on {sentence}; at most 180 days are allowed."
    ]


def test_of_many_old_files_the_three_oldest_are_named() -> None:
    files = tuple(FileFacts(artifact=f"{n}" * 64, started_at=NOW - (180 + n) * DAY) for n in range(1, 6))
    facts = with_assessment(only_c1(OPEN), "C1", files=files)
    stored = {file.artifact: an_artifact(name=f"{file.artifact[0]}.json") for file in files}

    [sentence] = said(FRESH, replace(facts, artifacts={**OPEN.artifacts, **stored}))
    assert sentence.startswith("C1 (throughput rate) stands on 5.json, 185 days old by its own clock, 4.json, 184 days")
    assert sentence.endswith("3.json, 183 days old by its own clock and 2 more; at most 180 days are allowed.")


def test_its_own_clock_goes_before_an_upload_of_today() -> None:
    assert state(FRESH, aged(181, stored_at=NOW)) == RequirementState.UNMET
    assert said(FRESH, aged(180)) == [
        "The oldest evidence is runs.json, 180 days old by its own clock; at most 180 days are allowed."
    ]


def test_the_template_says_how_old_evidence_may_be() -> None:
    assert state(FRESH, with_template(aged(31), evidence_days=30)) == RequirementState.UNMET
    assert state(FRESH, with_template(aged(30), evidence_days=30)) == MET


def test_evidence_from_the_future_is_no_fresh_evidence() -> None:
    assert state(FRESH, aged(-1)) == MET
    assert said(FRESH, aged(-2)) == ["C1 (throughput rate) stands on runs.json, which is dated ahead of now."]


def test_a_number_of_unknown_files_is_not_fresh() -> None:
    facts = with_assessment(only_c1(OPEN), "C1", files=())

    assert said(FRESH, facts) == [
        "C1 (throughput rate) does not say from which files it was computed; compute it again."
    ]


def test_a_file_that_is_not_in_the_store_is_an_error() -> None:
    facts = with_assessment(OPEN, "C1", files=(FileFacts(artifact="0" * 64, started_at=None),))

    assert state(FRESH, facts) == RequirementState.ERROR
    assert "is not in the store" in said(FRESH, facts)[0]


@pytest.mark.parametrize(
    ("arms", "sentence"),
    [
        (
            (),
            [
                "stands on 0 run(s) of the baseline; 2 are asked for.",
                "stands on 0 run(s) of the candidate; 2 are asked for.",
            ],
        ),
        (
            (ArmFacts(arm="baseline", runs=2, fewest=None), ArmFacts(arm="candidate", runs=1, fewest=None)),
            ["stands on 1 run(s) of the candidate; 2 are asked for."],
        ),
    ],
)
def test_each_arm_has_as_many_runs_as_the_template_asks(arms: tuple[ArmFacts, ...], sentence: list[str]) -> None:
    facts = with_assessment(only_c1(OPEN), "C1", arms=arms)

    assert said(ENOUGH, facts) == [f"C1 (throughput rate) {one}" for one in sentence]
    assert {line.code for line in lines(ENOUGH, facts)} == {f"{ENOUGH}:C1"}


@pytest.mark.parametrize(
    ("fewest", "sentence"),
    [
        (999, "stands on 999 request(s); 1000 are asked for."),
        (None, "does not say how many requests it stands on; 1000 are asked for."),
    ],
)
def test_each_run_has_as_many_requests_as_the_statistic_asks(fewest: int | None, sentence: str) -> None:
    arms = tuple(ArmFacts(arm=arm, runs=3, fewest=fewest) for arm in ("baseline", "candidate"))

    assert said(ENOUGH, with_assessment(OPEN, "C2", arms=arms)) == [
        f"C2 (latency p99): a run of the {arm} {sentence}" for arm in ("baseline", "candidate")
    ]


def test_a_statistic_of_no_template_asks_for_no_requests() -> None:
    other = replace(C1, metric="tokens_per_joule")
    arms = tuple(ArmFacts(arm=arm, runs=2, fewest=None) for arm in ("baseline", "candidate"))

    assert said(ENOUGH, with_comparisons(with_assessment(OPEN, "C1", arms=arms), other)) == [
        "1 comparison(s) stand on at least 2 run(s) in each arm."
    ]


def test_what_has_no_interval_is_told_by_another_rule() -> None:
    facts = with_assessment(only_c1(OPEN), "C1", outcome="withheld", interval=None, arms=())

    assert state(ENOUGH, facts) == MET


def test_a_number_of_other_files_than_the_set_holds_is_told() -> None:
    extra = with_assessment(OPEN, "C1", files=(FileFacts(artifact="9" * 64, started_at=NOW),))
    more = an_attachment(artifact="8" * 64, name="late.json", kind="benchmark", arm="baseline", use="confirming")
    sealed = CONTENT.evidence.sets[0]
    less = with_section(OPEN, "evidence", sets=(replace(sealed, attachments=(*sealed.attachments, more)),))

    assert said(FROM, extra) == [
        "C1 (throughput rate) was computed from 999999999999, which its evidence set does not hold; compute it again."
    ]
    assert said(FROM, only_c1(less)) == [
        "C1 (throughput rate) leaves out 888888888888, which its evidence set holds; compute it again."
    ]


def test_motivating_evidence_counts_only_for_a_symptom() -> None:
    row = an_attachment(artifact="8" * 64, name="alert.json", kind="benchmark", arm="baseline", use="motivating")
    sealed = CONTENT.evidence.sets[0]
    facts = with_section(OPEN, "evidence", sets=(replace(sealed, attachments=(*sealed.attachments, row)),))
    symptom = with_comparisons(facts, replace(C1, purpose="symptom"))

    assert state(FROM, only_c1(facts)) == MET
    assert state(FROM, symptom) == RequirementState.UNMET


def test_a_number_without_files_on_an_empty_set_is_no_pass() -> None:
    facts = with_section(with_assessment(only_c1(OPEN), "C1", files=()), "evidence", sets=())

    assert said(FROM, facts) == [
        "C1 (throughput rate) does not say from which files it was computed; compute it again."
    ]


@pytest.mark.parametrize("rule", [FRESH, ENOUGH, FROM])
def test_a_memo_of_the_first_rule_set_is_judged_without_it(rule: str) -> None:
    bare = with_assessment(OPEN, "C1", arms=(), files=())

    assert lines(rule, with_template(bare, rules_version="1")) == []
    assert gate.missing(gate.evaluate(with_template(bare, rules_version="1"), DecisionKind.SHIP)) == ()
    assert state(rule, with_comparisons(OPEN)) == RequirementState.UNMET


def test_a_version_of_a_template_may_ask_more_than_its_rule_set() -> None:
    unresolved = with_section(
        OPEN,
        "hypotheses",
        hypotheses=tuple(replace(h, resolution=type(h.resolution)()) for h in CONTENT.hypotheses.hypotheses),
    )
    raised = with_template(unresolved, rules={"every_hypothesis_is_resolved": "● ● · · ·"})
    bounded = gate.missing(gate.evaluate(unresolved, DecisionKind.BOUNDED))

    assert "every_hypothesis_is_resolved" not in {line.rule for line in bounded}
    assert {line.rule for line in gate.missing(gate.evaluate(raised, DecisionKind.BOUNDED))} == {
        "every_hypothesis_is_resolved"
    }


def test_what_a_template_makes_unwaivable_cannot_be_waived() -> None:
    strict = with_template(OPEN, rules={FRESH: "● ● ○ · ·"})

    assert gate.can_be_waived(f"{FRESH}:C1", OPEN.template)
    assert not gate.can_be_waived(f"{FRESH}:C1", strict.template)
