"""Revising a memo as text."""

import pytest

from reviews.models import Memo
from reviews.services import memos, previews
from tests import cases
from tests.web.asking import Answer, as_, follow, page

pytestmark = pytest.mark.django_db


def send(memo: Memo, name: str = "ann", **fields: str) -> Answer:
    base = cases.base_of(memo)
    sent = {"base": base, "text": previews.text_of(cases.again(memo)), "said": "Longer soak.", "act": "save"}
    return as_(name).post(f"/memos/{memo.number}/edit/", sent | fields)


def longer_soak(memo: Memo) -> str:
    return previews.text_of(cases.again(memo)).replace("soak: 72 h", "soak: 96 h")


def soak_of(memo: Memo) -> str:
    revision = cases.again(memo).current_revision
    assert revision is not None
    return str(revision.sections["rollout"]["stages"][1]["soak_hours"])


def test_the_editor_holds_the_text_with_the_revision_that_it_is_made_from() -> None:
    memo = cases.a_memo_in_review()
    html = page("ann", f"/memos/{memo.number}/edit/")

    assert "soak: 72 h" in html
    assert f"Base: {cases.base_of(memo)}" in html


def test_saving_makes_a_revision_and_keeps_evidence_and_results() -> None:
    memo = cases.a_memo_with_evidence()
    before = cases.again(memo).current_revision
    path = follow(send(memo, text=longer_soak(memo)))

    after = cases.again(memo).current_revision
    assert before is not None
    assert after is not None
    assert soak_of(memo) == "96"
    assert (after.number, after.said) == (before.number + 1, "Longer soak.")
    assert after.section_digests["evidence"] == before.section_digests["evidence"]
    assert after.section_digests["comparisons"] == before.section_digests["comparisons"]
    assert path == f"/memos/{memo.number}/"


def test_a_preview_shows_what_would_change_and_saves_nothing() -> None:
    memo = cases.a_memo_in_review()
    html = send(memo, text=longer_soak(memo), act="preview", said="").content.decode()

    assert "96 h" in html.split('id="preview"', 1)[1].split("<ins>", 1)[1]
    assert soak_of(memo) == "72"


def test_a_preview_for_htmx_is_a_part_of_the_page() -> None:
    memo = cases.a_memo_in_review()
    sent = {"base": cases.base_of(memo), "text": longer_soak(memo), "said": ""}
    response = as_("ann").post(f"/memos/{memo.number}/edit/", sent, headers={"HX-Request": "true"})

    assert "<html" not in response.content.decode()
    assert "<ins>" in response.content.decode()


def test_a_preview_without_any_change_says_so() -> None:
    html = send(cases.a_memo_in_review(), act="preview").content.decode()

    assert "The text says what the memo says already." in html


def test_before_saving_the_author_sees_whose_signatures_would_go_stale_and_confirms() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    response = send(memo, text=longer_soak(memo))

    html = response.content.decode()
    assert response.status_code == 422
    assert "olga, as inference platform owner: signed rollout" in html
    assert "rob, as rollback owner: signed rollout" in html
    assert "tess" not in html.split("Saving makes", 1)[1].split("</ul>", 1)[0]
    assert soak_of(memo) == "72"

    follow(send(memo, text=longer_soak(memo), sure="on"))
    assert soak_of(memo) == "96"


def test_a_newer_revision_is_shown_by_record_and_the_text_is_kept() -> None:
    memo = cases.a_memo_in_review()
    mine, base = longer_soak(memo), cases.base_of(memo)
    memos.revise_text(
        actor=cases.person("ann"),
        memo_id=memo.pk,
        base=base,
        text=previews.text_of(memo).replace("one setting of one service", "one setting"),
        said="Shorter.",
    )
    response = send(memo, base=base, text=mine)

    html = response.content.decode()
    assert response.status_code == 409
    assert "Changed meanwhile" in html
    assert "one setting of one service" in html.split("<del>", 1)[1].split("</del>", 1)[0]
    assert "soak: 96 h" in html
    assert base not in html
    assert soak_of(memo) == "72"


def test_what_was_kept_over_a_newer_revision_can_be_saved_on_top_of_it() -> None:
    memo = cases.a_memo_in_review()
    mine, base = longer_soak(memo), cases.base_of(memo)
    memos.revise_text(
        actor=cases.person("ann"),
        memo_id=memo.pk,
        base=base,
        text=previews.text_of(memo).replace("one setting of one service", "one setting"),
        said="Shorter.",
    )
    kept = send(memo, base=base, text=mine).context["form"].initial

    follow(send(memo, base=kept["base"], text=kept["text"]))
    assert soak_of(memo) == "96"


def test_a_base_of_no_revision_is_refused_and_the_text_is_kept() -> None:
    memo = cases.a_memo_in_review()
    text = longer_soak(memo).replace(cases.base_of(memo), "0" * 64)
    response = send(memo, base="0" * 64, text=text)

    assert response.status_code == 409
    assert "soak: 96 h" in response.content.decode()
    assert soak_of(memo) == "72"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"said": ""}, "This field is required."),
        ({}, "Nothing changed."),
        ({"text": "A \x07 bell"}, "Line 1 holds the character U+0007"),
    ],
)
def test_what_cannot_be_saved_says_why_at_the_form(fields: dict[str, str], said: str) -> None:
    memo = cases.a_memo_in_review()
    response = send(memo, **fields)

    assert response.status_code == 422
    assert said in response.content.decode()


def test_a_contributor_may_look_at_the_editor_and_not_save_the_authors_sections() -> None:
    memo = cases.a_memo_in_review()
    response = send(memo, "sam", text=longer_soak(memo))

    assert response.status_code == 422
    assert "Only the author changes rollout" in response.content.decode()
    assert soak_of(memo) == "72"


def test_who_may_not_edit_gets_no_editor_and_a_decided_memo_has_none() -> None:
    memo = cases.a_memo_in_review()
    assert as_("olga").get(f"/memos/{memo.number}/edit/").status_code == 403

    memos.withdraw(actor=cases.person("ann"), memo_id=memo.pk, reason="Over.")
    assert as_("ann").get(f"/memos/{memo.number}/edit/").status_code == 409


def test_the_text_is_downloaded_as_it_can_be_pasted_again() -> None:
    memo = cases.a_memo_in_review()
    response = as_("aud").get(f"/memos/{memo.number}/text/")

    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["Content-Disposition"] == f'attachment; filename="{memo.number}.txt"'
    assert response.content.decode() == previews.text_of(memo)
