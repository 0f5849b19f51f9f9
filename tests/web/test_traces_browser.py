"""The page of traces in a real browser: accessible, inside its window, and of use without scripts."""

import pytest

from reviews import tasks
from reviews.models import Job
from tests import cases
from tests.services import traced
from tests.web.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.django_db]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_page_is_accessible_and_fits_its_window(open_page: OpenPage, width: int, dark: bool) -> None:
    row = traced.several(cases.a_draft())
    traced.compared(row)
    opened = open_page(f"/memos/{row.memo.number}/traces/", person=cases.person("bea"), width=width, dark=dark)

    opened.is_accessible()
    opened.fits()
    assert opened.page.locator(".chart__plot .scatterlayer .trace").count() == 2
    assert opened.complaints == []
    assert opened.site.refused == []


def test_without_scripts_traces_are_compared_by_a_form(open_page: OpenPage) -> None:
    row = traced.one_of_each(cases.a_draft())
    opened = open_page(f"/memos/{row.memo.number}/traces/", person=cases.person("bea"), width=390, javascript=False)

    opened.page.get_by_role("button", name="Compare the traces").click()
    opened.page.get_by_role("link", name="Look again").wait_for()
    tasks.compare_traces(Job.objects.get(kind="traces").pk)
    opened.page.get_by_role("link", name="Look again").click()

    opened.page.get_by_text("compute stands apart from every step").wait_for()
    opened.fits()
