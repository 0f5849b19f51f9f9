"""Filing, revising and moving memos."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from reviews.errors import BadInput, Incomplete, NotPermitted, NotVisible, StalePage, WrongState
from reviews.memo_text import shipped
from reviews.models import Memo
from reviews.services import memos, revisions
from reviews.services.previews import text_of
from reviews.vocabulary import State
from tests import cases
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


def file_text(name: str = "ann", **special: str) -> memos.Filed:
    cases.set_up()
    usual = {"team": "serving", "text": cases.memo_text(), "template": cases.TEMPLATE, "intent": "planned_change"}
    return memos.file_text(actor=cases.person(name), **{**usual, **special})


def test_a_pasted_text_becomes_a_draft_with_a_number_and_its_first_revision() -> None:
    filed = file_text()

    assert filed.memo.number.startswith("ARM-")
    assert (filed.memo.state, filed.memo.title) == (State.DRAFT, "Larger batches for chat")
    assert (filed.revision.number, filed.revision.base) == (1, None)
    newest = max(one.version for one in shipped.templates() if one.slug == cases.TEMPLATE)
    assert filed.memo.template_version.version == newest


def test_two_memos_have_two_numbers() -> None:
    first, second = file_text().memo.number, file_text().memo.number

    assert int(second[-4:]) == int(first[-4:]) + 1


@pytest.mark.parametrize(
    ("name", "special", "kind"),
    [
        ("ann", {"team": "nowhere"}, NotVisible),
        ("eve", {}, NotVisible),
        ("sam", {}, NotPermitted),
        ("ann", {"template": "no-such"}, NotVisible),
        ("ann", {"intent": "boredom"}, BadInput),
    ],
)
def test_what_cannot_be_filed_is_refused(name: str, special: dict[str, str], kind: type[Any]) -> None:
    with refused(kind):
        file_text(name, **special)
    assert not Memo.objects.exists()


def test_an_unknown_template_names_those_that_are_set_up() -> None:
    with refused(NotVisible) as caught:
        file_text(template="no-such")
    assert cases.TEMPLATE in caught.value.needs


def test_without_any_template_that_is_said() -> None:
    with refused(NotVisible) as caught:
        memos.newest("no-such")
    assert "none is set up" in caught.value.needs


def test_records_become_a_draft_as_well() -> None:
    memo = cases.a_draft()

    again = memos.file_records(actor=cases.person("ann"), sections=deeds.sections_of(memo))

    assert again.number != memo.number
    assert revisions.current(again).digest == revisions.current(memo).digest


@pytest.mark.parametrize(
    ("change", "kind", "code"),
    [
        ({"header": {"title": "x"}}, BadInput, "bad_records"),
        ({"weather": {}}, BadInput, "bad_records"),
        ({"symptom": []}, BadInput, "bad_records"),
        ({"symptom": {"failing_metrics": [{"said": 1}]}}, BadInput, "bad_records"),
    ],
)
def test_records_that_do_not_fit_are_refused(change: dict[str, Any], kind: type[Any], code: str) -> None:
    memo = cases.a_draft()

    with refused(kind, code, "sections"):
        memos.file_records(actor=cases.person("ann"), sections={**deeds.sections_of(memo), **change})


def test_records_without_a_header_are_refused() -> None:
    cases.set_up()
    with refused(BadInput, "bad_records"):
        memos.file_records(actor=cases.person("ann"), sections={})


def test_records_of_an_unknown_template_version_are_refused() -> None:
    sections = deeds.sections_of(cases.a_draft())
    sections["header"]["template_version"] = 99

    with refused(NotVisible):
        memos.file_records(actor=cases.person("ann"), sections=sections)


def test_records_cannot_bring_evidence_or_assessments_along() -> None:
    memo = cases.a_memo_with_evidence()

    with refused(BadInput, "foreign_set"):
        memos.file_records(actor=cases.person("ann"), sections=deeds.sections_of(memo))
    sections = deeds.sections_of(memo)
    for row in sections["comparisons"]["comparisons"]:
        row["evidence_set"] = 0
    content = deeds.content(memos.file_records(actor=cases.person("ann"), sections=sections))

    assert content.evidence.sets == ()
    assert {c.assessment for c in content.comparisons.comparisons} == {""}
    assert {c.plan for c in content.comparisons.comparisons} == {""}
    assert {p.plan for h in content.hypotheses.hypotheses for p in h.predictions} == {""}


def test_a_revision_names_its_contributor_its_words_and_its_base() -> None:
    memo = cases.a_draft()
    symptom = {**deeds.sections_of(memo)["symptom"], "workload_slice": "chat at night"}

    revision = deeds.revise(memo, {"symptom": symptom})

    assert (revision.number, revision.contributor_name, revision.said) == (2, "Ann", "Changed.")
    assert revision.base == memo.current_revision
    assert deeds.content(memo).symptom.workload_slice == "chat at night"


def test_a_title_goes_with_its_revision() -> None:
    memo = cases.a_draft()

    deeds.revise(memo, {"header": {**deeds.sections_of(memo)["header"], "title": "Smaller batches"}})

    assert cases.again(memo).title == "Smaller batches"


def test_a_revision_that_changes_nothing_or_says_nothing_is_refused() -> None:
    memo = cases.a_draft()
    said = {"symptom": {**deeds.sections_of(memo)["symptom"], "workload_slice": "x"}}

    with refused(BadInput, "nothing_changed"):
        deeds.revise(memo, {})
    with refused(BadInput, "nothing_said"):
        memos.revise(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo), sections=said, said=" ")


@pytest.mark.parametrize("field", ["team", "template", "template_version"])
def test_a_memo_keeps_its_team_and_template(field: str) -> None:
    memo = cases.a_draft()
    header = deeds.sections_of(memo)["header"]
    header[field] = 7 if field == "template_version" else "other"

    with refused(BadInput, "fixed_field", f"header.{field}"):
        deeds.revise(memo, {"header": header})


def test_an_unknown_intent_is_refused() -> None:
    memo = cases.a_draft()

    with refused(BadInput, "unknown_intent"):
        deeds.revise(memo, {"header": {**deeds.sections_of(memo)["header"], "intent": "boredom"}})


def test_a_number_that_is_none_is_refused_when_it_is_typed() -> None:
    memo = cases.a_draft()
    rollout = deeds.sections_of(memo)["rollout"]
    rollout["stages"][0]["percent"] = "five"

    with refused(BadInput, "bad_number", "rollout.stages[0].percent"):
        deeds.revise(memo, {"rollout": rollout})


def test_an_edit_of_an_older_revision_is_refused_with_what_changed() -> None:
    memo = cases.a_draft()
    base = cases.base_of(memo)
    symptom = deeds.sections_of(memo)["symptom"]
    deeds.revise(memo, {"symptom": {**symptom, "workload_slice": "chat at night"}})

    with refused(StalePage, "stale_page", "base") as caught:
        memos.revise(
            actor=cases.person("ann"),
            memo_id=memo.pk,
            base=base,
            sections={"symptom": {**symptom, "workload_slice": "chat by day"}},
            said="Changed.",
        )
    assert "Revision 2 by Ann" in caught.value.message
    assert "chat at night" in caught.value.message


def test_a_long_difference_is_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revisions, "LONGEST_DIFFERENCE", 1)
    memo = cases.a_draft()
    base = cases.base_of(memo)
    change = {**deeds.sections_of(memo)["change"], "summary": "x", "baseline": "y", "candidate": "z"}
    deeds.revise(memo, {"change": change})

    with refused(StalePage) as caught:
        revisions.refuse_stale(cases.again(memo), base)
    assert "and 2 more" in caught.value.message


def test_a_base_that_never_was_is_refused() -> None:
    memo = cases.a_draft()

    with refused(StalePage, "unknown_base"):
        memos.submit(actor=cases.person("ann"), memo_id=memo.pk, base="f" * 64)


def test_a_contributor_changes_comparisons_and_nothing_else() -> None:
    memo = cases.a_planned_draft()
    sections = deeds.sections_of(memo)
    sections["comparisons"]["comparisons"][0]["absent_reason"] = "later"

    deeds.revise(memo, {"comparisons": sections["comparisons"]}, name="sam")
    with refused(NotPermitted) as caught:
        deeds.revise(memo, {"symptom": {**sections["symptom"], "workload_slice": "x"}}, name="sam")
    assert "Only the author changes symptom" in caught.value.message


def test_an_exported_text_that_comes_back_unchanged_changes_nothing() -> None:
    memo = cases.a_memo_with_evidence()

    with refused(BadInput, "nothing_changed"):
        memos.revise_text(
            actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo), text=text_of(memo), said="Same."
        )


def test_a_pasted_text_keeps_evidence_assessments_and_registrations() -> None:
    memo = cases.a_memo_with_evidence()
    before = deeds.content(memo)
    text = text_of(memo).replace("chat, 1024 fixed prompts in turn", "chat at night")

    filed = memos.revise_text(
        actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo), text=text, said="At night."
    )

    after = revisions.content_of(filed.revision)
    assert after.symptom.workload_slice == "chat at night"
    assert (after.evidence, after.comparisons, after.hypotheses) == (
        before.evidence,
        before.comparisons,
        before.hypotheses,
    )


def test_a_text_that_leaves_the_predictions_out_says_nothing_of_them() -> None:
    memo = cases.a_memo_with_evidence()
    before = deeds.content(memo).hypotheses
    lines = text_of(memo).splitlines()
    start = next(place for place, line in enumerate(lines) if line.endswith("Predictions"))
    rest = next(place for place in range(start + 1, len(lines)) if lines[place] and not lines[place].startswith(" "))
    text = "\n".join([*lines[:start], *lines[rest:]]).replace("chat, 1024 fixed prompts in turn", "chat at night")

    memos.revise_text(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo), text=text, said="At night.")

    assert deeds.content(memo).hypotheses == before


def test_a_text_from_another_revision_than_the_page_is_refused() -> None:
    memo = cases.a_draft()
    text = text_of(memo)
    deeds.revise(memo, {"symptom": {**deeds.sections_of(memo)["symptom"], "workload_slice": "x"}})

    with refused(StalePage, where="base"):
        memos.revise_text(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo), text=text, said="Back.")
    with refused(StalePage, "stale_page"):
        memos.revise_text(actor=cases.person("ann"), memo_id=memo.pk, base="", text=text, said="Back.")


def test_submitting_asks_for_what_the_text_leaves_out() -> None:
    memo = cases.a_draft()
    deeds.revise(memo, {"symptom": {**deeds.sections_of(memo)["symptom"], "workload_slice": ""}})

    with refused(Incomplete) as caught:
        memos.submit(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo))
    assert [gap.code for gap in caught.value.missing] == ["symptom.workload_slice"]


def test_a_memo_goes_back_with_a_reason_and_comes_again() -> None:
    memo = cases.a_memo_in_review()

    with refused(BadInput, "no_reason"):
        memos.return_to_author(actor=cases.person("bea"), memo_id=memo.pk, reason=" ")
    assert memos.return_to_author(actor=cases.person("bea"), memo_id=memo.pk, reason="Too short.").state == State.DRAFT
    again = memos.submit(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo))
    assert again.state == State.IN_REVIEW


def test_a_withdrawn_memo_stays_withdrawn() -> None:
    memo = cases.a_memo_in_review()

    assert memos.withdraw(actor=cases.person("ann"), memo_id=memo.pk, reason="").state == State.WITHDRAWN
    with refused(WrongState):
        memos.submit(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo))


def test_nobody_files_once_the_role_has_ended() -> None:
    cases.set_up()
    User.objects.filter(username="ann").update(is_active=False)

    with refused(NotVisible):
        file_text()


def test_a_memo_without_a_revision_is_a_fault_and_not_a_page() -> None:
    memo = cases.a_draft()
    memo.current_revision = None

    with pytest.raises(RuntimeError, match="has no revision"):
        revisions.current(memo)
