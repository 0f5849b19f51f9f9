"""Comparisons are computed once for what goes in, explained by name, and can be computed again digit by digit."""

import pytest

from reviews.errors import BadInput, NotPermitted, NotVisible, WrongState
from reviews.models import Assessment, Memo
from reviews.sections import Explanation
from reviews.services import assessments, events, parsing
from reviews.vocabulary import State
from tests import cases
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


def explain(memo: Memo, name: str = "ann", text: str = "Same code.", effect: str = "1.01") -> None:
    assessments.explain(
        actor=cases.person(name), memo_id=memo.pk, comparison="C1", setting="driver", text=text, greatest_effect=effect
    )


def accept(memo: Memo, name: str, setting: str = "driver") -> None:
    assessments.accept_explanation(actor=cases.person(name), memo_id=memo.pk, comparison="C1", setting=setting)


def explanation(memo: Memo) -> Explanation:
    (row,) = assessments.comparison_of(deeds.content(memo), "C1").explanations
    return row


def test_an_assessment_is_named_by_the_memo_and_stands_in_its_trail() -> None:
    memo = cases.a_memo_with_evidence()

    made = Assessment.objects.get(comparison="C1")

    assert made.outcome == "verdict"
    assert assessments.comparison_of(deeds.content(memo), "C1").assessment == made.digest
    assert "assess" in [event.action for event in events.chain_of(memo)]


def test_computing_twice_is_one_row_and_no_revision() -> None:
    memo = cases.a_memo_with_evidence()
    base = cases.base_of(memo)

    deeds.compute(memo)

    assert Assessment.objects.filter(comparison="C1").count() == 1
    assert cases.base_of(memo) == base


def test_a_comparison_that_has_an_assessment_is_not_left_uncompared() -> None:
    memo = cases.a_memo_with_evidence()

    with refused(WrongState, "compared_already"):
        assessments.leave_uncompared(actor=cases.person("sam"), memo_id=memo.pk, comparison="C1", reason="no time")


def test_a_computed_comparison_is_not_absent_any_more() -> None:
    memo = cases.a_memo_with_evidence()
    explain(memo)
    assessments.leave_uncompared(actor=cases.person("sam"), memo_id=memo.pk, comparison="C1", reason="no time")

    deeds.compute(memo)

    assert assessments.comparison_of(deeds.content(memo), "C1").absent_reason == ""


def test_an_unknown_comparison_names_those_that_there_are() -> None:
    memo = cases.a_memo_with_evidence()

    with refused(NotVisible) as caught:
        deeds.compute(memo, "C9")
    assert caught.value.needs == "It has: C3, C1, C2."


def test_every_assessment_can_be_computed_again() -> None:
    memo = cases.a_memo_with_evidence()
    first = Assessment.objects.get(comparison="C1")
    explain(memo)
    deeds.compute(memo)

    assert [assessments.recompute(row) for row in Assessment.objects.order_by("pk")] == [True, True, True]
    assert Assessment.objects.filter(comparison="C1").exclude(pk=first.pk).exists()


def test_a_later_reading_of_a_file_does_not_change_what_was_assessed() -> None:
    cases.a_memo_with_evidence()
    made = Assessment.objects.get(comparison="C1")
    artifact = next(part.artifact for part in made.evidence_set.attachments.all() if part.arm)
    assert parsing.parse(artifact, asked="pytest-benchmark").state == "refused"

    assert assessments.recompute(made)


def test_a_result_that_the_measurements_do_not_give_is_found() -> None:
    cases.a_memo_with_evidence()
    made = Assessment.objects.get(comparison="C1")
    made.inputs["runs"] = [{**run, "parser_version": 99} for run in made.inputs["runs"]]
    other = Assessment.objects.get(comparison="C2")
    other.look = 5

    assert not assessments.recompute(other)
    with pytest.raises(IndexError):
        assessments.recompute(made)


def test_an_assessment_that_no_revision_names_is_not_shown_to_hold() -> None:
    cases.a_memo_with_evidence()
    made = Assessment.objects.get(comparison="C1")
    made.digest = "f" * 64

    assert not assessments.recompute(made)


def test_an_explanation_waits_for_somebody_who_neither_gave_it_nor_wrote_the_memo() -> None:
    memo = cases.a_memo_with_evidence()
    explain(memo)

    assert (explanation(memo).by, explanation(memo).accepted_by) == ("ann", "")
    with refused(NotPermitted):
        accept(memo, "ann")
    with refused(NotVisible, where="setting"):
        accept(memo, "sam", "firmware")
    accept(memo, "sam")
    assert explanation(memo).accepted_by == "sam"


def test_who_explained_does_not_accept_although_not_the_author() -> None:
    memo = cases.a_memo_with_evidence()
    explain(memo, "sam")

    with refused(NotPermitted):
        accept(memo, "sam")
    with refused(NotPermitted):
        accept(memo, "ann")


def test_explaining_again_replaces_and_loses_the_acceptance() -> None:
    memo = cases.a_memo_with_evidence()
    explain(memo)
    accept(memo, "sam")

    explain(memo, effect="1.02")

    assert (explanation(memo).greatest_effect, explanation(memo).accepted_by) == ("1.02", "")
    assert assessments.comparison_of(deeds.content(memo), "C1").assessment == ""


@pytest.mark.parametrize(
    ("text", "effect", "where"),
    [
        (" ", "1.01", "text"),
        ("x", "0.9", "greatest_effect"),
        ("x", "", "greatest_effect"),
        ("x", "nan", "greatest_effect"),
        ("x", "a bit", "greatest_effect"),
    ],
)
def test_an_explanation_without_words_or_a_ratio_is_refused(text: str, effect: str, where: str) -> None:
    memo = cases.a_memo_with_evidence()

    with refused(BadInput, where=where):
        explain(memo, text=text, effect=effect)


@pytest.mark.parametrize(
    ("setting", "arm", "value"), [("", "baseline", "7"), ("driver", "left", "7"), ("driver", "baseline", " ")]
)
def test_a_statement_needs_setting_arm_and_value(setting: str, arm: str, value: str) -> None:
    memo = cases.a_memo_with_evidence()

    with refused(BadInput, "no_setting"):
        assessments.state_setting(
            actor=cases.person("sam"), memo_id=memo.pk, comparison="C1", setting=setting, arm=arm, value=value
        )


def test_stating_again_replaces_what_was_stated_of_that_arm() -> None:
    memo = cases.a_memo_with_evidence()
    for arm, value in (("baseline", "7"), ("candidate", "7"), ("baseline", "8")):
        assessments.state_setting(
            actor=cases.person("sam"), memo_id=memo.pk, comparison="C1", setting="driver", arm=arm, value=value
        )

    stated = assessments.comparison_of(deeds.content(memo), "C1").stated
    assert [(row.arm, row.value, row.by) for row in stated] == [("candidate", "7", "sam"), ("baseline", "8", "sam")]


def test_leaving_a_comparison_needs_a_reason() -> None:
    memo = cases.a_memo_with_evidence()

    with refused(BadInput, "no_reason"):
        assessments.leave_uncompared(actor=cases.person("sam"), memo_id=memo.pk, comparison="C3", reason=" ")


def test_somebody_who_only_reads_computes_nothing() -> None:
    memo = cases.a_memo_with_evidence()

    for name in ("aud", "olga", "bea"):
        with refused(NotPermitted):
            assessments.compute(actor=cases.person(name), memo_id=memo.pk, comparison="C1")
    deeds.put_into(memo, State.SHIPPED)
    with refused(WrongState):
        deeds.compute(memo)
