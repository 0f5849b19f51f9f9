"""A file is redacted: bytes go, digest and trail stay, gates that rest on it close, and everybody concerned is told."""

from unittest.mock import Mock

import pytest
from django.test import Client
from django.utils import timezone

from reviews.errors import BadInput, GateClosed, NotPermitted, NotVisible, Redacted, WrongState
from reviews.models import Memo, Parse, Redaction
from reviews.queries import gate, people, readings
from reviews.queries.comparison_page import comparison_page
from reviews.queries.memo_page import memo_page
from reviews.queries.queue import queue_of
from reviews.queries.redacted import effects, tables_of
from reviews.services import (
    assessments,
    batch_policy,
    dossiers,
    events,
    evidence,
    manifest,
    parsing,
    redactions,
    remembered,
    store,
    stored_files,
    verification,
)
from reviews.vocabulary import DecisionKind, State
from tests import cases
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db
WHY = "A prompt names a customer."


@pytest.fixture(autouse=True)
def committed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for the commit is done at once: the test's own transaction never commits."""
    monkeypatch.setattr("reviews.services.redactions.transaction.on_commit", lambda deed: deed())


def runs_of(memo: Memo) -> str:
    """The file of runs that the memo cites."""
    return next(part.artifact for part in deeds.content(memo).evidence.sets[0].attachments if part.arm)


def redact(sha256: str, name: str = "adi", kind: str = "customer_data", reason: str = WHY) -> Redaction:
    return redactions.redact(actor=cases.person(name), sha256=sha256, kind=kind, reason=reason)


def said_to(name: str) -> list[str]:
    groups = [group for group in queue_of(cases.person(name)) if group.title == "Redacted evidence"]
    return [item.sentence for group in groups for item in group.items]


def page_of(memo: Memo, name: str = "ann") -> object:
    return memo_page(cases.person(name), people.memo_for(cases.person(name), memo.number))


def test_what_pages_remember_of_evidence_is_forgotten() -> None:
    make = Mock(return_value="an answer")
    for times in (1, 1, 2):
        if times == 2:
            redact(runs_of(cases.a_memo_with_evidence()))
        remembered.remembered("test", {"of": "a redacted file"}, make)

        assert make.call_count == times


def test_an_answer_that_is_made_while_its_file_is_redacted_is_not_remembered() -> None:
    def make_while_redacted() -> str:
        redact(runs_of(cases.a_memo_with_evidence()))
        return "words of the file"

    assert remembered.remembered("race", {}, make_while_redacted) == "words of the file"
    assert remembered.remembered("race", {}, lambda: "made again") == "made again"


def test_what_a_parser_quoted_from_the_file_is_shown_no_more() -> None:
    memo = cases.a_memo_with_evidence()
    sha256 = runs_of(memo)
    Parse.objects.create(
        artifact=readings.artifact_for(cases.person("sam"), sha256).artifact, format="generic", asked_format="generic",
        parser_version=99, state="refused", code="not_a_number", message="“hunter2” is no number.", where="hunter2",
        notices=["hunter2 is odd"], leniences=["hunter2 was skipped"], parsed_at=timezone.now(),
    )  # fmt: skip
    browser = Client()
    browser.force_login(cases.person("sam"))
    faces = [f"/artifacts/{sha256}/", f"/memos/{memo.number}/evidence/", f"/api/v1/artifacts/{sha256}/"]
    shown = ["hunter2" in browser.get(face).content.decode() for face in faces]
    assert shown == [True] * len(faces)

    redact(sha256)

    assert ["hunter2" in browser.get(face).content.decode() for face in faces] == [False] * len(faces)
    assert "hunter2" not in str(manifest.files_of(deeds.content(memo)))


