"""The frame, the login and the error pages in a real browser."""

import pytest
from django.contrib.auth.models import User

from tests.web.conftest import OpenPage

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["/login/", "/login/?next=/nowhere/"])
@pytest.mark.parametrize("dark", [False, True])
def test_the_login_page_is_accessible_in_light_and_dark(open_page: OpenPage, path: str, dark: bool) -> None:
    opened = open_page(path, dark=dark)

    opened.is_accessible()
    assert opened.complaints == []
    assert opened.site.refused == []
