"""The memo's page: all comparisons together."""

import re

import pytest

from tests import cases, families
from tests.web.asking import page
from tests.web.conftest import OpenPage
from tests.web.test_query_counts import counted

pytestmark = pytest.mark.django_db


def section(html: str) -> str:
    """The text of the section, without marks."""
    found = html.split('id="together"', 1)[1].split("</section>", 1)[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", found)).replace("\u00a0", " ").replace("\u202f", " ")


def test_guardrails_family_screening_and_attribution_stand_together() -> None:
    memo = families.a_memo_with_claims()
    html = page("bea", f"/memos/{memo.number}/")
    said = section(html)

    assert "Not worse by more than its margin on any guardrail." in said
    assert "C2 (e2e_latency p99) ✓ passes" in said
    assert "2 further claims are declared" in said
    assert re.search(
        r"Improvement established among 2 declared claims \(Holm\)\. Adjusted p = 0\.0\d+ \(alone 0\.0", said
    )
    assert re.search(r"Simultaneous: 1\.04\d+ \[1\.0\d+, 1\.0\d+\], 97\.5 % confidence, paired_log, 3 blocks", said)
    assert "Screening: to be confirmed by a new run set." in said
    assert "No decision rests on them." in said
    assert "C3 (energy_per_request mean): it has no role, and takes no part." in said
    assert "(rung 2 of 4)" in said
    assert "Not recorded: no comparison has the purpose replay." in said
    assert "What would lead to the next rung" in said
    assert f'href="/memos/{memo.number}/comparisons/C4/"' in html


def test_a_claim_in_the_list_is_said_to_be_taken_alone_and_has_no_sign() -> None:
    memo = families.a_memo_with_claims()
    html = page("bea", f"/memos/{memo.number}/")
    row = html.split('id="comparison-C4"', 1)[1].split("</li>", 1)[0]

    assert "Taken alone, before its family is judged: Improvement beyond the 2% margin established" in row
    assert "▲" not in row
    assert "▲" in html.split('id="comparison-C1"', 1)[1].split("</li>", 1)[0]
    assert "Taken alone" in page("bea", f"/memos/{memo.number}/comparisons/C4/")
    assert "Screening, to be confirmed by a new run set: " in page("bea", f"/memos/{memo.number}/comparisons/C6/")


def test_more_comparisons_ask_no_more_queries() -> None:
    few, many = cases.a_memo_with_evidence("Few"), families.a_memo_with_claims()

    assert counted("bea", f"/memos/{few.number}/") == counted("bea", f"/memos/{many.number}/")


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 320])
def test_the_section_is_accessible_and_stays_inside_its_window(open_page: OpenPage, width: int) -> None:
    memo = families.a_memo_with_claims(computed=("C4", "C6"))

    opened = open_page(f"/memos/{memo.number}/", person=cases.person("bea"), width=width)

    opened.is_accessible()
    opened.fits()
    assert opened.complaints == []
