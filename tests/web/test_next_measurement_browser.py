"""The section with its form for a guess, in a real browser: accessible, inside a narrow window, without scripts."""

import pytest
from playwright.sync_api import expect

from tests import cases
from tests.web.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.django_db]


def test_the_section_fits_a_phone_and_takes_a_guess_without_javascript(open_page: OpenPage) -> None:
    memo = cases.a_memo_in_review()
    opened = open_page(f"/memos/{memo.number}/", person=cases.person("bea"), width=390)
    opened.is_accessible()
    opened.fits()

    plain = open_page(f"/memos/{memo.number}/", person=cases.person("bea"), width=390, javascript=False).page
    plain.get_by_label("Guessed standard error, %").fill("5")
    plain.get_by_role("button", name="Rank again").click()

    plain.wait_for_url("**guess=5**")
    expect(plain.locator("#next")).to_contain_text("5\N{NO-BREAK SPACE}%")
