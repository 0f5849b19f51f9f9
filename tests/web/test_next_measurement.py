"""What to measure next, on the page of a memo: a ranking from its own predictions and comparisons, and no evidence."""

import re

import pytest

from reviews.models import Memo
from reviews.sections import HypothesisResolution
from reviews.services import hypotheses
from tests import cases
from tests.web.asking import as_, page

pytestmark = pytest.mark.django_db


def section(memo: Memo, query: str = "") -> str:
    """The HTML of the section; "" when the page has none."""
    _, found, rest = page("bea", f"/memos/{memo.number}/{query}").partition('<section class="card" id="next">')
    return rest.split("</section>", 1)[0] if found else ""


def said(memo: Memo, query: str = "") -> str:
    """Its text, without marks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", section(memo, query))).strip()


def test_a_memo_with_evidence_ranks_by_its_own_interval_and_its_own_runs() -> None:
    text = said(cases.a_memo_with_evidence())

    assert "which of H1, H2 holds, equally likely beforehand" in text
    assert "throughput rate queue full 1.000 0.167 6.00 as the runs of C1" in text
    assert "as the interval of C1" in text
    assert "it is no evidence for any hypothesis" in text
    assert "C1 refutes a prediction of H2" in text
    assert "guess" not in text


def test_before_any_run_the_standard_error_is_a_guess_and_the_order_is_by_bits() -> None:
    text = said(cases.a_memo_in_review())

    assert "0.960 – not known 1 % a guess" in text
    assert "so the order is by bits alone" in text
    assert "has no interval of a metric, the standard error is a guess: 1 %." in text


def test_the_guess_can_be_chosen() -> None:
    memo = cases.a_memo_in_review()
    html = section(memo, "?guess=5&since=1")

    assert "5 % a guess" in said(memo, "?guess=5")
    assert 'name="guess" value="5"' in html
    assert 'name="since" value="1"' in html


@pytest.mark.parametrize("guess", ["0", "-1", "101", "1e2", "much", "٣"])
def test_what_is_no_percentage_is_refused_in_words(guess: str) -> None:
    memo = cases.a_memo_in_review()
    response = as_("bea").get(f"/memos/{memo.number}/", {"guess": guess})

    assert response.status_code == 422
    assert "is no percentage above 0 and at most 100." in response.content.decode()
    assert "Write for example 1.5." in response.content.decode()


def test_once_one_hypothesis_is_left_there_is_no_such_section() -> None:
    memo = cases.a_memo_with_evidence()
    refuted = HypothesisResolution(state="refuted", reason="C1 says so.")
    hypotheses.resolve(actor=cases.person("ann"), memo_id=memo.pk, hypothesis="H2", resolution=refuted)

    assert section(memo) == ""


def test_where_nobody_predicts_a_ratio_the_section_says_so() -> None:
    assert "No open hypothesis predicts a ratio that can be used." in said(cases.a_draft())