def test_the_bytes_and_what_was_read_from_them_go_and_everything_else_stays() -> None:
    memo = cases.a_memo_with_evidence()
    sha256, head = runs_of(memo), events.chain_of(memo).last()
    tables = tables_of(readings.artifact_for(cases.person("sam"), sha256).artifact)
    assert tables
    assert all(store.holds(digest) for digest in (sha256, *tables))

    row = redact(sha256)

    assert not any(store.holds(digest) for digest in (sha256, *tables))
    assert (row.old_digest, row.artifact.sha256, row.artifact.size > 0) == (sha256, sha256, True)
    for subject in (memo, row.artifact):
        last = events.chain_of(subject).last()
        assert last is not None
        assert (last.action, last.detail["kind"], last.detail["reason"]) == ("redact", "customer_data", WHY)
        assert events.verify(subject) == []
    assert cases.again(memo).current_revision.digest == cases.base_of(memo)  # type: ignore[union-attr]
    assert head is not None
    assert events.chain_of(memo).get(sequence=head.sequence).hash == head.hash
    with refused(Redacted, "bytes_redacted") as caught:
        store.open_artifact(sha256)
    assert f"were redacted by Adi on {row.at:%Y-%m-%d} (customer data: A prompt names a customer)." in str(caught.value)


def test_a_table_that_another_file_gave_too_stays() -> None:
    memo = cases.a_memo_with_evidence()
    first = readings.artifact_for(cases.person("sam"), runs_of(memo)).artifact
    table = parsing.newest(first).measurements.table_sha256  # type: ignore[union-attr]
    twin = deeds.file_of(b" " + store.path_of(first.sha256).read_bytes(), first.name)
    other = parsing.newest(twin).measurements  # type: ignore[union-attr]

    assert table == other.table_sha256
    assert tables_of(first) == frozenset()
    redact(twin.sha256, "sam")
    assert store.holds(table)
    assert tables_of(first) == {table}


def test_the_gate_of_an_undecided_memo_closes_until_the_gap_is_waived_or_the_file_replaced() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    assert gate.preview(memo.pk).least_restrictive == "bounded"

    row = redact(runs_of(memo))

    with refused(GateClosed) as caught:
        cases.decide(memo)
    (gap,) = [one for one in caught.value.missing if "redacted" in one.sentence]
    assert gap.sentence == (
        f"{row.artifact.name} was {row.said}: what rests on it cannot be computed again, and the memo cites it."
    )
    page = page_of(memo)
    assert page.flags.flagged_by_redaction  # type: ignore[attr-defined]
    said = f"{row.artifact.name}, which it read, was {row.said}: it cannot be computed again."
    assert [said in one.notices for one in page.comparisons] == [True, True, False]  # type: ignore[attr-defined]
    shown = comparison_page(cases.person("ann"), cases.again(memo), "C1")
    assert shown.redacted == (f"{row.artifact.name} was {row.said}.",)


def test_a_required_file_and_a_procedure_do_not_count_any_more() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    parts = deeds.content(memo).evidence.sets[0].attachments
    redact(next(part.artifact for part in parts if part.kind == "rollback_procedure"))

    with refused(GateClosed) as caught:
        cases.decide(memo)

    said = "The rollback procedure rollback-procedure.md was redacted by Adi"
    assert any(said in one.sentence for one in caught.value.missing)


def test_a_decided_memo_is_flagged_and_what_was_decided_stands() -> None:
    memo = cases.a_memo_rolling_out()
    before = memo.decisions.get().dossier_sha256
    row = redact(runs_of(memo))

    assert cases.again(memo).state == State.ROLLING_OUT
    assert memo.decisions.get().dossier_sha256 == before
    assert page_of(memo).flags.flagged_by_redaction  # type: ignore[attr-defined]
    for name in ("olga", "rob", "ann", "bea"):
        assert said_to(name) == [f"{row.artifact.name} was {row.said}. The memo stands on it."]
    assert said_to("esk") == said_to("aud") == []
    deeds.put_into(memo, State.SHIPPED)
    (effect,) = effects(cases.person("ann"), row.old_digest)
    assert (effect.memo.number, effect.comparisons, effect.undecided) == (memo.number, ("C1", "C2"), False)
    assert len(said_to("olga")) == 1


