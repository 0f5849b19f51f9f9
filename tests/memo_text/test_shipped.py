"""The shipped templates are whole, and say what their documents say."""

import hashlib

import pytest

from reviews.memo_text import blank, render
from reviews.memo_text.shipped import FOLDER, templates
from reviews.sections import TYPES
from reviews.template_content import TemplateContent, template_from_json, template_to_json
from reviews.vocabulary import DecisionKind
from tests.memo_text.conftest import LINES_OF_THE_PLAYBOOK
from tests.memo_text.contents import BATCH, REGRESSION

HEADINGS = {
    "Debug playbook",
    "Review memo template",
    "AI accelerator deep dive",
    "Concept diagram",
    "Metric graph",
    "Metrics and artifacts to collect",
    "Mini case study",
    "Debug branches",
    "Senior review question",
    "Key takeaways",
    "Common pitfalls",
    "Principal accelerator review addendum",
}
both = pytest.mark.parametrize("template", templates(), ids=lambda t: t.slug)


def digest(*lines: str) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def said_by(template: TemplateContent) -> set[str]:
    """Every line that the template says, with the marks of its document."""
    listed = (
        *template.metrics_to_collect,
        *template.debug_branches,
        *template.takeaways,
        *template.pitfalls,
    )
    return {
        f"{template.title}: Debug Playbook",
        template.playbook_intro,
        *(f"{n}. {step}" for n, step in enumerate(template.playbook, start=1)),
        *(f"• {item}" for item in listed),
        template.deep_dive,
        template.concept_diagram.title,
        *template.concept_diagram.lines,
        template.metric_graph.title,
        *template.metric_graph.lines,
        template.case_study,
        template.senior_question,
        *template.addendum,
        *render(blank(template, team="t", intent="regression"), template).splitlines(),
    }


def test_there_are_two_templates_of_version_two() -> None:
    assert [(t.slug, t.version) for t in templates()] == [("batch-size-effects", 2), ("throughput-regression", 2)]


def test_every_line_of_the_playbook_document_is_in_the_template(playbook: list[str]) -> None:
    lines = [line for line in playbook if line.strip()]
    missing = [line for line in lines if line not in HEADINGS | said_by(BATCH)]

    assert missing == []
    assert len(lines) in (0, LINES_OF_THE_PLAYBOOK)


def test_the_lines_of_the_playbook_document_are_those_of_the_digest() -> None:
    assert digest(*sorted(said_by(BATCH) - {""})) == "e09c5b7513a48326"


def test_the_template_counts_what_its_document_counts() -> None:
    counts = {name: len(value) for name, value in template_to_json(BATCH).items() if isinstance(value, tuple)}

    assert counts == {
        "metrics": 9,
        "work_settings": 5,
        "playbook": 5,
        "metrics_to_collect": 4,
        "debug_branches": 3,
        "pitfalls": 3,
        "takeaways": 2,
        "addendum": 5,
    }


@both
def test_a_file_holds_exactly_its_template(template: TemplateContent) -> None:
    assert template_from_json(template_to_json(template)) == template
    assert (FOLDER / f"{template.slug}.json").is_file()


@both
def test_every_text_of_a_template_says_something(template: TemplateContent) -> None:
    empty = [name for name, value in template_to_json(template).items() if value in ("", (), {})]

    assert empty == []


@both
@pytest.mark.parametrize("kind", DecisionKind.values)
def test_each_decision_asks_for_an_artifact_and_an_owner(template: TemplateContent, kind: str) -> None:
    assert template.decisions[kind].artifacts
    assert template.decisions[kind].roles


@both
def test_a_rollback_never_asks_for_more_than_a_ship(template: TemplateContent) -> None:
    ship, rollback = template.decisions["ship"], template.decisions["rollback"]

    assert set(rollback.roles) < set(ship.roles)
    assert set(rollback.artifacts) < set(ship.artifacts)


@both
def test_roles_sign_sections_that_exist_and_never_the_signoff(template: TemplateContent) -> None:
    signed = {name for rules in template.decisions.values() for role in rules.roles for name in role.signs}

    assert signed <= set(TYPES) - {"signoff"}


@both
def test_margins_point_away_from_better(template: TemplateContent) -> None:
    wrong = [m.title for m in template.metrics if (float(m.margin) < 1) != (m.better == "higher")]

    assert wrong == []


def test_the_owners_are_those_of_the_document() -> None:
    assert [role.role for role in BATCH.decisions["ship"].roles] == [
        "inference_platform_owner",
        "capacity_planning_engineer",
        "sre_performance_owner",
        "power_thermal_architect",
    ]


@both
def test_the_policy_numbers_are_these(template: TemplateContent) -> None:
    numbers = (template.rollout_cap_percent, template.waiver_cap_days, template.quorum, template.rules_version)

    assert numbers == ("25", 90, 2, "2")


def test_output_tokens_may_differ_by_half_a_percent() -> None:
    tolerances = {t.slug: {s.name: s.tolerance for s in t.work_settings}["output_tokens"] for t in (BATCH, REGRESSION)}

    assert tolerances == {"batch-size-effects": "0.005", "throughput-regression": "0.005"}
