"""What only services write cannot be written by an edit, by nobody, in any section."""

from typing import Any

import pytest

from reviews.errors import BadInput, NotPermitted
from reviews.models import Memo
from reviews.sections import Comparison
from reviews.services import assessments
from tests import cases
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


def c1(memo: Memo) -> Comparison:
    return assessments.comparison_of(deeds.content(memo), "C1")


def change_c1(memo: Memo, *, name: str = "ann", **change: Any) -> Comparison:
    """C1 after an edit of those fields, with an edit of C3 besides, so that there is always a revision."""
    section = deeds.sections_of(memo)["comparisons"]
    rows = {row["key"]: row for row in section["comparisons"]}
    rows["C1"].update(change)
    rows["C3"]["absent_reason"] += "!"
    deeds.revise(memo, {"comparisons": section}, name=name)
    return c1(memo)


def test_evidence_cannot_be_written_by_an_edit() -> None:
    memo = cases.a_memo_with_evidence()
    before = deeds.content(memo).evidence
    section = deeds.sections_of(memo)["evidence"]
    section["sets"][0]["attachments"][0]["arm"] = "candidate"

    with refused(BadInput, "nothing_changed"):
        deeds.revise(memo, {"evidence": section})
    with refused(BadInput, "nothing_changed"):
        deeds.revise(memo, {"evidence": {"sets": []}}, name="sam")
    assert deeds.content(memo).evidence == before


@pytest.mark.parametrize("name", ["ann", "sam"])
def test_an_assessment_cannot_be_written_by_an_edit(name: str) -> None:
    memo = cases.a_memo_with_evidence()
    digest = c1(memo).assessment

    assert change_c1(memo, name=name, assessment="f" * 64).assessment == digest
    assert change_c1(memo, name=name, assessment="").assessment == digest


def test_a_plan_cannot_be_claimed_by_an_edit() -> None:
    memo = cases.a_memo_with_evidence()
    section = deeds.sections_of(memo)["comparisons"]
    rows = {row["key"]: row for row in section["comparisons"]}
    rows["C3"].update(plan=rows["C1"]["plan"], absent_reason="not yet")
    deeds.revise(memo, {"comparisons": section})

    assert assessments.comparison_of(deeds.content(memo), "C3").plan == ""


@pytest.mark.parametrize(("field", "value"), [("margin", "0.9"), ("slice", "the easy half"), ("better", "lower")])
def test_a_comparison_that_means_something_else_loses_plan_set_and_assessment(field: str, value: str) -> None:
    memo = cases.a_memo_with_evidence()

    row = change_c1(memo, **{field: value})

    assert (row.plan, row.evidence_set, row.assessment) == ("", 0, "")


def test_a_comparison_reads_only_sets_that_were_sealed_under_its_plan() -> None:
    memo = cases.a_memo_with_evidence()

    with refused(BadInput, "foreign_set", "comparisons.C1.evidence_set") as caught:
        change_c1(memo, evidence_set=7)
    assert "Choose one of: 1." in caught.value.needs
    assert change_c1(memo, evidence_set=0).assessment == ""
    assert change_c1(memo, evidence_set=1).evidence_set == 1


def test_a_registration_cannot_be_written_by_an_edit() -> None:
    memo = cases.a_draft()
    section = deeds.sections_of(memo)["hypotheses"]
    section["hypotheses"][0]["predictions"] = [
        {
            "key": "P9", "metric": "throughput", "stat": "rate", "condition": "", "low": "1.03", "high": "1.05",
            "plan": "a-plan", "registered_at": "2026-01-01T00:00:00+00:00",
        }
    ]  # fmt: skip
    deeds.revise(memo, {"hypotheses": section})

    (prediction,) = deeds.content(memo).hypotheses.hypotheses[0].predictions
    assert (prediction.plan, prediction.registered_at) == ("", "")


def test_a_changed_prediction_loses_its_registration_and_the_assessments_that_judged_it() -> None:
    memo = cases.a_memo_with_evidence()
    section = deeds.sections_of(memo)["hypotheses"]
    section["hypotheses"][0]["predictions"][0]["low"] = "1.039"

    deeds.revise(memo, {"hypotheses": section})

    content = deeds.content(memo)
    assert content.hypotheses.hypotheses[0].predictions[0].plan == ""
    assert {c.key: bool(c.assessment) for c in content.comparisons.comparisons} == {
        "C1": False, "C2": True, "C3": False,
    }  # fmt: skip
    (judged, *_) = deeds.compute(memo).result["judgements"]
    assert judged["post_hoc"]


def test_words_around_a_prediction_leave_registration_and_assessments_alone() -> None:
    memo = cases.a_memo_with_evidence()
    section = deeds.sections_of(memo)["hypotheses"]
    section["hypotheses"][0]["statement"] += " As they say."

    deeds.revise(memo, {"hypotheses": section})

    assert c1(memo).assessment
    assert deeds.content(memo).hypotheses.hypotheses[0].predictions[0].plan


def test_an_explanation_is_signed_with_the_name_of_who_typed_it() -> None:
    memo = cases.a_memo_with_evidence()
    forged = {"setting": "driver", "text": "The same.", "greatest_effect": "1.001", "by": "ann", "accepted_by": "bea"}

    (kept,) = change_c1(memo, name="sam", explanations=[forged]).explanations

    assert (kept.by, kept.accepted_by) == ("sam", "")
    with refused(NotPermitted):
        assessments.accept_explanation(actor=cases.person("sam"), memo_id=memo.pk, comparison="C1", setting="driver")


def test_a_stated_setting_is_signed_with_the_name_of_who_typed_it() -> None:
    memo = cases.a_memo_with_evidence()
    forged = {"setting": "driver", "arm": "baseline", "value": "7", "by": "bea"}

    (kept,) = change_c1(memo, name="sam", stated=[forged]).stated

    assert kept.by == "sam"


def test_an_acceptance_stays_with_its_explanation_and_goes_with_a_changed_one() -> None:
    memo = cases.a_memo_with_evidence()
    assessments.explain(
        actor=cases.person("ann"),
        memo_id=memo.pk,
        comparison="C1",
        setting="driver",
        text="Same.",
        greatest_effect="1.01",
    )
    assessments.accept_explanation(actor=cases.person("sam"), memo_id=memo.pk, comparison="C1", setting="driver")
    rows = {row["key"]: row for row in deeds.sections_of(memo)["comparisons"]["comparisons"]}
    (row,) = rows["C1"]["explanations"]

    assert change_c1(memo, explanations=[{**row, "by": "eve"}]).explanations[0].accepted_by == "sam"
    assert change_c1(memo, explanations=[{**row, "greatest_effect": "1.0"}]).explanations[0].accepted_by == ""


def test_two_rows_of_one_key_are_refused() -> None:
    memo = cases.a_memo_with_evidence()
    sections = deeds.sections_of(memo)
    twice = {"comparisons": sections["comparisons"]["comparisons"] * 2}
    hypotheses = {**sections["hypotheses"], "hypotheses": sections["hypotheses"]["hypotheses"] * 2}

    with refused(BadInput, "key_twice", "comparisons"):
        deeds.revise(memo, {"comparisons": twice})
    with refused(BadInput, "key_twice", "hypotheses"):
        deeds.revise(memo, {"hypotheses": hypotheses})
