"""Queue, list, memo, editor and trail in a real browser: accessible, inside their window, with and without scripts."""

import re

import pytest
from playwright.sync_api import expect

from reviews.models import Memo
from reviews.services import comments, memos, previews
from tests import cases
from tests.web.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.django_db]
REFUSED = "Failed to load resource"


@pytest.fixture
def memo() -> Memo:
    """In review, with evidence, a waiver, a stale signature, an objection, a condition and comments."""
    memo = cases.a_memo_with_waiver("A fused kernel for decoding")
    cases.sign(memo, "olga", cases.OWNERS["olga"])
    cases.sign(memo, "quin", cases.OWNERS["quin"], "object", text="One host only.")
    cases.sign(memo, "pat", cases.OWNERS["pat"], "approve_with_conditions")
    first = comments.comment(
        actor=cases.person("tess"), memo_id=memo.pk, anchor="symptom", text="Which power cap?", answers=None
    )
    comments.comment(actor=cases.person("ann"), memo_id=memo.pk, anchor="symptom", text="300 W.", answers=first.pk)
    text = previews.text_of(cases.again(memo)).replace("one setting of one service", "one setting")
    memos.revise_text(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo), text=text, said="Shorter.")
    return cases.again(memo)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (320, True)])
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("olga", "/"),
        ("eve", "/"),
        ("bea", "/memos/"),
        ("ann", "/memos/new/?start=batch-size-effects"),
        ("bea", "/memos/{number}/?since=1"),
        ("ann", "/memos/{number}/edit/"),
        ("aud", "/memos/{number}/trail/"),
        ("eve", "/memos/{number}/"),
    ],
)
def test_a_page_is_accessible_and_fits_its_window(
    open_page: OpenPage, memo: Memo, name: str, path: str, width: int, dark: bool
) -> None:
    opened = open_page(path.format(number=memo.number), person=cases.person(name), width=width, dark=dark)
    opened.page.eval_on_selector_all("details:not(.gate)", "all => all.forEach(one => one.open = true)")

    opened.is_accessible()
    opened.fits()
    assert [said for said in opened.complaints if not said.startswith(REFUSED)] == []
    assert opened.site.refused == []


def test_a_memo_is_filed_without_javascript(open_page: OpenPage, memo: Memo) -> None:
    opened = open_page("/memos/new/", person=cases.person("ann"), javascript=False)
    opened.page.get_by_label("Template").select_option(cases.TEMPLATE)
    opened.page.get_by_label("Memo text").fill(cases.memo_text("Filed by hand"))
    opened.page.get_by_role("button", name="Preview").click()
    expect(opened.page.get_by_text("Line by line")).to_be_visible()
    expect(opened.page.get_by_label("Memo text")).to_have_value(re.compile("Filed by hand"))

    opened.page.get_by_role("button", name="File as a draft").click()

    expect(opened.page.get_by_role("heading", name="Filed by hand")).to_be_visible()


def test_the_preview_follows_what_is_typed(open_page: OpenPage, memo: Memo) -> None:
    opened = open_page("/memos/new/", person=cases.person("ann"))
    opened.page.get_by_label("Template").select_option(cases.TEMPLATE)
    opened.page.get_by_label("Memo text").fill(cases.memo_text("Typed just now"))

    expect(opened.page.locator("#preview .headline")).to_have_text("Typed just now")
    assert opened.complaints == []
    opened.is_accessible()


def test_the_editor_previews_warns_and_saves_without_javascript(open_page: OpenPage, memo: Memo) -> None:
    cases.sign(memo, "pat", cases.OWNERS["pat"])
    opened = open_page(f"/memos/{memo.number}/edit/", person=cases.person("ann"), javascript=False)
    text = opened.page.get_by_label("Memo text")
    text.fill(text.input_value().replace("soak: 72 h", "soak: 96 h"))
    opened.page.get_by_label("What you changed").fill("Longer soak.")
    opened.page.get_by_role("button", name="Preview").click()
    expect(opened.page.locator("#preview ins")).to_contain_text("96 h")
    expect(opened.page.locator(".beside__text")).to_contain_text("pat, as capacity planning engineer: signed rollout")

    opened.page.get_by_label("Save, although these signatures go stale").check()
    opened.page.get_by_role("button", name="Save the revision").click()

    expect(opened.page.get_by_role("status").first).to_contain_text("is saved.")
    assert cases.again(memo).current_revision.said == "Longer soak."  # type: ignore[union-attr]


def test_the_gate_stays_in_sight_while_the_page_scrolls(open_page: OpenPage, memo: Memo) -> None:
    opened = open_page(f"/memos/{memo.number}/", person=cases.person("bea"))
    opened.page.locator("#signoff").scroll_into_view_if_needed()

    expect(opened.page.get_by_role("heading", name="Gate")).to_be_in_viewport()


def test_one_decision_of_the_gate_is_open_at_a_time_and_all_can_be_read_without_javascript(
    open_page: OpenPage, memo: Memo
) -> None:
    opened = open_page(f"/memos/{memo.number}/", person=cases.person("bea"), javascript=False)
    gates = opened.page.locator("details.gate")
    gates.nth(0).locator("summary").first.click()

    expect(gates.nth(0).get_by_text("speaks for “this placement only”").first).to_be_visible()
    assert [gates.nth(n).get_attribute("open") for n in range(4)] == ["", None, None, None]


def test_a_comment_is_written_and_resolved_on_the_page(open_page: OpenPage, memo: Memo) -> None:
    opened = open_page(f"/memos/{memo.number}/", person=cases.person("tess"))
    section = opened.page.locator("#action")
    section.get_by_text("Comment", exact=False).first.click()
    section.get_by_label("Comment on action").fill("Who restarts it?")
    section.get_by_role("button", name="Comment").click()
    expect(opened.page.locator("#action")).to_contain_text("Who restarts it?")

    opened.page.locator("#action").get_by_text("Resolve", exact=True).first.click()
    opened.page.locator("#action").get_by_label("Note").fill("Rob does.")
    opened.page.locator("#action").get_by_role("button", name="Resolve").click()

    expect(opened.page.locator("#action")).to_contain_text("Resolved by Tess: Rob does.")


def test_filters_stand_in_the_address(open_page: OpenPage, memo: Memo) -> None:
    opened = open_page("/memos/", person=cases.person("bea"), javascript=False)
    opened.page.get_by_label("State").select_option("draft")
    opened.page.get_by_role("button", name="Show", exact=True).click()

    expect(opened.page.get_by_text("No memo that you can see fits these filters.")).to_be_visible()
    assert "state=draft" in opened.page.url
    expect(opened.page.get_by_label("State")).to_have_value("draft")
