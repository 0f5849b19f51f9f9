"""Stages and counters of a comparison in the PDF."""

from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from analysis import assess
from analysis.assess import AssessmentResult
from reviews.pdf.comparisons import sheet_of
from reviews.sections import Hypothesis, content_from_json
from reviews.template_content import template_from_json
from tests.analysis.counted import MOVED, arms
from tests.analysis.recorded import assessed
from tests.analysis.slowed import an_arm
from tests.pdf.conftest import Dossier, compared
from tests.pdf.test_comparisons import row_of

STAGED = assessed(*([[*stage, *counted[1:]] for stage, counted in zip(an_arm(arm), measured, strict=True)]
                    for arm, measured in enumerate(arms(MOVED["memory"]))))  # fmt: skip
COUNTED = assessed(*arms(MOVED["memory"]))
ALONE = assessed(an_arm(0, 1), an_arm(1, 1))
H1 = Hypothesis(key="H1", rank="primary", mechanism="memory", statement="It leaves the caches.")
H2 = replace(H1, key="H2", mechanism="thermal")


def printed(dossier: Dossier, result: AssessmentResult) -> str:
    part = {**compared(dossier, "C1"), "result": assess.to_json(result)}
    template = template_from_json(dossier["template"])
    sheet = sheet_of(part, row_of(dossier, "C1"), template, (H1, H2))
    return render_to_string("pdf/parts/breakdowns.html", {"sheet": sheet})


def test_the_answers_stand_with_their_drawing_their_numbers_and_the_hypotheses(dossier: Dossier) -> None:
    said = printed(dossier, STAGED)

    assert "Divergence is established at attend; stages before attend are excluded." in said
    assert said.count("data:image/svg+xml") == 1
    assert "What the difference of the time adds up from" in said
    assert "<td>consistent with H1</td>" in said
    assert "<td>not consistent with H2</td>" in said
    assert "all hold together at 95" in said


def test_counters_alone_have_no_drawing_of_stages(dossier: Dossier) -> None:
    said = printed(dossier, COUNTED)

    assert "data:image/svg+xml" not in said
    assert "Which mechanism the counters speak for" in said


def test_what_is_refused_is_printed_with_what_would_help(dossier: Dossier) -> None:
    said = printed(dossier, ALONE)

    assert "1 baseline and 1 candidate runs allow no interval" in said
    assert "Run each arm at least twice" in said
    assert "<table" not in said


@pytest.mark.parametrize("key", ["C1", "C3"])
def test_comparisons_without_parts_print_none(dossier: Dossier, key: str) -> None:
    rows = content_from_json(dossier["sections"]).comparisons.comparisons
    sheet = sheet_of(compared(dossier, key), row_of(dossier, key), template_from_json(dossier["template"]))

    assert len(rows) == 3
    assert (sheet.breakdowns, sheet.stages_drawing) == ((), None)
