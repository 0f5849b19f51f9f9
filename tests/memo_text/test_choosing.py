"""Which template a text was written with."""

from dataclasses import replace

import pytest

from reviews.memo_text import best_template, blank, render
from reviews.memo_text.shipped import templates
from reviews.template_content import TemplateContent
from tests.memo_text.contents import BATCH, REGRESSION


@pytest.mark.parametrize("template", templates(), ids=lambda t: t.slug)
def test_the_text_of_a_template_names_it(template: TemplateContent) -> None:
    text = render(blank(template, team="team", intent="regression"), template)

    assert best_template(text, templates()) == template


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("REVIEW MEMO - Batch-size effects on H100\nWe saw a throughput regression.", BATCH),
        ("We saw a throughput regression.", REGRESSION),
        (f"- Failing metric: {BATCH.failing_metric}", BATCH),
        (f"Template: throughput-regression {REGRESSION.version}\nREVIEW MEMO - Batch size effects", REGRESSION),
    ],
)
def test_the_nearest_naming_counts(text: str, expected: TemplateContent) -> None:
    assert best_template(text, templates()) == expected


@pytest.mark.parametrize("text", ["", "something else", "batch size effects, throughput regression"])
def test_without_a_single_answer_there_is_none(text: str) -> None:
    assert best_template(text, templates()) is None


def test_the_newest_version_is_meant_unless_the_text_names_another() -> None:
    newer = replace(BATCH, version=2)

    assert best_template("batch size effects", [newer, BATCH]) == newer
    assert best_template(f"Template: batch-size-effects {BATCH.version}", [newer, BATCH]) == BATCH
