"""The energies of a comparison on its page, in its text and in its PDF: the same words and numbers."""

from dataclasses import replace
from html import unescape

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from analysis import restored
from reviews.metered import metered as in_words
from reviews.models import Memo
from reviews.pdf.comparisons import sheet_of
from reviews.plan_content import PlannedMetering
from reviews.services import assessments
from reviews.template_content import template_from_json
from tests import cases
from tests.services import beside, deeds, metered
from tests.services.test_beside import BOTH
from tests.web.asking import page
from tests.web.conftest import OpenPage

pytestmark = pytest.mark.django_db
NEIGHBOURS = PlannedMetering(source="samples", between="neighbours", floor="0", cap="400")


def path(memo: Memo) -> str:
    return reverse("comparison", args=[memo.number, "C1"])


def of_pdf(memo: Memo) -> str:
    """The comparison as the template of the PDF has it."""
    content = deeds.content(memo)
    row = assessments.comparison_of(content, "C1")
    made = memo.assessments.get(comparison="C1")
    part = {"result": made.result, "sentence": "said", "assessed_at": made.assessed_at}
    sheet = sheet_of(part, row, template_from_json(memo.template_version.content))
    return render_to_string("pdf/parts/comparisons.html", {"record": {"comparisons": [sheet]}})


def test_page_text_and_pdf_hold_each_runs_bounds_both_parts_and_the_ratio() -> None:
    memo = metered.a_memo_with_energies()
    shown = in_words(restored.from_json(metered.assessed(memo)))
    assert shown is not None
    said, printed = unescape(page("aud", path(memo))), unescape(of_pdf(memo))

    for place in (said, printed):
        assert "From an energy counter, over the window of each run" in place
        assert "one meter served both arms, so its scale, off by up to 1 %, drops out" in place
        assert shown.ratio in place
        for part in shown.parts:
            assert part in place
        for line in shown.lines:
            assert f"<td>{line.bounds}</td>" in place
    assert len(shown.lines) == 6
    text = said.partition('<pre id="as-text"')[2]
    assert shown.ratio in text
    assert shown.parts[1] in text
    assert "widened by measurement bounds" in said


def plain(text: str) -> str:
    """With spaces that may break."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def a_memo_with_a_log() -> Memo:
    memo, row = beside.a_set()
    beside.attach(row, "power.csv", beside.power(), *BOTH)
    beside.computed(memo, row)
    return cases.again(memo)


def test_page_text_and_pdf_say_how_a_log_of_power_was_joined() -> None:
    memo = a_memo_with_a_log()
    shown = in_words(restored.from_json(metered.assessed(memo)))
    assert shown is not None
    said, printed = (unescape(page("aud", path(memo))), unescape(of_pdf(memo)))

    assert len(shown.joined) == 6
    assert (
        "power from power.csv, joined by epoch clock, with the stated zone UTC+01:00 (-3600 s added); "
        "window of 30.00 s from the start to the end of the run; gpu0: 3.000 kJ, 31 samples"
    ) in plain(shown.joined[0])
    for place in (said, printed):
        assert all(one in place for one in shown.joined)
    assert shown.joined[0] in said.partition('<pre id="as-text"')[2]


def test_a_counter_and_samples_of_one_run_are_both_shown() -> None:
    result = restored.from_json(metered.assessed(a_memo_with_a_log()))
    assert result.energy is not None
    first, *rest = result.energy.runs
    two = replace(result, energy=replace(result.energy, runs=(replace(first, other_joules=2400.0), *rest)))
    assert two.energy is not None
    counted = replace(two, energy=replace(two.energy, source="counter"))
    shown, other = in_words(two), in_words(counted)

    assert shown is not None
    assert other is not None
    assert "the counter says 2.400 kJ, the samples of power say 3.000 kJ" in plain(shown.two[0])
    assert plain(shown.two[0]).endswith("they differ by 20 %. The plan takes the samples.")
    assert "the counter says 3.000 kJ, the samples of power say 2.400 kJ" in plain(other.two[0])


def test_a_comparison_of_another_metric_has_no_energies() -> None:
    memo = cases.a_memo_with_evidence()

    assert "Energy of each run" not in page("aud", path(memo))
    assert "Energy of each run" not in of_pdf(memo)


def test_runs_without_rows_say_so_and_have_no_ratio() -> None:
    said = page("aud", path(metered.a_memo_with_energies(NEIGHBOURS)))

    assert "The run holds no power of its work." in said
    assert "None: not every run has bounds" in said


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_energies_fit_their_window(open_page: OpenPage, width: int) -> None:
    opened = open_page(path(a_memo_with_a_log()), person=cases.person("aud"), width=width)

    opened.fits()
    opened.is_accessible()
