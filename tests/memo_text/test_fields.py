"""What single fields and rows of a memo are read as, and what is said about those that are not understood."""

import pytest

from reviews import sections as s
from reviews.memo_text import Parsed, render
from tests.memo_text.contents import BATCH, OURS, read

TITLES = [owner.title for owner in OURS]


def kept(parsed: Parsed) -> list[str]:
    return [row.text for row in parsed.content.header.kept]


def said(parsed: Parsed) -> str:
    return "\n".join(note.sentence for note in parsed.notes if note.line)


@pytest.mark.parametrize(
    ("text", "metrics"),
    [
        ("Throughput", [("Throughput", "throughput", "rate", "")]),
        (
            "Throughput at batch 8, QPS at batch 32",
            [("Throughput", "throughput", "rate", "at batch 8"), ("QPS", "request_throughput", "rate", "at batch 32")],
        ),
        (
            "TTFT p99 and request throughput under load.",
            [
                ("TTFT p99", "ttft", "p99", "under load"),
                ("request throughput", "request_throughput", "rate", "under load"),
            ],
        ),
        ("p99 end to end latency", [("p99 end to end latency", "e2e_latency", "p99", "")]),
        ("energy_per_request mean", [("energy_per_request mean", "energy_per_request", "mean", "")]),
        (
            "Goodput, throughput during peaks",
            [("Goodput", "", "", "during peaks"), ("throughput", "throughput", "rate", "during peaks")],
        ),
        ("The machine is slow", [("The machine is slow", "", "", "")]),
        ("Throughput fell, as everybody could see on the wall", [("Throughput", "throughput", "rate", "on the wall")]),
        ("", []),
    ],
)
def test_a_symptom_names_metrics_and_their_condition(text: str, metrics: list[tuple[str, ...]]) -> None:
    found = read(f"- Failing metric: {text}").content.symptom.failing_metrics

    assert [(m.said, m.metric, m.stat, m.condition) for m in found] == metrics


def test_a_metric_without_a_name_is_asked_for() -> None:
    assert said(read("- Failing metric: Goodput, throughput")) == (
        '"Goodput" can mean: no metric of the template. Say it once: Metric meant: Goodput | metric: … | stat: …'
    )


def test_the_metrics_meant_can_be_none() -> None:
    assert read("- Failing metric: throughput\n- Metric meant: none").content.symptom.failing_metrics == ()


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("- Build tags: a/b/c/d", ("a", "b", "c", "d")),
        ("- Build tags: gcc/12 / b / c / d", ("gcc/12", "b", "c", "d")),
        ("- Build tags: a, b; c, d", ("a", "b", "c", "d")),
        ("- Build tags: compiler: a, firmware: b, runtime: c, hardware: d", ("a", "b", "c", "d")),
        ("- Build tags: hardware=d; compiler = a", ("a", "", "", "d")),
        ("- Build tags:\n  - compiler: a\n  - Hardware: d", ("a", "", "", "d")),
        ("- Build tags:\n  - a\n  - b\n  - c\n  - d", ("a", "b", "c", "d")),
        ("- Build tags: a/<firmware>/c/d", ("a", "", "c", "d")),
        ("- Build tags:", ("", "", "", "")),
    ],
)
def test_build_tags_are_four_fields(text: str, tags: tuple[str, ...]) -> None:
    parsed = read(text)

    assert parsed.content.symptom.build_tags == s.BuildTags(
        compiler=tags[0], firmware=tags[1], runtime=tags[2], hardware=tags[3]
    )
    assert kept(parsed) == []


@pytest.mark.parametrize(
    "text",
    [
        "- Build tags: TensorRT 10, driver 550",
        "- Build tags: stack 7, compiler: a",
        "- Build tags: compiler: a, compiler: b",
        "- Build tags: compiler: a\n  - something else",
    ],
)
def test_tags_that_cannot_be_told_apart_are_kept(text: str) -> None:
    parsed = read(text)

    assert kept(parsed) == text.splitlines()
    assert "cannot be told apart as compiler/firmware/runtime/hardware" in said(parsed)


def test_quality_checks_are_rows() -> None:
    text = "- Quality checks: MMLU unchanged, exact match: passed\n  - logits | result: equal\n  - none\n  - <check>"

    assert read(text).content.symptom.quality_checks == (
        s.QualityCheck(name="MMLU unchanged", result=""),
        s.QualityCheck(name="exact match", result="passed"),
        s.QualityCheck(name="logits", result="equal"),
    )


def test_a_cell_that_is_no_part_of_its_row_is_kept() -> None:
    parsed = read("- Quality checks: logits | outcome: equal | result: x | result: y")

    assert parsed.content.symptom.quality_checks == (s.QualityCheck(name="logits", result="x"),)
    assert len(kept(parsed)) == 1
    assert '"outcome: equal | result: y" is no cell of "Quality checks" (result)' in said(parsed)


@pytest.mark.parametrize("text", ["steady", "Steady state", "STEADY-STATE"])
def test_the_observation_window_is_a_word_of_the_vocabulary(text: str) -> None:
    assert read(f"- Observation window: {text}").content.symptom.observation_window == "steady"


