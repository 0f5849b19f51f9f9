"""What submitting asks."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.policies import completeness
from reviews.sections import BuildTags, FailingMetric, MemoContent, MissingEvidence, Unfilled

from .open_gate import CONTENT, HYPOTHESES

H1, H2 = HYPOTHESES


def changed(section: str, **fields: Any) -> MemoContent:
    return replace(CONTENT, **{section: replace(getattr(CONTENT, section), **fields)})


def codes(content: MemoContent) -> list[str]:
    return [missing.code for missing in completeness.missing(content, "ann")]


def test_a_complete_memo_can_be_submitted() -> None:
    assert codes(CONTENT) == []


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (changed("header", title=" "), "header.title"),
        (changed("symptom", failing_metrics=()), "symptom.failing_metrics"),
        (changed("symptom", workload_slice=""), "symptom.workload_slice"),
        (changed("symptom", first_failing_layer=""), "symptom.first_failing_layer"),
        (changed("symptom", build_tags=BuildTags()), "symptom.build_tags"),
        (changed("hypotheses", hypotheses=(H2,)), "hypotheses.primary"),
        (changed("hypotheses", hypotheses=(replace(H1, mechanism=""), H2)), "hypotheses.primary"),
        (changed("hypotheses", hypotheses=(H1,)), "hypotheses.competing"),
        (changed("action", smallest_reversible_change=" "), "action.smallest_reversible_change"),
        (changed("action", expected=(), expected_movement=""), "action.expected_movement"),
    ],
)
def test_each_thing_that_is_left_out_is_named(content: MemoContent, code: str) -> None:
    [missing] = completeness.missing(content, "ann")

    assert missing.code == code
    assert missing.who == "ann (author)"
    assert missing.where == f"#{code.partition('.')[0]}"


@pytest.mark.parametrize(("metric", "stat"), [("", ""), ("latency", "")])
def test_an_ambiguous_metric_asks_once(metric: str, stat: str) -> None:
    vague = FailingMetric(said="P99 latency", metric=metric, stat=stat, condition="")

    [missing] = completeness.missing(changed("symptom", failing_metrics=(vague,)), "ann")

    assert missing.sentence == "“P99 latency” can mean several metrics: choose one."


@pytest.mark.parametrize("fields", [{"expected": ()}, {"expected_movement": ""}])
def test_an_expected_movement_may_be_said_in_words_or_in_numbers(fields: dict[str, Any]) -> None:
    assert codes(changed("action", **fields)) == []


def test_a_planned_change_needs_no_rival_and_no_failing_layer() -> None:
    content = changed("header", intent="planned_change")
    content = replace(
        content,
        hypotheses=replace(content.hypotheses, hypotheses=(H1,)),
        symptom=replace(content.symptom, first_failing_layer=""),
    )

    assert codes(content) == []


def with_placeholder(field: str, content: MemoContent = CONTENT) -> MemoContent:
    header = replace(content.header, unfilled=(Unfilled(field=field, wanted="trace"),))
    return replace(content, header=header)


@pytest.mark.parametrize(
    ("field", "filled"),
    [
        ("hypotheses.missing_evidence", changed("hypotheses", missing_evidence=(MissingEvidence(what="trace"),))),
        ("symptom.observation_window", changed("symptom", observation_window="steady")),
        ("rollout.ends_at", CONTENT),
        ("hypotheses.primary", CONTENT),
        ("hypotheses.competing", CONTENT),
        ("hypotheses.predictions", CONTENT),
        ("action.risks", CONTENT),
        ("symptom.build_tags", CONTENT),
    ],
)
def test_a_placeholder_is_settled_once_its_field_is_filled(field: str, filled: MemoContent) -> None:
    assert codes(with_placeholder(field, filled)) == []


@pytest.mark.parametrize(
    ("field", "blank"),
    [
        ("hypotheses.missing_evidence", CONTENT),
        ("symptom.observation_window", CONTENT),
        ("rollout.ends_at", changed("rollout", ends_at=" ")),
        ("hypotheses.primary", changed("hypotheses", hypotheses=(H2,))),
        (
            "hypotheses.predictions",
            changed("hypotheses", hypotheses=tuple(replace(h, predictions=()) for h in HYPOTHESES)),
        ),
        ("action.risks", changed("action", risks=())),
        ("symptom.build_tags", changed("symptom", build_tags=BuildTags())),
        ("appendix.weather", CONTENT),
    ],
)
def test_a_placeholder_is_left_while_its_field_is_blank(field: str, blank: MemoContent) -> None:
    assert codes(with_placeholder(field, blank)) == [field]


def test_a_placeholder_says_what_the_text_wants() -> None:
    [missing] = completeness.missing(with_placeholder("hypotheses.missing_evidence"), "ann")

    assert missing.sentence == "hypotheses.missing_evidence is a placeholder still: the text wants trace."


def test_the_final_decision_is_left_to_the_board() -> None:
    assert codes(with_placeholder("signoff.final_decision")) == []
