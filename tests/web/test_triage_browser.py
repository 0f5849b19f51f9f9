"""The triage board in a real browser: accessible, inside its window, and of use without scripts."""

import pytest

from tests import cases, triaged
from tests.web.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.django_db]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_board_is_accessible_and_fits_its_window(open_page: OpenPage, width: int, dark: bool) -> None:
    memo = triaged.a_searched_memo()
    opened = open_page(f"/memos/{memo.number}/triage/", person=cases.person("ann"), width=width, dark=dark)

    opened.is_accessible()
    opened.fits()
    assert opened.complaints == []
    assert opened.site.refused == []


def test_without_scripts_a_bisection_is_planned_and_its_step_begun(open_page: OpenPage) -> None:
    memo = triaged.a_memo()
    path = f"/memos/{memo.number}/triage/"
    opened = open_page(path, person=cases.person("ann"), width=390, javascript=False)

    opened.page.get_by_text("Plan a replay or a bisection").click()
    opened.page.get_by_label("Builds").fill("v0\nv1\nv2")
    opened.page.get_by_label("The same in every run").fill(triaged.SAME)
    opened.page.get_by_role("button", name="Plan it").click()
    opened.page.get_by_text("2 builds. Run v1 against v0.").wait_for()
    opened.page.get_by_role("button", name="Begin its step").click()

    opened.page.get_by_text("It waits for the runs of set 2.").wait_for()
    opened.fits()