def test_another_observation_window_is_kept() -> None:
    parsed = read("- Observation window: last Tuesday")

    assert parsed.content.symptom.observation_window == ""
    assert kept(parsed) == ["- Observation window: last Tuesday"]
    assert said(parsed) == '"last Tuesday" is none of steady, startup, checkpoint, mixed; the line is kept.'


@pytest.mark.parametrize(
    ("text", "hypothesis"),
    [
        ("dataflow mismatch", ("H1", "mapping", "dataflow mismatch")),
        ("H4: precision drift", ("H4", "precision", "precision drift")),
        ("H4 (load imbalance): stragglers", ("H4", "load_imbalance", "stragglers")),
        ("h4 [other] - memory", ("H4", "other", "memory")),
        ("H100 - thermal throttling", ("H1", "thermal", "H100 - thermal throttling")),
        ("the moon", ("H1", "other", "the moon")),
        ("memory and cache", ("H1", "other", "memory and cache")),
    ],
)
def test_a_primary_mechanism_has_a_key_and_a_class(text: str, hypothesis: tuple[str, ...]) -> None:
    [found] = read(f"- Primary mechanism: {text}").content.hypotheses.hypotheses

    assert (found.key, found.mechanism, found.statement) == hypothesis


def test_an_unknown_class_is_other_and_the_line_is_kept() -> None:
    parsed = read("- Primary mechanism: H1 (magic): memory")

    assert parsed.content.hypotheses.hypotheses[0].mechanism == "other"
    assert kept(parsed) == ["- Primary mechanism: H1 (magic): memory"]


def test_an_empty_primary_mechanism_is_no_hypothesis() -> None:
    assert read("- Primary mechanism:").content.hypotheses.hypotheses == ()


def test_a_key_used_twice_is_given_to_the_first() -> None:
    parsed = read("- Primary mechanism: H2: a\n- Competing hypotheses:\n  - H2: b\n  - c\n  - H3: d")

    assert [h.key for h in parsed.content.hypotheses.hypotheses] == ["H2", "H4", "H5", "H3"]
    assert said(parsed) == "H2 is used twice; the second one is H4 now."


def test_missing_evidence_may_have_an_owner() -> None:
    text = "- Missing evidence: trace (owner: bob), replay\n  - packet | owner: cy\n  - none\n  - <more>"

    assert read(text).content.hypotheses.missing_evidence == (
        s.MissingEvidence(what="trace", owner="bob"),
        s.MissingEvidence(what="replay"),
        s.MissingEvidence(what="packet", owner="cy"),
    )


def test_predictions_belong_to_their_hypothesis() -> None:
    rows = (
        "- Prediction: H1 | metric: p99 ttft | ratio: [0.5, 0.9]",
        "- Prediction: P7 | hypothesis: h2 | metric: throughput rate | ratio: 1.1..",
        "- Prediction: <more>",
    )
    text = "\n".join(("- Primary mechanism: a", "- Competing hypotheses: b", "6. Predictions", *rows))

    first, second = read(text).content.hypotheses.hypotheses

    assert first.predictions == (
        s.Prediction(key="P1", metric="ttft", stat="p99", condition="", low="0.5", high="0.9"),
    )
    assert second.predictions == (
        s.Prediction(key="P7", metric="throughput", stat="rate", condition="", low="1.1", high=""),
    )


@pytest.mark.parametrize("primary", ["- Primary mechanism: a\n", ""])
def test_a_prediction_of_no_hypothesis_is_kept(primary: str) -> None:
    parsed = read(f"{primary}6. Predictions\n- Prediction: P1 | hypothesis: H9 | metric: throughput | ratio: ..1")

    assert kept(parsed) == ["- Prediction: P1 | hypothesis: H9 | metric: throughput | ratio: ..1"]
    assert 'names no hypothesis of this text ("hypothesis: H1")' in said(parsed)


@pytest.mark.parametrize(
    ("metric", "named", "note"),
    [
        ("metric: ttft | stat: p99", ("ttft", "p99"), ""),
        ("metric: ttft p99.9", ("ttft", "p99.9"), ""),
        ("metric: QPS", ("request_throughput", "rate"), ""),
        ("metric: P99 latency", ("", "p99"), '"P99 latency" can mean: latency, e2e_latency, ttft, tpot, itl.'),
        ("metric: goodput", ("goodput", ""), '"goodput" can mean: no metric of the template.'),
        ("slice: all", ("", ""), ""),
    ],
)
def test_a_row_names_its_metric(metric: str, named: tuple[str, str], note: str) -> None:
    parsed = read(f"7. Comparisons\n- Comparison: C1 | {metric}")

    [comparison] = parsed.content.comparisons.comparisons
    assert (comparison.metric, comparison.stat) == named
    assert note in said(parsed)


def test_comparisons_without_a_key_get_the_next_free_one() -> None:
    rows = ("C1 | metric: a", "the tail | metric: b", "| metric: c", "none")
    parsed = read("\n".join(("7. Comparisons", *(f"- Comparison: {row}" for row in rows))))

    assert [c.key for c in parsed.content.comparisons.comparisons] == ["C1", "C2", "C3"]
    assert kept(parsed) == ["- Comparison: the tail | metric: b"]


