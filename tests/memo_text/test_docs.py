"""The documented example is read as it is documented."""

import re
from pathlib import Path

import pytest

from reviews import sections as s
from reviews.memo_text import render
from reviews.memo_text.mechanisms import WORDS, guess
from reviews.vocabulary import MechanismClass
from tests.memo_text.contents import BATCH, OURS, read

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "memo-text.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[0]
PARSED = read(EXAMPLE)
MEMO = PARSED.content


def test_nothing_of_the_example_is_kept_or_unfilled() -> None:
    assert (MEMO.header.kept, MEMO.header.unfilled) == ((), ())


def test_its_author_is_told_of_the_owners_alone() -> None:
    assert [note.sentence for note in PARSED.notes if "requir" not in note.sentence] == []


def test_its_symptom() -> None:
    when = "across batch sweep"

    assert MEMO.symptom == s.Symptom(
        failing_metric="Throughput and P99 latency across batch sweep under evening traffic.",
        failing_metrics=(
            s.FailingMetric(said="Throughput", metric="throughput", stat="rate", condition=when),
            s.FailingMetric(said="P99 latency", metric="e2e_latency", stat="p99", condition=when),
        ),
        workload_slice="chat, evening peak, EU",
        first_failing_layer="runtime",
        build_tags=s.BuildTags(compiler="nvcc 12.4", firmware="vbios 96.00", runtime="CUDA 12.4", hardware="H100 SXM"),
        observation_window="steady",
        quality_checks=(s.QualityCheck(name="exact match on 500 prompts", result="unchanged"),),
    )


def test_its_hypotheses_with_their_predictions() -> None:
    first, second, third = MEMO.hypotheses.hypotheses

    assert (first.key, first.rank, first.mechanism) == ("H1", "primary", "scheduling")
    assert first.statement == "Requests wait for a batch that fills too slowly."
    assert [(h.key, h.rank, h.mechanism, h.statement) for h in (second, third)] == [
        ("H2", "competing", "memory", "memory stalls"),
        ("H3", "competing", "thermal", "thermal limits"),
    ]
    assert first.predictions == (
        s.Prediction(key="P1", metric="throughput", stat="rate", condition="batch 16", low="1.05", high="1.20"),
    )
    assert second.predictions == (
        s.Prediction(key="P2", metric="throughput", stat="rate", condition="", low="", high="1.00"),
    )
    assert MEMO.hypotheses.missing_evidence == (
        s.MissingEvidence(what="queue trace", owner="cy"),
        s.MissingEvidence(what="counter packet"),
    )


def test_its_action() -> None:
    assert MEMO.action == s.ProposedAction(
        smallest_reversible_change="Set max_batch from 8 to 16 in the policy file.",
        expected_movement="throughput up 5 to 20 %, P99 latency at most 5 % higher",
        expected=(
            s.ExpectedMovement(
                metric="throughput", stat="rate", low="1.05", high="1.2", said="throughput up 5 to 20 %"
            ),
            s.ExpectedMovement(
                metric="e2e_latency", stat="p99", low="", high="1.05", said="P99 latency at most 5 % higher"
            ),
        ),
        rollback_target="policy file of build 41",
        rollback_boundary="one policy reload, no restart",
        rollback_owner="bob",
        risks=(
            s.Risk(kind="correctness", checked="outputs compared"),
            s.Risk(kind="quality"),
            s.Risk(kind="thermal"),
            s.Risk(kind="software_compatibility"),
        ),
    )


def test_its_owners_are_the_template_s_and_one_more() -> None:
    added = s.RequiredOwner(role="network_owner", title="network owner", from_template=False)

    assert MEMO.signoff.required_owners == (*OURS, added)
    assert [note.sentence for note in PARSED.notes if "requir" in note.sentence] == [
        "The template also requires the capacity planning engineer; it stays required.",
        "The template also requires the power and thermal architect; it stays required.",
        '"network owner" is no owner of the template; it is required in addition.',
    ]


def test_its_change_is_typed() -> None:
    row = s.ChangeRow(name="max_batch", baseline="8", candidate="16", on_purpose=True, source="typed")

    assert MEMO.change == s.Change(
        summary="The adaptive policy replaces a fixed batch of 8.",
        baseline="build 41",
        candidate="build 42",
        rows=(row,),
        scope=(
            s.Stratum(sku="NVIDIA H100 80GB HBM3", driver="550.54", firmware="96.00"),
            s.Stratum(sku="NVIDIA A100-SXM4-80GB", excluded="its last hosts leave the fleet in January"),
        ),
    )


def test_its_comparisons_take_from_the_template_what_they_leave_out() -> None:
    first, second = MEMO.comparisons.comparisons

    assert first == s.Comparison(
        key="C1",
        metric="throughput",
        stat="rate",
        slice="",
        role="primary",
        better="higher",
        scale="ratio",
        margin="0.98",
        purpose="fix_check",
        match="same_requests",
    )
    assert (second.key, second.role, second.better, second.margin) == ("C2", "guardrail", "lower", "1.05")


def test_its_rollout_and_escalation() -> None:
    assert MEMO.rollout == s.Rollout(
        stages=(
            s.RolloutStage(percent="5", where="two hosts of the chat tier", soak_hours="24"),
            s.RolloutStage(percent="25", where="the chat tier, EU", soak_hours="48"),
        ),
        abort_thresholds=(s.AbortThreshold(comparison="C2", metric="e2e_latency", stat="p99", limit="1.05"),),
        ends_at="2026-12-15T00:00:00Z",
        owner="bob",
    )
    assert MEMO.signoff.escalation == s.Escalation(
        to="the runtime team", by="2026-12-10", question="Is the queue bounded by design?"
    )


def test_its_export_is_read_as_the_same() -> None:
    assert read(render(MEMO, BATCH)).content == MEMO


@pytest.mark.parametrize(("mechanism", "words"), WORDS)
def test_the_page_lists_the_words_of_every_mechanism(mechanism: MechanismClass, words: tuple[str, ...]) -> None:
    assert f"| {mechanism.label} | {', '.join(words)} |" in PAGE.splitlines()
    assert {guess(word) for word in words} == {mechanism.value}
