"""The page of the sampling lab: the numbers of the server's function, with and without scripts, and the playback."""

import html
import re

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from analysis.sampling import SamplingLab, sampling_lab
from tests import cases, cast
from tests.web.asking import as_, page
from tests.web.conftest import Opened, OpenPage

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_the_cast")]

IN_A_BROWSER = pytest.mark.browser
ROW = re.compile(r'<tr data-outcome="(\d+)">.*?</tr>', re.DOTALL)
VALUE = re.compile(r'<data value="([^"]+)">')


@pytest.fixture
def _the_cast(db: None) -> None:
    cast.the_team()


def values_on(said: str) -> list[tuple[int, list[float]]]:
    """Outcome and the full values of its row: exact, and normal where there is one."""
    return [(int(row[1]), [float(value) for value in VALUE.findall(row[0])]) for row in ROW.finditer(said)]


def values_of(lab: SamplingLab) -> list[tuple[int, list[float]]]:
    return [(bar.k, [bar.exact] if bar.normal is None else [bar.exact, bar.normal]) for bar in lab.bars]


def opened_lab(open_page: OpenPage, path: str = "/lab/", **how: object) -> Opened:
    return open_page(path, person=cases.person("ann"), **how)


@pytest.mark.parametrize(("p", "n"), [("0.5", 20), ("0.1", 50), ("0.3", 1), ("0.97", 100), ("1", 7), ("0", 3)])
def test_every_value_is_that_of_the_function(p: str, n: int) -> None:
    assert values_on(page("ann", f"/lab/?p={p}&n={n}")) == values_of(sampling_lab(p, n))


def test_the_page_begins_with_one_half_and_twenty_trials() -> None:
    said = page("ann", "/lab/")

    assert values_on(said) == values_of(sampling_lab("0.5", 20))
    assert '<dt>Mean sample proportion</dt><dd class="number">0.5</dd>' in said
    assert '<dt>Sample-mean variance</dt><dd class="number">0.0125</dd>' in said
    assert '<dt>Uniform CDF error bound</dt><dd class="number">≤ 0.1062</dd>' in said


@pytest.mark.parametrize("p", ["0", "1"])
def test_a_certain_outcome_has_no_normal_bars(p: str) -> None:
    said = page("ann", f"/lab/?p={p}&n=5")

    assert '<dt>Uniform CDF error bound</dt><dd class="number">disabled</dd>' in said
    assert "lab-normal" not in said
    assert "the normal comparison and its bound are disabled" in said


def test_a_bound_above_one_is_said_to_say_nothing() -> None:
    assert "says nothing" in page("ann", "/lab/?p=0.001&n=2")
    assert "says nothing" not in page("ann", "/lab/")


def test_a_tail_too_small_to_print_keeps_its_value() -> None:
    said = html.unescape(page("ann", "/lab/?p=0.5&n=100"))

    assert '<data value="7.888609052210118e-31">< 0.000001</data>' in said


def test_the_page_says_what_it_models_and_stands_in_the_navigation() -> None:
    said = page("ann", "/lab/")

    assert "models independent Bernoulli trials, not training time" in said
    assert '<a href="/lab/" aria-current="page">Sampling lab</a>' in said


@pytest.mark.parametrize(
    ("query", "words", "wrong"),
    [
        ("p=0.5&n=101", "n is no whole number from 1 to 100. Give a number of trials up to 100.", "n"),
        ("p=0.5&n=0", "n is no whole number from 1 to 100.", "n"),
        ("p=0.5&n=2.5", "n is no whole number: 2.5. Give a number of trials from 1 to 100.", "n"),
        ("p=0.5&n=", "'' is not a number. Write a plain decimal number.", "n"),
        ("p=1.01&n=20", "p lies outside 0 to 1: 1.01. Give a probability.", "p"),
        ("p=-0.1&n=20", "p lies outside 0 to 1: -0.1.", "p"),
        ("p=half&n=20", "'half' is not a number.", "p"),
        ("p=nan&n=20", "'nan' is not a finite number.", "p"),
        ("p=1e-399&n=20", "p has more than 30 decimals.", "p"),
    ],
)
def test_what_is_no_experiment_is_refused_in_words_at_its_input(query: str, words: str, wrong: str) -> None:
    response = as_("ann").get(f"/lab/?{query}")
    said = html.unescape(response.content.decode())
    (marked,) = re.findall(r'name="(\w)"[^>]*aria-invalid="true" aria-describedby="lab-refused"', said)

    assert response.status_code == 422
    assert words in said
    assert marked == wrong
    assert values_on(said) == []


def test_nobody_sees_the_page_without_a_login(client: Client) -> None:
    assert client.get("/lab/").status_code == 302


def now(at: Page) -> list[str]:
    """The highlighted outcomes, of the picture and of the table."""
    parts = at.locator("g.lab-now, tr[aria-current]")
    return [part.get_attribute("data-outcome") or "" for part in parts.all()]


