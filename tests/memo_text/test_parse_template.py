"""The memo text of the template, exactly as it stands in its document, field by field."""

import pytest

from reviews import sections as s
from reviews.memo_text import Note, blank, parse, render
from reviews.template_content import TemplateContent
from tests.memo_text.contents import BATCH, OURS, REGRESSION, read

TEXT = render(blank(BATCH, team="team", intent="regression"), BATCH)
PARSED = read(TEXT)
CONDITION = "across batch sweep under target traffic patterns"


def test_it_reads_as_it_stands_in_the_document(playbook: list[str]) -> None:
    start = next((n for n, line in enumerate(playbook) if line.startswith("ACCELERATOR")), 0)
    stop = next((n for n, line in enumerate(playbook) if line == "AI accelerator deep dive"), 0)

    assert "\n".join(playbook[start:stop]).strip() in ("", TEXT.strip())


def test_the_header_is_pinned_to_the_template() -> None:
    header = PARSED.content.header

    assert header.title == "Scheduling & Workload Mapping / Batch Size Effects"
    assert (header.team, header.intent) == ("team", "regression")
    assert (header.template, header.template_version) == ("batch-size-effects", 2)
    assert header.kept == ()


def test_placeholders_are_unfilled_fields_that_name_what_is_wanted() -> None:
    assert [(u.field, u.wanted) for u in PARSED.content.header.unfilled] == [
        ("symptom.workload_slice", "name"),
        ("symptom.first_failing_layer", "operator, schedule, memory, runtime"),
        ("symptom.build_tags.compiler", "compiler"),
        ("symptom.build_tags.firmware", "firmware"),
        ("symptom.build_tags.runtime", "runtime"),
        ("symptom.build_tags.hardware", "hardware"),
        ("hypotheses.competing", "dataflow mismatch, memory stalls, precision drift, thermal limits"),
        ("hypotheses.missing_evidence", "counter packet, trace, replay, signoff data"),
        ("action.smallest_reversible_change", "mapping/runtime/policy/config"),
        ("action.expected_movement", "throughput, p99 latency, perf-per-watt"),
    ]


def test_the_symptom_names_three_metrics_and_asks_which_latency() -> None:
    assert PARSED.content.symptom == s.Symptom(
        failing_metric=f"Throughput, P99 latency, and energy per inference {CONDITION}.",
        failing_metrics=(
            s.FailingMetric(said="Throughput", metric="throughput", stat="rate", condition=CONDITION),
            s.FailingMetric(said="P99 latency", metric="", stat="p99", condition=CONDITION),
            s.FailingMetric(said="energy per inference", metric="energy_per_request", stat="mean", condition=CONDITION),
        ),
    )


def test_the_hypotheses_are_the_template_s_primary_one_and_no_rival() -> None:
    assert PARSED.content.hypotheses == s.Hypotheses(
        hypotheses=(s.Hypothesis(key="H1", rank="primary", mechanism="other", statement=BATCH.mechanism),)
    )


def test_the_action_has_the_four_risks_unanswered() -> None:
    kinds = ("correctness", "quality", "thermal", "software_compatibility")

    assert PARSED.content.action == s.ProposedAction(risks=tuple(s.Risk(kind=kind) for kind in kinds))


def test_the_signoff_has_the_artifact_the_owners_and_the_menu() -> None:
    assert PARSED.content.signoff == s.Signoff(
        required_artifact=BATCH.required_artifact,
        required_owners=OURS,
        final_decision="ship, bounded rollout, rollback, or escalate",
    )
    assert [owner.title for owner in OURS] == [
        "inference platform owner",
        "capacity planning engineer",
        "SRE performance owner",
        "power and thermal architect",
    ]


def test_the_other_sections_are_empty() -> None:
    content = PARSED.content

    assert (content.change, content.evidence, content.comparisons, content.rollout) == (
        s.Change(),
        s.Evidence(),
        s.Comparisons(),
        s.Rollout(),
    )
    assert PARSED.base == ""


def test_the_notes_ask_for_the_latency_and_the_mechanism() -> None:
    assert PARSED.notes == (
        Note(
            4,
            '"P99 latency" can mean: latency, e2e_latency, ttft, tpot, itl. Say it once: '
            "Metric meant: P99 latency | metric: latency | stat: p99",
        ),
        Note(10, "The primary mechanism is the template's own text, unchanged."),
        Note(
            10,
            "The mechanism names compute, memory, scheduling, thermal, host overhead: say which, "
            'as in "H1 (compute): …".',
        ),
    )


@pytest.mark.parametrize("template", [BATCH, REGRESSION], ids=lambda t: t.slug)
def test_the_blank_text_of_a_template_is_read_as_its_blank_content(template: TemplateContent) -> None:
    content = blank(template, team="team", intent="incident")

    assert parse(render(content, template), template, team="team", intent="incident").content == content


def test_the_whole_document_pasted_keeps_its_other_lines_where_they_stood(playbook: list[str]) -> None:
    kept = read("\n".join(playbook)).content.header.kept

    assert [row.text for row in kept] == [line for line in playbook if line and line not in TEXT.splitlines()]
    assert [row.text for row in kept] == [playbook[row.line - 1] for row in kept]