def test_a_cell_that_is_named_and_empty_takes_nothing_from_the_template() -> None:
    [comparison] = read(
        "7. Comparisons\n- Comparison: C1 | metric: throughput rate | margin:"
    ).content.comparisons.comparisons

    assert (comparison.better, comparison.margin) == ("higher", "")


def test_what_is_no_number_is_kept() -> None:
    parsed = read("8. Rollout\n- Stage: a few % | where: here | soak: 24 hours")

    assert parsed.content.rollout.stages == (s.RolloutStage(percent="", where="here", soak_hours="24"),)
    assert kept(parsed) == ["- Stage: a few % | where: here | soak: 24 hours"]


def test_what_is_no_range_is_kept() -> None:
    parsed = read("- Expected ratio: throughput | metric: throughput | stat: rate | ratio: more")

    assert parsed.content.action.expected[0].low == ""
    assert '"more" is not a range such as 1.05..1.2; the line is kept.' in said(parsed)


def test_rows_that_say_nothing_are_no_rows() -> None:
    rollout = "8. Rollout\n- Stage: <percent> %\n- Abort threshold: <comparison>"
    text = f"5. Change\n- Difference: <name>\n{rollout}\n- Expected ratio: <metric>\n- Metric meant: <which>"

    content = read(text).content

    assert (content.change.rows, content.rollout.stages, content.rollout.abort_thresholds) == ((), (), ())
    assert (content.action.expected, content.symptom.failing_metrics) == ((), ())
    assert [u.wanted for u in content.header.unfilled] == ["which", "metric", "name", "percent", "comparison"]


@pytest.mark.parametrize(
    ("text", "risks"),
    [
        ("correctness, quality", [("correctness", ""), ("quality", "")]),
        (
            "correctness: outputs compared, logits too; quality - MMLU",
            [("correctness", "outputs compared, logits too"), ("quality", "MMLU")],
        ),
        ("software-compatibility (CUDA 12)", [("software_compatibility", "CUDA 12")]),
        ("[x] Thermal and Quality", [("thermal", ""), ("quality", "")]),
        ("quality | checked: MMLU", [("quality", "MMLU")]),
        ("none", []),
        ("<risk>", []),
    ],
)
def test_regression_risks_are_rows(text: str, risks: list[tuple[str, str]]) -> None:
    found = read(f"- Regression risk: {text}").content.action.risks

    assert [(risk.kind, risk.checked) for risk in found] == risks


def test_another_risk_is_kept() -> None:
    parsed = read("- Regression risk: security, quality")

    assert [risk.kind for risk in parsed.content.action.risks] == ["quality"]
    assert kept(parsed) == ["- Regression risk: security, quality"]


@pytest.mark.parametrize(
    "text",
    [
        ", ".join(TITLES),
        f"{', '.join(TITLES[:3])}, and {TITLES[3]}",
        "Inference Platform Owner and capacity planning engineer; sre_performance_owner & power and thermal architect",
        "".join(f"\n  - [x] {title}" for title in TITLES),
    ],
)
def test_the_template_s_owners_are_recognised_however_they_are_listed(text: str) -> None:
    parsed = read(f"- Required owners: {text}")

    assert parsed.content.signoff.required_owners == OURS
    assert said(parsed) == ""


def test_owners_add_and_never_replace() -> None:
    parsed = read("- Required owners: network owner, none, <who>\n  - [ ] R&D lead")

    added = parsed.content.signoff.required_owners[len(OURS) :]
    assert [(o.role, o.title, o.from_template) for o in added] == [
        ("network_owner", "network owner", False),
        ("r_d_lead", "[ ] R&D lead", False),
    ]
    assert said(parsed).count("stays required") == len(OURS)


def test_a_very_long_title_is_taken_as_it_is() -> None:
    title = "SRE performance owner and " * 20

    assert read(f"- Required owners: {title}").content.signoff.required_owners[-1].title == title.strip()


def test_another_artifact_than_the_template_s_is_noted() -> None:
    parsed = read("- Required artifact: a screenshot")

    assert parsed.content.signoff.required_artifact == "a screenshot"
    assert "The template asks for another artifact too" in said(parsed)


def test_an_export_carries_its_base_and_its_template() -> None:
    digest = "0123456789abcdef" * 4

    text = render(read("").content, BATCH, base=digest)

    assert text.splitlines()[-2:] == ["Template: batch-size-effects 2", f"Base: {digest}"]
    assert read(text).base == digest


def test_a_second_base_is_kept_and_another_template_noted() -> None:
    parsed = read(f"Template: other-kind 3\nTemplate: more 1\nBase: {'a' * 64}\nBase: {'b' * 64}")

    assert parsed.base == "a" * 64
    assert kept(parsed) == ["Template: more 1", f"Base: {'b' * 64}"]
    assert "The text was exported with the template other-kind 3." in [note.sentence for note in parsed.notes]
