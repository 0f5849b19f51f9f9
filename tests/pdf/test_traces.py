"""Traces in the PDF and in the dossier: those of sealed sets, as they were compared."""

import json

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from reviews.models import Decision, Memo
from reviews.pdf.record import record_of
from reviews.queries import traced_sets
from reviews.sections import content_from_json
from reviews.services import decisions, evidence
from tests import cases
from tests.pdf.conftest import Dossier
from tests.services import traced

pytestmark = pytest.mark.django_db


def cited(memo: Memo) -> list[Dossier]:
    revision = cases.again(memo).current_revision
    assert revision is not None
    return traced_sets.cited(memo, content_from_json(revision.sections))


def printed(dossier: Dossier, entries: list[Dossier]) -> str:
    record = record_of({**dossier, "traces": entries})
    return render_to_string("pdf/parts/traces.html", {"sheets": record.traces})


def test_a_sealed_set_that_was_compared_is_cited_with_its_digest_and_its_first_kernels(dossier: Dossier) -> None:
    memo = cases.a_memo_in_review()
    row = traced.several(memo)
    kept = traced.compared(row)
    assert cited(memo) == []
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)

    [entry] = cited(memo)
    said = printed(dossier, [entry])

    assert (entry["set"], entry["digest"], entry["kernels"]) == (row.number, kept.digest, 2)
    assert "Divergence is established at compute" in said
    assert "Kernels, per step: the first 2 of 2" in said
    assert "void gemm" in said
    assert "6 runs per arm" in said
    assert said.count("data:image/svg+xml") == 1
    assert "Numbers of: Timeline of the middle step of each arm" in said


def test_one_trace_of_each_arm_is_printed_as_a_description(dossier: Dossier) -> None:
    memo = cases.a_memo_in_review()
    row = traced.one_of_each(memo)
    traced.compared(row)
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)

    said = printed(dossier, cited(memo))

    assert "this is no verdict" in said
    assert "Where the difference begins" not in said


def test_many_kernels_are_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_in_review()
    row = traced.one_of_each(memo)
    traced.compared(row)
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    monkeypatch.setattr(traced_sets, "KERNELS", 1)

    [entry] = cited(memo)

    assert (entry["kernels"], len(entry["result"]["description"]["kernels"])) == (2, 1)


def test_what_is_not_of_the_traces_as_they_are_is_not_cited(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_in_review()
    row = traced.one_of_each(memo)
    traced.compared(row)
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    monkeypatch.setattr("analysis.trace_answer.VERSION", "0")

    assert cited(memo) == []


def test_without_traces_the_record_has_no_such_section(dossier: Dossier) -> None:
    assert dossier["traces"] == []
    assert printed(dossier, []).strip() == ""
    older = {name: value for name, value in dossier.items() if name != "traces"}
    assert record_of(older).traces == ()


def test_the_dossier_of_a_decision_holds_them() -> None:
    memo = cases.a_memo_in_review("With traces")
    row = traced.one_of_each(memo)
    traced.compared(row)
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    decisions.emergency_rollback(
        actor=cases.person("rob"),
        memo_id=memo.pk,
        reason="Stop it.",
        effective_at=timezone.now(),
        authentication=cases.proof(),
    )

    [entry] = json.loads(Decision.objects.get(memo=memo).dossier)["traces"]

    assert entry["set"] == row.number
