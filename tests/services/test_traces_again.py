"""Comparisons of traces computed again: the recorded inputs and the stored bytes give the recorded digest."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis import trace_files
from analysis.trace_files import TraceFile
from reviews.errors import NotVisible
from reviews.models import TraceComparison
from reviews.sections import digest_of
from reviews.services import evidence, store, trace_comparisons, verification
from tests import cases
from tests.services import traced
from tests.services.test_redactions import committed, redact
from tests.services.test_verification import behind_the_triggers
from tests.web.asking import as_, follow

__all__ = ["committed"]
pytestmark = pytest.mark.django_db


def test_the_same_files_and_labels_give_the_same_digest() -> None:
    for row in (traced.several(cases.a_draft()), traced.tables(cases.a_draft())):
        assert trace_comparisons.recompute(traced.compared(row, margin="7.5"))


def test_it_rests_on_what_went_in_and_not_on_what_is_attached_now() -> None:
    row = traced.several(cases.a_draft())
    kept = traced.compared(row)
    evidence.detach(
        actor=cases.person("sam"), attachment_id=row.attachments.order_by("-pk")[0].pk, reason="The wrong file."
    )

    assert trace_comparisons.recompute(kept)


def test_whoever_has_the_inputs_and_the_files_computes_it_without_a_database() -> None:
    kept = traced.compared(traced.one_of_each(cases.a_draft()))
    files = [TraceFile(one["arm"], one["artifact"], one["name"]) for one in kept.inputs["runs"]]

    found = trace_files.answered(files, store.open_artifact, margin=1.02)

    assert digest_of(found) == kept.digest


def again(row: TraceComparison) -> str:
    out = StringIO()
    call_command("recompute", row.evidence_set.memo.number, stdout=out)
    return out.getvalue()


def checked(row: TraceComparison, number: int = 1) -> str:
    where = reverse("traces-again", args=[row.evidence_set.memo.number, number])
    return follow(as_("bea").post(where))


def test_the_command_and_the_page_say_that_it_is_the_same() -> None:
    kept = traced.compared(traced.one_of_each(cases.a_draft()))

    assert again(kept) == f"{kept.evidence_set.memo.number} traces of set 1, margin 2 %: the same\n"
    assert f"traces/?set={kept.evidence_set.number}" in checked(kept)
    assert verification.faults(kept.evidence_set.memo) == ()


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        ("SET digest = inputs_digest", "no event tells of the comparison of the traces of set 1"),
        ("SET inputs_digest = digest", "the comparison of the traces of set 1 is not what its digests say"),
    ],
)
def test_what_was_changed_behind_the_triggers_is_found(sql: str, fault: str) -> None:
    kept = traced.compared(traced.one_of_each(cases.a_draft()))
    behind_the_triggers(f"UPDATE reviews_tracecomparison {sql}")
    kept.refresh_from_db()

    assert fault in verification.faults(kept.evidence_set.memo)
    assert not trace_comparisons.recompute(kept)
    with pytest.raises(CommandError, match=r"1 comparison of traces\(s\) cannot be computed again"):
        again(kept)


def test_files_that_no_longer_read_as_they_did_give_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = traced.compared(traced.one_of_each(cases.a_draft()))
    kept.inputs = {**kept.inputs, "runs": kept.inputs["runs"][:1]}
    kept.inputs_digest = digest_of(kept.inputs)

    assert not trace_comparisons.recompute(kept)


@pytest.mark.usefixtures("committed")
def test_traces_that_were_redacted_are_no_fault_and_compute_nothing() -> None:
    kept = traced.compared(traced.one_of_each(cases.a_draft()))

    redact(kept.inputs["runs"][0]["artifact"])

    assert trace_comparisons.computed_again(kept) == "bytes redacted"
    assert again(kept).endswith("margin 2 %: bytes redacted\n")


def test_bytes_that_are_gone_are_named() -> None:
    kept = traced.compared(traced.one_of_each(cases.a_draft()))
    store.path_of(kept.inputs["runs"][0]["artifact"]).unlink()

    with pytest.raises(NotVisible, match="are not in the store"):
        trace_comparisons.recompute(kept)


def test_the_page_says_when_there_is_nothing_to_check_or_it_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    row = traced.one_of_each(cases.a_draft())
    nothing = as_("bea").post(reverse("traces-again", args=[row.memo.number, 1]), follow=True).content.decode()
    kept = traced.compared(row)
    monkeypatch.setattr(trace_comparisons, "recompute", lambda _row: False)

    differs = as_("bea").post(reverse("traces-again", args=[row.memo.number, 1]), follow=True).content.decode()

    assert "The traces of set 1 are not compared yet." in nothing
    assert "Compared again: another result." in differs
    assert kept.digest[:12] in differs
