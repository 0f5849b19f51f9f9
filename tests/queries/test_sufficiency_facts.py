"""Whether the evidence is enough, from the rows: clocks, runs, files, the memo's scope, and what was shipped."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from reviews.models import Decision, Memo, authority
from reviews.policies.evidence_facts import FileFacts
from reviews.policies.gate import evaluate
from reviews.queries import gate
from reviews.services import memos, references
from reviews.vocabulary import DecisionKind
from tests import cases
from tests.kept import built_anew
from tests.services import deeds

pytestmark = pytest.mark.django_db


def facts(memo: Memo) -> Any:
    return gate.gate_facts(memo.pk, decider=None, requested_percent=None)


def lines(memo: Memo, rule: str) -> list[str]:
    return [line.sentence for line in evaluate(facts(memo), DecisionKind.BOUNDED) if line.rule == rule]


def test_a_number_knows_its_files_their_clock_and_how_many_runs_it_stands_on() -> None:
    memo = cases.a_memo_with_evidence()
    found = next(iter(facts(memo).assessments.values()))

    part = next(row for row in deeds.content(memo).evidence.sets[0].attachments if row.arm)
    assert [file.artifact for file in found.files] == [part.artifact]
    assert timezone.now() - timedelta(hours=3) < found.files[0].started_at < timezone.now()
    assert [(arm.arm, arm.runs, arm.fewest) for arm in found.arms] == [("baseline", 3, 1200), ("candidate", 3, 1200)]
    assert isinstance(found.files[0], FileFacts)
    assert "0 days old by its own clock; at most 180 days are allowed." in lines(memo, "evidence_is_fresh")[0]
    assert lines(memo, "intervals_come_from_this_evidence") == [
        "2 comparison(s) were computed from the files that the memo names."
    ]


def test_old_runs_close_the_gate_however_lately_they_were_uploaded(monkeypatch: pytest.MonkeyPatch) -> None:
    written = cases.runs_file
    monkeypatch.setattr(cases, "runs_file", lambda runs, start: written(runs, start - timedelta(days=200)))
    with built_anew():
        memo = cases.a_memo_with_evidence()

    assert [said.split(" stands on ")[1] for said in lines(memo, "evidence_is_fresh")] == [
        f"runs-of-{memo.number}.json, 200 days old by its own clock; at most 180 days are allowed."
    ] * 2


def test_a_stratum_that_the_text_names_is_covered_by_what_the_runs_state_or_excluded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written, said = cases.runs_file, cases.memo_text

    def with_devices(*args: Any) -> bytes:
        document = json.loads(written(*args))
        for run in document["runs"]:
            run["settings"] |= {"gpu_name": "H100 SXM", "driver_version": "550.54"}
        return json.dumps(document).encode()

    rows = """   - Scope: H100 SXM | driver: 550.54
   - Scope: H100 SXM | driver: 560.1
   - Scope: A100 | excluded because: its hosts leave in January
"""
    monkeypatch.setattr(cases, "runs_file", with_devices)
    monkeypatch.setattr(cases, "memo_text", lambda *a: said(*a).replace("   - Difference:", f"{rows}   - Difference:"))
    with built_anew():
        memo = cases.a_memo_with_evidence()

    absent = "H100 SXM × driver 560.1"
    assert lines(memo, "required_artifacts_are_attached") == [
        f"The evidence covers nothing of {absent}, which the scope holds: no run of both arms states this driver."
    ]
    assert [(row.name, row.covered, row.excluded) for row in facts(memo).strata] == [
        ("H100 SXM × driver 550.54", True, False),
        ("H100 SXM × driver 560.1", False, False),
        ("A100", False, True),
    ]


def ship(memo: Memo) -> None:
    """The memo as shipped: behind the back of the gate, which one host does not open."""
    from reviews.models import guards  # noqa: PLC0415

    guards.remove(connection)
    revision = cases.again(memo).current_revision
    assert revision is not None
    now = timezone.now()
    with authority.writing(Decision):
        Decision.objects.create(
            memo=memo, number=1, revision=revision, kind="ship", rationale="x", emergency=False, dossier="{}",
            dossier_sha256="0" * 64, gate=[], rules_version="2", chain_head="0" * 64, decider=cases.person("bea"),
            decider_name="Bea", authentication={}, effective_at=now, recorded_at=now,
        )  # fmt: skip


def test_what_was_shipped_since_the_pinned_build_adds_up() -> None:
    before = cases.a_memo_with_evidence()
    ship(before)
    memo = cases.a_memo_with_evidence("The next one")
    assert facts(memo).reference is None
    references.pin(actor=cases.person("bea"), team="serving", build="2026.1", reason="The baseline.")

    alone = {(row.metric, row.within) for row in facts(memo).reference.budgets}
    shipped = cases.a_memo_with_evidence("Shipped since")
    ship(shipped)
    both = facts(memo).reference

    assert alone == {("throughput", True), ("e2e_latency", True)}
    assert both.build == "2026.1"
    assert [shipped.number in row.sentence for row in both.budgets] == [True, True]
    assert [before.number in row.sentence for row in both.budgets] == [False, False]
    assert memos.template_of(memo).rules_version == "2"
    said = [line for line in evaluate(facts(memo), DecisionKind.SHIP) if line.rule.startswith("cumulative")]
    assert said[0].sentence.startswith("Since 2026.1: throughput rate at worst 1.0")
