"""What a plan names, and what came of it, on the comparison page, over the API and in the record."""

import copy
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from analysis import restored
from reviews.models import Assessment
from reviews.pdf.comparisons import sheet_of
from reviews.procedure_words import lines
from reviews.sections import content_from_json
from reviews.template_content import template_from_json
from tests.api.asking import as_person, good, of
from tests.services.asked import by_item, by_sweep
from tests.web.asking import page

pytestmark = pytest.mark.django_db
LEVEL = "90 % of requests with ttft &lt;= 0.2 s"


def shown(made: Assessment) -> str:
    return page("aud", reverse("comparison", args=[made.memo.number, made.comparison]))


def printed(made: Assessment, result: dict[str, Any] | None = None) -> str:
    """The comparison as the record prints it."""
    revision = made.memo.revisions.order_by("-number")[0]
    row = next(c for c in content_from_json(revision.sections).comparisons.comparisons if c.key == made.comparison)
    sentence = (made.result["verdict"] or {}).get("headline", "")
    at = made.assessed_at.isoformat()
    part = {"result": result or made.result, "sentence": sentence, "assessed_at": at, "analysis_version": "3"}
    sheet = sheet_of(part, row, template_from_json(made.memo.template_version.content))
    return render_to_string("pdf/parts/comparisons.html", {"record": {"comparisons": [sheet]}})


def test_a_comparison_by_item_says_so_on_every_face() -> None:
    made = by_item()
    result = good(as_person("bea").get(of(made.memo, "comparisons/Q1/")))["assessment"]["result"]

    for face in (shown(made), printed(made)):
        for words in (
            "one run of each arm, paired by item",
            "mean difference of exact_match over items such as these, candidate minus baseline",
            "10 subjects",
            "this benchmark",
            "40 items of 10 subjects, each scored once per arm",
            "Equivalent within 0.2",
        ):
            assert words in face, words
    assert (result["design"]["kind"], result["plan"]["unit"]) == ("items", "item")


def test_a_goodput_is_named_with_its_level_on_every_face() -> None:
    made = by_sweep()
    result = good(as_person("bea").get(of(made.memo, "comparisons/G1/")))["assessment"]["result"]
    on_page = shown(made)

    assert f"goodput max ({LEVEL})" in on_page
    assert f"<dt>Service level</dt><dd>{LEVEL}</dd>" in on_page
    assert f'<tr><th scope="row">Service level</th><td>{LEVEL}</td></tr>' in printed(made)
    for face in (on_page, printed(made)):
        assert "baseline sweep k1 on host-1: 8/s held, 16/s did not hold." in face
        assert "100 of 100 requests at 2/s; 95 of 100 requests at 4/s" in face
    assert result["plan"]["service_level"] == {"limits": {"ttft": "0.2"}, "share": "0.9"}
    assert result["sweeps"][1]["rates"][0] == {
        "run": result["sweeps"][1]["rates"][0]["run"], "rate": "2", "kept": 100, "offered": 100, "held": True,
        "failed": "",
    }  # fmt: skip


def test_the_parts_of_a_widening_and_the_interval_of_equivalence_are_said() -> None:
    made = by_item()
    result = copy.deepcopy(made.result)
    statistical = result["interval"]
    part = {"source": "measurement", "amount": "0.005", "factor": None, "reasons": ["the meter"]}
    widened = {
        **statistical,
        "lo": "-0.5",
        "hi": "0.5",
        "statistical": statistical,
        "allowance": "0.1",
        "reasons": ["r"],
    }
    result["allowances"] = [part, {**part, "source": "work", "factor": "1.005"}]
    result["equivalence"] = {
        "kind": "equivalence_interval", "interval": {**statistical, "confidence": "0.9"}, "with_excluded": None,
        "widened": {**widened, "statistical": {**statistical, "confidence": "0.9"}},
    }  # fmt: skip
    face = printed(made, result)

    assert "0.005000 on each side for the error of the measurement: the meter" in face
    assert "a factor of 1.00500 on each side for differences in work and settings: the meter" in face
    assert (
        "the plan fixed that the 90\N{NO-BREAK SPACE}% interval decides “within the margin”: [−0.5000, 0.5000]" in face
    )
    assert "clustered_difference widened" in face


def test_a_sweep_without_a_goodput_and_a_result_without_a_design_say_so() -> None:
    made = by_sweep()
    result = copy.deepcopy(made.result)
    result["sweeps"] = [{**result["sweeps"][0], "goodput": None, "rates": []}]
    result["design"] = None

    assert lines(restored.from_json(result)) == (
        ("Service level", "90 % of requests with ttft <= 0.2 s"),
        ("Sweep", "baseline sweep k0 on host-1: no goodput."),
    )
