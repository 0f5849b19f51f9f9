"""What changed, by record and field."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from reviews import sections as s
from reviews.memo_text import RecordChange, difference
from tests.memo_text.contents import contents, read

DIGEST = "ab" * 32
COMPARISON = s.Comparison(
    key="C1",
    metric="e2e_latency",
    stat="p99",
    slice="EU",
    role="primary",
    better="lower",
    scale="ratio",
    margin="1.05",
    purpose="fix_check",
    match="same_requests",
)
MEMO = replace(
    read("- Primary mechanism: a\n- Competing hypotheses: memory b, thermal c\n- Workload slice: EU").content,
    comparisons=s.Comparisons(comparisons=(COMPARISON,)),
    rollout=s.Rollout(stages=(s.RolloutStage(percent="5", where="EU", soak_hours="24"),)),
)


def with_comparison(**fields: object) -> s.MemoContent:
    changed = replace(COMPARISON, **fields)  # type: ignore[arg-type]
    return replace(MEMO, comparisons=s.Comparisons(comparisons=(changed,)))


def test_a_changed_field_is_named_with_before_and_after() -> None:
    new = replace(MEMO, symptom=replace(MEMO.symptom, workload_slice="US"))

    assert difference(MEMO, new) == (RecordChange("symptom", "workload slice", "EU", "US"),)


def test_a_number_is_given_as_it_is_written() -> None:
    assert difference(MEMO, with_comparison(margin="1.02")) == (
        RecordChange("comparisons", "C1 margin", "1.05", "1.02"),
    )


def test_numbers_have_their_units() -> None:
    new = replace(MEMO, rollout=s.Rollout(stages=(s.RolloutStage(percent="10", where="EU", soak_hours="12"),)))

    assert difference(MEMO, new) == (
        RecordChange("rollout", "stages: EU percent", "5 %", "10 %"),
        RecordChange("rollout", "stages: EU soak hours", "24 h", "12 h"),
    )


def test_an_assessment_is_shown_in_numbers_where_they_are_given() -> None:
    old, new = with_comparison(assessment=DIGEST), with_comparison(assessment="cd" * 32)
    numbers = {DIGEST: "p99 = 41.2 [40.1, 42.6] ms"}

    assert difference(old, new, numbers=numbers) == (
        RecordChange("comparisons", "C1 assessment", "p99 = 41.2 [40.1, 42.6] ms", "assessment cdcdcdcdcdcd"),
    )


def test_a_new_record_has_nothing_before_and_a_lost_one_nothing_after() -> None:
    fewer = replace(MEMO, hypotheses=replace(MEMO.hypotheses, hypotheses=MEMO.hypotheses.hypotheses[:2]))
    rows = [("H3 key", "H3"), ("H3 rank", "competing"), ("H3 mechanism", "thermal"), ("H3 statement", "thermal c")]

    assert difference(fewer, MEMO) == tuple(RecordChange("hypotheses", name, "", value) for name, value in rows)
    assert difference(MEMO, fewer) == tuple(RecordChange("hypotheses", name, value, "") for name, value in rows)


def test_nested_records_are_named_by_their_keys() -> None:
    old = MEMO.hypotheses.hypotheses[0]
    prediction = s.Prediction(key="P1", metric="ttft", stat="p99", condition="", low="0.9", high="1")
    wider = replace(prediction, high="1.1")

    def with_prediction(row: s.Prediction) -> s.MemoContent:
        return replace(MEMO, hypotheses=s.Hypotheses(hypotheses=(replace(old, predictions=(row,)),)))

    assert difference(with_prediction(prediction), with_prediction(wider)) == (
        RecordChange("hypotheses", "H1 P1 high", "1", "1.1"),
    )


def test_rows_of_the_same_name_are_told_apart() -> None:
    twice = s.Symptom(quality_checks=(s.QualityCheck(name="a", result="1"), s.QualityCheck(name="a", result="2")))
    changed = s.Symptom(quality_checks=(s.QualityCheck(name="a", result="1"), s.QualityCheck(name="a", result="3")))

    assert difference(replace(MEMO, symptom=twice), replace(MEMO, symptom=changed)) == (
        RecordChange("symptom", "quality checks: a (2) result", "2", "3"),
    )


def test_yes_and_no_are_words() -> None:
    row = s.ChangeRow(name="batch", baseline="8", candidate="16", on_purpose=False, source="typed")
    old, new = (replace(MEMO, change=s.Change(rows=(replace(row, on_purpose=said),))) for said in (False, True))

    assert difference(old, new) == (RecordChange("change", "rows: batch on purpose", "no", "yes"),)


def test_a_row_that_moved_is_said_to_have_moved() -> None:
    first, *others = MEMO.hypotheses.hypotheses
    moved = replace(MEMO, hypotheses=replace(MEMO.hypotheses, hypotheses=(*others, first)))

    assert difference(MEMO, moved) == (RecordChange("hypotheses", "order of the rows", "H1, H2, H3", "H2, H3, H1"),)


@settings(max_examples=50, deadline=None)
@given(contents(), contents())
def test_equal_contents_differ_in_nothing_and_others_in_something(one: s.MemoContent, other: s.MemoContent) -> None:
    assert difference(one, one) == ()
    assert (difference(one, other) == ()) == (one == other)


@pytest.mark.parametrize("name", ["symptom", "rollout", "comparisons", "action"])
def test_each_section_is_named(name: str) -> None:
    bare = s.MemoContent(header=MEMO.header)
    full = (
        replace(bare, **{name: getattr(MEMO, name)})
        if name != "action"
        else replace(bare, action=s.ProposedAction(rollback_owner="bob"))
    )

    assert {change.section for change in difference(bare, full)} == {name}
