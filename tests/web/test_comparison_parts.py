"""Stages, splits and counters on the comparison page."""

import re

import pytest

from reviews.models import Assessment, Memo
from reviews.services import assessments
from tests import cases, staged
from tests.web.asking import page
from tests.web.test_comparison_page import path

pytestmark = pytest.mark.django_db


def shown(memo: Memo, key: str = "C4") -> str:
    return page("aud", path(memo, key=key))


def test_the_page_says_where_the_difference_begins_with_all_that_belongs_to_it() -> None:
    said = shown(staged.a_memo())

    assert "Where the difference begins" in said
    assert "Divergence is established at run; stages before run are excluded." in said
    assert "98.3333\N{NO-BREAK SPACE}% confidence each; all hold together at 95\N{NO-BREAK SPACE}%, paired_log" in said
    assert "6 blocks" in said
    assert 'id="chart-stages"' in said
    assert "What the difference of the time adds up from" in said
    assert "outside the stages" in said
    assert "bookkeeping, and no cause." in said


def test_counters_stand_beside_the_hypotheses_and_name_no_cause() -> None:
    said = shown(staged.a_memo())

    assert "The counters are consistent with scheduling, and with no other mechanism of the table." in said
    assert "Consistent is not caused" in said
    assert "<td>consistent with H1</td>" in said
    assert "caused by" not in said
    assert "missing dram_bytes_per_work" in said
    assert "(rung 2 of 4)" in said


def test_a_memo_whose_runs_record_no_parts_has_no_such_section() -> None:
    memo = cases.a_memo_with_evidence()

    assert "Where the difference begins" not in shown(memo, "C1")
    assert "Which mechanism" not in shown(memo, "C1")


@pytest.mark.parametrize(
    ("again", "sentence"),
    [
        (staged.runs_file(2), "C5 (replay) establishes divergence at run again, on runs of its own."),
        (staged.runs_file(2, slow="answer"), "C5 (replay) establishes divergence at answer, and not at run."),
        (staged.runs_file(2, slow="none"), "C5 (replay) does not localise"),
        (staged.runs_file(2, staged=False), "C5 (replay) records no stages"),
    ],
)
def test_a_second_session_is_said_to_establish_the_same_stage_or_not(again: bytes, sentence: str) -> None:
    assert sentence in shown(staged.a_memo(again=again))


def test_the_replay_names_the_first_session_too() -> None:
    said = shown(staged.a_memo(again=staged.runs_file(2)), "C5")

    assert "C4 (fix check) establishes divergence at run again, on runs of its own." in said


def test_runs_without_stages_have_their_counters_only() -> None:
    memo = cases.a_draft()
    staged.with_comparison(memo, staged.planned("C4", "fix_check"), staged.runs_file(1, staged=False))
    said = shown(memo)

    assert "Where the difference begins" not in said
    assert "What the ratio of the time multiplies from" in said
    assert 'id="chart-stages"' not in said


def test_what_the_plan_says_of_stages_goes_into_the_comparison_and_is_computed_again() -> None:
    memo = cases.a_draft()
    content = staged.planned("C4", "fix_check", stages="cumulative", counter_margin="0.1", unit_of_work="requests")
    staged.with_comparison(memo, content, staged.runs_file(1))
    row = Assessment.objects.get()

    assert row.inputs["plan"]["stages"] == "cumulative"
    assert (row.result["plan"]["counter_margin"], row.result["plan"]["unit_of_work"]) == ("0.1", "requests")
    assert row.result["splits"][0]["refusal"]["code"] == "stages_do_not_add"
    assert assessments.recompute(row)
    assert "Record exclusive times to see the difference as a sum." in shown(memo)
    assert "Not every run records requests as one number above 0." in shown(memo)


def test_the_text_to_copy_has_every_number_with_its_kind() -> None:
    said = shown(staged.a_memo(again=staged.runs_file(2))).partition("Copy as text")[2]

    assert "Where the difference begins: Divergence is established at run" in said
    assert re.search(r"run: ratio 1\.\d+, interval \[1\.\d+, 1\.\d+\], standing established", said)
    assert "kind: confidence intervals" in said
    assert "C5 (replay) establishes" in said