def test_verification_says_bytes_redacted_and_finds_no_fault() -> None:
    memo = cases.a_memo_with_evidence()
    assert verification.faults(cases.again(memo)) == ()
    path = store.path_of(runs_of(memo))
    kept = path.read_bytes()

    row = redact(runs_of(memo))

    assert verification.faults(cases.again(memo)) == ()
    assert stored_files.redacted(memo) == (
        f"bytes redacted: {row.artifact.name} ({row.old_digest[:12]}…, {row.artifact.size} bytes) was {row.said}",
    )
    assert {assessments.computed_again(one) for one in memo.assessments.all()} == {"bytes redacted"}
    path.write_bytes(kept)
    assert [one for one in verification.faults(cases.again(memo)) if "although they were redacted" in one]


def test_bytes_that_are_missing_or_changed_without_a_record_are_a_fault() -> None:
    memo = cases.a_memo_with_evidence()
    path = store.path_of(runs_of(memo))
    path.chmod(0o644)
    path.write_bytes(b"{}")
    assert verification.faults(cases.again(memo)) == (
        f"the bytes of runs-of-{memo.number}.json are not what their digest says",
    )
    path.unlink()
    assert verification.faults(cases.again(memo)) == (f"the bytes of runs-of-{memo.number}.json are not in the store",)


def test_the_same_bytes_are_not_taken_in_again_but_the_file_without_them_is() -> None:
    memo = cases.a_memo_with_evidence()
    sha256 = runs_of(memo)
    content = store.path_of(sha256).read_bytes()
    redact(sha256)

    with refused(Redacted, "bytes_redacted"):
        evidence.take_in(actor=cases.person("sam"), name="again.json", chunks=[content], provenance={})
    assert not store.holds(sha256)
    assert deeds.file_of(content + b"\n", "clean.json").sha256 != sha256


def test_nothing_is_computed_from_redacted_bytes() -> None:
    memo = cases.a_memo_with_evidence()
    redact(runs_of(memo))

    with refused(Redacted, "bytes_redacted"):
        assessments.compute(actor=cases.person("sam"), memo_id=memo.pk, comparison="C1")
    assert batch_policy.sweeps_of(memo).runs == ()


def test_a_dossier_that_is_frozen_afterwards_names_the_redaction() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    row = redact(runs_of(memo))
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)

    frozen = dossiers.freeze(cases.again(memo), facts, DecisionKind.ROLLBACK, {})

    assert f'"redacted":"{row.said}"' in frozen.text


def test_only_an_administrator_of_a_team_that_holds_it_redacts_once_and_with_a_reason() -> None:
    sha256 = runs_of(cases.a_memo_with_evidence())
    for name in ("ann", "sam", "bea", "olga", "aud"):
        with refused(NotPermitted):
            redact(sha256, name)
    with refused(NotVisible):
        redact(sha256, "eve")
    with refused(BadInput, "no_reason", "reason"):
        redact(sha256, reason=" ")
    with refused(BadInput, "no_kind", "kind"):
        redact(sha256, kind="ugly")
    redact(sha256)
    with refused(WrongState, "redacted_already"):
        redact(sha256)
    assert Redaction.objects.count() == 1


def test_who_sent_a_file_that_no_memo_holds_redacts_it() -> None:
    cases.set_up()
    sha256 = deeds.file_of(b"x", "notes.txt", read=False).sha256

    row = redact(sha256, "sam", "secret")

    assert events.chain_of(row.artifact).last().detail["memos"] == []  # type: ignore[union-attr]
    assert readings.artifact_for(cases.person("sam"), sha256).redacted == row.said


def test_a_sweep_takes_away_what_a_process_that_ended_too_early_left(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_with_evidence()
    monkeypatch.setattr("reviews.services.redactions.transaction.on_commit", lambda _deed: None)
    row = redact(runs_of(memo))
    assert store.holds(row.old_digest)

    assert redactions.sweep() == (row.artifact.name,)
    assert not store.holds(row.old_digest)
    assert redactions.sweep() == ()
