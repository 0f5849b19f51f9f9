"""The frame, the login, the error pages, forms and charts in a real browser."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.web.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.urls("tests.web.base_urls")]
PASSWORD = "correct horse"
REFUSED = "Failed to load resource"


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann", first_name="Ann", last_name="Author", password=PASSWORD)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (320, True)])
@pytest.mark.parametrize("path", ["/sheet/", "/charts/", "/act/", "/refuse/GateClosed/", "/nowhere/"])
def test_a_page_is_accessible_and_fits_its_window(
    open_page: OpenPage, ann: User, path: str, width: int, dark: bool
) -> None:
    opened = open_page(path, person=ann, width=width, dark=dark)

    opened.is_accessible()
    opened.fits()
    assert [said for said in opened.complaints if not said.startswith(REFUSED)] == []
    assert opened.site.refused == []


def test_a_person_logs_in_and_out(open_page: OpenPage, ann: User) -> None:
    opened = open_page("/act/")
    opened.is_accessible()
    opened.page.get_by_label("Username").fill("ann")
    opened.page.get_by_label("Password").fill(PASSWORD)
    opened.page.get_by_role("button", name="Log in").click()
    expect(opened.page.get_by_role("heading", name="Act")).to_be_visible()

    opened.page.get_by_role("button", name="Log out").click()

    expect(opened.page.get_by_role("heading", name="Log in")).to_be_visible()


def test_the_login_works_without_javascript(open_page: OpenPage, ann: User) -> None:
    opened = open_page("/who/", javascript=False)
    opened.page.get_by_label("Username").fill("ann")
    opened.page.get_by_label("Password").fill(PASSWORD)
    opened.page.get_by_role("button", name="Log in").click()

    expect(opened.page.get_by_text("ann", exact=True)).to_be_visible()


def test_the_keyboard_reaches_the_content_first(open_page: OpenPage, ann: User) -> None:
    opened = open_page("/sheet/", person=ann)

    opened.page.keyboard.press("Tab")
    expect(opened.page.get_by_role("link", name="Skip to the content")).to_be_focused()
    opened.page.keyboard.press("Enter")

    assert opened.page.evaluate("document.activeElement.id") == "main"


def test_a_form_that_was_refused_says_why_at_its_fields(open_page: OpenPage, ann: User) -> None:
    opened = open_page("/act/", person=ann, javascript=False)
    opened.page.eval_on_selector_all("[required]", "all => all.forEach(one => one.removeAttribute('required'))")
    opened.page.get_by_label("Your password").fill("wrong")
    opened.page.get_by_role("button", name="Act").click()

    expect(opened.page.get_by_label("Reason")).to_have_accessible_description("One sentence. This field is required.")
    expect(opened.page.get_by_text("This is not your password.")).to_be_visible()


def test_a_refusal_by_htmx_takes_its_place_and_the_focus(open_page: OpenPage, ann: User) -> None:
    opened = open_page("/act/", person=ann)
    opened.page.get_by_role("button", name="Try").click()

    refusal = opened.page.get_by_role("alert")
    expect(refusal.get_by_role("heading", name="The gate is closed")).to_be_visible()
    expect(refusal).to_be_focused()
    expect(opened.page.get_by_role("button", name="Try")).to_be_visible()
    opened.is_accessible()


@pytest.mark.parametrize(("dark", "colour"), [(False, "rgb(0, 114, 178)"), (True, "rgb(86, 180, 233)")])
def test_charts_are_drawn_in_the_colours_of_the_theme(open_page: OpenPage, ann: User, dark: bool, colour: str) -> None:
    opened = open_page("/charts/", person=ann, dark=dark)

    marks = opened.page.locator("#main .scatterlayer .trace:nth-child(2) path.point").first
    expect(marks).to_have_css("fill", colour)


def test_without_javascript_a_chart_is_its_table(open_page: OpenPage, ann: User) -> None:
    opened = open_page("/charts/", person=ann, javascript=False)

    expect(opened.page.get_by_role("table", name="Throughput, candidate / baseline")).to_be_visible()
    assert opened.page.locator(".chart__plot").first.bounding_box()["height"] == 0  # type: ignore[index]


def test_the_check_for_accessibility_can_fail(open_page: OpenPage, ann: User) -> None:
    opened = open_page("/sheet/", person=ann)
    opened.page.evaluate("document.querySelector('h1').innerHTML = '<img src=\"\"><input>'")

    with pytest.raises(AssertionError, match="image-alt"):
        opened.is_accessible()


def test_nothing_beyond_the_site_is_reached(open_page: OpenPage, ann: User) -> None:
    opened = open_page("/sheet/", person=ann)

    with opened.page.expect_event("requestfailed"):
        opened.page.evaluate("location.href = 'http://elsewhere.example/'")

    assert opened.site.refused == ["http://elsewhere.example/"]