@IN_A_BROWSER
def test_playback_starts_paused_and_highlights_outcomes_in_order(open_page: OpenPage) -> None:
    opened = opened_lab(open_page)
    at = opened.page
    at.clock.install()
    at.reload()
    at.clock.run_for(5000)
    expect(at.locator("#lab-status")).to_have_text("Time 0.")
    assert now(at) == []

    at.get_by_role("button", name="Play").click()
    at.clock.run_for(1900)

    expect(at.locator("#lab-status")).to_contain_text("Time 3. 2 of 20 successes: mean proportion 0.1, exact 0.0001812")
    assert now(at) == ["2", "2"]
    at.get_by_role("button", name="Pause").click()
    at.clock.run_for(5000)
    expect(at.locator("#lab-status")).to_contain_text("Time 3.")
    assert opened.complaints == []
    assert opened.site.refused == []


@IN_A_BROWSER
def test_a_step_pauses_and_highlights_the_next_outcome_and_the_last_is_followed_by_the_first(
    open_page: OpenPage,
) -> None:
    at = opened_lab(open_page, "/lab/?p=0.5&n=2").page
    at.get_by_role("button", name="Play").click()
    at.get_by_role("button", name="Step").click()
    expect(at.get_by_role("button", name="Play")).to_be_visible()
    seen = [now(at)]
    for _ in range(3):
        at.get_by_role("button", name="Step").click()
        seen.append(now(at))

    assert seen == [["0", "0"], ["1", "1"], ["2", "2"], ["0", "0"]]


@IN_A_BROWSER
def test_a_change_pauses_and_computes_anew_at_the_current_time(open_page: OpenPage) -> None:
    opened = opened_lab(open_page)
    at = opened.page
    for _ in range(4):
        at.get_by_role("button", name="Step").click()
    at.get_by_role("button", name="Play").click()

    at.get_by_label("n, trials").fill("25")

    expect(at.get_by_role("button", name="Play")).to_be_visible()
    expect(at.locator("#lab-status")).to_contain_text("3 of 25 successes")
    expect(at.locator("#lab-status")).to_contain_text("Time 4.")
    assert values_on(at.content().replace(' aria-current="true"', "")) == values_of(sampling_lab("0.5", 25))
    assert at.url.endswith("/lab/?p=0.5&n=25")
    assert opened.complaints == []


@IN_A_BROWSER
def test_reset_restores_both_parameters_and_time_zero(open_page: OpenPage) -> None:
    at = opened_lab(open_page, "/lab/?p=0.1&n=50").page
    at.get_by_role("button", name="Step").click()
    at.get_by_role("button", name="Play").click()

    at.get_by_role("button", name="Reset").click()

    expect(at.locator("dd").filter(has_text="≤ 0.1062")).to_be_visible()
    expect(at.get_by_label("p, probability")).to_have_value("0.5")
    expect(at.get_by_label("n, trials")).to_have_value("20")
    expect(at.locator("#lab-status")).to_have_text("Time 0.")
    expect(at.get_by_role("button", name="Play")).to_be_enabled()
    assert now(at) == []


@IN_A_BROWSER
def test_a_refused_change_says_why_at_its_input_and_can_be_mended(open_page: OpenPage) -> None:
    opened = opened_lab(open_page)
    at = opened.page

    at.get_by_label("n, trials").fill("101")

    expect(at.get_by_role("alert").filter(has_text="n is no whole number from 1 to 100.")).to_be_visible()
    expect(at.get_by_label("n, trials")).to_have_attribute("aria-describedby", "lab-refused")
    expect(at.get_by_role("button", name="Play")).to_be_disabled()
    opened.is_accessible()
    at.get_by_label("n, trials").fill("10")
    expect(at.locator("tr[data-outcome]")).to_have_count(11)
    expect(at.get_by_label("n, trials")).not_to_have_attribute("aria-invalid", "true")
    expect(at.get_by_role("button", name="Play")).to_be_enabled()


@IN_A_BROWSER
def test_without_javascript_the_form_computes_and_says_what_needs_scripts(open_page: OpenPage) -> None:
    at = opened_lab(open_page, javascript=False).page
    at.get_by_label("p, probability").fill("0.3")
    at.get_by_label("n, trials").fill("10")

    at.get_by_role("button", name="Show").click()

    expect(at.locator("tr[data-outcome]")).to_have_count(11)
    expect(at.get_by_text("Play and Step need JavaScript.")).to_be_visible()
    expect(at.get_by_role("button", name="Play")).to_be_disabled()
    assert values_on(at.content()) == values_of(sampling_lab("0.3", 10))
    at.get_by_role("button", name="Reset").click()
    expect(at.locator("tr[data-outcome]")).to_have_count(21)


@IN_A_BROWSER
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (320, True)])
@pytest.mark.parametrize("query", ["", "?p=0.97&n=100", "?p=1&n=5", "?p=2&n=5"])
def test_the_page_is_accessible_and_fits_its_window(open_page: OpenPage, query: str, width: int, dark: bool) -> None:
    opened = opened_lab(open_page, f"/lab/{query}", width=width, dark=dark)
    if "p=2" not in query:
        opened.page.get_by_role("button", name="Step").click()

    opened.is_accessible()
    opened.fits()
    assert [said for said in opened.complaints if not said.startswith("Failed to load resource")] == []
