"""The action, the rollout contract and the escalation, sentence by sentence."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from reviews.policies.facts import GateFacts
from reviews.sections import AbortThreshold, Risk, RolloutStage
from reviews.vocabulary import DecisionKind, RequirementState, RiskKind

from .asking import lines, said, state
from .open_gate import CONTENT, KIM, OPEN, PROCEDURE, a_signature, an_artifact, with_section, with_template

ACTION = "the_action_is_reversible"
ROLLOUT = "the_rollout_is_bounded"
ESCALATION = "the_escalation_is_addressed"
BOUNDED, ESCALATE, ROLLBACK = DecisionKind.BOUNDED, DecisionKind.ESCALATE, DecisionKind.ROLLBACK


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("smallest_reversible_change", "smallest reversible change"),
        ("rollback_target", "rollback target"),
        ("rollback_boundary", "rollback boundary"),
        ("rollback_owner", "rollback owner"),
    ],
)
def test_an_action_that_leaves_something_open_says_what(field: str, name: str) -> None:
    facts = with_section(OPEN, "action", **{field: " "})

    assert said(ACTION, facts) == [f"The action names no {name}."]
    assert (state(ACTION, facts, ROLLBACK) == RequirementState.UNMET) is (field == "rollback_target")


@pytest.mark.parametrize("kind", RiskKind)
@pytest.mark.parametrize("blank", ["checked", "result"])
def test_each_of_the_four_risks_is_answered(kind: RiskKind, blank: str) -> None:
    risks = tuple(replace(r, **{blank: " "}) if r.kind == kind else r for r in CONTENT.action.risks)
    facts = with_section(OPEN, "action", risks=risks)

    assert said(ACTION, facts) == [f"The risk “{kind.label}” lacks how it was checked, or the result."]
    assert state(ACTION, facts, ROLLBACK) == RequirementState.MET


def test_a_risk_of_another_kind_answers_none() -> None:
    facts = with_section(OPEN, "action", risks=(Risk(kind="magnetic", checked="yes", result="none"),))

    assert len(said(ACTION, facts)) == 4


def rollout(**fields: Any) -> GateFacts:
    return with_section(OPEN, "rollout", **fields)


def stage(percent: str = "5", where: str = "pool a", soak_hours: str = "12") -> RolloutStage:
    return RolloutStage(percent=percent, where=where, soak_hours=soak_hours)


def threshold(**fields: str) -> AbortThreshold:
    return replace(CONTENT.rollout.abort_thresholds[0], **fields)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"stages": ()}, "The rollout has no stages."),
        ({"stages": (stage("0"),)}, "Stage 1 of the rollout has no scope between 0 and 100 %."),
        ({"stages": (stage(where=" "),)}, "Stage 1 of the rollout does not say which hosts or traffic."),
        ({"stages": (stage(soak_hours=""),)}, "Stage 1 of the rollout has no soak time."),
        ({"stages": (stage(soak_hours="0"),)}, "Stage 1 of the rollout has no soak time."),
        ({"stages": (stage("20"), stage("5"))}, "The stages of the rollout do not grow."),
        ({"stages": (stage("5"), stage("5.0"))}, "The stages of the rollout do not grow."),
        ({"abort_thresholds": ()}, "The rollout has no abort threshold."),
        (
            {"abort_thresholds": (threshold(comparison="C1"),)},
            "The abort threshold on latency p99 of C1 belongs to no comparison of this memo.",
        ),
        ({"abort_thresholds": (threshold(limit=""),)}, "The abort threshold on latency p99 of C2 has no limit."),
        ({"abort_thresholds": (threshold(limit="0"),)}, "The abort threshold on latency p99 of C2 has no limit."),
        ({"ends_at": ""}, "The rollout has no end."),
        ({"ends_at": "2026-05-04T12:00:00Z"}, "The rollout ended on 2026-05-04T12:00:00Z."),
        ({"procedure": ""}, "The rollout names no rollback procedure."),
        ({"procedure": "f" * 64}, "The rollback procedure ffffffffffff is not in the store."),
        ({"owner": " "}, "The rollout has no owner."),
    ],
)
def test_a_rollout_that_is_not_whole_says_what_it_lacks(fields: dict[str, Any], sentence: str) -> None:
    assert said(ROLLOUT, rollout(**fields), BOUNDED) == [sentence]


@pytest.mark.parametrize(
    "fields",
    [
        {"stages": (stage("five"),)},
        {"stages": (stage(soak_hours="a day"),)},
        {"abort_thresholds": (threshold(limit="45 ms"),)},
        {"ends_at": "in June"},
    ],
)
def test_a_rollout_that_is_not_written_in_numbers_and_dates_is_an_error(fields: dict[str, Any]) -> None:
    assert state(ROLLOUT, rollout(**fields), BOUNDED) == RequirementState.ERROR


def test_a_date_without_a_time_ends_with_its_day() -> None:
    assert state(ROLLOUT, rollout(ends_at="2026-05-04"), BOUNDED) == RequirementState.MET
    assert state(ROLLOUT, rollout(ends_at="2026-05-03"), BOUNDED) == RequirementState.UNMET


def test_a_scope_above_the_templates_cap_is_refused() -> None:
    facts = with_template(OPEN, rollout_cap_percent="19.5")

    assert said(ROLLOUT, facts, BOUNDED) == ["The rollout reaches 20 %; the template allows at most 19.5 %."]


def test_no_more_is_decided_than_the_rollout_says() -> None:
    asked = replace(OPEN, requested_percent=Fraction(21))

    assert "21 % is asked for, and the rollout reaches 20 %." in said(ROLLOUT, asked, BOUNDED)
    assert state(ROLLOUT, replace(OPEN, requested_percent=Fraction(20)), BOUNDED) == RequirementState.MET


def test_an_expired_rollout_has_to_be_written_anew() -> None:
    facts = replace(OPEN, expired_rollouts=(OPEN.section_digests["rollout"],))

    assert "The rollout has expired; it has to be written anew." in said(ROLLOUT, facts, BOUNDED)


def test_a_recalled_procedure_does_not_count() -> None:
    recalled = an_artifact(name="back.md", recalled=True, recalled_by="sam")
    facts = replace(OPEN, artifacts={**OPEN.artifacts, PROCEDURE: recalled})

    assert said(ROLLOUT, facts, BOUNDED) == ["The rollback procedure back.md was recalled by sam."]


def test_a_redacted_procedure_does_not_count() -> None:
    gone = an_artifact(name="back.md", redacted="redacted by Adi on 2026-12-01 (a secret: a key)")
    facts = replace(OPEN, artifacts={**OPEN.artifacts, PROCEDURE: gone})

    assert said(ROLLOUT, facts, BOUNDED) == [
        "The rollback procedure back.md was redacted by Adi on 2026-12-01 (a secret: a key)."
    ]


def accepted(*signatures: Any) -> GateFacts:
    return replace(OPEN, signatures=(*OPEN.signatures[:2], *signatures))


def test_the_owner_of_the_rollout_accepts_it_by_signature() -> None:
    [line] = lines(ROLLOUT, accepted(), BOUNDED)

    assert line.sentence == "kim has not accepted the rollout by signature."
    assert (line.who, line.where) == ("kim", "sign")


def test_an_acceptance_of_an_older_rollout_says_so() -> None:
    stale = replace(KIM, covered={"rollout": "old"})

    assert said(ROLLOUT, accepted(stale), BOUNDED) == [
        "kim has not accepted the rollout by signature: the signature of kim is stale: rollout changed since."
    ]


def test_nobody_else_accepts_for_the_owner() -> None:
    facts = accepted(a_signature("lee", "rollback_owner", "rollout"), a_signature("kim", "sre"))

    assert said(ROLLOUT, facts, BOUNDED) == ["kim has not accepted the rollout by signature."]


def escalation(**fields: str) -> GateFacts:
    return with_section(OPEN, "signoff", escalation=replace(CONTENT.signoff.escalation, **fields))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"to": ""}, "The escalation does not say to whom."),
        ({"by": " "}, "The escalation does not say by when."),
        ({"question": ""}, "The escalation does not say which question."),
        ({"by": "2026-05-01"}, "The escalation was to be answered by 2026-05-01."),
        ({"by": "2026-05-04T12:00:00Z"}, "The escalation was to be answered by 2026-05-04T12:00:00Z."),
    ],
)
def test_an_escalation_says_to_whom_by_when_and_which_question(fields: dict[str, str], sentence: str) -> None:
    assert said(ESCALATION, escalation(**fields), ESCALATE) == [sentence]


def test_the_date_of_an_escalation_is_a_date() -> None:
    assert said(ESCALATION, escalation(by="soon"), ESCALATE) == [
        "The date of the escalation is “soon”, which is not an ISO date."
    ]
