"""Stages and counters in a real browser: accessible, and inside a narrow and a wide window."""

import pytest

from tests import cases, staged
from tests.web.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.django_db]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_page_is_accessible_and_fits_its_window(open_page: OpenPage, width: int, dark: bool) -> None:
    memo = staged.a_memo(again=staged.runs_file(2))
    opened = open_page(f"/memos/{memo.number}/comparisons/C4/", person=cases.person("ann"), width=width, dark=dark)

    opened.is_accessible()
    opened.fits()
    assert opened.complaints == []
    assert opened.site.refused == []
