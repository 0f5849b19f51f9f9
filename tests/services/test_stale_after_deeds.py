"""Before a set is sealed or a comparison computed or explained: whose signatures that makes stale, and nothing done."""

from functools import partial

import pytest

from reviews.errors import NotPermitted
from reviews.services import assessments, evidence, previews
from tests import cases
from tests.services.deeds import refused
from tests.web.asking import as_

pytestmark = pytest.mark.django_db


def test_a_deed_is_previewed_with_its_reasons_and_taken_back() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    row = cases.an_open_set(memo)
    base, events = cases.base_of(memo), memo.current_revision_id
    sam = cases.person("sam")

    found = previews.of_deed(memo=memo, deed=partial(evidence.seal, actor=sam, set_id=row.pk))

    assert {one.signer for one in found} == {*cases.OWNERS}
    assert {one.sections for one in found} == {("comparisons", "evidence")}
    assert all(change.section in ("comparisons", "evidence") for one in found for change in one.because)
    assert any(one.because for one in found)
    assert (cases.base_of(memo), cases.again(memo).current_revision_id) == (base, events)
    row.refresh_from_db()
    assert row.state == "open"
    with refused(NotPermitted):
        previews.of_deed(memo=memo, deed=partial(evidence.seal, actor=cases.person("olga"), set_id=row.pk))


def test_computing_to_the_same_digits_makes_no_signature_stale_and_explaining_does() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    computing = partial(assessments.compute, actor=cases.person("ann"), memo_id=memo.pk, comparison="C1")
    explaining = partial(
        assessments.explain, actor=cases.person("ann"), memo_id=memo.pk, comparison="C1", setting="max_batch",
        text="Meant.", greatest_effect="1.01",
    )  # fmt: skip

    same = previews.of_deed(memo=memo, deed=computing)
    found = previews.of_deed(memo=memo, deed=explaining)

    assert same == ()
    assert {one.signer for one in found} == {*cases.OWNERS}
    assert {one.sections for one in found} == {("comparisons",)}


@pytest.mark.parametrize("htmx", [False, True])
def test_the_page_asks_first_and_does_it_for_somebody_who_is_sure(htmx: bool) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    cases.an_open_set(memo)
    path, headers = f"/memos/{memo.number}/evidence/2/seal/", {"HX-Request": "true"} if htmx else {}
    base = cases.base_of(memo)

    asked = as_("sam").post(path, headers=headers)

    text = " ".join(asked.content.decode().split())
    assert asked.status_code == 409
    assert "Seal the set?" in text
    assert "Nothing is done yet." in text
    assert "This makes signatures stale" in text
    assert "olga, as inference platform owner" in text
    assert ("<html" in text, "HX-Retarget" in asked.headers) == (not htmx, htmx)
    assert cases.base_of(memo) == base
    done = as_("sam").post(path, {"sure": "on"}, headers=headers)
    assert done.status_code in (302, 204)
    assert cases.base_of(memo) != base


def test_what_was_sent_is_kept_in_the_question() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    path = f"/memos/{memo.number}/comparisons/C1/explain/"

    asked = as_("ann").post(path, {"setting": "max_batch", "text": 'It "is" meant.', "greatest_effect": "1.01"})

    assert asked.status_code == 409
    assert 'name="text" value="It &quot;is&quot; meant."' in asked.content.decode()
    assert as_("ann").post(f"/memos/{memo.number}/comparisons/C1/compute/").status_code == 302


def test_nobody_is_asked_where_nobody_has_signed() -> None:
    memo = cases.a_memo_with_evidence()

    assert as_("sam").post(f"/memos/{memo.number}/comparisons/C1/compute/").status_code == 302
